import fs from 'node:fs'
import path from 'node:path'
import { approvalLineOf } from '../../approvals/approval-line.ts'
import { type Approvals, approvalsFor } from '../../approvals/approvals.ts'
import { confirm } from '../ask.ts'
import { installedFile } from '../../core/installation.ts'
import { isInside, pathFrom } from '../../core/paths.ts'
import { type CladaOptions, commandSettingsOf, settingsOf } from '../../config/settings.ts'
import { projectFileName } from '../../core/reserved-names.ts'
import { sampleFile, schemaFile } from '../../config/sample.ts'
import type { Command } from '../command.ts'
import { UsageError } from '../flags.ts'
import { print, refusalReason } from '../streams.ts'
import { spellOutCommand } from '../../report/words.ts'
import { ownVersion } from './version.ts'

/** Never replaces an existing file. */
export const command: Command = {
  name: 'init',
  group: 'set-up',
  usage: 'clada init',
  summary: 'write clada.yml with every key and its default',
  about:
    'Writes a config file for this project in which every key is commented out. Never overwrites one. Then asks once whether\nmodels may run the tests of the project (npm test, pytest, cargo test, go test ./..., make test).',
  words: [],
  instead: 'Use --root DIR to choose the directory.',
  flags: ['root', 'help'],
  examples: [['clada init', 'then uncomment what you want to change']],
  run: async ({ flags }) => {
    const [given] = flags.root ?? []
    const options: CladaOptions = given === undefined ? {} : { repoPath: given }
    const { root } = settingsOf(options)
    const file = path.join(root, projectFileName)
    try {
      fs.writeFileSync(file, sampleFile(schemaFor(root)), { flag: 'wx' })
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
      throw new UsageError(
        code === 'EEXIST'
          ? `${projectFileName} already exists in ${spellOutCommand(root)}.`
          : `${projectFileName} cannot be written in ${spellOutCommand(root)}: ${refusalReason(code)}.`,
      )
    }
    print(
      `${projectFileName} written in ${spellOutCommand(root)}: every key with its default. clada config shows the effective values.`,
    )
    await proposeApprovals(options)
    return 0
  },
}

/**
 * A path in the project if clada is installed there, otherwise the address that a registry's mirror gives the file. The
 * path on this machine would be committed, and would lead nowhere on another.
 */
function schemaFor(root: string): string {
  const file = installedFile(`../${schemaFile}`)
  return file !== undefined && isInside(file, root)
    ? `./${encodeURI(pathFrom(root, file))}`
    : `https://unpkg.com/clada@${ownVersion()}/${schemaFile}`
}

/** The commands that run the tests of a project and are not approved yet. */
export function listUnapproved(root: string, approvals: Approvals): string[] {
  const approved = new Set(approvals.approved())
  return proposeCommands(root).filter((command) => !approved.has(command))
}

export const approveLine = (command: string): string => `clada approve "${command}"`

/** One question for all of them, where a user can be asked; otherwise the lines that approve them. */
async function proposeApprovals(options: CladaOptions): Promise<void> {
  const settings = settingsOf(options)
  const approvals = await approvalsFor(settings, commandSettingsOf(options))
  const lines = listUnapproved(settings.root, approvals).flatMap((command) => {
    const line = approvalLineOf(command)
    return 'line' in line ? [line] : []
  })
  if (lines.length === 0) return
  const shown = lines.map(({ typed }) => `    ${spellOutCommand(typed)}`)
  const yes = await confirm(
    `${['Let models run the tests of this project, in the sandbox and without network?', ...shown].join('\n')}\n`,
  )
  if (yes === undefined) {
    print(`To let models run the tests: ${lines.map(({ typed }) => approveLine(spellOutCommand(typed))).join('; ')}`)
    return
  }
  if (!yes) return
  for (const line of lines) approvals.add(line)
  print(`Approved: ${lines.map(({ typed }) => spellOutCommand(typed)).join(', ')}.`)
}

/** Commands that run the tests of a project, by the files that it has. */
export function proposeCommands(root: string): string[] {
  const names = new Set(fs.readdirSync(root))
  const read = (name: string): string => (names.has(name) ? readSmall(path.join(root, name)) : '')
  return [
    ...packageTest(read('package.json'), names),
    ...(isTestedByPytest(names, read) ? ['pytest'] : []),
    ...(names.has('Cargo.toml') ? ['cargo test'] : []),
    ...(names.has('go.mod') ? ['go test ./...'] : []),
    ...(/^test\s*:(?!=)/m.test(read('Makefile')) ? ['make test'] : []),
  ]
}

/** Empty for what is not a file, or more than a person wrote. */
function readSmall(file: string): string {
  const stat = fs.statSync(file, { throwIfNoEntry: false })
  return stat?.isFile() && stat.size < 1_000_000 ? fs.readFileSync(file, 'utf8') : ''
}

function packageTest(text: string, names: ReadonlySet<string>): string[] {
  // What npm init writes only fails.
  if (!/"test"\s*:\s*"(?!echo \\"Error: no test)[^"]/.test(text)) return []
  const manager = managers.find(([lock]) => names.has(lock))?.[1] ?? 'npm'
  return [`${manager} ${manager === 'bun' ? 'run test' : 'test'}`]
}

const managers = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lockb', 'bun'],
  ['bun.lock', 'bun'],
] as const

function isTestedByPytest(names: ReadonlySet<string>, read: (name: string) => string): boolean {
  if (names.has('pytest.ini') || names.has('conftest.py')) return true
  return ['pyproject.toml', 'tox.ini', 'setup.cfg', 'requirements-dev.txt'].some((name) =>
    /\bpytest\b/.test(read(name)),
  )
}

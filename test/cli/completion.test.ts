import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { beforeAll, afterAll, describe, expect, it } from 'vitest'
import os from 'node:os'
import { describeCompletion } from '../../packages/clada/src/cli/complete.ts'
import { flags } from '../../packages/clada/src/cli/flags.ts'
import { commandHelp } from '../../packages/clada/src/cli/commands/help.ts'
import { allCommands, commands as loaders } from '../../packages/clada/src/cli/commands/list.ts'
import { clada, cladaCommand } from '../support/cli.ts'

const commands = await allCommands()

/** What somebody has typed so far, and what must be among the answers. */
const cases: readonly (readonly [typed: string, ...answers: string[]])[] = [
  ['clada un', 'undo'],
  ['clada com', 'completion'],
  ['clada --forma', '--format'],
  ['clada --format pr', 'pretty'],
  ['clada --root . --git sh', 'shadow'],
  ['clada --syntax ud', 'udiff'],
  ['clada undo --act', '--action'],
  ['clada do file_replace_al', 'file_replace_all_text'],
  ['clada do file_replace_text old', 'old_text='],
  ['clada config limits.tot', 'limits.total_timeout'],
  ['clada completion zs', 'zsh'],
  ['clada help tru', 'trust'],
  ['clada trust rem', 'remove'],
  ['clada context pru', 'prune'],
  ['clada context ad', 'add'],
]

const shellAt = (name: string): string | undefined =>
  ['/usr/bin', '/bin', '/usr/local/bin'].map((dir) => path.join(dir, name)).find((file) => fs.existsSync(file))

/** A directory with the command line under its own name, as shells look for it. */
let bin = ''
beforeAll(() => {
  bin = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-bin-'))
  fs.writeFileSync(
    path.join(bin, 'clada'),
    `#!/bin/sh\nexec ${cladaCommand()
      .map((word) => `'${word}'`)
      .join(' ')} "$@"\n`,
    {
      mode: 0o755,
    },
  )
})
afterAll(() => fs.rmSync(bin, { recursive: true, force: true }))

const inShell = (shell: string, args: readonly string[]): string =>
  execFileSync(shell, [...args], {
    encoding: 'utf8',
    cwd: bin,
    env: { PATH: `${bin}:/usr/bin:/bin`, HOME: bin, TERM: 'dumb', LC_ALL: 'C.UTF-8' },
    timeout: 110_000,
  })

describe('completion in bash', () => {
  const script =
    'source <(clada completion bash); for line; do COMP_WORDS=($line); [[ $line == *" " ]] && COMP_WORDS+=(""); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _clada; echo "${COMPREPLY[@]}"; done'

  it('answers what may follow', () => {
    const lines = inShell('bash', ['-c', script, 'bash', ...cases.map(([typed]) => typed)])
      .trimEnd()
      .split('\n')
    expect(lines).toEqual(cases.map(([, ...answers]) => answers.join(' ')))
  })

  it('completes files after the verb of context', () => {
    expect(inShell('bash', ['-c', script, 'bash', 'clada context add ad'])).toBe('\n')
  })

  it('knows every command, and leaves files to the shell', () => {
    const [all, files, help] = inShell('bash', ['-c', script, 'bash', 'clada ', 'clada run ', 'clada help ']).split(
      '\n',
    )
    expect(all?.split(' ')).toEqual(commands.map(({ name }) => name))
    expect(files).toBe('')
    expect(help?.split(' ')).toEqual(commands.map(({ name }) => name))
  })
})

const zsh = shellAt('zsh')
describe.skipIf(zsh === undefined)(
  `completion in zsh${zsh === undefined ? ' (skipped: zsh is not installed)' : ''}`,
  () => {
    it('completes a line as somebody would', () => {
      const lines = inShell(zsh ?? '', [
        '-f',
        path.join(import.meta.dirname, 'complete.zsh'),
        ...cases.map(([typed]) => typed),
      ])
      const done = lines
        .trimEnd()
        .split('\n')
        .map((line) => line.trimEnd().split(' ').at(-1))
      expect(done).toEqual(cases.map(([, answer]) => answer))
    })
  },
)

const fish = shellAt('fish')
describe.skipIf(fish === undefined)(
  `completion in fish${fish === undefined ? ' (skipped: fish is not installed)' : ''}`,
  () => {
    it('answers what may follow', () => {
      const asks = cases.map(([typed]) => `complete -C '${typed}'; echo END`).join('; ')
      const answers = inShell(fish ?? '', ['--no-config', '-c', `clada completion fish | source; ${asks}`])
      const found = answers
        .split('END\n')
        .slice(0, -1)
        .map((text) =>
          text
            .split('\n')
            .filter((line) => line !== '')
            .map((line) => line.split('\t')[0]),
        )
      expect(found).toEqual(cases.map(([, ...wanted]) => wanted))
    })
  },
)

describe('help', () => {
  it('has a page with examples for every command, by both ways', () => {
    const files = fs.readdirSync(path.join(import.meta.dirname, '../../packages/clada/src/cli/commands'))
    expect(Object.keys(loaders).toSorted()).toEqual(
      files.flatMap((file) => (file === 'list.ts' ? [] : [path.basename(file, '.ts')])).toSorted(),
    )
    expect(commands.map(({ name }) => name)).toEqual(Object.keys(loaders))
    const general = clada(['help'], { cwd: bin }).stdout
    for (const command of commands) {
      const { name, usage, summary, examples } = command
      expect(general.split('\n').map((line) => line.replace(/ +/g, ' '))).toContain(` ${name} ${summary}`)
      expect(usage, name).toMatch(name === 'run' ? /^clada \[run\]/ : new RegExp(`^clada ${name}( |$)`))
      expect(examples.length, name).toBeGreaterThan(0)
      for (const [line] of examples) expect(line, name).toMatch(/\bclada\b/)
      expect(command.flags, name).toContain('help')
      for (const flag of command.flags) expect(flags.map((one) => one.name as string)).toContain(flag)
      expect(commandHelp(command)).toContain('Examples:')
    }
    const cwd = bin
    const [first] = commands
    expect(clada(['help', first?.name ?? ''], { cwd }).stdout).toBe(
      clada([first?.name ?? '', '--help'], { cwd }).stdout,
    )
  })

  it('fits into 80 columns, in groups', () => {
    const general = clada(['--help'], { cwd: bin }).stdout
    expect(general.split('\n').filter((line) => /^\S.*:$/.test(line))).toEqual([
      'Everyday:',
      'History:',
      'Set-up:',
      'Agents:',
    ])
    expect(clada(['help', 'run'], { cwd: bin }).stdout).toMatch(/^Git and the lock:\n {2}--no-git/m)
    for (const page of [general, ...commands.map(commandHelp)])
      expect(page.split('\n').filter(({ length }) => length > 80)).toEqual([])
  })

  it('gives every flag to some command', () => {
    const used = new Set(commands.flatMap((command) => command.flags))
    expect(flags.map(({ name }) => name).filter((name) => !used.has(name) && name !== 'version')).toEqual([])
  })

  it('and completion come from the same tables', () => {
    const { commands: completed, flags: known } = describeCompletion(commands)
    expect(completed.map(({ name }) => name)).toEqual(commands.map(({ name }) => name))
    expect(known.map(({ name }) => name)).toEqual(flags.map(({ name }) => name))
  })
})

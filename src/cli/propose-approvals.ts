import path from 'node:path'
import { approvalLineOf } from '../approvals/approval-line.ts'
import { Approvals } from '../approvals/approvals.ts'
import { confirmed } from './ask.ts'
import { print } from './streams.ts'
import { visible } from '../report/words.ts'
import { namesIn, readSmall } from '../approvals/rule-files.ts'

/** The commands that run the tests of a project and are not approved yet. */
export function unapproved(root: string, approvals: Approvals): string[] {
  const approved = new Set(approvals.approved())
  return proposedCommands(root).filter((command) => !approved.has(command))
}

/** One question for all of them, where a user can be asked; otherwise the lines that approve them. */
export async function proposeApprovals(root: string, allowedRoots: readonly string[]): Promise<void> {
  const approvals = new Approvals(root, allowedRoots)
  const lines = unapproved(root, approvals).flatMap((command) => {
    const line = approvalLineOf(command)
    return 'line' in line ? [{ line, runs: approvals.runs(line)[0] }] : []
  })
  if (lines.length === 0) return
  const shown = lines.map(({ line, runs }) => {
    const what = runs.shown === undefined ? '' : `  (runs: ${visible(runs.shown)})`
    return `    ${visible(line.line)}${what}`
  })
  const yes = await confirmed(
    `${['Let models run the tests of this project, in the sandbox and without network?', ...shown].join('\n')}\ny or n, then Enter: `,
  )
  if (yes === undefined) {
    print(`To let models run the tests: ${lines.map(({ line }) => `clada approve "${visible(line.line)}"`).join('; ')}`)
    return
  }
  if (!yes) return
  for (const { line, runs } of lines) approvals.add(line, runs)
  print(`Approved: ${lines.map(({ line }) => visible(line.line)).join(', ')}.`)
}

/** Commands that run the tests of a project, by the files that it has. */
export function proposedCommands(root: string): string[] {
  const names = new Set(namesIn(root))
  const read = (name: string): string => (names.has(name) ? (readSmall(path.join(root, name)) ?? '') : '')
  return [
    ...packageTest(read('package.json'), names),
    ...(isTestedByPytest(names, read) ? ['pytest'] : []),
    ...(names.has('Cargo.toml') ? ['cargo test'] : []),
    ...(names.has('go.mod') ? ['go test ./...'] : []),
    ...(/^test\s*:(?!=)/m.test(read('Makefile')) ? ['make test'] : []),
  ]
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

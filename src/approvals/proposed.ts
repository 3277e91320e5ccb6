import path from 'node:path'
import { namesIn, readSmall } from './text.ts'

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

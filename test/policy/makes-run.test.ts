import { describe, expect, it } from 'vitest'
import { runners, runWarnings } from '../../src/policy/makes-run.ts'

/** A path that a pattern of the table matches. */
const sample = (file: string): string => file.replaceAll('*', 'x') + (file.endsWith('/') ? 'x.txt' : '')

describe.each(runners)('$why', ({ why, files, misses }) => {
  it.each(files.flatMap((file) => [sample(file), `sub/${sample(file)}`]))('is said of %s', (file) => {
    expect(runWarnings([file])).toEqual([`'${file}': ${why}. Look at it first`])
    expect(runWarnings([file.toUpperCase()])).toHaveLength(1)
  })

  it.each(misses)('is not said of %s', (file) => {
    expect(runWarnings([file])).toEqual([])
  })
})

it('is said of every name once, with a reason and a proof for each row', () => {
  const names = runners.flatMap(({ files }) => files)
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  expect(names.filter((name) => name !== name.toLowerCase())).toEqual([])
  expect(runners.length).toBeGreaterThanOrEqual(60)
  for (const { misses } of runners) expect(misses.filter((file) => file !== '')).not.toEqual([])
})

it.each([
  '.cargo/config',
  '.helix/languages.toml',
  '.aider.conf.yml',
  '.cursorrules',
  'AGENTS.md',
  'CLAUDE.md',
  '.gitea/workflows/x.yml',
  '.Rprofile',
  '.vimrc',
  '.exrc',
  '.nvim.lua',
  '.dir-locals.el',
  '.devcontainer/devcontainer.json',
  '.idea/workspace.xml',
  '.husky/pre-commit',
  'lefthook.yml',
  '.pre-commit-config.yaml',
  'conftest.py',
  'sitecustomize.py',
  'setup.py',
  'build.rs',
  'gradle.properties',
  '.mvn/jvm.config',
  '.bazelrc',
  '.envrc',
  'justfile',
  'Taskfile.yml',
  '.mcp.json',
  '.claude/settings.json',
  'all.code-workspace',
  'packages/a/.vscode/Tasks.json',
  '../lib/.npmrc',
  'sub/bare/HEAD',
])('is said of %s', (file) => {
  expect(runWarnings([file])).toHaveLength(1)
})

it.each(['package.json', 'Makefile', 'Dockerfile', 'src/index.ts', '.env.example', 'README.md', 'tsconfig.json'])(
  'is not said of %s',
  (file) => {
    expect(runWarnings([file])).toEqual([])
  },
)

it('is one sentence for several files with the same reason', () => {
  expect(runWarnings(['.husky/a', '.husky/b', '.githooks/c'])).toEqual([
    "'.husky/a' and 2 more: git runs it as a hook. Look at them first",
  ])
})

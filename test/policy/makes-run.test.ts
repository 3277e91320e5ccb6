import { expect, it } from 'vitest'
import { runWarnings } from '../../src/policy/makes-run.ts'

it.each([
  ['.vscode/tasks.json', 'VS Code'],
  ['packages/a/.vscode/Tasks.json', 'VS Code'],
  ['all.code-workspace', 'VS Code'],
  ['.idea/runConfigurations/x.xml', 'JetBrains IDEs'],
  ['.mcp.json', 'coding agents'],
  ['.claude/settings.json', 'coding agents'],
  ['.cursor/hooks.json', 'coding agents'],
  ['.github/workflows/ci.yml', 'the CI server'],
  ['.github/actions/a/action.yml', 'the CI server'],
  ['sub/.envrc', 'shells'],
  ['.config/fish/conf.d/x.fish', 'shells'],
  ['.husky/pre-commit', 'git'],
  ['sub/bare/HEAD', 'git'],
  ['.cargo/config.toml', 'package managers'],
  ['../lib/.npmrc', 'package managers'],
])('%s can make %s run commands', (file, who) => {
  expect(runWarnings([file])).toEqual([`'${file}' can make ${who} run commands; look at it first`])
})

it.each([
  '.vscode/extensions.json',
  'tasks.json',
  '.github/CODEOWNERS',
  '.github/ISSUE_TEMPLATE/bug.md',
  'workflows/ci.yml',
  'docs/.idea',
  'my.idea/x',
  'claude/settings.json',
  '.env.example',
  'package.json',
  'Makefile',
  'src/index.ts',
])('%s is a file like any other', (file) => {
  expect(runWarnings([file])).toEqual([])
})

it('says it once for each program', () => {
  expect(runWarnings(['.idea/a.xml', 'src/a.ts', '.idea/b.xml', '.idea/c.xml', '.mcp.json'])).toEqual([
    "'.idea/a.xml' and 2 more can make JetBrains IDEs run commands; look at them first",
    "'.mcp.json' can make coding agents run commands; look at it first",
  ])
})

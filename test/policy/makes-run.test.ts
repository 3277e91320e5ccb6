import { describe, expect, it } from 'vitest'
import { runners as runnersIn, runWarnings } from '../../packages/clada/src/policy/makes-run.ts'

const runners = runnersIn()

/** A path that a pattern of the table matches. */
const sample = (file: string): string => file.replaceAll('*', 'x') + (file.endsWith('/') ? 'x.txt' : '')

describe.each(runners)('$why', ({ why, files }) => {
  it.each(files.flatMap((file) => [sample(file), `sub/${sample(file)}`]))('is said of %s', (file) => {
    expect(runWarnings([file])).toEqual([`'${file}': ${why}. Look at it first`])
    expect(runWarnings([file.toUpperCase()])).toHaveLength(1)
  })
})

it('is said of every name once', () => {
  const names = runners.flatMap(({ files }) => files)
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  expect(names.filter((name) => name !== name.toLowerCase())).toEqual([])
  expect(runners.length).toBeGreaterThanOrEqual(60)
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

/** Names that only look like one of the table. */
const others = `
  package.json Makefile Dockerfile src/index.ts .env.example README.md tsconfig.json .vscode/extensions.json
  tasks.json code-workspace.md docs/.idea my.idea/x fleet/run.json .zed/notes.md vimrc.md nvim.lua dir-locals.el
  languages.toml kakrc sublime.md ycm_extra_conf.py lsp.json devcontainer.json gitpod.yml devfile.md replit.md
  idx/dev.nix codesandbox.json mcp.md claude/settings.json docs/agents-guide.md cursor.md windsurf.md gemini/x
  codex/config.toml aider.md clinerules.md continue.ts .github/README.md rules.md .github/CODEOWNERS
  .github/ISSUE_TEMPLATE/bug.md workflows/ci.yml dependabot.yml gitlab-ci.md .gitea/ISSUE_TEMPLATE/a.md
  .forgejo/README.md circleci.md buildkite/pipeline.yml travis.yml drone.yml pipelines.md bitbucket.md
  jenkins.md appveyor.md netlify.md readthedocs.md hooks/useState.ts pre-commit.md left.yml grumphp.md
  .gitignore header npmrc.md binding.md cargo.md src/build_rs.rs conftest.md customize.py setup.md project.toml
  pdbrc ipython.md rprofile.md gem.md iex.exs ghci.hs sbt.md mvn.md gradle.md bazel.md cmake.md build.cs
  swift.md tasks/readme.md nix.md version.txt bashrc.md gdb.md sqlite.md .eslintrc.json .prettierrc eslint.md
  toolchain.toml project.md desktop.md url.ts code.json clada.md input.md
`

it.each(others.trim().split(/\s+/))('is not said of %s', (file) => {
  expect(runWarnings([file])).toEqual([])
})

it('is one sentence for several files with the same reason', () => {
  expect(runWarnings(['.husky/a', '.husky/b', '.githooks/c'])).toEqual([
    "'.husky/a' and 2 more: git runs it as a hook. Look at them first",
  ])
})

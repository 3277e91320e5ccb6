import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  decidersDigest,
  decidersInWords,
  differOnlyIn,
  readDeciders,
} from '../../packages/clada/src/approvals/deciders.ts'
import { withGitDeciders } from '../../packages/clada/src/approvals/git-deciders.ts'
import { decidesItself, decidesWhatRuns } from '../../packages/clada/src/policy/deciding-files.ts'
import { fill, scratchDir } from '../support/scratch.ts'
import { skipWithout } from '../support/needs.ts'

const deciders = (root: string, ...further: string[]) => readDeciders({ root, roots: [root], further })
const digest = (root: string): string | null => decidersDigest(deciders(root))

const sources = { 'src/app.js': '1', 'README.md': 'x', 'test/a.test.ts': '1', 'lib/index.py': 'x' }

describe('what could decide what a command runs', () => {
  it.each([
    'package.json',
    'packages/a/package.json',
    'node_modules/dep/package.json',
    'node_modules/.bin/vitest',
    'package-lock.json',
    'npm-shrinkwrap.json',
    'yarn.lock',
    'pnpm-lock.yaml',
    'pnpm-workspace.yaml',
    'bun.lockb',
    '.npmrc',
    'sub/.npmrc',
    '.yarnrc.yml',
    '.yarn/releases/yarn-4.1.0.cjs',
    '.yarn/plugins/x.cjs',
    '.pnpmfile.cjs',
    '.pnp.cjs',
    'vendor/dep-1.0.0.tgz',
    'dep.tar.gz',
    'wheels/x-1.0-py3-none-any.whl',
    'binding.gyp',
    'Makefile',
    'GNUmakefile',
    'sub/rules.mk',
    'Makefile.local',
    'justfile',
    'Justfile',
    'taskfile.yaml',
    'Taskfile.dist.yml',
    'Rakefile',
    'rakelib/deploy.rake',
    'rakelib/deep/x.rb',
    'build.gradle.kts',
    'gradle/wrapper/gradle-wrapper.jar',
    'gradlew',
    '.mvn/jvm.config',
    'pom.xml',
    'build.rs',
    'Cargo.toml',
    '.cargo/config.toml',
    'go.mod',
    'pyproject.toml',
    'setup.py',
    'tox.ini',
    'noxfile.py',
    'conftest.py',
    'requirements-dev.txt',
    'Gemfile',
    'composer.json',
    'vite.config.ts',
    'playwright.config.mts',
    'scripts/build.js',
    'packages/a/scripts/deep/x.txt',
    'bin/cli',
    'tools/gen.py',
    '.husky/pre-commit',
    '.githooks/pre-push',
    'hooks/pre-commit',
    '.gitattributes',
    '.pre-commit-config.yaml',
    'lefthook.yml',
    'Dockerfile',
    'docker-compose.yml',
    'CMakeLists.txt',
    'rust-toolchain.toml',
    'mise.toml',
  ])('is %s, whole', (name) => {
    const root = scratchDir({ ...sources, [name]: 'one' })
    const before = digest(root)
    fill(root, { [name]: 'two' })
    expect(digest(root)).not.toBe(before)
    fs.rmSync(path.join(root, name))
    expect(digest(root)).not.toBe(before)
    fill(root, { [name]: 'one' })
    expect(digest(root)).toBe(before)
    expect(decidesWhatRuns(name)).toBe(true)
    expect(decidesWhatRuns(name.toUpperCase())).toBe(true)
  })

  it('is not source code', () => {
    const root = scratchDir({ ...sources, 'package.json': '{}' })
    const before = digest(root)
    for (const name of Object.keys(sources)) fill(root, { [name]: 'other' })
    fill(root, { 'src/new.ts': '', '.clada/allowed-commands.json': '{}' })
    expect(digest(root)).toBe(before)
    for (const name of Object.keys(sources)) expect(decidesWhatRuns(name)).toBe(false)
  })

  it('is read to the end, however large it is', () => {
    const root = scratchDir({ 'package.json': `{"a":"${'x'.repeat(6_000_000)}"}` })
    const before = digest(root)
    expect(before).not.toBeNull()
    fs.appendFileSync(path.join(root, 'package.json'), ' ')
    expect(digest(root)).not.toBe(before)
  })

  it('is what a link leads to, and where it leads', () => {
    const root = scratchDir({ 'data/a.txt': 'one', 'data/b.txt': 'one', 'tasks-here/x.sh': 'one' })
    fs.symlinkSync('data/a.txt', path.join(root, 'Makefile'))
    fs.symlinkSync('tasks-here', path.join(root, 'scripts'))
    const before = digest(root)
    fill(root, { 'data/a.txt': 'two' })
    const second = digest(root)
    expect(second).not.toBe(before)
    fill(root, { 'tasks-here/x.sh': 'two' })
    const third = digest(root)
    expect(third).not.toBe(second)
    fill(root, { 'data/b.txt': 'two' })
    fs.rmSync(path.join(root, 'Makefile'))
    fs.symlinkSync('data/b.txt', path.join(root, 'Makefile'))
    expect(digest(root)).not.toBe(third)
  })

  it('is a directory that git takes for a repository, with all of it', () => {
    const root = scratchDir({ 'dep/a.txt': 'x' })
    execFileSync('git', ['init', '-q', '--bare', 'dep.git'], { cwd: root })
    execFileSync('git', ['init', '-q', 'inner'], { cwd: root })
    for (const name of ['dep.git/refs/heads/main', 'dep.git/packed-refs', 'inner/.git/refs/heads/main']) {
      const before = digest(root)
      fill(root, { [name]: '0123456789012345678901234567890123456789\n' })
      expect(digest(root), name).not.toBe(before)
    }
  })

  it('is what decides which programs git runs, and not what git writes', () => {
    const root = scratchDir()
    execFileSync('git', ['init', '-q'], { cwd: root })
    const before = digest(root)
    fill(root, { '.git/refs/heads/main': 'x', '.git/HEAD': 'x', '.git/index': 'x', '.git/logs/HEAD': 'x' })
    expect(digest(root)).toBe(before)
    for (const name of ['.git/config', '.git/hooks/pre-commit', '.git/info/attributes']) {
      const last = digest(root)
      fill(root, { [name]: 'other' })
      expect(digest(root), name).not.toBe(last)
    }
  })

  it('is of a git command what git says of its settings and hooks, wherever they are', () => {
    const root = scratchDir({ 'x/pre-commit': 'one', 'more.cfg': '[alias]\n\ta = b\n' })
    execFileSync('git', ['init', '-q'], { cwd: root })
    fs.appendFileSync(path.join(root, '.git/config'), '[core] hooksPath = x\n[include] path = ../more.cfg\n')
    const read = () => decidersDigest(withGitDeciders(root, root, deciders(root)))
    const before = read()
    expect(before).not.toBeNull()
    fill(root, { 'x/pre-commit': 'two' })
    const second = read()
    expect(second).not.toBe(before)
    fill(root, { 'more.cfg': '[alias]\n\ta = !evil\n' })
    expect(read()).not.toBe(second)
  })

  it('cannot be read whole when it is a pipe, and is then never the same', (context) => {
    skipWithout(context, 'posix')
    const root = scratchDir()
    execFileSync('mkfifo', [path.join(root, 'Makefile')])
    expect(digest(root)).toBeNull()
    expect(decidersInWords(deciders(root))).toContain("'Makefile' cannot be read whole")
    const device = scratchDir()
    fs.symlinkSync('/dev/zero', path.join(device, 'package.json'))
    expect(digest(device)).toBeNull()
  })

  it('may lead round in a circle, or nowhere', () => {
    const root = scratchDir({ 'scripts/a.sh': '1' })
    fs.symlinkSync('..', path.join(root, 'scripts/up'))
    fs.symlinkSync('bin', path.join(root, 'bin'))
    fs.symlinkSync('gone', path.join(root, 'Makefile'))
    expect(digest(root)).toBe(digest(root))
    expect(digest(root)).not.toBeNull()
  })

  it('is a program of the project too, whatever it is called', () => {
    const root = scratchDir({ 'src/run': 'one' })
    const file = path.join(root, 'src/run')
    const before = decidersDigest(deciders(root, file))
    fill(root, { 'src/run': 'two' })
    expect(decidersDigest(deciders(root, file))).not.toBe(before)
  })

  it('is in every directory that documents can write to', () => {
    const [root, other] = [scratchDir(), scratchDir({ 'package.json': 'one' })]
    const read = () => decidersDigest(readDeciders({ root, roots: [root, other], further: [] }))
    const before = read()
    fill(other, { 'package.json': 'two' })
    expect(read()).not.toBe(before)
  })
})

it('tells whether only some files were changed', () => {
  const root = scratchDir({ 'package.json': '{}', 'package-lock.json': '1', 'scripts/a.sh': '1' })
  const before = deciders(root)
  fill(root, { 'package-lock.json': '2', 'node_modules/x/package.json': '{}' })
  expect(differOnlyIn(before, deciders(root), ['package-lock.json', 'node_modules/x/package.json'])).toBe(true)
  expect(differOnlyIn(before, deciders(root), ['package-lock.json', 'node_modules'])).toBe(true)
  fill(root, { 'scripts/a.sh': '2' })
  expect(differOnlyIn(before, deciders(root), ['package-lock.json', 'node_modules'])).toBe(false)
})

it('is told to a person by the names near the top', () => {
  const many = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`node_modules/d${at}/package.json`, '{}']))
  expect(decidersInWords(deciders(scratchDir({ ...many, 'package.json': '{}' })))).toBe(
    'package.json, node_modules/d0/package.json, node_modules/d1/package.json, node_modules/d2/package.json, node_modules/d3/package.json and 5 more',
  )
  expect(decidersInWords(deciders(scratchDir(sources)))).toBe('none so far')
})

it('knows a directory by its own name only', () => {
  expect(decidesItself('scripts', 'directory')).toBe(true)
  expect(decidesItself('scripts', 'file')).toBe(false)
  expect(decidesItself('src/scripts.ts', 'file')).toBe(false)
})

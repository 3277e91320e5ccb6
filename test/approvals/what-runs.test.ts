import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type WhatRuns, whatRuns } from '../../src/approvals/what-runs.ts'
import { scratchDir } from '../support/scratch.ts'

const manifest = (scripts: Record<string, string>): string => JSON.stringify({ name: 'p', scripts })

const project = (): string =>
  scratchDir({
    'package.json': manifest({
      test: 'echo ROOT-OK',
      start: 'echo begun',
      prebuild: 'echo first',
      build: 'echo built',
    }),
    'pkg/package.json': manifest({ test: 'echo OTHER', only: 'echo here' }),
    'src/x.js': '',
    'a.mjs': '1',
    'b.js': '2',
    'sub/Makefile': 'all:\n',
    Makefile: 'all:\n',
  })

function runs(line: string, given: string, cwd = given): WhatRuns {
  const root = path.resolve(given)
  return whatRuns(line.split(' '), { cwd: path.resolve(cwd), root, roots: [root] })[0]
}

/** Whether an approval would still hold once a file reads otherwise. */
function heldAfter(line: string, file: string, text: string, root = project(), cwd = root): boolean {
  const before = runs(line, root, cwd).hash
  fs.writeFileSync(path.join(root, file), text)
  return runs(line, root, cwd).hash === before
}

describe('what a package tool runs', () => {
  it.each([
    ['npm test', 'echo ROOT-OK'],
    ['npm t', 'echo ROOT-OK'],
    ['npm tst', 'echo ROOT-OK'],
    ['npm -s test', 'echo ROOT-OK'],
    ['npm test --silent', 'echo ROOT-OK'],
    ['npm --silent run test', 'echo ROOT-OK'],
    ['npm rum test', 'echo ROOT-OK'],
    ['npm run test one two', 'echo ROOT-OK'],
    ['npm run test -- -w pkg', 'echo ROOT-OK'],
    ['npm test -- -w pkg', 'echo ROOT-OK'],
    ['npm start', 'echo begun'],
    ['npm run build', 'prebuild: echo first; build: echo built'],
    ['pnpm run-script test', 'echo ROOT-OK'],
    ['yarn test', 'echo ROOT-OK'],
    ['yarn run start', 'echo begun'],
    ['bun run test', 'echo ROOT-OK'],
  ])('is known for %s', (line, shown) => {
    expect(runs(line, project()).shown).toBe(shown)
    expect(heldAfter(line, 'package.json', manifest({ [shown]: 'x' }))).toBe(false)
    expect(heldAfter(line, 'pkg/package.json', manifest({ test: 'x' }))).toBe(true)
  })

  it.each([
    'npm test -w pkg',
    'npm test --workspace=pkg',
    'npm -w pkg test',
    'npm run test --workspaces',
    'npm --prefix pkg test',
    'npm test --prefix pkg',
    'npm run --if-present only',
    'npm run only',
    'npm run -- only',
    'npm',
    'npm restart',
    'npm version 1.0.0',
    'yarn --cwd pkg test',
    'yarn workspace pkg test',
    'yarn t',
    'yarn build',
    'pnpm -C pkg test',
    'pnpm -r test',
    'pnpm --filter pkg test',
    'bun test',
    'bun --cwd=pkg run test',
  ])('may be any script for %s', (line) => {
    expect(runs(line, project()).shown).toBe(
      'what is not known by name, maybe any script of package.json, pkg/package.json',
    )
    expect(heldAfter(line, 'package.json', manifest({ test: 'evil' }))).toBe(false)
    expect(heldAfter(line, 'pkg/package.json', manifest({ test: 'evil' }))).toBe(false)
    expect(heldAfter(line, 'src/package.json', manifest({ test: 'evil' }))).toBe(false)
    expect(heldAfter(line, 'src/x.js', 'x')).toBe(true)
  })

  it('is the script of the nearest package, also from below it', () => {
    const root = project()
    expect(runs('npm test', root, path.join(root, 'pkg')).shown).toBe('echo OTHER')
    expect(runs('npm test', root, path.join(root, 'src')).shown).toBe('echo ROOT-OK')
  })

  it('is what packages of the project do when they are installed', () => {
    expect(runs('npm install', project()).shown).toBe('no scripts of the project, and whatever fetched packages run')
    for (const file of ['package.json', 'pkg/package.json']) {
      expect(heldAfter('npm install', file, manifest({ postinstall: 'evil' }))).toBe(false)
      expect(heldAfter('npm --prefix pkg install', file, manifest({ postinstall: 'evil' }))).toBe(false)
    }
  })

  it.each([
    ['an archive', '{"dependencies": {"dep": "file:dep.tgz"}}', 'whatever dep.tgz runs (88cb8a08)'],
    ['a file that cannot be read', '{', 'whatever package.json says, which cannot be read (021fb596)'],
    ['a place that is not there', '{"dependencies": {"dep": "file:gone"}}', 'no scripts of the project'],
  ])('is unknown for %s', (_, text, shown) => {
    const root = scratchDir({ 'package.json': text, 'dep.tgz': 'packed' })
    expect(runs('npm install', root).shown).toBe(`${shown}, and whatever fetched packages run`)
    expect(heldAfter('npm install', 'dep.tgz', 'other', root)).toBe(!shown.includes('tgz'))
  })

  const above = (dir: string): string[] => (dir === path.dirname(dir) ? [dir] : [dir, ...above(path.dirname(dir))])
  const isInPackage = above(os.tmpdir()).some((dir) => fs.existsSync(path.join(dir, 'package.json')))
  it.skipIf(isInPackage)('is nothing that the project says where it has no package', () => {
    const root = scratchDir({ 'sub/x.js': '' })
    for (const line of ['npm test', 'npm run build', 'npm install'])
      expect(runs(line, root, path.join(root, 'sub')).shown).toBeUndefined()
  })

  it('is shown up to a length, and counts whole', () => {
    const long = `begin ${'x'.repeat(5000)}`
    const root = scratchDir({ 'package.json': manifest({ test: long }) })
    expect(runs('npm test', root).shown).toBe(`${long.slice(0, 4000)}… and 1006 characters more`)
    expect(heldAfter('npm test', 'package.json', manifest({ test: `${long}y` }), root)).toBe(false)
  })

  it('may be in a package that is passed over otherwise, when it is named', () => {
    const root = project()
    const file = path.join(root, 'node_modules/dep/package.json')
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, manifest({ test: 'one' }))
    const before = runs('npm --prefix=node_modules/dep test', root)
    fs.writeFileSync(file, manifest({ test: 'two' }))
    expect(runs('npm --prefix=node_modules/dep test', root).hash).not.toBe(before.hash)
  })
})

describe('what another program runs', () => {
  it.each([
    ['node --import ./a.mjs b.js', ['a.mjs', 'b.js']],
    ['node --import=./a.mjs b.js', ['a.mjs', 'b.js']],
    ['node -r ./a.mjs b.js', ['a.mjs', 'b.js']],
    ['./b.js a.mjs', ['b.js', 'a.mjs']],
    ['make all', ['Makefile']],
    ['make -C sub all', ['Makefile', 'sub/Makefile']],
    ['make -Csub', ['sub/Makefile']],
    ['make -f b.js', ['b.js']],
    ['make --file=b.js', ['b.js']],
    ['npx ./b.js', ['b.js']],
  ])('is every file of %s', (line, files) => {
    // Windows starts no such file.
    if (line.startsWith('./') && process.platform === 'win32') return
    for (const file of files) expect(heldAfter(line, file, 'changed'), file).toBe(false)
    expect(heldAfter(line, 'src/x.js', 'changed')).toBe(true)
  })

  it.each(['node -v', 'npx -v', 'git status'])('is not known for %s, which names no file', (line) => {
    expect(runs(line, project())).toMatchObject({ hash: null, shown: undefined })
  })

  it.each(['npx tool', 'npm exec tool', 'pnpm exec -- tool', 'uv run tool'])('is fetched or found for %s', (line) => {
    const root = project()
    expect(runs(line, root).shown).toBe('tool, which the project does not have: whatever is fetched or found')
  })

  it('may be in a directory above the project', () => {
    const top = scratchDir({ justfile: 'all:\n', 'project/x': '', Makefile: 'all:\n' })
    const project = path.join(top, 'project')
    expect(runs('just all', project).shown).toBe('../justfile (5 characters)')
    expect(runs('make all', project).shown).toBeUndefined()
  })

  it('is shown once where two names are one file', () => {
    const root = scratchDir({ justfile: 'all:\n' })
    if (!fs.existsSync(path.join(root, 'Justfile')))
      fs.linkSync(path.join(root, 'justfile'), path.join(root, 'Justfile'))
    expect(runs('just all', root).shown).toBe('justfile (5 characters)')
  })

  it.each([
    ['a hook', { '.git/hooks/pre-commit': 'echo' }, 'the hooks .git/hooks/pre-commit', true],
    ['a filter', { '.git/config': '[filter "f"]\n\tclean = tr a b\n' }, 'what .git/config says: clean = tr a b', false],
  ])('is, for git, %s of the repository', (_, files, shown, free) => {
    const root = scratchDir({ ...files, '.gitattributes': '*.a filter=f\n', '.git/hooks/x.sample': '' })
    expect(runs('git commit', root).shown).toBe(shown)
    // Attributes say which files a filter is for; they start nothing themselves.
    expect(heldAfter('git commit', '.gitattributes', '* filter=f\n', root)).toBe(free)
    for (const file of Object.keys(files)) expect(heldAfter('git commit', file, '', root)).toBe(false)
  })
})

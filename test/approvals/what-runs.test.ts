import fs from 'node:fs'
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
function heldAfter(line: string, file: string, text: string): boolean {
  const root = project()
  const before = runs(line, root).hash
  fs.writeFileSync(path.join(root, file), text)
  return runs(line, root).hash === before
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
  ])('is every file of %s', (line, files) => {
    // Windows starts no such file.
    if (line.startsWith('./') && process.platform === 'win32') return
    for (const file of files) expect(heldAfter(line, file, 'changed'), file).toBe(false)
    expect(heldAfter(line, 'src/x.js', 'changed')).toBe(true)
  })

  it('is not known where no file is named', () => {
    expect(runs('node -v', project())).toMatchObject({ hash: null, shown: undefined })
  })
})

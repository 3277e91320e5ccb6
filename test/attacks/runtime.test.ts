import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { clada } from '../support/cli.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { block } from '../workspace/blocks.ts'

/** Code in every form that a runtime could load, all of which leaves a file behind, and a clada that edits beside it. */
function hostileProject(files: (mark: string) => Record<string, string>): {
  ran: () => string[]
  edit: (env?: Record<string, string>) => { status: number | null; text: string }
  dir: string
} {
  const outside = scratchDir()
  const mark = (name: string): string =>
    `require('fs').appendFileSync(${JSON.stringify(path.join(outside, 'ran'))}, '${name}\\n')`
  const dir = scratchDir({ 'a.ts': 'const a = 1\n', ...files(mark('directory')), 'planted.cjs': mark('planted') })
  return {
    dir,
    ran: () =>
      fs.existsSync(path.join(outside, 'ran'))
        ? fs.readFileSync(path.join(outside, 'ran'), 'utf8').trim().split('\n')
        : [],
    edit: (env = {}) => {
      const input = block('file_replace_text', { path: 'a.ts', old_text: 'const a = 1', new_text: 'const a = 2' })
      const { status, stdout } = clada(['--no-git'], { cwd: dir, input, env })
      return { status, text: stdout }
    },
  }
}

describe('the directory that clada is started in', () => {
  it.each<[string, (mark: string) => Record<string, string>]>([
    ['bunfig.toml', () => ({ 'bunfig.toml': 'preload = ["./planted.cjs"]\n[run]\npreload = ["./planted.cjs"]\n' })],
    ['.env', () => ({ '.env': 'NODE_OPTIONS=--require ./planted.cjs\nBUN_OPTIONS=--preload ./planted.cjs\n' })],
    [
      'tsconfig.json',
      () => ({ 'tsconfig.json': '{"compilerOptions":{"paths":{"*":["./planted.cjs"]}},"extends":"./planted.cjs"}' }),
    ],
    [
      'package.json',
      () => ({
        'package.json': '{"imports":{"#*":"./planted.cjs"},"main":"./planted.cjs","bun":{"preload":["./planted.cjs"]}}',
      }),
    ],
    [
      'node_modules',
      (mark) =>
        Object.fromEntries(
          [
            'oxc-parser',
            '@vscode/ripgrep',
            'fs-native-extensions',
            'clipboardy',
            'web-tree-sitter',
            'tree-sitter-wasm',
          ].flatMap((name) => [
            [`node_modules/${name}/index.js`, mark],
            [`node_modules/${name}/package.json`, `{"name":"${name}","main":"index.js"}`],
          ]),
        ),
    ],
  ])('loads no code by its %s', (_, files) => {
    const project = hostileProject(files)
    const { status, text } = project.edit()
    expect({ status, ran: project.ran() }).toEqual({ status: 0, ran: [] })
    expect(text).toContain('a.ts')
    // A search starts ripgrep, an outline loads a grammar.
    expect(clada(['do', 'grep', 'pattern=const', 'path=.'], { cwd: project.dir }).stdout).toContain('const a')
    expect(clada(['outline', 'a.ts'], { cwd: project.dir }).stdout).toContain('const a')
    expect(project.ran()).toEqual([])
  })
})

// Whoever can set NODE_OPTIONS runs code in every program of Node, so there is nothing to defend there.
describe.skipIf(process.env['CLADA_TEST_BINARY'] === undefined)('the environment of a single-file executable', () => {
  it.each([
    ['BUN_OPTIONS', '--preload ./planted.cjs'],
    ['BUN_OPTIONS', '--config=bunfig.toml'],
    ['BUN_OPTIONS', '--version'],
    ['BUN_BE_BUN', '1'],
    ['BUN_BE_BUN', 'true'],
    ['BUN_INSPECT', '127.0.0.1:0/x'],
    ['BUN_INSPECT_PRELOAD', './planted.cjs'],
    ['BUN_CONFIG_PRELOAD', './planted.cjs'],
    ['BUN_BYTECODE_ORDER_OUT', './planted.cjs'],
    ['BUN_BYTECODE_DIGEST_OUT', './planted.cjs'],
    ['NODE_OPTIONS', '--require ./planted.cjs'],
    ['NODE_OPTIONS', '--import ./planted.cjs'],
    ['NODE_PATH', './node_modules'],
  ])('changes nothing by %s=%s', (name, value) => {
    const project = hostileProject((mark) => ({
      'bunfig.toml': 'preload = ["./planted.cjs"]\n',
      'node_modules/oxc-parser/index.js': mark,
    }))
    const before = filesIn(project.dir)
    const { status, text } = project.edit({ [name]: value })
    expect({ status, ran: project.ran() }).toEqual({ status: 0, ran: [] })
    expect(text).toMatch(/✅ file_replace_text a\.ts/)
    expect(filesIn(project.dir)).toEqual({ ...before, 'a.ts': 'const a = 2\n' })
  })
})

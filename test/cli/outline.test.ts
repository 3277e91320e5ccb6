import { describe, expect, it } from 'vitest'
import { roles } from '../../packages/clada/src/structure/outline-view.ts'
import { kinds } from '../../packages/clada/src/structure/language.ts'
import { called } from '../support/in-process.ts'
import { scratchDir } from '../support/scratch.ts'

const files: Readonly<Record<string, readonly string[]>> = {
  'cart.py': [
    'LIMIT = 3',
    'class Cart:',
    '    size = 1',
    '    def add(self, item):',
    '        total = 0',
    '        for x in item:',
    '            total = total + x',
    '        def inner():',
    '            return total',
    '        return inner()',
    "if __name__ == '__main__':",
    '    cart = Cart()',
  ],
  'cart.ts': [
    'export const table = { one: 1, load: () => { const x = 1; return x } }',
    'export const make = <T>(a: T) => {',
    '  const kept = { a, b: 1 }',
    '  return { kept, go() { return kept } }',
    '}',
    'class Cart { items = []; add = (x) => { const y = x }; total() { if (1) { let z = 1 } } }',
    "describe('cart', () => {",
    "  it('adds', () => { const cart = new Cart(); [1].forEach((one) => { cart.add(one) }) })",
    '})',
  ],
  'notes.md': ['# Notes', '- one', '> said', '', '## More', '```js', 'function f() { const y = 2 }', '```'],
  'cart.h': [
    '#ifndef CART_H',
    '#define CART_H',
    'extern int size;',
    'extern "C" {',
    'int add(int item);',
    '}',
    'static int twice(int x) { int y = x; return y; }',
    '#endif',
  ],
  'data.yml': ['steps:', '  - name: one', '    run: [1, 2]', 'list: [1, 2]'],
}

const shown: Readonly<Record<string, readonly string[]>> = {
  'cart.h': [
    '#define CART_H  (macro)',
    'extern int size  (variable)',
    'int add(int item)  (function)',
    'static int twice(int x)  (function)',
  ],
  'cart.py': [
    'LIMIT = 3  (variable)',
    'class Cart  (class)',
    '  size = 1  (variable)',
    '  def add(self, item)  (method)',
    '    def inner()  (function)',
  ],
  'cart.ts': [
    'export const table = { one: 1, load: () => { const x = 1; return x } }  (variable)',
    '  one: 1  (key)',
    '  load: ()  (key)',
    'export const make = <T>(a: T)  (variable)',
    '  go()  (method)',
    'class Cart  (class)',
    '  items = []  (field)',
    '  add = (x)  (field)',
    '  total()  (method)',
    "describe('cart', ()  (call)",
    "  it('adds', ()  (call)",
  ],
  'notes.md': ['# Notes  (section)', '  ## More  (section)'],
  'data.yml': [
    'steps  (key)',
    '  - name: one  (item)',
    '    name: one  (key)',
    '    run: [1, 2]  (key)',
    'list: [1, 2]  (key)',
  ],
}

describe('clada outline', () => {
  const place = () =>
    scratchDir(Object.fromEntries(Object.entries(files).map(([name, lines]) => [name, lines.join('\n')])))

  it.each(Object.keys(files))('shows what a person would name in %s', async (name) => {
    const { status, stdout } = await called(['outline', name], { cwd: place() })
    const headers = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.slice(11))
    expect({ status, headers }).toEqual({ status: 0, headers: shown[name] })
  })

  it('shows everything with --all, which is what list_structures gives', async () => {
    const cwd = place()
    const all = (await called(['outline', 'cart.py', '--all'], { cwd })).stdout
    for (const local of ['total = 0', 'for x in item', 'if __name__']) expect(all).toContain(local)
    const listed = JSON.parse(
      (await called(['do', 'list_structures', 'path=cart.py', 'depth=9', 'steps=true', '--json'], { cwd })).stdout,
    )
    expect(JSON.parse((await called(['outline', 'cart.py', '--all', '--json'], { cwd })).stdout)).toEqual(
      listed.results[0].data,
    )
  })

  it('says so where there is nothing to name', async () => {
    const cwd = scratchDir({ 'a.py': 'if x:\n    y = 1\n', 'b.py': '' })
    expect((await called(['outline', 'a.py'], { cwd })).stdout).toBe('[no declarations; --all shows the statements]\n')
    expect((await called(['outline', 'b.py'], { cwd })).stdout).toBe('[no structures]\n')
    expect(JSON.parse((await called(['outline', 'a.py', '--json'], { cwd })).stdout)).toEqual({ structures: [] })
  })

  it('knows every kind of structure', async () => {
    expect(Object.keys(roles).sort()).toEqual([...kinds].sort())
  })
})

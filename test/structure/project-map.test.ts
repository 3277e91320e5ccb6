import { expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { scratchDir } from '../support/scratch.ts'

async function mapOf(files: Record<string, string>): Promise<string> {
  const { results } = await new Clada({ repoPath: scratchDir(files), git: 'off' }).perform('project_map', {
    path: '.',
    budget: '600',
  })
  return String(Object(results[0]?.data).map)
}

const many = (count: number, name: (nth: number) => string, text: (nth: number) => string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, nth) => [name(nth), text(nth)]))

it('opens code before the test suites that surround it', async () => {
  const map = await mapOf({
    ...many(
      200,
      (nth) => `tests/suite${nth}/main.rs`,
      () => 'mod a;\nmod b;\nfn main() {}\n',
    ),
    'src/engine/mod.rs': 'mod a;\npub mod plan;\npub use plan::Plan;\npub fn run() {}\nfn inner() {}\n',
    'src/engine/plan.rs': 'pub struct Plan;\n',
    'vite.config.ts': 'export const port = 1\n',
  })
  const opened = map.split('\n').filter((line) => /\.\w+: /.test(line))
  expect(opened.slice(0, 2)).toEqual([
    'src/engine/mod.rs: pub fn run(); fn inner()',
    'src/engine/plan.rs: pub struct Plan',
  ])
  expect(map).toMatch(/^tests\/ {2}200 files$/m)
  expect(map).not.toMatch(/mod [ab]/)
})

it('gives every directory its turn', async () => {
  const map = await mapOf({
    ...many(
      60,
      (nth) => `src/a/file${nth}.ts`,
      (nth) => `export function a${nth}() {}\n`,
    ),
    'src/z/last.ts': 'export function z() {}\n',
  })
  expect(map).toContain('src/z/last.ts: function z()')
})

it('tells of C what it declares, macros last and no guards', async () => {
  const map = await mapOf({
    'a.h': [
      '#ifndef A_H',
      '#define A_H',
      '#ifdef _WIN32',
      '#define A_API __declspec(dllexport)',
      '#else',
      '#define A_API',
      '#endif',
      '#define A_MAX 50',
      'int a_parse(const char *text);',
      'struct a { int x; };',
      '#endif',
      '',
    ].join('\n'),
    'notes.txt': 'x\n',
  })
  expect(map).toMatch(/^a\.h: int a_parse\(const char \*text\); struct a; #define A_API .*; #define A_MAX 50$/m)
})

it('tells of tests how they are written, and not all of them', async () => {
  const titles = Array.from({ length: 9 }, (_, nth) => `test('it adds what the cart number ${nth} has', () => {})`)
  const map = await mapOf({ 'cart.js': 'export function add() {}\n', 'test/cart.js': `${titles.join('\n')}\n` })
  const [line = ''] = map.match(/^test\/cart\.js: .*$/m) ?? []
  expect(line).toMatch(/number 0 has.*\+\d$/)
  expect(line.length).toBeLessThan(180)
})

it('names a deep directory once', async () => {
  const dir = 'src/main/java/com/example/shop'
  const map = await mapOf({
    [`${dir}/Cart.java`]: 'public class Cart {}\n',
    [`${dir}/Item.java`]: 'class Item {}\n',
    [`${dir}/util/Sum.java`]: 'class Sum {}\n',
    'src/main/resources/a.properties': 'a=1\n',
  })
  expect(map).toBe(
    [
      'src/main/',
      '  java/com/example/shop/',
      '    Cart.java  Item.java',
      '    util/  Sum.java',
      '  resources/  a.properties',
      '',
      `${dir}/`,
      '  Cart.java: public class Cart',
      '  Item.java: class Item',
      `${dir}/util/Sum.java: class Sum`,
    ].join('\n'),
  )
})

it('tells what a namespace has, its types first', async () => {
  const map = await mapOf({
    'shop.hpp': 'namespace shop\n{\nint total(int a);\n\nclass Cart\n{\npublic:\n  int size() const;\n};\n}\n',
  })
  expect(map).toBe('shop.hpp\n\nshop.hpp: class Cart; namespace shop; int total(int a)')
})

it('shows directories with the same inside once', async () => {
  const po = many(
    7,
    (nth) => `locale/l${nth}/messages/app.po`,
    () => '',
  )
  const map = await mapOf({ ...po, 'locale/other/a.po': '', 'a.py': 'def f():\n  pass\n' })
  expect(map).toContain('locale/\n  l0/messages/  app.po\n  (the same in l1, l2 and 4 more)\n  other/  a.po\n')
})

it('keeps the names of functions and no long list of their parameters', async () => {
  const map = await mapOf({
    'a.py': 'LIMIT = 10\n\ndef want(text: str, encoding: str = "utf-8", errors: str = "strict") -> bytes:\n  pass\n',
    'b.js': [
      'exports.send = function send(body) {}',
      'export const load = async function (path, encoding, callback, options) {}',
      "test('it has long words in its title, and many', () => {})",
    ].join('\n'),
    'c.go': 'package c\n\nfunc (s *Server) Handle(w http.ResponseWriter, r *http.Request) error { return nil }\n',
  })
  expect(map).toContain('a.py: def want(…) -> bytes; LIMIT\n')
  expect(map).toMatch(/^b\.js: async function load\(…\); function exports\.send\(body\); test\('it has long words/m)
  expect(map).toMatch(/^c\.go: func \(s \*Server\) Handle\(…\) error$/m)
})

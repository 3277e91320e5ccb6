import { describe, expect, it } from 'vitest'
import { type StructureOperations, structureOperations } from '../../packages/clada/src/structure/operations.ts'
import type { StructureResult } from '../../packages/clada/src/structure/structure.ts'

function filesOf(start: Record<string, string>) {
  const files = new Map(Object.entries(start))
  return {
    files,
    operations: structureOperations({
      read: async (name) => files.get(name) ?? null,
      write: async (name, text) => void files.set(name, text),
    }),
  }
}

const acts: readonly ((own: StructureOperations, path: string, target: string) => Promise<StructureResult<unknown>>)[] =
  [
    (own, path, target) => own.delete_structure(path, target),
    (own, path, target) => own.replace_structure(path, target, 'NEW'),
    (own, path, target) => own.insert_after_structure(path, target, 'NEW'),
    (own, path, target) => own.move_structure_to_file_end(path, target, path),
  ]

const open = 'function a() {\n  if (x) {\n}\n\nfunction b() {\n  return 1\n}\n\nfunction c() {\n  return 2\n}\n'
const tooMany = 'function a() {\n  if (x) {} }\n  more()\n}\n\nfunction b() {\n  return 1\n}\n'
const method = 'class A {\n  m() {\n    if (x) {\n  }\n\n  n() {\n    return 1\n  }\n}\n'

describe('a structure whose bounds a syntax error makes uncertain', () => {
  it.each([
    ['a brace is missing', 'a.js', open, 'a'],
    ['a brace is missing', 'a.ts', open, 'a'],
    ['a brace of a method is missing', 'a.js', method, 'm'],
    ['there is a brace too many', 'a.js', tooMany, 'a'],
    ['a bracket is missing', 'a.py', 'def a():\n    return (1,\n\ndef b():\n    return 2\n\nc = 3\n', 'a'],
    [
      'a brace is missing',
      'A.java',
      open.replaceAll('function', 'void').replace(/^/, 'class A {\n').replace(/$/, '}\n'),
      'a',
    ],
    ['a brace is missing', 'a.go', `package p\n\n${open.replaceAll('function', 'func')}`, 'a'],
    ['a brace is missing', 'a.c', open.replaceAll('function', 'int'), 'a'],
    ['a rule is not closed', 'a.css', 'a {\n  color: red;\n\nb {\n  color: blue;\n}\n\nc {\n  color: green;\n}\n', 'a'],
    ['a bracket is missing', 'a.json', '{\n  "a": [1, 2,\n  "b": 3,\n  "c": 4\n}\n', 'a'],
  ])('is left alone: %s in %s', async (_, path, text, target) => {
    for (const act of acts) {
      const { operations, files } = filesOf({ [path]: text })
      const result = await act(operations, path, target)
      expect(result).toMatchObject({
        ok: false,
        error: { error: 'PARSER_FAILED', details: { state: 'FILE_UNCHANGED', parse_errors: expect.any(Array) } },
      })
      expect(files.get(path)).toBe(text)
    }
  })

  it.each([
    [
      'an error elsewhere',
      open.replace('if (x) {', 'if (x) {}').replace('return 2', 'return 2 +* 3'),
      'a',
      /^function b/,
    ],
    ['an error in its own lines', open.replace('if (x) {', 'if (x +* 2) {}'), 'a', /^function b/],
    [
      'an error in the structure above',
      open.replace('if (x) {', 'if (x +* 2) {}'),
      'b',
      /^function a[^]*\n\nfunction c/,
    ],
  ])('is another thing than %s', async (_, text, target, after) => {
    const { operations, files } = filesOf({ 'a.js': text })
    expect(await operations.delete_structure('a.js', target)).toMatchObject({ ok: true })
    expect(files.get('a.js')).toMatch(after)
  })

  it('can be replaced by what corrects it where the indentation shows its end', async () => {
    const { operations, files } = filesOf({ 'a.js': open.replace('if (x) {\n}', 'if (x {\n  }\n}') })
    const result = await operations.replace_structure('a.js', 'a', 'function a() {\n  return 0\n}')
    expect(result).toMatchObject({ ok: true, warnings: [] })
    expect(files.get('a.js')).toBe(open.replace('if (x) {', 'return 0'))
  })
})

import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  Clada,
  insert_after_structure,
  insert_before_structure,
  move_structure_to_file_end,
  move_structure_to_file_start,
  read_structure,
  replace_structure,
  replace_text_in_structure,
} from '../../packages/clada/src/index.ts'
import { scratchDir } from '../support/scratch.ts'

function fileOf(name: string, text: string) {
  const root = scratchDir({ [name]: text })
  const file = path.join(root, name)
  return { file, options: { repoPath: root, gitCommit: false }, read: () => fs.readFileSync(file, 'utf8') }
}

describe('seed 003: no match', () => {
  const text = 'class Cart {\n  total() {\n    return 0\n  }\n}\n'

  it('is TARGET_NOT_FOUND with its details for the action', async () => {
    const { file, options } = fileOf('a.ts', text)
    const { results } = await new Clada(options).perform('read_structure', { path: file, target: 'Cart\ntotals' })
    expect(results[0]).toMatchObject({
      success: false,
      code: 'TARGET_NOT_FOUND',
      details: {
        searched_path: file,
        parent_found: { path: ['class Cart'] },
        suggestions: [{ path: ['class Cart', 'total()'] }],
        state: 'FILE_UNCHANGED',
      },
    })
  })

  it('is an empty list for the function', async () => {
    const { file, options } = fileOf('a.ts', text)
    expect(await read_structure(file, 'totals', options)).toEqual({ matches: [] })
  })
})

describe('seed 003: INDENTATION_INCONSISTENT', () => {
  const text = 'function a() {\n  return 1\n}\n\nfunction b() {\n  if (a()) {\n    return 2\n  }\n  return 3\n}\n'

  it.each([
    ['three spaces among two', '  return 3', '   return 3', { expected_indent: '  ', actual_indent: '   ', line: 9 }],
    ['a tab among spaces', '  return 3', '\treturn 3', { expected_indent: 'spaces', actual_indent: '\t', line: 9 }],
    ['a space before a tab', '  return 3', ' \treturn 3', { expected_indent: 'spaces', actual_indent: ' \t', line: 9 }],
    [
      'a step of its own',
      '    return 2',
      '       return 2',
      { expected_indent: '    ', actual_indent: '       ', line: 7 },
    ],
    ['aligned with nothing', '  return 3', ' return 3', { expected_indent: '', actual_indent: ' ', line: 9 }],
  ])('after replace_text_in_structure: %s', async (_, old, fresh, details) => {
    const { file, options } = fileOf('a.ts', text)
    const done = await replace_text_in_structure(file, 'b', old, fresh, options)
    expect(done).toMatchObject({ warnings: [{ type: 'INDENTATION_INCONSISTENT', details }] })
  })

  it('after replace_structure', async () => {
    const { file, options } = fileOf('a.ts', text)
    const content = 'function a() {\n   const x = 1\n  return x\n}'
    const done = await replace_structure(file, 'a', content, options)
    expect(done).toMatchObject({
      warnings: [
        { type: 'INDENTATION_INCONSISTENT', details: { expected_indent: '  ', actual_indent: '   ', line: 2 } },
      ],
    })
  })

  it.each([
    ['the same indentation', '  return 3', '  return a()'],
    ['a continued expression', '  return 3', '  return a()\n      + 3'],
    ['a template', '  return 3', '  return `\n   x\n\ty`'],
    ['a chain', '  return 3', '  return a()\n    .then(go)'],
  ])('is not said of %s', async (_, old, fresh) => {
    const { file, options } = fileOf('a.ts', text)
    expect(await replace_text_in_structure(file, 'b', old, fresh, options)).not.toHaveProperty('warnings')
  })
})

describe('seed 003: one blank line between structures, two where the language has two', () => {
  const ts = 'function a() { return 1 }\nfunction b() { return 2 }\n'
  const py = 'def a(): return 1\ndef b(): return 2\n'

  it('insert_after_structure and insert_before_structure of one-line functions', async () => {
    const after = fileOf('a.ts', ts)
    await insert_after_structure(after.file, 'b', 'function c() {}', after.options)
    expect(after.read()).toBe(`${ts}\nfunction c() {}\n`)
    const before = fileOf('a.ts', ts)
    await insert_before_structure(before.file, 'a', 'function c() {}', before.options)
    expect(before.read()).toBe(`function c() {}\n\n${ts}`)
    const python = fileOf('a.py', 'def a(): return 1\n')
    await insert_after_structure(python.file, 'a', 'def c(): pass', python.options)
    expect(python.read()).toBe('def a(): return 1\n\n\ndef c(): pass\n')
  })

  it('moves to the end and to the start of a file', async () => {
    const end = fileOf('a.ts', ts)
    await move_structure_to_file_end(end.file, 'a', end.file, end.options)
    expect(end.read()).toBe('function b() { return 2 }\n\nfunction a() { return 1 }\n')
    const start = fileOf('a.ts', ts)
    await move_structure_to_file_start(start.file, 'b', start.file, start.options)
    expect(start.read()).toBe('function b() { return 2 }\n\nfunction a() { return 1 }\n')
    const python = fileOf('a.py', py.replace('\ndef b', '\n\n\ndef b'))
    await move_structure_to_file_end(python.file, 'a', python.file, python.options)
    expect(python.read()).toBe('def b(): return 2\n\n\ndef a(): return 1\n')
  })
})

describe('seed 003: content is put next to its target where indentation ends a structure', () => {
  it.each([
    ['at the end of the file', '', ''],
    ['above a variable', '', '\n\nLIMIT = 3\n'],
    ['above a function', '', '\n\ndef b():\n    pass\n'],
    ['below a comment', '        # done\n', '\n\nLIMIT = 3\n'],
  ])('after the last method of a class, %s', async (_, comment, rest) => {
    const above = `@wrap\nclass A:\n    def a(self):\n        return 1\n${comment}`
    const { file, options, read } = fileOf('a.py', above + rest)
    const done = await insert_after_structure(file, 'A\na', 'def b(self):\n    return 2', options)
    expect(done).toEqual({ inserted_at_line: comment === '' ? 6 : 7 })
    expect(read()).toBe(`${above}\n    def b(self):\n        return 2\n${rest}`)
  })

  it('and a branch that would take over the statement above is still refused', async () => {
    const text = 'def a(x):\n    if x:\n        return 1\n    return 2\n'
    const { file, options, read } = fileOf('a.py', text)
    const done = await insert_after_structure(file, 'a\nif x', 'else:\n    return 3', options)
    expect(done).toMatchObject({ error: 'PARSER_FAILED' })
    expect(read()).toBe(text)
  })
})

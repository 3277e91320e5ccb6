import fc from 'fast-check'
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { outlineBody } from '../../packages/clada/src/actions/structure-output.ts'
import { structureOperations, type StructureFiles } from '../../packages/clada/src/structure/operations.ts'
import { languageFor, languages } from '../../packages/clada/src/structure/languages.ts'
import { LIMITS } from '../../packages/clada/src/structure/structure.ts'
import { readIn } from '../../packages/clada/src/structure/document.ts'

const shop = 'class Shop {\n  open() {\n    return 1\n  }\n\n  close() {}\n}\n\nfunction close() {}\n'

function filesOf(start: Record<string, string>) {
  const files = new Map(Object.entries(start))
  const written: string[] = []
  const port: StructureFiles = {
    read: async (name) => files.get(name) ?? null,
    write: async (name, text) => {
      written.push(name)
      files.set(name, text)
    },
  }
  return { files, written, port, operations: structureOperations(port) }
}

describe('structure operations', () => {
  it('name every match with its path and lines', async () => {
    const { operations, written } = filesOf({ 'a.ts': shop })
    const result = await operations.delete_structure('a.ts', 'close')
    expect(result).toEqual({
      ok: false,
      error: {
        error: 'TARGET_AMBIGUOUS',
        message: expect.stringContaining('class Shop > close() [6-6]\n  function close() [9-9]'),
        details: {
          state: 'FILE_UNCHANGED',
          matches: [
            { path: ['class Shop', 'close()'], kind: 'method', lines: [6, 6] },
            { path: ['function close()'], kind: 'function', lines: [9, 9] },
          ],
        },
      },
    })
    expect(written).toEqual([])
  })

  it('take a match as it was listed', async () => {
    const { operations, files } = filesOf({ 'a.ts': shop })
    expect(await operations.delete_structure('a.ts', 'close() [6-6]')).toMatchObject({
      ok: true,
      data: { deleted_line_range_inclusive: [6, 6] },
    })
    expect(files.get('a.ts')).toBe('class Shop {\n  open() {\n    return 1\n  }\n}\n\nfunction close() {}\n')
  })

  it.each([
    ['replace_structure', 'const xs = 2', 'const xs = 2\n\n;(function () { go() })()\n'],
    ['insert_after_structure', 'const ys = 2', 'const xs = 1\nconst ys = 2\n\n;(function () { go() })()\n'],
    ['insert_before_structure', '[0].map(go)', '[0].map(go)\nconst xs = 1\n\n;(function () { go() })()\n'],
    ['insert_after_structure', '[0].map(go)', 'const xs = 1\n;[0].map(go)\n\n;(function () { go() })()\n'],
  ] as const)('leave a semicolon to the line that it begins: %s %s', async (how, content, after) => {
    const { operations, files } = filesOf({ 'a.js': 'const xs = 1\n\n;(function () { go() })()\n' })
    expect(await operations[how]('a.js', 'xs', content)).toMatchObject({ ok: true, warnings: [] })
    expect(files.get('a.js')).toBe(after)
  })

  it('keep the semicolon that ended the statement above a bracket', async () => {
    const { operations, files } = filesOf({ 'a.js': 'a = 1\nlet b = 2;\n(c)()\n' })
    expect(await operations.delete_structure('a.js', 'b')).toMatchObject({ ok: true, warnings: [] })
    expect(files.get('a.js')).toBe('a = 1\n;(c)()\n')
  })

  it('say what was found of a target and what may have been meant', async () => {
    const { operations } = filesOf({ 'a.ts': shop })
    expect(await operations.delete_structure('a.ts', 'Shop\nopened')).toMatchObject({
      error: {
        error: 'TARGET_NOT_FOUND',
        details: {
          searched_path: 'a.ts',
          parent_found: { path: ['class Shop'], lines: [1, 7] },
          suggestions: [{ path: ['class Shop', 'open()'], kind: 'method', lines: [2, 4] }],
        },
      },
    })
  })

  it.each([
    ['renames', ['rename()', 'renamed()']],
    ['aab', ['aab1()']],
    ['aaaaaaaaaaaa', ['aaaaaaaaaa()']],
  ])('suggest for %s what is most alike first, and nothing that is not', async (target, names) => {
    const functions = ['renamed', 'rename', 'aaaaaaaaaa', 'aab1'].map((name) => `function ${name}() {}\n`)
    const { operations } = filesOf({ 'a.ts': functions.join('\n') })
    expect(await operations.delete_structure('a.ts', target)).toMatchObject({
      error: { details: { suggestions: names.map((name) => ({ path: [`function ${name}`] })) } },
    })
  })

  it('delete the last line of a file without a line end together with the one before it', async () => {
    const { operations, files } = filesOf({ 'a.ts': '\nconst a = 1' })
    expect(await operations.delete_structure('a.ts', 'a')).toMatchObject({ ok: true })
    expect(files.get('a.ts')).toBe('')
  })

  it('are as far from their neighbour as others after one of its kind', async () => {
    const body = ['x = 1', 'y() {', '  1', '}', '', 'z = 2', 'w() {', '  2', '}']
    const { operations, files } = filesOf({
      'a.js': `class A {\n${body.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n}\n`,
    })
    expect(await operations.insert_after_structure('a.js', 'z', 'v() {\n  3\n}')).toMatchObject({ ok: true })
    expect(files.get('a.js')).toContain('  }\n\n  z = 2\n  v() {\n    3\n  }\n')
  })

  it('find what a list of matches shows in one line, also where a header has its separator', async () => {
    const { operations, files } = filesOf({ 'a.css': '@media print {\n  ul > li {\n    color: red;\n  }\n}\n' })
    expect(await operations.delete_structure('a.css', '@media print > ul > li')).toMatchObject({ ok: true })
    expect(files.get('a.css')).toBe('@media print {\n}\n')
  })

  it('start a line of their own where their neighbour shares its line and is not closed', async () => {
    const { operations, files } = filesOf({ 'a.js': 'const a = 1; const b = 2\n' })
    expect(await operations.insert_after_structure('a.js', 'b', 'const c = 3')).toMatchObject({ ok: true })
    expect(files.get('a.js')).toBe('const a = 1; const b = 2\nconst c = 3\n')
  })

  it('replace text as a reader sees it, and say where it is then', async () => {
    const { operations, files } = filesOf({ 'a.ts': shop })
    const [before, after] = ['open() {\n  return 1\n}', 'open() {\n  one()\n  two()\n  return 1\n}']
    expect(await operations.replace_all_text_in_structure('a.ts', 'open', before, after)).toMatchObject({
      data: { total_replacements: 1, affected_lines: [2, 6] },
    })
    expect(files.get('a.ts')).toContain('  open() {\n    one()\n    two()\n    return 1\n  }\n')
  })

  it.each([
    ['\nb() {\n  if (x) {\n    y()\n  }\n}', '    b() {\n        if (x) {\n            y()\n        }\n    }\n'],
    ['\nb() {\n  if (x) {\n     y()\n  }\n}', '    b() {\n      if (x) {\n         y()\n      }\n    }\n'],
  ])('change the indentation of content that has one step of its own, and no other (%#)', async (content, expected) => {
    const { operations, files } = filesOf({ 'a.ts': 'class A {\n    a() {\n        return 1\n    }\n}\n' })
    expect(await operations.insert_after_structure('a.ts', 'a', content)).toMatchObject({ ok: true })
    expect(files.get('a.ts')).toContain(expected)
  })

  it('answer with the lines of seed 003', async () => {
    const { operations } = filesOf({ 'a.ts': shop, 'b.ts': 'const b = 1\n' })
    expect(await operations.replace_structure('a.ts', 'open', 'open() {\n  a()\n  b()\n}')).toMatchObject({
      data: { lines: [2, 5] },
    })
    expect(await operations.insert_before_structure('a.ts', 'open', 'first() {}')).toMatchObject({
      data: { inserted_at_line: 2, target_now_at_line: 4 },
    })
    expect(await operations.insert_after_structure('a.ts', 'function close()', 'const c = 1')).toMatchObject({
      data: { inserted_at_line: 14 },
    })
    expect(await operations.replace_text_in_structure('a.ts', 'open', 'b()', 'x()\n    y()')).toMatchObject({
      data: { affected_lines: [6, 7] },
    })
    expect(await operations.replace_all_text_in_structure('a.ts', 'open', '()', '(1)', 4)).toMatchObject({
      data: { total_replacements: 4, affected_lines: [4, 7] },
    })
    expect(await operations.replace_all_text_in_structure('a.ts', 'open', '(1)', '()', 9)).toMatchObject({
      error: { error: 'COUNT_MISMATCH', details: { expected: 9, found: 4, state: 'FILE_UNCHANGED' } },
    })
    expect(await operations.move_structure_to_before('a.ts', 'open', 'b.ts', 'b')).toMatchObject({
      data: { source_original_line_range: [4, 8], destination_final_line_range: [1, 5] },
    })
  })

  it('write both files of a move, the destination first, or neither', async () => {
    const { operations, files, written, port } = filesOf({ 'a.ts': shop })
    expect(await operations.move_structure_to_file_end('a.ts', 'function close', 'new.ts')).toMatchObject({ ok: true })
    expect(written).toEqual(['new.ts', 'a.ts'])
    expect(files.get('new.ts')).toBe('function close() {}\n')

    const denied = structureOperations({
      ...port,
      checkWritable: async (name) => {
        if (name === 'new.ts') throw Object.assign(new Error('no'), { code: 'EACCES' })
      },
    })
    written.length = 0
    expect(await denied.move_structure_to_file_start('a.ts', 'open', 'new.ts')).toMatchObject({
      error: { error: 'PERMISSION_DENIED' },
    })
    expect(written).toEqual([])
  })

  it('put the destination back when the source of a move cannot be written', async () => {
    const { files, port } = filesOf({ 'a.ts': shop, 'b.ts': 'const b = 1\n' })
    const denied = structureOperations({
      ...port,
      write: async (name, text) => {
        if (name === 'a.ts') throw Object.assign(new Error('no'), { code: 'EACCES', operation: 'write' })
        await port.write(name, text)
      },
      remove: async (name) => void files.delete(name),
    })
    const error = { error: 'PERMISSION_DENIED', details: { operation: 'write', state: 'FILE_UNCHANGED' } }
    expect(await denied.move_structure_to_after('a.ts', 'open', 'b.ts', 'b')).toMatchObject({ error })
    expect(await denied.move_structure_to_file_end('a.ts', 'open', 'new.ts')).toMatchObject({ error })
    expect([...files]).toEqual([
      ['a.ts', shop],
      ['b.ts', 'const b = 1\n'],
    ])
  })

  it('say of a text that is not in the structure where it is, and what is most alike', async () => {
    const { operations } = filesOf({
      'a.ts': 'function a() {\n  return one(1)\n}\n\nfunction b() {\n  return two(2)\n}\n',
    })
    expect(await operations.replace_text_in_structure('a.ts', 'b', 'one(1)', 'x')).toMatchObject({
      error: { error: 'TEXT_NOT_FOUND', details: { structure_lines: [5, 7], elsewhere: [2] } },
    })
    expect(await operations.replace_text_in_structure('a.ts', 'b', 'retrun two(2)', 'x')).toMatchObject({
      error: { details: { elsewhere: [], nearest: [{ line: 6, endLine: 6 }] } },
    })
    expect(await operations.replace_text_in_structure('a.ts', 'b', 'three(3)', 'return two(2)')).toMatchObject({
      error: { details: { already_applied_at_line: 6 } },
    })
  })

  it('keep a file without a last line end so', async () => {
    const { operations, files } = filesOf({ 'a.ts': 'const a = 1\nconst b = 2' })
    await operations.insert_after_structure('a.ts', 'b', 'const c = 3\n')
    expect(files.get('a.ts')).toBe('const a = 1\nconst b = 2\nconst c = 3')
    await operations.delete_structure('a.ts', 'c')
    expect(files.get('a.ts')).toBe('const a = 1\nconst b = 2')
  })

  it('take blank lines as they are told', async () => {
    const { operations, files } = filesOf({ 'a.ts': 'const a = 1\nconst b = 2\n' })
    await operations.insert_after_structure('a.ts', 'a', 'const c = 3', { blank_lines: 2 })
    expect(files.get('a.ts')).toBe('const a = 1\n\n\nconst c = 3\nconst b = 2\n')
  })

  it('refuse what they cannot do', async () => {
    const { operations } = filesOf({ 'a.xyz': 'x', 'a.ts': shop, 'big.ts': 'x'.repeat(LIMITS.fileBytes + 1) })
    expect(await operations.read_structure('none.ts', 'a')).toMatchObject({ error: { error: 'FILE_NOT_FOUND' } })
    expect(await operations.read_structure('a.xyz', 'a')).toMatchObject({
      error: {
        error: 'LANGUAGE_UNSUPPORTED',
        details: { file: 'a.xyz', supported: languages.map(({ name }) => name) },
      },
    })
    expect(await operations.read_structure('big.ts', 'a')).toMatchObject({
      error: { error: 'FILE_TOO_LARGE', details: { file_size: LIMITS.fileBytes + 1, limit: LIMITS.fileBytes } },
    })
    const large = await operations.replace_structure('a.ts', 'open', 'x'.repeat(LIMITS.contentBytes + 1))
    expect(large).toMatchObject({ error: { error: 'FILE_TOO_LARGE', details: { limit: LIMITS.contentBytes } } })
    expect(await operations.insert_after_structure('a.ts', 'open', ' \n')).toMatchObject({
      error: { error: 'INVALID_PARAMETER' },
    })
  })

  it('warn of a structure that lost its code, and of indentation that is not the file’s', async () => {
    const { operations } = filesOf({ 'a.ts': 'class A {\n  run() {}\n}\n' })
    expect(await operations.insert_after_structure('a.ts', 'run', 'stop() {\n  a(\n\tb,\n  )\n}')).toMatchObject({
      warnings: [{ type: 'INDENTATION_INCONSISTENT', details: { expected_indent: 'spaces', line: 6 } }],
    })
    await operations.delete_structure('a.ts', 'stop')
    expect(await operations.delete_structure('a.ts', 'run')).toMatchObject({
      warnings: [{ type: 'STRUCTURE_EMPTY', details: { structure: 'class A', lines: [1, 2] } }],
    })
  })

  it('list the outline, as deep as wanted', async () => {
    const { operations } = filesOf({ 'a.ts': shop })
    const all = await operations.list_structures('a.ts')
    const top = await operations.list_structures('a.ts', 1)
    if (!all.ok || !top.ok) throw new Error('no outline')
    expect(outlineBody(top.data.structures)).toBe(
      '      1-7  class Shop  (class)\n      9-9  function close()  (function)',
    )
  })
})

describe('languages', () => {
  it('are told by extension, by name and by the first line', () => {
    expect(languageFor('/a/b.mts', '')?.name).toBe('typescript')
    expect(languageFor('Gemfile', '')?.name).toBe('ruby')
    expect(languageFor('run', '#!/usr/bin/env -S python3.12 -u\n')?.name).toBe('python')
    expect(languageFor('run', '#!/bin/bash\n')?.name).toBe('bash')
    expect(languageFor('run', 'text')).toBeUndefined()
  })

  it('have their grammar in the list of checksums', () => {
    const listed: unknown = JSON.parse(
      fs.readFileSync(path.join(import.meta.dirname, '../../scripts/grammars.json'), 'utf8'),
    )
    const needed = languages.flatMap(({ parser }) => (parser.kind === 'tree-sitter' ? [parser.grammar] : []))
    expect(Object.keys(Object(listed)).sort()).toEqual(needed.sort())
  })

  it.each(languages.map(({ name, extensions }) => [name, extensions.split(' ')[0]]))(
    'take any text: %s',
    async (_, extension) => {
      const pieces = fc.constantFrom(
        '{',
        '}',
        '(',
        '"',
        "'",
        '`',
        '\n',
        '  ',
        '#',
        '/*',
        '<a>',
        'if',
        'x',
        ': ',
        '- ',
        '=',
      )
      await fc.assert(
        fc.asyncProperty(fc.array(pieces, { maxLength: 30 }), async (parts) => {
          await readIn({ path: `a.${extension}`, text: parts.join('') }, 'x')
        }),
        { numRuns: 30 },
      )
    },
  )
})

describe('a structure that a statement contains', () => {
  const effect = 'function a() {\n  return () => {\n    stop()\n  }\n}\n'

  it.each([
    ['before', 'a.js', effect, 'function a() {\n  log()\n  return () => {\n    stop()\n  }\n}\n'],
    ['after', 'a.js', effect, 'function a() {\n  return () => {\n    stop()\n  }\n  log()\n}\n'],
    [
      'before',
      'a.kt',
      'fun a() {\n    val x = if (b) {\n        1\n    } else 2\n}\n',
      'fun a() {\n    log()\n    val x = if (b) {\n        1\n    } else 2\n}\n',
    ],
  ] as const)('is inserted %s on a line of its own: %s', async (side, name, text, after) => {
    const { operations, files } = filesOf({ [name]: text })
    const target = name === 'a.js' ? 'a\n() =>' : 'a\nif (b)'
    expect(await operations[`insert_${side}_structure`](name, target, 'log()')).toMatchObject({
      ok: true,
      warnings: [],
    })
    expect(files.get(name)?.replace(/\n\n/g, '\n')).toBe(after)
  })

  it('is refused where the statement goes on', async () => {
    const { operations, written } = filesOf({
      'a.js': 'function a() {\n  return b && (() => {\n    stop()\n  })()\n}\n',
    })
    const result = await operations.insert_after_structure('a.js', 'a\n() =>', 'log()')
    expect(result).toMatchObject({ ok: false, error: { error: 'INVALID_PARAMETER' } })
    expect(written).toEqual([])
  })
})

describe('the first structure of an indented line', () => {
  it.each([
    ['a.py', 'class A:\n    """D."""\n    x = 1; y = 2\n', 'A\nx', 'class A:\n    """D."""\n    y = 2\n'],
    ['a.py', 'def f():\n    a = 1;  return a  # b\n', 'f\na = 1', 'def f():\n    return a  # b\n'],
    ['a.py', 'class A:\n\tx = 1; y = 2\n', 'A\nx', 'class A:\n\ty = 2\n'],
    ['a.py', 'class A:\r\n    x = 1; y = 2\r\n', 'A\nx', 'class A:\r\n    y = 2\r\n'],
    ['a.ts', 'class A {\n  a = 1; b = 2\n}\n', 'A\na', 'class A {\n  b = 2\n}\n'],
    ['a.js', 'function f() {\n    const g = () => 1; const h = 2\n}\n', 'f\ng', 'function f() {\n    const h = 2\n}\n'],
    ['a.java', 'class A {\n  void f() {} void g() {}\n}\n', 'A\nf', 'class A {\n  void g() {}\n}\n'],
    ['a.css', '@media x {\n  .a { b: c } .d { e: f }\n}\n', '@media x\n.a', '@media x {\n  .d { e: f }\n}\n'],
    ['a.html', '<div>\n  <p>x</p> <b>y</b>\n</div>\n', 'div\np', '<div>\n  <b>y</b>\n</div>\n'],
  ])('leaves the indentation to the next: %s %j', async (name, text, target, after) => {
    const { operations, files } = filesOf({ [name]: text })
    expect(await operations.delete_structure(name, target)).toMatchObject({ ok: true, warnings: [] })
    expect(files.get(name)).toBe(after)
  })
})

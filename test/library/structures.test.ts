import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import * as clada from '../../packages/clada/src/index.ts'
import { withSlashes } from '../../packages/clada/src/core/paths.ts'
import { scratchDir } from '../support/scratch.ts'

const source = 'function a() {\n  one()\n  one()\n}\n\nfunction b() {}\n'

function world() {
  const dir = scratchDir({ 'a.ts': source, 'b.ts': 'const z = 1\n' })
  const options = { repoPath: dir, gitCommit: false }
  const at = (name: string): string => path.join(dir, name)
  return { a: at('a.ts'), b: at('b.ts'), options, text: (name: string) => fs.readFileSync(at(name), 'utf8') }
}

describe('operations on structures as functions', () => {
  it('take the parameters of their specification and give its results', async () => {
    const { a, b, options, text } = world()
    expect(await clada.read_structure(a, 'b', options)).toEqual({
      matches: [{ text: 'function b() {}\n', line_range_inclusive: [6, 6] }],
    })
    expect(await clada.list_structures(a, 1, options)).toEqual({
      structures: [
        { header: 'function a()', kind: 'function', name: 'a', lines: [1, 4] },
        { header: 'function b()', kind: 'function', name: 'b', lines: [6, 6] },
      ],
    })
    expect(await clada.replace_structure(a, 'b', 'function b() {\n  two()\n}', options)).toEqual({ lines: [6, 8] })
    expect(await clada.replace_text_in_structure(a, 'b', 'two', 'three', options)).toEqual({ affected_lines: [7, 7] })
    expect(await clada.replace_all_text_in_structure(a, 'a', 'one', '1', 2, options)).toEqual({
      total_replacements: 2,
      affected_lines: [2, 3],
    })
    expect(await clada.insert_before_structure(a, 'b', 'let x = 1', options)).toEqual({
      inserted_at_line: 6,
      target_now_at_line: 8,
    })
    expect(await clada.insert_after_structure(a, 'b', 'let y = 1', options)).toEqual({ inserted_at_line: 12 })
    expect(await clada.delete_structure(a, 'x', options)).toEqual({ deleted_line_range_inclusive: [6, 6] })
    const moved = [
      await clada.move_structure_to_before(a, 'y', b, 'z', options),
      await clada.move_structure_to_after(b, 'y', b, 'z', options),
      await clada.move_structure_to_file_start(b, 'z', b, options),
      await clada.move_structure_to_file_end(a, 'b', b, options),
    ]
    expect(moved).toEqual([
      { source_original_line_range: [10, 10], destination_final_line_range: [1, 1] },
      { source_original_line_range: [1, 1], destination_final_line_range: [2, 2] },
      { source_original_line_range: [1, 1], destination_final_line_range: [1, 1] },
      { source_original_line_range: [6, 8], destination_final_line_range: [4, 6] },
    ])
    expect(text('a.ts')).toBe('function a() {\n  1()\n  1()\n}\n')
    expect(text('b.ts')).toBe('const z = 1\nlet y = 1\n\nfunction b() {\n  three()\n}\n')
  })

  it('tell what they broke, and where', async () => {
    const { a, options } = world()
    expect(await clada.replace_structure(a, 'b', 'function b() {', options)).toMatchObject({
      lines: [6, 6],
      warnings: [{ type: 'SYNTAX_BROKEN', details: { errors: [{ line: 7, column: 1 }] } }],
    })
  })

  it('give errors with their facts', async () => {
    const { a, options, text } = world()
    expect(await clada.delete_structure(a, 'c', options)).toMatchObject({
      error: 'TARGET_NOT_FOUND',
      details: { state: 'FILE_UNCHANGED', searched_path: withSlashes(a), parent_found: null, suggestions: [] },
    })
    expect(text('a.ts')).toBe(source)
  })
})

import { defineAction, fail, integer, ok, path, text } from '../core/action.ts'
import { dominantEol, toEol, lineSpans } from '@clada/reply/text/lines.ts'
import { expectHash } from './common.ts'
import { findElisionProblem } from './replace-occurrences.ts'

export const fileInsertLines = defineAction({
  name: 'file_insert_lines',
  description: 'Insert lines after a line, by its number.',
  effect: 'write',
  params: {
    path: path('File to change.'),
    after: integer('Number of the line to insert after; 0 inserts at the top.'),
    content: text('The lines, without a line break at the end.'),
    expect_hash: expectHash,
  },
  hints: { adds: true },
  returns: { path: 'string', inserted_at_line: 'integer' },
  examples: [
    {
      title: 'inserts at the top',
      before: { 'a.txt': 'b\n' },
      params: { path: 'a.txt', after: '0', content: 'a' },
      after: { 'a.txt': 'a\nb\n' },
      data: { inserted_at_line: 1 },
    },
    {
      title: 'inserts at the end of a file without a final line break, which stays so',
      before: { 'a.txt': 'a\nb' },
      params: { path: 'a.txt', after: '2', content: 'c\nd' },
      after: { 'a.txt': 'a\nb\nc\nd' },
      data: { inserted_at_line: 3 },
    },
  ],
  async run({ path, after, content, expect_hash }, { files }) {
    const file = await files.read(path, { expectHash: expect_hash })
    const elision = await findElisionProblem(file, 'content', content)
    if (elision !== undefined) return fail(elision)
    const spans = lineSpans(file.text)
    if (after < 0 || after > spans.length) {
      return fail({ kind: 'lines-outside', spec: String(after), lineCount: spans.length, asked: 'insert' })
    }
    const eol = dominantEol(file.text)
    const lines = eol === '\r\n' ? toEol(content, eol) : content
    const at = after === 0 ? 0 : (spans[after - 1]?.next ?? 0)
    const atOpenEnd = at === file.text.length && !/[\r\n]$/.test(file.text)
    const inserted = file.text === '' ? lines : atOpenEnd ? eol + lines : lines + eol
    await files.save(file, file.text.slice(0, at) + inserted + file.text.slice(at))
    return ok({ path: path.given, inserted_at_line: after + 1 })
  },
})

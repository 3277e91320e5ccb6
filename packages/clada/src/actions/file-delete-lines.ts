import { defineAction, fail, lines, ok, path } from '../core/action.ts'
import { lineSpans } from '@clada/reply/text/lines.ts'
import { expectHash, expectLines, parseLineRange, findStaleLine } from './common.ts'

export const fileDeleteLines = defineAction({
  name: 'file_delete_lines',
  description: 'Delete lines by their numbers.',
  effect: 'write',
  everyday: true,
  params: {
    path: path('File to change.'),
    lines: lines('One line `4` or a range `23-43`.'),
    expect: expectLines,
    expect_hash: expectHash,
  },
  returns: { path: 'string', lines_deleted: 'integer' },
  examples: [
    {
      title: 'deletes a range',
      before: { 'a.txt': '1\n2\n3\n4\n' },
      params: { path: 'a.txt', lines: '2-3' },
      after: { 'a.txt': '1\n4\n' },
      data: { lines_deleted: 2 },
    },
    {
      title: 'a file without a final line break stays so',
      before: { 'a.txt': '1\n2' },
      params: { path: 'a.txt', lines: '2' },
      after: { 'a.txt': '1' },
    },
  ],
  async run({ path, lines, expect, expect_hash }, { files }) {
    const file = await files.read(path, { expectHash: expect_hash })
    const spans = lineSpans(file.text)
    const found = parseLineRange(lines, spans)
    if ('problem' in found) return fail(found.problem)
    const surprise = findStaleLine(path.given, file.text, spans, found.range, expect)
    if (surprise) return fail(surprise)

    const { first, last } = found.range
    const start = spans[first - 1]?.start ?? 0
    const rest = spans[last - 1]?.next ?? file.text.length
    const broken = rest > (spans[last - 1]?.end ?? rest)
    // The last line had no line break of its own: the one before it goes with it.
    const from = broken ? start : (spans[first - 2]?.end ?? 0)
    await files.save(file, file.text.slice(0, from) + file.text.slice(rest))
    return ok({ path: path.given, lines_deleted: last - first + 1 })
  },
})

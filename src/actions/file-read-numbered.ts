import { defaulting, defineAction, fail, lines, ok, optional, path, text } from '../core/action.ts'
import type { Problem } from '../core/problem.ts'
import { extractNumberedLines, parseLineSpec } from '../text/numbered-lines.ts'

export const fileReadNumbered = defineAction({
  name: 'file_read_numbered',
  aliases: ['read_file_numbered'],
  description: 'Read a file, or some of its lines, with line numbers.',
  effect: 'read',
  access: ['llm'],
  primary: 'path',
  display: 'always',
  params: {
    path: path('File to read.'),
    lines: optional(lines('One line `4` or a range `23-43`; all lines if left out.')),
    delimiter: defaulting(text('What stands between number and line.'), ': '),
  },
  returns: { path: 'string', content: 'string', hash: 'string, of the whole file' },
  examples: [
    {
      title: 'numbers a range',
      before: { 'a.txt': 'one\ntwo\nthree' },
      params: { path: 'a.txt', lines: '2-3' },
      data: { content: '2: two\n3: three' },
    },
    {
      title: 'gives what there is when more was asked for',
      before: { 'a.txt': 'one\ntwo' },
      params: { path: 'a.txt', lines: '2-9' },
      data: { content: '2: two' },
      code: 'invalid_parameter',
    },
  ],
  async run({ path, lines, delimiter }, { files }) {
    const file = await files.read(path)
    const problem = file.text === '' ? undefined : invalid(lines)
    if (problem) return fail(problem)
    const { result, outOfRange } = extractNumberedLines(file.text, lines, delimiter)
    const data = { path: path.given, content: result, hash: file.hash() }
    if (outOfRange === undefined) return ok(data)
    return fail(
      { kind: 'lines-outside', spec: outOfRange.requested, lineCount: outOfRange.actual, asked: 'read' },
      data,
    )
  },
})

function invalid(spec: string | undefined): Problem | undefined {
  if (spec === undefined || spec === '') return undefined
  const parsed = parseLineSpec(spec)
  return 'error' in parsed ? { kind: 'lines-invalid', spec, reason: parsed.error } : undefined
}

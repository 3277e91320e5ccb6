import { defaulting, defineAction, fail, lines, ok, optional, path, rare, text } from '../core/action.ts'
import type { Problem } from '../core/problem.ts'
import { extractNumberedLines, parseLineSpec } from '../text/numbered-lines.ts'
import { narrowed, onlyMatch, readNarrowed } from './narrow.ts'
import { fileOutput } from './output.ts'

export const fileReadNumbered = defineAction({
  name: 'file_read_numbered',
  aliases: ['read_file_numbered'],
  description: 'Read a file, or some of its lines, with line numbers.',
  effect: 'read',
  access: ['llm'],
  primary: 'path',
  display: 'always',
  output: fileOutput('numbered'),
  everyday: true,
  params: {
    path: path('File to read; `file@@Class@@method` reads one structure of it.'),
    lines: optional(lines('One line `4` or a range `23-43`; all lines if left out.')),
    delimiter: rare(defaulting(text('What stands between number and line.'), ': ')),
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
  async run({ path: given, lines: asked, delimiter }, context) {
    const inside = await narrowed(context, given)
    const found = inside && (await readNarrowed(context, inside))
    if (found && !found.ok) return found
    // The numbers are those of the file, so that they can be used there.
    const lines = asked ?? (found && onlyMatch(found.data)?.lines)
    const path = inside?.path ?? given
    const file = await context.files.read(path)
    const problem = file.text === '' ? undefined : invalid(lines)
    if (problem) return fail(problem)
    const { result, outOfRange } = extractNumberedLines(file.text, lines, delimiter)
    const data = { path: given.given, content: result, hash: file.hash() }
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

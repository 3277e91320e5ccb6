import { defaulting, defineAction, fail, lines, ok, optional, path, rare, text } from '../core/action.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import type { Problem } from '../core/problem.ts'
import { orImage, readShape } from './common.ts'
import { outlinesOf } from './long-file-outlines.ts'
import { extractNumberedLines, parseLineSpec } from '@clada/reply/text/lines.ts'
import { structureInPath, singleMatch, readNarrowed } from './structure-in-path.ts'
import { fileOutput } from './file-output.ts'

export const fileReadNumbered = defineAction({
  name: 'file_read_numbered',
  aliases: ['read_file_numbered'],
  title: 'Read a file with line numbers',
  description: 'Read a file, or some of its lines, with line numbers.',
  effect: 'read',
  display: 'always',
  output: fileOutput('numbered'),
  everyday: true,
  params: {
    path: path('File to read; `file@@Class@@method` reads one structure of it.'),
    lines: optional(lines('One line `4`, a range `23-43` or several `4,23-43`; all lines if left out.')),
    delimiter: rare(defaulting(text('Text between number and line.'), ': ')),
  },
  returns: readShape,
  examples: [
    {
      title: 'numbers a range',
      before: { 'a.txt': 'one\ntwo\nthree' },
      params: { path: 'a.txt', lines: '2-3' },
      data: { content: '2: two\n3: three' },
    },
    {
      title: 'several ranges at once',
      before: { 'a.txt': 'one\ntwo\nthree\nfour' },
      params: { path: 'a.txt', lines: '1,3-4' },
      data: { content: '1: one\n…\n3: three\n4: four' },
    },
    {
      title: 'returns the lines that exist',
      before: { 'a.txt': 'one\ntwo' },
      params: { path: 'a.txt', lines: '2-9' },
      data: { content: '2: two' },
      code: 'invalid_parameter',
    },
  ],
  run: ({ path: given, lines: asked, delimiter }, context) =>
    orImage(given.given, async () => {
      const inside = await structureInPath(context, given)
      const found = inside && (await readNarrowed(context, inside))
      if (found && !found.ok) return found
      // The numbers are those of the file, so that they can be used there.
      const lines = asked ?? (found && singleMatch(found.data)?.lines)
      const path = inside?.path ?? given
      const file = await context.files.read(path)
      const ranges = lines?.split(',') ?? [undefined]
      const problem = file.text === '' ? undefined : ranges.map(refuseLines).find((one) => one !== undefined)
      if (problem) return fail(problem)
      const parts = ranges.map((range) => extractNumberedLines(file.text, range, delimiter))
      const content = parts.flatMap(({ result }) => (result === '' ? [] : [result])).join('\n…\n')
      const data = { path: given.given, content, hash: file.hash() }
      if (lines === undefined) return { ...ok(data), outlines: await outlinesOf([{ path, text: file.text }], context) }
      const outside = parts.find(({ outOfRange }) => outOfRange !== undefined)?.outOfRange
      if (outside === undefined) return ok(data)
      if (context.pastEnd === 'noted' && content !== '')
        return ok(data, [
          `the file has only ${formatCount(outside.actual, 'line')}; these are all of ${outside.requested}`,
        ])
      return fail({ kind: 'lines-outside', spec: outside.requested, lineCount: outside.actual, asked: 'read' }, data)
    }),
})

function refuseLines(spec: string | undefined): Problem | undefined {
  if (spec === undefined || spec === '') return undefined
  const parsed = parseLineSpec(spec)
  return 'error' in parsed ? { kind: 'lines-invalid', spec, reason: parsed.error } : undefined
}

import { defineAction, fail, lines, ok, optional, path, text } from '../core/action.ts'
import type { TextFile } from '../core/files.ts'
import type { Problem } from '../core/problem.ts'
import { dominantEol, type LineSpan, lineSpans, toEol } from '@clada/reply/text/lines.ts'
import { expectHash, expectLines, parseLineRange, type GivenRange, textOfLines, findStaleLine } from './common.ts'
import { elisionProblem } from './replace-occurrences.ts'
import { mayElide } from '@clada/reply/text/elision-words.ts'

export const fileReplaceLines = defineAction({
  name: 'file_replace_lines',
  aliases: ['replace_lines_in_file'],
  description:
    'Replace lines by their numbers. Give `lines` and `new_content`, or several changes at once in `edits`, numbered as the file is now.',
  effect: 'write',
  everyday: true,
  params: {
    path: path('File to change.'),
    lines: optional(lines('One line `4` or a range `23-43`.')),
    new_content: optional(text('The new lines. Empty leaves one empty line; file_delete_lines deletes.')),
    expect: expectLines,
    edits: optional(
      text('Several changes, each headed by a line `@@ 23-43` or `@@ 4`; a section without lines deletes.'),
    ),
    expect_hash: expectHash,
  },
  returns: { path: 'string', lines_replaced: 'integer: lines that were there before' },
  examples: [
    {
      title: 'replaces a range',
      before: { 'a.txt': '1\n2\n3\n4\n' },
      params: { path: 'a.txt', lines: '2-3', new_content: 'two\nthree\nand a half' },
      after: { 'a.txt': '1\ntwo\nthree\nand a half\n4\n' },
      data: { lines_replaced: 2 },
    },
    {
      title: 'makes several changes, all numbered as before',
      before: { 'a.txt': '1\n2\n3\n4\n' },
      params: { path: 'a.txt', edits: '@@ 1\none\nand more\n@@ 3-4\nlast' },
      after: { 'a.txt': 'one\nand more\n2\nlast\n' },
      data: { lines_replaced: 3 },
    },
    {
      title: 'an empty section deletes',
      before: { 'a.txt': '1\n2\n3\n4\n' },
      params: { path: 'a.txt', edits: '@@ 2-3\n@@ 4\nfour' },
      after: { 'a.txt': '1\nfour\n' },
    },
    {
      title: 'fails if the lines are not the expected ones',
      before: { 'a.txt': '1\n2\n3\n' },
      params: { path: 'a.txt', lines: '2', new_content: 'two', expect: '3' },
      code: 'match_count_mismatch',
    },
  ],
  async run({ path, lines, new_content, expect, edits, expect_hash }, { files }) {
    const wanted = edits === undefined ? oneEdit(lines, new_content) : parseEdits(edits, { lines, new_content })
    if ('problem' in wanted) return fail(wanted.problem)
    const file = await files.read(path, { expectHash: expect_hash })
    const spans = lineSpans(file.text)
    const ranges: Ranged[] = []
    for (const { spec, content } of wanted.edits) {
      const found = parseLineRange(spec, spans)
      if ('problem' in found) return fail(found.problem)
      const whole = content === null ? null : await expandLines(file, spans, found.range, content)
      if (typeof whole === 'object' && whole !== null) return fail(whole)
      ranges.push({ ...found.range, content: whole })
    }
    ranges.sort((a, b) => a.first - b.first)
    const overlap = ranges.find((range, index) => range.first <= (ranges[index - 1]?.last ?? 0))
    if (overlap)
      return fail({ kind: 'bad-param', param: 'edits', message: `the edit @@ ${overlap.spec} overlaps another one` })
    const first = ranges[0]
    const surprise = first && findStaleLine(path.given, file.text, spans, first, expect)
    if (surprise) return fail(surprise)

    await files.save(file, replaceRanges(file.text, spans, ranges))
    const replaced = ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0)
    const leaves = 'new_content is empty, which leaves one empty line; file_delete_lines deletes lines'
    return ok({ path: path.given, lines_replaced: replaced }, new_content === '' ? [leaves] : [])
  },
})

/** The new lines with those of the old ones that an elision left out. */
async function expandLines(
  file: TextFile,
  spans: readonly LineSpan[],
  range: GivenRange,
  content: string,
): Promise<string | Problem> {
  if (!mayElide(content)) return content
  const { resolveElisions } = await import('@clada/reply/text/elision.ts')
  const old = textOfLines(file.text, spans, range).split('\n')
  const found = resolveElisions(old, content.split(/\r?\n/), file.path.given, file.text)
  if (found.kind === 'undetermined') return elisionProblem(file.path, ['new_content'], found)
  return found.kind === 'none' ? content : found.fresh.join('\n')
}

interface LineEdit {
  readonly spec: string
  /** Null deletes. */
  readonly content: string | null
}

type Ranged = GivenRange & Pick<LineEdit, 'content'>

function oneEdit(lines: string | undefined, content: string | undefined): { edits: LineEdit[] } | { problem: Problem } {
  if (lines === undefined) return missingParam('lines')
  if (content === undefined) return missingParam('new_content')
  return { edits: [{ spec: lines, content }] }
}

const missingParam = (param: string): { problem: Problem } => ({
  problem: { kind: 'bad-param', param, message: `give ${param}, or all changes in edits` },
})

function parseEdits(
  text: string,
  others: Record<string, string | undefined>,
): { edits: LineEdit[] } | { problem: Problem } {
  const extra = Object.keys(others).find((name) => others[name] !== undefined)
  const bad = (message: string): { problem: Problem } => ({ problem: { kind: 'bad-param', param: 'edits', message } })
  if (extra !== undefined) return bad(`give either edits or ${extra}, not both`)
  const edits: { spec: string; content: string[] }[] = []
  for (const line of text.split(/\r?\n/)) {
    const [, spec] = /^@@ *(\d+(?: *- *\d+)?) *(?:@@)? *$/.exec(line) ?? []
    if (spec !== undefined) edits.push({ spec: spec.replaceAll(' ', ''), content: [] })
    else if (edits.length > 0) edits.at(-1)?.content.push(line)
    else if (line.trim() !== '') return bad(`'${line.slice(0, 60)}' is before the first line of the form @@ 23-43`)
  }
  if (edits.length === 0) return bad('it contains no line of the form @@ 23-43')
  return {
    edits: edits.map(({ spec, content }) => ({ spec, content: content.length === 0 ? null : content.join('\n') })),
  }
}

function replaceRanges(text: string, lines: readonly LineSpan[], ranges: readonly Ranged[]): string {
  const eol = dominantEol(text)
  let result = ''
  let from = 0
  for (const { first, last, content } of ranges) {
    const start = lines[first - 1]?.start ?? text.length
    if (content === null) {
      const { end = text.length, next = text.length } = lines[last - 1] ?? {}
      // The last line had no line break of its own: the one before it goes with it.
      result += text.slice(from, next > end ? start : Math.max(from, lines[first - 2]?.end ?? 0))
      from = next
      continue
    }
    result += text.slice(from, start) + (eol === '\r\n' ? toEol(content, eol) : content)
    from = lines[last - 1]?.end ?? text.length
  }
  return result + text.slice(from)
}

import { runBounded } from '../core/time-limit.ts'
import { defineAction, fail, lines, ok, type Outcome, path } from '../core/action.ts'
import type { Files, PathArg } from '../core/files.ts'
import { lineSpans } from '@clada/reply/text/lines.ts'
import { type CommentMarks, commentMarksFor } from '@clada/reply/text/comment-marks.ts'
import { expectHash, expectLines, parseLineRange, findStaleLine } from './common.ts'

/** The two differ in what they do to each line. */
const onLines = {
  effect: 'write',
  params: {
    path: path('File to change.'),
    lines: lines('One line `4` or a range `23-43`.'),
    expect: expectLines,
    expect_hash: expectHash,
  },
  returns: { path: 'string', lines_changed: 'integer' },
} as const

export const fileCommentLines = defineAction({
  ...onLines,
  name: 'file_comment_lines',
  description: "Turn lines into comments, with the marks of the file's language. Blank lines are not changed.",
  examples: [
    {
      title: 'puts the marks where the least indented line begins',
      before: { 'a.js': 'f() {\n  one()\n\n    two()\n}\n' },
      params: { path: 'a.js', lines: '2-4' },
      after: { 'a.js': 'f() {\n  // one()\n\n  //   two()\n}\n' },
      data: { lines_changed: 2 },
    },
    {
      title: 'adds closing marks where the language has them',
      before: { 'a.css': 'a { b: c }\n' },
      params: { path: 'a.css', lines: '1' },
      after: { 'a.css': '/* a { b: c } */\n' },
    },
    {
      title: 'fails for an unknown language',
      before: { 'a.unknown': 'x\n' },
      params: { path: 'a.unknown', lines: '1' },
      code: 'invalid_parameter',
    },
  ],
  run: (call, { files }) => changeComments(files, call, commentOut, 'these are only blank lines; nothing was changed'),
})

const commentOut: ChangeLines = (lines, { open, close }) => {
  const refused = close === '' ? -1 : lines.findIndex((line) => line.includes(close))
  if (refused !== -1) return { refused }
  const full = lines.filter((line) => line.trim() !== '')
  const column = full.reduce((least, line) => Math.min(least, line.length - line.trimStart().length), Infinity)
  return {
    lines: lines.map((line) => {
      if (line.trim() === '') return line
      return `${line.slice(0, column)}${open} ${line.slice(column)}${close === '' ? '' : ` ${close}`}`
    }),
  }
}

interface LinesOf {
  readonly path: PathArg
  readonly lines: string
  readonly expect: string | undefined
  readonly expect_hash: string | undefined
}

/** Changes each of some lines, given the comment marks of the file's language. Line ends stay as they are. */
export async function changeComments(
  files: Files,
  call: LinesOf,
  change: ChangeLines,
  nothing: string,
): Promise<Outcome<{ path: string; lines_changed: number }>> {
  const { path } = call
  const marks = commentMarksFor(path.given)
  if (marks === undefined) {
    return fail({
      kind: 'bad-param',
      param: 'path',
      message: `the comment marks of '${path.given}' are not known; use file_replace_lines`,
    })
  }
  const file = await files.read(path, { expectHash: call.expect_hash })
  const spans = lineSpans(file.text)
  const found = parseLineRange(call.lines, spans)
  if ('problem' in found) return fail(found.problem)
  const surprise = findStaleLine(path.given, file.text, spans, found.range, call.expect)
  if (surprise) return fail(surprise)

  const chosen = spans.slice(found.range.first - 1, found.range.last)
  const before = chosen.map(({ start, end }) => file.text.slice(start, end))
  const after = runBounded(() => change(before, marks))
  if ('refused' in after) {
    const line = found.range.first + after.refused
    return fail({
      kind: 'bad-param',
      param: 'lines',
      message: `line ${line} already contains '${marks.close}', which would end the comment early`,
    })
  }
  let text = file.text.slice(0, chosen[0]?.start)
  chosen.forEach(({ end, next }, index) => (text += (after.lines[index] ?? '') + file.text.slice(end, next)))
  text += file.text.slice(chosen.at(-1)?.next)
  const changed = after.lines.filter((line, index) => line !== before[index]).length
  await files.save(file, text)
  return ok({ path: path.given, lines_changed: changed }, changed === 0 ? [nothing] : [])
}

export type ChangeLines = (lines: readonly string[], marks: CommentMarks) => { lines: string[] } | { refused: number }

export const fileUncommentLines = defineAction({
  ...onLines,
  name: 'file_uncomment_lines',
  description: "Remove the comment marks of the file's language from lines. Other lines are not changed.",
  examples: [
    {
      title: 'undoes file_comment_lines',
      before: { 'a.py': 'if x:\n    # one()\n    #   two()\n' },
      params: { path: 'a.py', lines: '1-3' },
      after: { 'a.py': 'if x:\n    one()\n      two()\n' },
      data: { lines_changed: 2 },
    },
    {
      title: 'removes closing marks too',
      before: { 'a.html': '  <!-- <b>x</b> -->\n' },
      params: { path: 'a.html', lines: '1' },
      after: { 'a.html': '  <b>x</b>\n' },
    },
  ],
  run: (call, { files }) =>
    changeComments(files, call, uncomment, 'none of these lines is a comment; nothing was changed'),
})

const uncomment: ChangeLines = (lines, { open, close }) => ({
  lines: lines.map((line) => {
    const indent = line.slice(0, line.length - line.trimStart().length)
    const body = line.slice(indent.length)
    if (!body.startsWith(open) || !body.trimEnd().endsWith(close)) return line
    // A mark that is a word ends where the word does: REMOVE is no comment.
    if (/\w$/.test(open) && /^\w/.test(body.slice(open.length))) return line
    const inner =
      close === '' ? body.slice(open.length) : body.trimEnd().slice(open.length, -close.length).replace(/ $/, '')
    return indent + inner.replace(/^ /, '')
  }),
})

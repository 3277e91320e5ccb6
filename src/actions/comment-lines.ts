import { bounded } from '../core/time-limit.ts'
import { fail, ok, type Outcome } from '../core/action.ts'
import type { Files, PathArg } from '../core/files.ts'
import { lineSpans } from '../text/lines.ts'
import { type CommentMarks, commentMarksFor } from '../text/comment-marks.ts'
import { unexpected, lineRange } from './line-range.ts'

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
): Promise<Outcome> {
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
  const found = lineRange(call.lines, spans)
  if ('problem' in found) return fail(found.problem)
  const surprise = unexpected(path.given, file.text, spans, found.range, call.expect)
  if (surprise) return fail(surprise)

  const chosen = spans.slice(found.range.first - 1, found.range.last)
  const before = chosen.map(({ start, end }) => file.text.slice(start, end))
  const after = bounded(() => change(before, marks))
  if ('refused' in after) {
    const line = found.range.first + after.refused
    return fail({
      kind: 'bad-param',
      param: 'lines',
      message: `line ${line} already holds '${marks.close}', which would end the comment early`,
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

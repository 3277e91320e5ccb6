import { optional, rare, text } from '../core/action.ts'
import { hashOf } from '../core/hash.ts'
import type { Problem } from '../core/problem.ts'
import type { LineSpan } from '../text/line-spans.ts'
import { type LineRange, textOfLines } from './line-range.ts'

export const expectLines = rare(
  optional(text('What these lines say now, or the hash of it. The action fails if they say something else.')),
)

/** Line numbers grow stale silently; with the expected text given, a mismatch is an error. */
export function unexpected(
  path: string,
  content: string,
  lines: readonly LineSpan[],
  range: LineRange,
  expect: string | undefined,
): Problem | undefined {
  if (expect === undefined) return undefined
  const actual = textOfLines(content, lines, range)
  if (expect.replace(/\r\n|\r/g, '\n').replace(/\n$/, '') === actual || expect === hashOf(actual)) return undefined
  return { kind: 'lines-differ', path, lines: range.spec, expected: expect, actual }
}

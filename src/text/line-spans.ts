import { afterLineEnd } from './lines.ts'

/** A line in its text: where it starts, where it ends, and where the next one starts. */
export interface LineSpan {
  readonly start: number
  readonly end: number
  readonly next: number
}

/** The lines of a text as an editor counts them: a final line break does not begin another line. */
export function lineSpans(content: string): LineSpan[] {
  const spans: LineSpan[] = []
  let start = 0
  for (let at = 0; at < content.length; at++) {
    const next = afterLineEnd(content, at)
    if (next === undefined) continue
    spans.push({ start, end: at, next })
    start = next
    at = next - 1
  }
  if (start < content.length) spans.push({ start, end: content.length, next: content.length })
  return spans
}

import type { Span } from '../text/edit.ts'
import { firstFrom, type Surroundings } from './bounds.ts'

const LONGEST = 400
const SHORT = 80

/** Behind the decorators and comments that a structure starts with. */
export function headerStart({ source, comments, decorators }: Surroundings, start: number, end: number): number {
  const { text } = source
  let at = start
  for (;;) {
    while (at < end && /\s/.test(text.charAt(at))) at++
    const decorator = firstFrom(decorators, at)
    const comment = firstFrom(comments, at)
    if (decorator?.start === at) at = decorator.end
    else if (comment?.start === at) at = comment.end
    else return at < end ? at : start
  }
}

/** The text from `start` to the body, or to the end of the line, in one line and without what opens the body. */
export function headerText(
  { source, comments }: Surroundings,
  start: number,
  end: number,
  body: number | null,
): string {
  const lineEnd = source.endOf(source.lineAt(start))
  const to = Math.min(body !== null && body > start ? body : Math.min(lineEnd, end), start + LONGEST)
  const header = oneLine(withoutSpans(source.text, start, to, comments))
  if (/[\p{L}\p{N}]/u.test(header)) return withoutOpener(header)
  // A line that only opens something says nothing; what follows does: `{ "name": "x"`.
  return oneLine(withoutSpans(source.text, start, Math.min(end, start + LONGEST), comments)).slice(0, SHORT)
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

const opener = /(?:\s*(?:[{:;=([,]|=>|->|(?<=\W)(?:then|do)))+$/

/** `if x {` and `if x` are one header. */
export function withoutOpener(header: string): string {
  const bare = header.replace(opener, '')
  return bare === '' ? header : bare
}

function withoutSpans(text: string, start: number, end: number, spans: readonly Span[]): string {
  const pieces: string[] = []
  let at = start
  for (let span = firstFrom(spans, at); span !== undefined && span.start < end; span = firstFrom(spans, at)) {
    pieces.push(text.slice(at, span.start))
    at = Math.max(span.end, at + 1)
  }
  if (at < end) pieces.push(text.slice(at, end))
  return pieces.join(' ')
}

import type { Place } from '../core/problem.ts'
import type { Span } from './edit.ts'
import { afterLineEnd } from './lines.ts'

/**
 * The places of the first `max` spans, which are in order: the line each starts on, the line before,
 * and the line after its last. Reads the content once.
 */
export function placesOf(content: string, spans: readonly Span[], { max }: { max: number }): Place[] {
  const places: Place[] = []
  let line = 1
  let start = 0
  let previous: number | undefined
  let at = 0
  for (const span of spans.slice(0, max)) {
    while (at < span.start) {
      const next = afterLineEnd(content, at)
      // A span that starts between CR and LF belongs to the line these end.
      if (next === undefined || next > span.start) {
        at++
        continue
      }
      line++
      previous = start
      start = next
      at = next
    }

    const place: Place = { line, text: excerpt(content, start, span.start) }
    if (previous !== undefined) place.before = excerpt(content, previous, previous)
    const after = lineAfter(content, Math.max(span.end - 1, span.start))
    if (after !== undefined) place.after = excerpt(content, after, after)
    places.push(place)
  }
  return places
}

const WIDTH = 200
const LEAD = 60
/** How far the end of a line is looked for; a file on one line must not be read again for every span. */
const REACH = 5000

/** The line that starts at `start`; of a long one, the part around `focus`. */
function excerpt(content: string, start: number, focus: number): string {
  const from = focus - start > WIDTH - LEAD ? focus - LEAD : start
  let to = from
  while (to < content.length && to - from < WIDTH && afterLineEnd(content, to) === undefined) to++
  const cut = to < content.length && afterLineEnd(content, to) === undefined
  return `${from > start ? '…' : ''}${content.slice(from, to)}${cut ? '…' : ''}`
}

function lineAfter(content: string, from: number): number | undefined {
  const limit = Math.min(content.length, from + REACH)
  for (let at = from; at < limit; at++) {
    const next = afterLineEnd(content, at)
    if (next !== undefined) return next < content.length ? next : undefined
  }
  return undefined
}

import type { Place } from '../core/place.ts'
import { findOccurrences, replaceSpans, type Span } from './edit.ts'
import { afterLineEnd, dominantEol, splitBlock, splitKeepingEnds } from './lines.ts'
import { adaptNewLines } from './adapt.ts'
import { editTolerantly, type Tolerance } from './edit-text.ts'
import type { HunkLine } from './hunks.ts'
import { makeHunkLines } from './matcher.ts'
import { makeReindenter } from './reindent.ts'

/**
 * The places of the first `max` spans, which are in order: the line each starts on, the line before,
 * and the line after its last. Reads the content once.
 */
export function locateSpans(content: string, spans: readonly Span[], { max }: { max: number }): Place[] {
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

    const place: Place = { line, text: excerptAround(content, start, span.start) }
    if (previous !== undefined) place.before = excerptAround(content, previous, previous)
    const after = startOfNextLine(content, Math.max(span.end - 1, span.start))
    if (after !== undefined) place.after = excerptAround(content, after, after)
    places.push(place)
  }
  return places
}

const WIDTH = 200
const LEAD = 60
/** How far the end of a line is looked for; a file on one line must not be read again for every span. */
const REACH = 5000

/** The line that starts at `start`; of a long one, the part around `focus`. */
function excerptAround(content: string, start: number, focus: number): string {
  const from = focus - start > WIDTH - LEAD ? focus - LEAD : start
  let to = from
  while (to < content.length && to - from < WIDTH && afterLineEnd(content, to) === undefined) to++
  const cut = to < content.length && afterLineEnd(content, to) === undefined
  return `${from > start ? '…' : ''}${content.slice(from, to)}${cut ? '…' : ''}`
}

function startOfNextLine(content: string, from: number): number | undefined {
  const limit = Math.min(content.length, from + REACH)
  for (let at = from; at < limit; at++) {
    const next = afterLineEnd(content, at)
    if (next !== undefined) return next < content.length ? next : undefined
  }
  return undefined
}

/**
 * A text with an edit made in lines that the user chose; undefined where the text has no such lines. What is like the old
 * text there is replaced, as anywhere else; where nothing is, the lines themselves are.
 */
export function editPlace(
  text: string,
  { line, endLine }: { readonly line: number; readonly endLine: number },
  old: string,
  fresh: string,
  tolerance: Tolerance,
): string | undefined {
  const lines = splitKeepingEnds(text)
  const chosen = lines.slice(line - 1, endLine)
  if (line < 1 || chosen.length === 0) return undefined
  const part = chosen.join('')
  const around = (inside: string): string => lines.slice(0, line - 1).join('') + inside + lines.slice(endLine).join('')

  const [only, ...others] = findOccurrences(part, old)
  if (only !== undefined && others.length === 0) return around(replaceSpans(part, [only], old, fresh))
  const done = editTolerantly(part, old, fresh, 1, { ...tolerance, matching: 'tolerant' })
  if (done.kind === 'done') return around(done.text)

  const rows = adoptFileLines(makeHunkLines(splitBlock(old), splitBlock(fresh)), splitBlock(part), text).filter(
    ({ mark }) => mark !== '-',
  )
  const eol = dominantEol(text)
  return around(rows.map((row) => row.text).join(eol) + (rows.length > 0 && part.endsWith('\n') ? eol : ''))
}

/**
 * The lines of an edit with those of the file as its old side. With as many lines as the edit has, the file keeps those
 * that the edit only has as context; otherwise all of them go.
 */
export function adoptFileLines(lines: readonly HunkLine[], there: readonly string[], text: string): HunkLine[] {
  const old = lines.filter(({ mark }) => mark !== '+').map((row) => row.text)
  if (old.length === there.length) {
    const added = adaptNewLines(lines, there, text) ?? lines.filter(({ mark }) => mark === '+').map((row) => row.text)
    let [at, taken] = [0, 0]
    return lines.map(({ mark }) => ({ mark, text: (mark === '+' ? added[taken++] : there[at++]) ?? '' }))
  }
  const hasText = (row: string): boolean => row.trim() !== ''
  const shift = makeReindenter([[old.find(hasText) ?? '', there.find(hasText) ?? '']])
  const fresh = lines.filter(({ mark }) => mark !== '-').map((row) => row.text)
  return [
    ...there.map((row) => ({ mark: '-', text: row }) as const),
    ...fresh.map((row) => ({ mark: '+', text: shift(row) ?? row }) as const),
  ]
}

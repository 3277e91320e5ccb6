import { findCommonPairs } from './line-diff.ts'
import { partitionPoint, dominantEol, type Eol, toEol } from './lines.ts'
import { characterSequence, overlappingMatches } from './search.ts'
import { runGuarded } from '../core/guard.ts'

/** Offsets in the file's own text, `end` after the last character. */
export interface Span {
  start: number
  end: number
}

/**
 * Where `needle` occurs, without overlap. LF in the needle also matches CRLF, because a model writes LF
 * whatever the file has; a needle with a CR in it is taken to the letter.
 */
export function findOccurrences(content: string, needle: string, { max = Infinity } = {}): Span[] {
  if (needle === '') return []
  return guardedAbove(content.length * needle.length, () => {
    const { view, span } = viewFor(content, needle)
    const spans: Span[] = []
    for (
      let at = view.indexOf(needle);
      at !== -1 && spans.length < max;
      at = view.indexOf(needle, at + needle.length)
    ) {
      spans.push(span(at))
    }
    return spans
  })
}

/** Steps that take less time than the thread that would watch them. */
const fewSteps = 1_000_000

const guardedAbove = <T>(steps: number, work: () => T): T => (steps < fewSteps ? work() : runGuarded(work))

/**
 * `newText`, to the letter, in the place of each span; everything else stays as it is. `spans` are in
 * order and do not overlap. With CRLF as `eol`, LF in `newText` becomes CRLF: `eolFor` tells which it is.
 */
export function applyReplacements(
  content: string,
  spans: readonly Span[],
  newText: string,
  { eol }: { eol: Eol | 'as-given' },
): string {
  return guardedAbove(content.length + spans.length * newText.length, () => {
    const kept: string[] = []
    let from = 0
    for (const { start, end } of spans) {
      kept.push(content.slice(from, start))
      from = end
    }
    kept.push(content.slice(from))
    return kept.join(eol === '\r\n' ? toEol(newText, eol) : newText)
  })
}

/** The line end for new text. A CR in the text to find means exact line ends. */
export function chooseEol(content: string, ...needles: string[]): Eol | 'as-given' {
  return needles.some((needle) => needle.includes('\r')) ? 'as-given' : dominantEol(content)
}

/** A text with another in the place of each span. In a file with two kinds of line ends every line keeps its own. */
export function replaceSpans(text: string, spans: readonly Span[], old: string, fresh: string): string {
  if (!fresh.includes('\n')) return applyReplacements(text, spans, fresh, { eol: 'as-given' })
  const eol = chooseEol(text, old)
  if (eol === 'as-given' || !isMixed(text)) return applyReplacements(text, spans, fresh, { eol })
  let result = ''
  let from = 0
  for (const { start, end } of spans) {
    result += text.slice(from, start) + withEndsOfSpan(text, start, end, fresh)
    from = end
  }
  return result + text.slice(from)
}

function isMixed(text: string): boolean {
  return text.includes('\r\n') && /(?:^|[^\r])\n/.test(text)
}

function withEndsOfSpan(text: string, start: number, end: number, fresh: string): string {
  const there = text.slice(start, end)
  const ends = there.match(/\r?\n/g) ?? []
  const lines = fresh.split(/\r?\n/)
  const kept = new Map(findCommonPairs(there.split(/\r?\n/), lines).map(([own, at]) => [at, ends[own]]))
  const next = /\r?\n/.exec(text.slice(end))?.[0] ?? dominantEol(text)
  let last = ends[0] ?? next
  return lines
    .map((line, at) => {
      if (at === lines.length - 1) return line
      last = kept.get(at) ?? ends[at] ?? last
      return line + last
    })
    .join('')
}

export type Ranges =
  | { kind: 'empty'; which: RangeMarker }
  | { kind: 'absent'; which: RangeMarker; beginning?: Span }
  /** `count` includes overlaps; `spans` are the first of them, enough to show. */
  | { kind: 'ambiguous'; which: RangeMarker; count: number; spans: Span[]; beginning?: Span }
  /** `open` is a beginning after the last range that no end follows. */
  | { kind: 'found'; ranges: Span[]; open?: Span }

export type RangeMarker = 'beginning' | 'end'

/**
 * Ranges from `beginning` to `end`, both included.
 * `unique`: the beginning occurs once in the file, the end once after it; overlapping occurrences count.
 * `counted`: every range from the start, each as short as can be; how many there must be is the caller's to check.
 */
export function findRanges(content: string, beginning: string, end: string, mode: 'unique' | 'counted'): Ranges {
  if (beginning === '') return { kind: 'empty', which: 'beginning' }
  if (end === '') return { kind: 'empty', which: 'end' }
  return mode === 'unique' ? uniqueRange(content, beginning, end) : lazyRanges(content, beginning, end)
}

function uniqueRange(content: string, beginning: string, end: string): Ranges {
  const starts = overlapping(content, beginning)
  const [first] = starts.spans
  if (first === undefined) return { kind: 'absent', which: 'beginning' }
  if (starts.count > 1) return { kind: 'ambiguous', which: 'beginning', ...starts }

  const ends = overlapping(content.slice(first.end), end)
  const spans = ends.spans.map((span) => ({ start: span.start + first.end, end: span.end + first.end }))
  const [last] = spans
  if (last === undefined) return { kind: 'absent', which: 'end', beginning: first }
  if (ends.count > 1) return { kind: 'ambiguous', which: 'end', count: ends.count, spans, beginning: first }
  return { kind: 'found', ranges: [{ start: first.start, end: last.end }] }
}

function lazyRanges(content: string, beginning: string, end: string): Ranges {
  const starts = viewFor(content, beginning)
  const ends = viewFor(content, end)
  const ranges: Span[] = []
  let from = 0
  for (;;) {
    const startAt = starts.view.indexOf(beginning, starts.index(from))
    if (startAt === -1) return { kind: 'found', ranges }
    const start = starts.span(startAt)
    const endAt = ends.view.indexOf(end, ends.index(start.end))
    if (endAt === -1) return { kind: 'found', ranges, open: start }
    from = ends.span(endAt).end
    ranges.push({ start: start.start, end: from })
  }
}

const SHOWN = 100

function overlapping(content: string, needle: string): { count: number; spans: Span[] } {
  const { view, span } = viewFor(content, needle)
  const first = view.indexOf(needle)
  if (first === -1) return { count: 0, spans: [] }
  if (view.indexOf(needle, first + 1) === -1) return { count: 1, spans: [span(first)] }

  const spans: Span[] = []
  let count = 0
  for (const at of overlappingMatches(characterSequence(view), characterSequence(needle), first)) {
    count++
    if (spans.length < SHOWN) spans.push(span(at))
  }
  return { count, spans }
}

/** The text in which a needle is searched, and the way between its offsets and those of the content. */
interface SearchView {
  view: string
  index(offset: number): number
  span(at: number): Span
}

function viewFor(content: string, needle: string): SearchView {
  const literal = !needle.includes('\n') || needle.includes('\r') || !content.includes('\r\n')
  if (literal) {
    return { view: content, index: (offset) => offset, span: (at) => ({ start: at, end: at + needle.length }) }
  }

  // Where each CRLF starts in the content, and where its LF is in the view.
  const inContent: number[] = []
  const inView: number[] = []
  for (let at = content.indexOf('\r\n'); at !== -1; at = content.indexOf('\r\n', at + 2)) {
    inView.push(at - inContent.length)
    inContent.push(at)
  }
  // An edge before a line end stays before its CR, one after it is after its LF: no CRLF is ever split.
  const offset = (at: number) => at + partitionPoint(inView, (one) => one < at)
  return {
    view: content.replaceAll('\r\n', '\n'),
    index: (from) => from - partitionPoint(inContent, (one) => one < from),
    span: (at) => ({ start: offset(at), end: offset(at + needle.length) }),
  }
}

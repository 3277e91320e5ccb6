import type { FileLines } from './file-lines.ts'
import type { HunkLine } from './hunks.ts'
import { dominantEol } from './line-endings.ts'

export const rungs = ['exact', 'trailing-space', 'indentation', 'characters', 'prefix', 'context'] as const
export type Rung = (typeof rungs)[number]

/** Lines `from` to before `to` go, and others come in their place. */
export interface Splice {
  readonly from: number
  readonly to: number
  readonly added: readonly string[]
}

/** A place that an edit fits. Lines count from 0. */
export interface Fit {
  readonly rung: Rung
  readonly first: number
  /** How many lines of the file it covers. */
  readonly height: number
  /** Undefined where the file does not tell how the new lines must be written. */
  readonly splices: readonly Splice[] | undefined
  /** What was undone, where the rung alone does not say it. */
  readonly through?: string
  /** Whether line ends are those of the edit, CR included. */
  readonly lineEnds?: 'edit'
}

/** What an edit changes, given the line of the file for each of its old lines. */
export function splicesOf(
  lines: readonly HunkLine[],
  lineOf: (at: number) => number,
  fresh: readonly string[],
): Splice[] {
  const splices: Splice[] = []
  let at = 0
  let taken = 0
  let open: { from: number; to: number; added: string[] } | undefined
  for (const { mark } of lines) {
    if (mark === ' ') {
      at++
      open = undefined
      continue
    }
    if (open === undefined) {
      const start = at > 0 ? lineOf(at - 1) + 1 : lineOf(0)
      splices.push((open = { from: start, to: start, added: [] }))
    }
    if (mark === '+') open.added.push(fresh[taken++] ?? '')
    else {
      if (open.from === open.to) open.from = lineOf(at)
      open.to = lineOf(at++) + 1
    }
  }
  return splices
}

/**
 * A text with splices applied, which are in order. A new line ends as the line it replaces, or else as the one above it.
 */
export function withSplices(
  file: FileLines,
  splices: readonly (Splice & { readonly lineEnds?: 'edit' | undefined })[],
): string {
  const usual = dominantEol(file.text)
  const parts: string[] = []
  let at = 0
  for (const { from, to, added, lineEnds } of splices) {
    const above = lineEnds === 'edit' ? '\n' : file.eolOf(from - 1) || usual
    parts.push(file.text.slice(file.startOf(at), file.startOf(from)))
    if (from === file.count && file.count > 0 && !file.text.endsWith('\n')) parts.push(above)
    for (const [nth, line] of added.entries()) {
      const own = from + nth < to ? file.eolOf(from + nth) : file.eolOf(to - 1)
      parts.push(line, lineEnds === 'edit' ? '\n' : own || above)
    }
    at = to
  }
  parts.push(file.text.slice(file.startOf(at)))
  return parts.join('')
}

const forgiven: Readonly<Record<Exclude<Rung, 'exact'>, string>> = {
  'trailing-space': 'ignoring whitespace at line ends',
  indentation: 'shifting its lines; new lines were shifted too',
  characters: 'reading typographic characters as plain ones, in its new lines too',
  prefix: 'leaving out what is before or around every line',
  context: 'the lines it changes; lines of context that differ were left as the file has them',
}

/** What had to be overlooked to find the places of an edit, and which lines were replaced; undefined for the first rung. */
export function repairWarning(what: string, fits: readonly Fit[], file: FileLines): string | undefined {
  const [first] = fits
  if (first === undefined || first.rung === 'exact') return undefined
  const undoing = first.through === undefined ? undefined : `undoing ${first.through}`
  const how =
    undoing === undefined
      ? forgiven[first.rung]
      : first.rung === 'context'
        ? `${undoing} and by ${forgiven.context}`
        : `${undoing}, in its new lines too`
  const replaced = fits.flatMap(({ splices = [] }) => splices).filter(({ from, to }) => to > from)
  const text = replaced.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, nth) => file.line(from + nth)))
  const shown =
    text.length > 0 && text.length <= 3 && text.join('').length <= 200 ? `: ${text.map(quoted).join(', ')}` : ''
  const places = fits.map((fit) => linesOf(fit.first, fit.first + fit.height)).join(', ')
  const lines =
    replaced.length === 0
      ? 'nothing was removed'
      : `replaced ${replaced.map(({ from, to }) => linesOf(from, to)).join(', ')}${shown}`
  const added = fits.flatMap(({ splices = [] }) => splices.flatMap((splice) => splice.added))
  const strings =
    first.rung === 'indentation' && goesOn(added)
      ? '; the inside of a string of several lines was shifted too: check it'
      : ''
  return `${what} was found at ${places} only by ${how} [${first.rung}]; ${lines}${strings}`
}

/** Whether a string begins on one of the lines and does not end there. */
const goesOn = (lines: readonly string[]): boolean =>
  lines.some(
    (line) =>
      /<<[-~]?["']?[A-Za-z_]/.test(line) || ['`', '"""', "'''"].some((mark) => line.split(mark).length % 2 === 0),
  )

const quoted = (line: string): string => JSON.stringify(line)

const linesOf = (from: number, to: number): string => (to - from < 2 ? `line ${from + 1}` : `lines ${from + 1}-${to}`)

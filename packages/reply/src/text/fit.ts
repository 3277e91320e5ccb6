import type { FileLines } from './file-lines.ts'
import type { HunkLine } from './hunks.ts'
import { dominantEol } from './lines.ts'
import { indentOf } from './reindent.ts'

export const levels = ['exact', 'trailing-space', 'indentation', 'characters', 'prefix', 'context'] as const
export type MatchLevel = (typeof levels)[number]

/** Lines `from` to before `to` go, and others come in their place. */
export interface Splice {
  readonly from: number
  readonly to: number
  readonly added: readonly string[]
}

/** A place that an edit fits. Lines count from 0. */
export interface Fit {
  readonly level: MatchLevel
  readonly first: number
  /** How many lines of the file it covers. */
  readonly height: number
  /** Undefined where the file does not tell how the new lines must be written. */
  readonly splices: readonly Splice[] | undefined
  /** What was undone, where the level alone does not say it. */
  readonly through?: string
  /** Whether line ends are those of the edit, CR included. */
  readonly lineEnds?: 'edit'
  /** The lines of the edit, where those of the file have another indentation. */
  readonly edit?: { readonly old: readonly string[]; readonly added: readonly string[] }
}

/** Lines that were shifted with a string of several lines among them. Lines count from 0. */
export interface Shifted {
  /** In the file as it is now, with the text of the edit. */
  readonly added: readonly { readonly line: number; readonly given: string }[]
  /** In the file as it was: lines whose indentation is another one in the edit. */
  readonly old: readonly number[]
}

/** Of fits that are in order, and were applied. */
export function findShift(fits: readonly Fit[]): Shifted | undefined {
  const added: { line: number; given: string }[] = []
  const old: number[] = []
  let grown = 0
  for (const { splices = [], edit, first } of fits) {
    let taken = 0
    const isString = edit !== undefined && goesOn(edit.added)
    for (const splice of splices) {
      for (const [nth, own] of splice.added.entries()) {
        const given = edit?.added[taken++]
        // Spaces alone are the end of a line, not its indentation.
        if (isString && given?.trim() && indentOf(given) !== indentOf(own))
          added.push({ line: splice.from + grown + nth, given })
      }
      grown += splice.added.length - (splice.to - splice.from)
    }
    if (isString) for (const [nth, line] of edit.old.entries()) if (line !== '') old.push(first + nth)
  }
  return added.length === 0 ? undefined : { added, old }
}

const LEAST_LINES = 4

/** Whether lines have so much content that they are not somewhere by chance. */
export const isLong = (lines: readonly string[]): boolean =>
  lines.filter((line) => line.trim() !== '').length >= LEAST_LINES

/**
 * Where the new lines of an edit are already, around its place: it was probably applied before. Few lines may be there by
 * chance, so it is not sure.
 */
export function findLinesInsideNew(
  { first, height, splices }: Fit,
  file: FileLines,
): { readonly first: number; readonly isSure: boolean } | undefined {
  if (splices === undefined) return undefined
  const fresh: string[] = []
  for (let at = first; at <= first + height; at++) {
    for (const { from, added } of splices) if (from === at) fresh.push(...added)
    const goes = splices.some(({ from, to }) => from <= at && at < to)
    if (at < first + height && !goes) fresh.push(file.line(at))
  }
  if (fresh.length <= height) return undefined
  const around = file.find(fresh, 'exact').find((at) => at <= first && first + height <= at + fresh.length)
  return around === undefined ? undefined : { first: around, isSure: isLong(fresh) }
}

export const addedAgainWarning = (line: number): string =>
  `the new text was already at line ${line}. If this edit was sent before, its lines are there twice now: undo it`

/** What an edit changes, given the line of the file for each of its old lines. */
export function makeSplices(
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
export function applySplices(
  file: FileLines,
  splices: readonly (Splice & { readonly lineEnds?: 'edit' | undefined })[],
  /** The end of all new lines, instead of that of the lines they replace. */
  newEnd?: string,
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
      parts.push(line, newEnd ?? (lineEnds === 'edit' ? '\n' : own || above))
    }
    at = to
  }
  parts.push(file.text.slice(file.startOf(at)))
  return parts.join('')
}

const forgiven: Readonly<Record<Exclude<MatchLevel, 'exact'>, string>> = {
  'trailing-space': 'ignoring whitespace at line ends',
  indentation: 'shifting its lines; new lines were shifted too',
  characters: 'reading typographic characters as plain ones, in its new lines too',
  prefix: 'leaving out what is before or around every line',
  context: 'the lines it changes; lines of context that differ were left as the file has them',
}

/**
 * What had to be overlooked to find the places of an edit; undefined for the first level. Its second line has the level and
 * what was replaced, for readers who see no diff.
 */
export function repairWarning(what: string, fits: readonly Fit[], file: FileLines): string | undefined {
  const [first] = fits
  if (first === undefined || first.level === 'exact') return undefined
  const undoing = first.through === undefined ? undefined : `undoing ${first.through}`
  const how =
    undoing === undefined
      ? forgiven[first.level]
      : first.level === 'context'
        ? `${undoing} and by ${forgiven.context}`
        : `${undoing}, in its new lines too`
  const replaced = fits.flatMap(({ splices = [] }) => splices).filter(({ from, to }) => to > from)
  const text = replaced.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, nth) => file.line(from + nth)))
  const shown =
    text.length > 0 && text.length <= 3 && text.join('').length <= 200 ? `: ${text.map(quotedLine).join(', ')}` : ''
  const places = fits.map((fit) => lineRange(fit.first, fit.first + fit.height)).join(', ')
  const lines =
    replaced.length === 0
      ? 'nothing was removed'
      : `replaced ${replaced.map(({ from, to }) => lineRange(from, to)).join(', ')}${shown}`
  return `${what} was found at ${places} only by ${how}\n[${first.level}]; ${lines}`
}

/** Whether a string may begin on one of the lines and not end there; a parser can tell. */
const goesOn = (lines: readonly string[]): boolean =>
  lines.some(
    (line) =>
      /<<[-~]?["']?[A-Za-z_]/.test(line) || ['`', '"""', "'''"].some((mark) => line.split(mark).length % 2 === 0),
  ) || lines.filter((line) => line.split('"').length % 2 === 0).length > 1

const quotedLine = (line: string): string => JSON.stringify(line)

const lineRange = (from: number, to: number): string => (to - from < 2 ? `line ${from + 1}` : `lines ${from + 1}-${to}`)

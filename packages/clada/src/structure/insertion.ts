import { dominantEol } from '@clada/reply/text/lines.ts'
import { indentForPlace, type Fitting, indentSteps, type Piece } from './indent.ts'
import {
  layoutOf,
  type Layout,
  blankLinesBetween,
  gapAbove,
  gapBelow,
  shapeOf,
  siblingOn,
  type SpacingShape,
} from './layout.ts'
import type { Kind } from './language.ts'
import { type TextChange, lineRangeOf, type Outline, type Structure } from './structure.ts'

export type Side = 'before' | 'after'

export interface Insertion {
  readonly changes: TextChange[]
  /** The one of them that puts the content in. */
  readonly main: TextChange
  /** Where in its text the content starts and ends. */
  readonly from: number
  readonly to: number
}

export interface SpacingOptions {
  /** Blank lines between the content and its neighbour, where those of the file are not wanted. */
  readonly blank_lines?: number | undefined
}

export interface PlacingOptions extends SpacingOptions {
  /** How far in the lines go, where that is not as far as the anchor is. */
  readonly indent?: string | undefined
}

/** Puts a piece beside a structure. */
export function insertion(
  outline: Outline,
  anchor: Structure,
  side: Side,
  piece: Piece,
  options: PlacingOptions = {},
): Insertion {
  const layout = layoutOf(outline, anchor)
  const isApart =
    (side === 'before' ? layout.ownStart && !anchor.listed : layout.bullet) ||
    placeInStatement(outline, anchor, side) === 'line'
  return layout.ownLines || isApart
    ? insertLines(outline, anchor, layout, side, piece, options)
    : insertInline(outline, anchor, layout, side, piece)
}

/**
 * Where something goes beside a structure that a statement contains, as in `return () => {`: on a line of its own beside
 * the statement, as far as that is known to begin or end on the line of the structure. Undefined for all others.
 */
export function placeInStatement(outline: Outline, anchor: Structure, side: Side): 'line' | 'nowhere' | undefined {
  if (anchor.listed || !expressions.has(anchor.kind)) return undefined
  const { source } = outline
  const { text } = source
  const [first, last] = lineRangeOf(source, anchor)
  const before = text.slice(source.startOf(first), anchor.start)
  if (!/\w[^{};]*$/.test(before)) return undefined
  if (side === 'before') return /[{};]/.test(before) ? 'nowhere' : 'line'
  return /^[ \t]*;?[ \t]*$/.test(text.slice(anchor.end, source.endOf(last))) ? 'line' : 'nowhere'
}

/** Kinds that may be a part of a statement. */
const expressions: ReadonlySet<Kind> = new Set<Kind>(['lambda', 'if', 'switch', 'try'])

function insertLines(
  outline: Outline,
  anchor: Structure,
  layout: Layout,
  side: Side,
  piece: Piece,
  options: PlacingOptions,
): Insertion {
  const { source } = outline
  const lines = fittedLines(outline, piece, options.indent ?? layout.indent)
  const near = options.blank_lines ?? (explicit(piece, side) || nearBlank(outline, anchor, side, piece))
  const far = options.blank_lines === undefined ? extraFar(outline, anchor, layout, side, piece) : 0
  const extra: TextChange[] = []
  if (anchor.listed) {
    // Of several members the last may go without a comma; all others need one.
    if (side === 'before' || layout.comma !== null) closeWithComma(lines, piece)
    else if (layout.commaBefore !== null || isFirstOfList(outline, anchor)) {
      extra.push({ start: anchor.end, end: anchor.end, text: ',' })
    }
  }
  if (closerOf(anchor) !== undefined) {
    if (piece.kind === anchor.kind) lines.push(closedBefore(lines.pop() ?? '', piece.suffix, anchor))
    if (side === 'after') extra.push(...closingOf(outline, anchor))
  }
  const at = side === 'before' ? source.startOf(layout.first) : source.startOf(layout.last + 1)
  const made = asLines(outline, at, lines, side === 'before' ? far : near, side === 'before' ? near : far)
  return { ...made, changes: [...extra, made.main] }
}

/** Lines at the start of a line, blank ones around them. At an end of file without a line end it stays so. */
export function asLines(
  { source }: Outline,
  at: number,
  lines: readonly string[],
  blankAbove: number,
  blankBelow: number,
): Insertion {
  const eol = dominantEol(source.text)
  const open = at > 0 && !source.text.slice(0, at).endsWith('\n')
  const lead = (open ? eol : '') + eol.repeat(blankAbove)
  const body = lines.join(eol)
  const main: TextChange = { start: at, end: at, text: `${lead}${body}${open ? '' : eol}${eol.repeat(blankBelow)}` }
  return { changes: [main], main, from: lead.length, to: lead.length + body.length }
}

export function fittedLines(
  outline: Outline,
  piece: Piece,
  indent: string,
  firstLine: Fitting['firstLine'] = 'as-given',
): string[] {
  const steps = outline.language.indentation === 'units' ? indentSteps(outline.source.text.split(/\r?\n/)) : []
  const lines = indentForPlace(piece.lines, piece.fixed, { indent, steps, firstLine })
  return piece.suffix === '' ? lines : lines.map((line, at) => (at === lines.length - 1 ? line + piece.suffix : line))
}

const explicit = ({ blankBefore, blankAfter }: Piece, side: Side): number =>
  side === 'before' ? blankAfter : blankBefore

/** `like` says what it is where the piece itself does not. */
export const shapeOfPiece = ({ kind, lines }: Piece, like?: Structure): SpacingShape => ({
  kind: kind ?? like?.kind ?? null,
  lines: lines.length,
})

function nearBlank(outline: Outline, anchor: Structure, side: Side, piece: Piece): number {
  const own = shapeOfPiece(piece, anchor)
  const other = shapeOf(outline, anchor)
  return side === 'before'
    ? blankLinesBetween(outline, anchor.parent, own, other)
    : blankLinesBetween(outline, anchor.parent, other, own)
}

/** Blank lines to add on the side away from the anchor, where a neighbour is too close. */
function extraFar(outline: Outline, anchor: Structure, layout: Layout, side: Side, piece: Piece): number {
  const { source } = outline
  const gap = side === 'before' ? gapAbove(source, layout.first) : gapBelow(source, layout.last)
  if (gap.line === null) return 0
  const written = explicit(piece, side === 'before' ? 'after' : 'before')
  if (written > 0) return Math.max(0, written - gap.blankLines)
  const neighbour = siblingOn(outline, anchor, gap.line)
  if (neighbour === undefined) return 0
  const own = shapeOfPiece(piece, anchor)
  const other = shapeOf(outline, neighbour)
  const usual =
    side === 'before'
      ? blankLinesBetween(outline, anchor.parent, other, own)
      : blankLinesBetween(outline, anchor.parent, own, other)
  return Math.max(0, usual - gap.blankLines)
}

/** Puts a comma after the content, before a comment that follows it. */
function closeWithComma(lines: string[], { suffix }: Piece): void {
  const last = lines.at(-1) ?? ''
  const body = suffix === '' ? last : last.slice(0, -suffix.length)
  lines[lines.length - 1] = `${body.replace(/,\s*$/, '')},${suffix}`
}

const closerOf = ({ kind, language }: Structure) => language.closers?.[kind]

/** With what ends a structure of this kind, where the language has something for it. */
export function closeStructure(text: string, like: Structure): string {
  const closer = closerOf(like)
  return closer === undefined || closer.unless.test(text) ? text : `${text.trimEnd()}${closer.mark}`
}

const closedBefore = (line: string, suffix: string, like: Structure): string =>
  closeStructure(suffix === '' ? line : line.slice(0, -suffix.length), like) + suffix

function closingOf({ source, comments }: Outline, anchor: Structure): TextChange[] {
  const { start, end } = anchor
  const comment = comments.find((one) => one.start > start && one.end === end)
  const code = source.text.slice(start, comment?.start ?? end).trimEnd()
  const at = start + code.length
  const text = closeStructure(code, anchor).slice(code.length)
  return text === '' ? [] : [{ start: at, end: at, text }]
}

const isFirstOfList = (outline: Outline, { parent, listed }: Structure): boolean =>
  listed && (parent === null ? outline.structures : parent.children).length > 0

/** Beside a structure that shares its line. */
function insertInline(outline: Outline, anchor: Structure, layout: Layout, side: Side, piece: Piece): Insertion {
  const { text } = outline.source
  const eol = dominantEol(text)
  const { comma } = layout
  const extra = side === 'after' ? closingOf(outline, anchor) : []
  const breaks =
    extra.length === 0 &&
    !anchor.listed &&
    !layout.bullet &&
    !endsClosed(side === 'before' ? closeStructure(piece.lines.at(-1) ?? '', anchor) : text.slice(0, anchor.end))
  const indent = breaks ? innerIndent(outline, anchor, layout) : layout.indent
  const [first = '', ...rest] = fittedLines(outline, piece, indent)
  const lines = [first.slice(indent.length), ...rest].join(eol).trimEnd()
  const body = anchor.listed ? lines.replace(/,$/, '') : closeStructure(lines, anchor)
  const separator = anchor.listed
    ? spaceAfterComma(text, comma ?? layout.commaBefore)
    : breaks
      ? eol + indent
      : blankBetween(outline, anchor)
  let lead = ''
  let tail = ''
  let at = side === 'before' ? anchor.start : anchor.end
  if (layout.bullet) tail = eol + indent
  else if (side === 'before') tail = anchor.listed ? `,${separator}` : separator
  else if (anchor.listed && comma !== null) {
    at = comma + 1
    lead = separator
    tail = ','
  } else lead = anchor.listed ? `,${separator}` : separator
  const main: TextChange = { start: at, end: at, text: `${lead}${body}${tail}` }
  return { changes: [...extra, main], main, from: lead.length, to: lead.length + body.length }
}

/** What is between a structure and a neighbour on its line. */
function blankBetween(outline: Outline, anchor: Structure): string {
  const siblings = anchor.parent === null ? outline.structures : anchor.parent.children
  const index = siblings.indexOf(anchor)
  const { text } = outline.source
  for (const [before, after] of [
    [anchor, siblings[index + 1]],
    [siblings[index - 1], anchor],
  ]) {
    const between = before === undefined || after === undefined ? undefined : text.slice(before.end, after.start)
    if (between !== undefined && /^[ \t]*$/.test(between)) return between
  }
  return ' '
}

/** Whether something may follow on the same line. */
const endsClosed = (text: string | undefined): boolean => /[;}>]\s*$/.test(text ?? '')

/** How far in the lines around a structure are that shares its own line. */
function innerIndent(outline: Outline, { parent }: Structure, { indent }: Layout): string {
  const siblings = parent === null ? outline.structures : parent.children
  const layouts = siblings.map((one) => layoutOf(outline, one))
  return layouts.find(({ ownLines }) => ownLines)?.indent ?? indent + (parent === null ? '' : outline.language.unit)
}

const spaceAfterComma = (text: string, comma: number | null): string =>
  comma === null ? ' ' : (/^\s*/.exec(text.slice(comma + 1, comma + 200))?.[0] ?? ' ')

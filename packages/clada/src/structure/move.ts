import { carriedGap, removal } from './removal.ts'
import { contentTooLarge, type NamedText, isFailed, findOne, structureText, withDocument } from './document.ts'
import { type Edited, finish, landingLines } from './edit.ts'
import { type Piece, pieceOf } from './indent.ts'
import {
  asLines,
  fittedLines,
  insertion,
  type Insertion,
  type Side,
  type SpacingOptions,
  shapeOfPiece,
} from './insertion.ts'
import { blankLinesBetween, gapAbove, gapBelow, layoutOf, shapeOf } from './layout.ts'
import {
  structureFailure,
  type StructureFailure,
  lineRangeOf,
  type Outline,
  type Structure,
  type Warning,
} from './structure.ts'
import { refuseUncertain } from './uncertain-bounds.ts'

export interface Result_for_move_structure {
  source_original_line_range: [number, number]
  destination_final_line_range: [number, number]
}

export type Destination = { readonly at: Side; readonly target: string } | { readonly at: 'file-start' | 'file-end' }

/** Both texts, computed before either is written. `source` is absent when all happens in one file. */
export interface MovedStructure {
  readonly source: string | null
  readonly destination: string
  readonly data: Result_for_move_structure
  readonly warnings: readonly Warning[]
}

/** `to` null: the file that the structure comes from. A file that is not there yet is an empty text. */
export function moveIn(
  from: NamedText,
  target: string,
  to: NamedText | null,
  destination: Destination,
  options: SpacingOptions = {},
): Promise<MovedStructure | StructureFailure> {
  return withDocument(from, async (outline) => {
    const structure = findOne(outline, from.path, target)
    if (isFailed(structure)) return structure
    const uncertain = refuseUncertain(outline, structure, from.path)
    if (uncertain !== undefined) return uncertain
    return to === null
      ? moveInside(from, outline, structure, destination, options)
      : moveAcross(from, outline, structure, to, destination, options)
  })
}

async function moveInside(
  document: NamedText,
  outline: Outline,
  structure: Structure,
  destination: Destination,
  options: SpacingOptions,
): Promise<MovedStructure | StructureFailure> {
  const source_original_line_range = lineRangeOf(outline.source, structure)
  const place = resolveDestination(outline, document.path, destination)
  if (isFailed(place)) return place
  if (place.anchor !== null && isWithin(place.anchor, structure)) {
    const message = 'The destination is the structure itself, or inside it.'
    return structureFailure('INVALID_PARAMETER', message, {
      source: structure.header,
      destination: place.anchor.header,
    })
  }
  const made = await relocation(outline, structure, place, options)
  if (made === null) {
    const data = { source_original_line_range, destination_final_line_range: source_original_line_range }
    return { source: null, destination: document.text, data, warnings: [] }
  }
  const { changes } = made
  const destination_final_line_range = landingLines(document.text, changes, made)
  const data = { source_original_line_range, destination_final_line_range }
  const done = await finish(document, outline, changes, data, {
    around: structure.parent,
    put: made,
    isBeside: place.anchor !== null,
  })
  if (isFailed(done)) return done
  return { source: null, destination: done.text, data, warnings: done.warnings }
}

/** The changes that move a structure inside its file; null when it is there already. */
export async function relocation(
  outline: Outline,
  structure: Structure,
  place: ResolvedDestination,
  options: SpacingOptions = {},
): Promise<Insertion | null> {
  if (isAtDestination(outline, structure, place)) return null
  const piece = await pieceFrom(outline, structure)
  const carried = options.blank_lines === undefined ? carriedGap(outline, structure, place.anchor, place.at) : null
  if (carried === null) {
    const made = insertAt(outline, place, piece, options, structure)
    return { ...made, changes: [...removal(outline, structure), ...made.changes] }
  }
  const { beside, at, indent, blank_lines, keep } = carried
  const made = insertion(outline, beside, at, piece, { blank_lines, indent })
  return { ...made, changes: [...removal(outline, structure, keep), ...made.changes] }
}

async function moveAcross(
  from: NamedText,
  outline: Outline,
  structure: Structure,
  to: NamedText,
  destination: Destination,
  options: SpacingOptions,
): Promise<MovedStructure | StructureFailure> {
  const source_original_line_range = lineRangeOf(outline.source, structure)
  const text = structureText(outline, structure)
  const large = contentTooLarge(text)
  if (large !== undefined) return large
  const landed = await withDocument(
    to,
    async (other, language): Promise<Edited<[number, number]> | StructureFailure> => {
      const place = resolveDestination(other, to.path, destination)
      if (isFailed(place)) return place
      const own = await pieceFrom(outline, structure)
      const piece =
        language.name === structure.language.name ? own : { ...(await pieceOf(text, language)), suffix: own.suffix }
      const made = insertAt(other, place, piece, options, null)
      const lines = landingLines(to.text, made.changes, made)
      return finish(to, other, made.changes, lines, { around: null, put: made })
    },
  )
  if (isFailed(landed)) return landed
  const left = await finish(from, outline, removal(outline, structure), null, { around: structure.parent })
  if (isFailed(left)) return left
  return {
    source: left.text,
    destination: landed.text,
    data: { source_original_line_range, destination_final_line_range: landed.data },
    warnings: [...left.warnings, ...landed.warnings],
  }
}

/** A structure as a piece, with what follows it on its last line: spaces, and a comment after its comma. */
export async function pieceFrom(outline: Outline, structure: Structure): Promise<Piece> {
  const { source } = outline
  const piece = await pieceOf(structureText(outline, structure), structure.language)
  const { first, suffix } = layoutOf(outline, structure)
  const strings = outline.verbatim(structure)
  const fixed = new Set<number>()
  for (let at = 1; at < piece.lines.length; at++) {
    const start = source.startOf(first + at)
    if (strings.some((span) => span.start < start && start < span.end)) fixed.add(at)
  }
  const last = piece.lines.at(-1) ?? ''
  const comment = outline.comments.find(({ start, end }) => start > structure.headerStart && end === structure.end)
  const tail =
    structure.language.closers?.[structure.kind] === undefined || comment === undefined
      ? ''
      : tailOf(last, source.text.slice(comment.start, comment.end))
  const lines = tail === '' ? piece.lines : [...piece.lines.slice(0, -1), last.slice(0, -tail.length)]
  return { ...piece, lines, fixed, kind: structure.kind, suffix: tail + suffix }
}

/** A comment at the end of a line, with the spaces before it. */
const tailOf = (line: string, comment: string): string =>
  line.endsWith(comment) ? line.slice(line.slice(0, -comment.length).trimEnd().length) : ''

export interface ResolvedDestination {
  readonly anchor: Structure | null
  readonly at: Destination['at']
}

function resolveDestination(
  outline: Outline,
  path: string,
  destination: Destination,
): ResolvedDestination | StructureFailure {
  if (!('target' in destination)) return { anchor: null, at: destination.at }
  const anchor = findOne(outline, path, destination.target)
  if (isFailed(anchor)) return anchor
  return refuseUncertain(outline, anchor, path) ?? { anchor, at: destination.at }
}

function isWithin(inner: Structure, outer: Structure): boolean {
  for (let at: Structure | null = inner; at !== null; at = at.parent) if (at === outer) return true
  return false
}

/** Whether the structure is there already. */
function isAtDestination(outline: Outline, structure: Structure, { anchor, at }: ResolvedDestination): boolean {
  const siblings = structure.parent === null ? outline.structures : structure.parent.children
  const index = siblings.indexOf(structure)
  if (at === 'file-end') return structure.parent === null && outline.source.text.slice(structure.end).trim() === ''
  if (at === 'file-start') {
    return structure.parent === null && outline.source.text.slice(outline.preambleEnd, structure.start).trim() === ''
  }
  const neighbour = siblings[index + (at === 'before' ? 1 : -1)]
  if (anchor === null || neighbour !== anchor) return false
  const between =
    at === 'before'
      ? outline.source.text.slice(structure.end, anchor.start)
      : outline.source.text.slice(anchor.end, structure.start)
  return between.replace(',', '').trim() === ''
}

function insertAt(
  outline: Outline,
  { anchor, at }: ResolvedDestination,
  piece: Piece,
  options: SpacingOptions,
  leaving: Structure | null,
): Insertion {
  if (anchor !== null && (at === 'before' || at === 'after')) return insertion(outline, anchor, at, piece, options)
  return at === 'file-start' ? atStart(outline, piece, leaving) : atEnd(outline, piece, leaving)
}

/** After imports and licence, before everything else. */
function atStart(outline: Outline, piece: Piece, leaving: Structure | null): Insertion {
  const { source, preambleEnd } = outline
  const lines = fittedLines(outline, piece, '')
  if (preambleEnd === 0) {
    const below = source.text.trim() === '' ? 0 : nextBlank(outline, piece, leaving)
    return asLines(outline, 0, lines, 0, below)
  }
  const last = source.lineAt(preambleEnd - 1)
  const { top } = outline.language.blankLines
  const gap = gapBelow(source, last)
  if (gap.line === null) return asLines(outline, source.startOf(last + 1), lines, Math.max(1, top), 0)
  // The gap after the preamble stays before what comes in.
  const at = source.startOf(gap.blankLines > 0 ? gap.line : last + 1)
  const above = lines.length > 1 ? Math.max(1, top) : 1
  return asLines(outline, at, lines, Math.max(0, above - gap.blankLines), nextBlank(outline, piece, leaving))
}

function nextBlank(outline: Outline, piece: Piece, leaving: Structure | null): number {
  const first = outline.structures.find((one) => one !== leaving)
  if (first === undefined) return outline.language.blankLines.top
  return blankLinesBetween(outline, null, shapeOfPiece(piece), shapeOf(outline, first))
}

function atEnd(outline: Outline, piece: Piece, leaving: Structure | null): Insertion {
  const { source } = outline
  const lines = fittedLines(outline, piece, '')
  const { line } = gapAbove(source, source.lineCount + 1)
  if (line === null) return asLines(outline, 0, lines, 0, 0)
  const last = outline.structures.findLast((one) => one !== leaving)
  const above =
    last === undefined
      ? outline.language.blankLines.top
      : blankLinesBetween(outline, null, shapeOf(outline, last), shapeOfPiece(piece))
  return asLines(outline, source.startOf(line + 1), lines, above, 0)
}

import { Source } from '../core/source.ts'
import { dominantEol, toEol } from '../text/lines.ts'
import { contentTooLarge, type Document, isFailed, onlyMatch, textOf, withDocument } from './document.ts'
import { type Fitting, inconsistentIndent, type Piece, pieceOf } from './indent.ts'
import {
  closed,
  fittedLines,
  insertion,
  type Insertion,
  placeInStatement,
  type Side,
  type SpacingOptions,
} from './insertion.ts'
import { branches } from './language.ts'
import { layoutOf } from './layout.ts'
import {
  applyChanges,
  type Change,
  failed,
  type Failed,
  linesOf,
  offsetAfter,
  type Outline,
  placeAfter,
  type Structure,
  type Warning,
} from './structure.ts'
import { removal } from './removal.ts'
import { faultsIn, holdsNothing, judge } from './validity.ts'

/** An edited text, what the operation answers, and what it may have broken. */
export interface Edited<T> {
  readonly text: string
  readonly data: T
  readonly warnings: readonly Warning[]
}

export interface Result_for_replace_structure {
  lines: [number, number]
}

/** Puts content in the place of a structure. Content of only spaces takes it out. */
export function replaceIn(
  document: Document,
  target: string,
  content: string,
): Promise<Edited<Result_for_replace_structure> | Failed> {
  return editing(document, target, content, async (outline, structure) => {
    const { source } = outline
    if (content.trim() === '') {
      const changes = removal(outline, structure)
      const line = source.lineAt(structure.start)
      return finish(document, outline, changes, structure.parent, { lines: [line, line] })
    }
    const { text, indented } = await replacement(outline, structure, ownPart(structure, content))
    const change: Change = { start: structure.start, end: structure.end, text }
    const first = source.lineAt(structure.start)
    const lines: [number, number] = [first, first + text.split('\n').length - 1]
    const odd = inconsistentIndent(outline, indented, lines[0])
    return finish(document, outline, [change], structure, { lines }, odd)
  })
}

/** `} else {`: the brace that ends what comes before a branch is there already. */
const ownPart = ({ kind }: Structure, content: string): string =>
  branches.has(kind) ? content.replace(/^\s*\}\s*(?=[a-z])/, '') : content

/** The text of a structure after it is replaced by content. */
export async function replacement(outline: Outline, structure: Structure, content: string) {
  const { source } = outline
  const old = source.text.slice(structure.start, structure.end)
  // What was read and comes back unchanged changes nothing, even where the file has errors and its parts parse otherwise.
  if (content === textOf(outline, structure)) return { text: old, indented: [] }
  const piece = await pieceOf(content, structure.language)
  const asGiven = replacementLines(outline, structure, piece, 'as-given')
  // Where nothing changes, mixed line ends stay mixed.
  if (asGiven.text === old.replaceAll('\r\n', '\n')) return { text: old, indented: asGiven.indented }
  const { text, indented } = replacementLines(outline, structure, piece, 'lost-indent')
  return { text: toEol(text, dominantEol(source.text)), indented }
}

function replacementLines(outline: Outline, structure: Structure, piece: Piece, firstLine: Fitting['firstLine']) {
  const { indent } = layoutOf(outline, structure)
  const indented = fittedLines(outline, piece, indent, firstLine)
  const joined = indented.join('\n').slice(indent.length)
  // Between members the comma is the list's.
  if (structure.listed) return { text: joined.replace(/,[ \t]*$/, ''), indented }
  const old = outline.source.text.slice(structure.start, structure.end)
  const mark = structure.language.closers?.[structure.kind]?.mark
  const wasClosed = mark !== undefined && old.trimEnd().endsWith(mark)
  return { text: wasClosed ? closed(joined, structure) : joined, indented }
}

export interface Result_for_delete_structure {
  deleted_line_range_inclusive: [number, number]
}

export function deleteIn(document: Document, target: string): Promise<Edited<Result_for_delete_structure> | Failed> {
  return editing(document, target, '', (outline, structure) => {
    const deleted_line_range_inclusive = linesOf(outline.source, structure)
    const changes = removal(outline, structure)
    return finish(document, outline, changes, structure.parent, { deleted_line_range_inclusive })
  })
}

export interface Result_for_insert_before_structure {
  inserted_at_line: number
  target_now_at_line: number
}

export interface Result_for_insert_after_structure {
  inserted_at_line: number
}

export function insertBeforeIn(
  document: Document,
  target: string,
  content: string,
  options: SpacingOptions = {},
): Promise<Edited<Result_for_insert_before_structure> | Failed> {
  return inserting(document, target, content, 'before', options, (inserted_at_line, target_now_at_line) => ({
    inserted_at_line,
    target_now_at_line,
  }))
}

export function insertAfterIn(
  document: Document,
  target: string,
  content: string,
  options: SpacingOptions = {},
): Promise<Edited<Result_for_insert_after_structure> | Failed> {
  return inserting(document, target, content, 'after', options, (inserted_at_line) => ({ inserted_at_line }))
}

function inserting<T>(
  document: Document,
  target: string,
  content: string,
  side: Side,
  options: SpacingOptions,
  answer: (inserted: number, target: number) => T,
): Promise<Edited<T> | Failed> {
  return editing(document, target, content, async (outline, structure) => {
    if (content.trim() === '') return failed('INVALID_PARAMETER', 'content is empty: there is nothing to insert.')
    if (placeInStatement(outline, structure, side) === 'nowhere')
      return failed(
        'INVALID_PARAMETER',
        `The target is inside a statement, so nothing can be put ${side} it. Name what contains it, or edit by text.`,
      )
    const piece = await pieceOf(ownPart(structure, content), structure.language)
    const made = insertion(outline, structure, side, piece, options)
    const [inserted] = landingLines(document.text, made.changes, made)
    const moved = made.main.text.split('\n').length - 1
    const line = outline.source.lineAt(structure.start) + (side === 'before' ? moved : 0)
    const odd = inconsistentIndent(outline, made.main.text.slice(made.from, made.to).split(/\r?\n/), inserted)
    return finish(document, outline, made.changes, null, answer(inserted, line), odd)
  })
}

/** The lines on which inserted content is in the changed text. */
export function landingLines(
  text: string,
  changes: readonly Change[],
  { main, from, to }: Insertion,
): [number, number] {
  const source = new Source(applyChanges(text, changes))
  const at = offsetAfter(changes, main)
  return linesOf(source, { start: at + from, end: at + to })
}

/** Finds the one target and lets `use` edit; refuses content that is too large first. */
export async function editing<T>(
  document: Document,
  target: string,
  content: string,
  use: (outline: Outline, structure: Structure) => Promise<Edited<T> | Failed>,
): Promise<Edited<T> | Failed> {
  const large = contentTooLarge(content)
  if (large !== undefined) return large
  return withDocument(document, (outline) => {
    const structure = onlyMatch(outline, document.path, target)
    return isFailed(structure) ? structure : use(outline, structure)
  })
}

/** Applies changes and judges the outcome against what was there before. `around` is what may have lost its code. */
export async function finish<T>(
  { path, text: old }: Document,
  outline: Outline,
  changes: readonly Change[],
  around: Structure | null,
  data: T,
  warnings: readonly Warning[] = [],
): Promise<Edited<T>> {
  const text = applyChanges(old, changes)
  if (text === old) return { text, data, warnings: [] }
  const filled = around === null || holdsNothing(outline, around) ? null : around
  const judged = await judge({
    path,
    language: outline.language,
    before: () => faultsIn(path, outline),
    text,
    filled: filled === null ? null : { header: filled.header, start: placeAfter(changes, filled.start) },
  })
  return { text, data, warnings: [...judged, ...warnings] }
}

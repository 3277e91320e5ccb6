import { Source } from '@clada/reply/core/source.ts'
import { dominantEol, toEol } from '@clada/reply/text/lines.ts'
import { contentTooLarge, type NamedText, isFailed, findOne, structureText, withDocument } from './document.ts'
import { inconsistentIndent } from './inconsistent-indent.ts'
import { type Fitting, indentAt, type Piece, pieceOf } from './indent.ts'
import {
  closeStructure,
  fittedLines,
  insertion,
  type Insertion,
  placeInStatement,
  type Side,
  type SpacingOptions,
} from './insertion.ts'
import { asCell, isCell } from './cells-outline.ts'
import { branches } from './language.ts'
import { layoutOf } from './layout.ts'
import {
  applyChanges,
  type TextChange,
  structureFailure,
  type StructureFailure,
  type SourceError,
  lineRangeOf,
  offsetAfter,
  type Outline,
  pathOf,
  placeAfter,
  type Structure,
  type Warning,
} from './structure.ts'
import { removal } from './removal.ts'
import { refuseUncertain } from './uncertain-bounds.ts'
import { errorsIn, holdsNothing, judge } from './validity.ts'

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
  document: NamedText,
  target: string,
  content: string,
): Promise<Edited<Result_for_replace_structure> | StructureFailure> {
  return editOne(document, target, content, async (outline, structure) => {
    const { source } = outline
    if (content.trim() === '') {
      const changes = removal(outline, structure)
      const line = source.lineAt(structure.start)
      return finish(document, outline, changes, { lines: [line, line] }, { around: structure.parent })
    }
    const { text, isSound } = await replacement(outline, structure, ownPart(structure, content, structure.header))
    const change: TextChange = { start: structure.start, end: structure.end, text }
    const first = source.lineAt(structure.start)
    const lines: [number, number] = [first, first + text.split('\n').length - 1]
    return finish(document, outline, [change], { lines }, { around: structure, put: wholePut(change), isSound })
  })
}

/** `} else {`: the brace that ends what comes before a branch is there already. */
const ownPart = ({ kind }: Structure, content: string, header: string): string =>
  kind === 'cell' ? asCell(content, header) : branches.has(kind) ? content.replace(/^\s*\}\s*(?=[a-z])/, '') : content

/** The text of a structure after it is replaced by content. */
export async function replacement(outline: Outline, structure: Structure, content: string) {
  const { source } = outline
  const old = source.text.slice(structure.start, structure.end)
  // What was read and comes back unchanged changes nothing, even where the file has errors and its parts parse otherwise.
  if (content === structureText(outline, structure)) return { text: old, isSound: true }
  const piece = await pieceOf(content, structure.language)
  const asGiven = replacementLines(outline, structure, piece, 'as-given')
  // Where nothing changes, mixed line ends stay mixed.
  const { isSound } = piece
  if (asGiven === old.replaceAll('\r\n', '\n')) return { text: old, isSound }
  const text = replacementLines(outline, structure, piece, 'lost-indent')
  return { text: toEol(text, dominantEol(source.text)), isSound }
}

function replacementLines(
  outline: Outline,
  structure: Structure,
  piece: Piece,
  firstLine: Fitting['firstLine'],
): string {
  const { indent } = layoutOf(outline, structure)
  const joined = fittedLines(outline, piece, indent, firstLine).join('\n').slice(indent.length)
  // Between members the comma is the list's.
  if (structure.listed) return joined.replace(/,[ \t]*$/, '')
  const old = outline.source.text.slice(structure.start, structure.end)
  const mark = structure.language.closers?.[structure.kind]?.mark
  const wasClosed = mark !== undefined && old.trimEnd().endsWith(mark)
  return wasClosed ? closeStructure(joined, structure) : joined
}

export interface Result_for_delete_structure {
  deleted_line_range_inclusive: [number, number]
}

export function deleteIn(
  document: NamedText,
  target: string,
): Promise<Edited<Result_for_delete_structure> | StructureFailure> {
  return editOne(document, target, '', (outline, structure) => {
    const deleted_line_range_inclusive = lineRangeOf(outline.source, structure)
    const changes = removal(outline, structure)
    return finish(document, outline, changes, { deleted_line_range_inclusive }, { around: structure.parent })
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
  document: NamedText,
  target: string,
  content: string,
  options: SpacingOptions = {},
): Promise<Edited<Result_for_insert_before_structure> | StructureFailure> {
  return inserting(document, target, content, 'before', options, (inserted_at_line, target_now_at_line) => ({
    inserted_at_line,
    target_now_at_line,
  }))
}

export function insertAfterIn(
  document: NamedText,
  target: string,
  content: string,
  options: SpacingOptions = {},
): Promise<Edited<Result_for_insert_after_structure> | StructureFailure> {
  return inserting(document, target, content, 'after', options, (inserted_at_line) => ({ inserted_at_line }))
}

function inserting<T>(
  document: NamedText,
  target: string,
  content: string,
  side: Side,
  options: SpacingOptions,
  answer: (inserted: number, target: number) => T,
): Promise<Edited<T> | StructureFailure> {
  return editOne(document, target, content, async (outline, structure) => {
    if (content.trim() === '')
      return structureFailure('INVALID_PARAMETER', 'content is empty: there is nothing to insert.')
    if (placeInStatement(outline, structure, side) === 'nowhere')
      return structureFailure(
        'INVALID_PARAMETER',
        `The target is inside a statement, so nothing can be put ${side} it. Name what contains it, or edit by text.`,
      )
    const piece = await pieceOf(ownPart(structure, content, '# %% [code]'), structure.language)
    const made = insertion(outline, structure, side, piece, options)
    const [inserted] = landingLines(document.text, made.changes, made)
    const moved = made.main.text.split('\n').length - 1
    const line = outline.source.lineAt(structure.start) + (side === 'before' ? moved : 0)
    return finish(document, outline, made.changes, answer(inserted, line), {
      around: null,
      put: made,
      isSound: piece.isSound,
    })
  })
}

/** The lines on which inserted content is in the changed text. */
export function landingLines(
  text: string,
  changes: readonly TextChange[],
  { main, from, to }: Insertion,
): [number, number] {
  const source = new Source(applyChanges(text, changes))
  const at = offsetAfter(changes, main)
  return lineRangeOf(source, { start: at + from, end: at + to })
}

/** Finds the one target and lets `use` edit; refuses content that is too large first. */
export async function editOne<T>(
  document: NamedText,
  target: string,
  content: string,
  use: (outline: Outline, structure: Structure) => Promise<Edited<T> | StructureFailure>,
): Promise<Edited<T> | StructureFailure> {
  const large = contentTooLarge(content)
  if (large !== undefined) return large
  return withDocument(document, (outline) => {
    const structure = findOne(outline, document.path, target)
    if (isFailed(structure)) return structure
    const cell = structure.kind === 'cell' ? undefined : pathOf(structure).find(({ kind }) => kind === 'cell')
    if (cell !== undefined && isCell(content))
      return structureFailure(
        'INVALID_PARAMETER',
        `The content is a cell, and the target is inside one. Name the cell: ${cell.header}`,
      )
    return refuseUncertain(outline, structure, document.path) ?? use(outline, structure)
  })
}

/** A change of which all is content. */
export const wholePut = (main: TextChange): Insertion => ({ changes: [main], main, from: 0, to: main.text.length })

/** What `finish` needs to know about an edit besides its changes. */
export interface EditContext {
  /** What may have lost its code. */
  readonly around: Structure | null
  /** The content that the changes put in, if there is any. */
  readonly put?: Insertion
  /** Whether the content is right by itself. Then whatever goes wrong is a matter of the place. */
  readonly isSound?: boolean
  /** Whether a structure of this file goes beside another. Then nothing excuses an error. */
  readonly isBeside?: boolean
  readonly warnings?: readonly Warning[]
}

/**
 * Applies changes and judges the outcome against what was there before. Where they would join two statements a separator
 * is put between them; where that does not help nothing is changed.
 */
export async function finish<T>(
  { path, text: old }: NamedText,
  outline: Outline,
  changes: readonly TextChange[],
  data: T,
  { around, put, isSound = true, isBeside = false, warnings = [] }: EditContext,
): Promise<Edited<T> | StructureFailure> {
  if (applyChanges(old, changes) === old) return { text: old, data, warnings: [] }
  const filled = around === null || holdsNothing(outline, around) ? null : around
  let errors: Promise<readonly SourceError[]> | undefined
  const neighbours = outline.neighbours(changes, put === undefined ? 'removed' : 'put')
  const landing = put && landingLines(old, changes, put)
  const attempt = async (tried: readonly TextChange[]) => {
    const text = applyChanges(old, tried)
    const judged = await judge({
      path,
      language: outline.language,
      before: () => (errors ??= errorsIn(path, outline)),
      text,
      put: tried.map((change) => {
        const start = offsetAfter(tried, change)
        return { start, end: start + change.text.length }
      }),
      filled: filled === null ? null : { header: filled.header, start: placeAfter(tried, filled.start) },
      keeps: (after) => after.keeps(neighbours, tried),
      look: (after) => (landing === undefined ? [] : inconsistentIndent(outline.source, after, landing)),
    })
    return { text, ...judged }
  }
  const plain = await attempt(changes)
  let made = plain
  const separated = neighbours.length === 0 ? [] : separations(outline, changes, put)
  for (let nth = 0; (made.isBroken || made.isJoined) && nth < separated.length; nth++)
    made = await attempt(separated[nth] ?? changes)
  if (made.isBroken || made.isJoined) made = plain
  // A decorator is to become one with what follows it.
  const isJoined = made.isJoined && (isSound || !made.isBroken) && !put?.main.text.trimStart().startsWith('@')
  if (isJoined || (isBeside && made.isBroken))
    return structureFailure(
      'PARSER_FAILED',
      'This would change the code next to it. Nothing was changed. Edit by text or by lines.',
    )
  return { text: made.text, data, warnings: [...made.warnings, ...warnings] }
}

/**
 * The same changes with semicolons where they may be missing: after the content, before it, before what follows it, and
 * before what follows something that was taken out.
 */
function separations(outline: Outline, changes: readonly TextChange[], put: Insertion | undefined): TextChange[][] {
  const semicolonBelow = ({ end }: TextChange): TextChange[] => separatorAt(codeFrom(outline, end), changes)
  const removed = changes.filter(({ text }) => text === '').flatMap(semicolonBelow)
  const next = put === undefined ? [] : semicolonBelow(put.main)
  const ways = [[], ...(removed.length > 0 ? [removed] : [])].flatMap((more) =>
    put === undefined
      ? [[...changes, ...more]]
      : [
          ...[
            ['', ''],
            ['', ';'],
            [';', ''],
            [';', ';'],
          ].map((ends) => [...withSeparators(changes, put, ends), ...more]),
          ...[
            ['', ''],
            [';', ''],
          ].map((ends) => [...withSeparators(changes, put, ends), ...next, ...more]),
          // A comment at the end of the content takes in what follows it on its line.
          ...[
            ['', lineEnd(outline, put)],
            [';', lineEnd(outline, put)],
          ].map((ends) => [...withSeparators(changes, put, ends), ...more]),
        ],
  )
  // The first is as it was without any.
  return ways.slice(1)
}

const lineEnd = ({ source }: Outline, { main }: Insertion): string =>
  dominantEol(source.text) + indentAt(source, main.start)

function withSeparators(
  changes: readonly TextChange[],
  { main, from, to }: Insertion,
  [first = '', last = '']: readonly string[],
): readonly TextChange[] {
  const { text } = main
  const code = from + text.slice(from, to).search(/\S|$/)
  const put = `${text.slice(0, code)}${first}${text.slice(code, to)}${last}${text.slice(to)}`
  return changes.map((change) => (change === main ? { ...main, text: put } : change))
}

const separatorAt = (offset: number, changes: readonly TextChange[]): TextChange[] =>
  changes.some(({ start, end }) => start < offset && offset < end) ? [] : [{ start: offset, end: offset, text: ';' }]

/** The first offset from another that is neither a space nor in a comment. */
function codeFrom({ source: { text }, comments }: Outline, from: number): number {
  let at = from
  for (;;) {
    while (at < text.length && /\s/.test(text.charAt(at))) at++
    const comment = comments.find(({ start, end }) => start === at && end > at)
    if (comment === undefined) return at
    at = comment.end
  }
}

import type { Source } from '@clada/reply/core/source.ts'
import type { Span } from '@clada/reply/text/edit.ts'
import type { Kind, Language } from './language.ts'
import type { StructureCode } from '@clada/reply/core/codes.ts'
import type { StructureFacts } from '../core/problem.ts'

/** Something in a file that has a header: a class, a loop, a section. Offsets count UTF-16 units. */
export interface Structure {
  readonly kind: Kind
  /** Null for what is called by its header only. */
  readonly name: string | null
  /** In one line, without decorators and without what opens the body. */
  readonly header: string
  /** Further texts that it may be called by: the language of a code block, the line an anonymous function starts on. */
  readonly otherHeaders: readonly string[]
  /** Decorators and the comment directly above are inside; the comma after a member is not. */
  readonly start: number
  readonly end: number
  /** Where the header starts. */
  readonly headerStart: number
  readonly language: Language
  readonly parent: Structure | null
  readonly children: readonly Structure[]
  /** A level that a target may leave out even between two others. */
  readonly optional: boolean
  /** Gives way to another structure of the same name. */
  readonly secondary: boolean
  /** The name of the type that it belongs to though it is outside it: the receiver of a method in Go. */
  readonly owner: string | null
  /** A member of a list whose members are separated by commas. */
  readonly listed: boolean
  /** Whether its body holds no code. Null where it has no body. */
  isEmpty(): boolean | null
}

/** A structure while its outline is made: the children point back to it, so they come later. */
export interface OpenStructure extends Structure {
  start: number
  end: number
  children: OpenStructure[]
}

/** A text and its structures. */
export interface Outline {
  readonly source: Source
  readonly language: Language
  readonly structures: readonly Structure[]
  readonly comments: readonly Span[]
  /** After what stays at the start of the file: imports, licence, `#!`. */
  readonly preambleEnd: number
  /** Strings of several lines inside a span. */
  verbatim(span: Span): Span[]
  /** The nodes next to some changes that these could join with what they put there. */
  neighbours(changes: readonly TextChange[], how: 'put' | 'removed'): readonly Neighbour[]
  /** Whether it has what was next to some changes before them. */
  keeps(neighbours: readonly Neighbour[], changes: readonly TextChange[]): boolean
  /** What the parser could not make sense of. */
  errors(): SourceError[]
  /** The same in a span of the text, or around it. */
  errorsIn(span: Span): SourceError[]
}

/** A node next to an edit. Its end is that of its code: a semicolon and a comment may come and go. */
export interface Neighbour extends Span {
  readonly type: string
  /** The type of the node around it, which only something new next to it can change. */
  readonly parent?: string | undefined
}

/** A syntax error in a file of the project. */
export interface SourceError {
  readonly line: number
  readonly column: number
  readonly message: string
  /** What tells this error from others when lines have moved. */
  readonly key: string
}

export const lineRangeOf = (source: Source, span: Span): [first: number, last: number] => [
  source.lineAt(span.start),
  source.lineAt(Math.max(span.start, span.end - 1)),
]

/** Every structure, parents before children. */
export function* everyStructure(structures: readonly Structure[]): Generator<Structure> {
  for (const structure of structures) {
    yield structure
    yield* everyStructure(structure.children)
  }
}

/** From the outermost to the structure itself. */
export function pathOf(structure: Structure): Structure[] {
  const path: Structure[] = []
  for (let at: Structure | null = structure; at !== null; at = at.parent) path.unshift(at)
  return path
}

/** What can go wrong with a structure operation, and what is worth knowing when it went right. */

export type ErrorCode = StructureCode

export interface ErrorResponse {
  readonly error: ErrorCode
  readonly message: string
  readonly details: StructureFacts & { readonly state: 'FILE_UNCHANGED' }
}

export interface Warning {
  readonly type: 'SYNTAX_BROKEN' | 'STRUCTURE_EMPTY' | 'INDENTATION_INCONSISTENT' | 'TEXT_INEXACT'
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
}

export type StructureResult<T> =
  | { readonly ok: true; readonly data: T; readonly warnings: readonly Warning[] }
  | { readonly ok: false; readonly error: ErrorResponse }

export type StructureFailure = { readonly ok: false; readonly error: ErrorResponse }

export const structureFailure = (
  error: ErrorCode,
  message: string,
  details: StructureFacts = {},
): StructureFailure => ({
  ok: false,
  error: { error, message, details: { ...details, state: 'FILE_UNCHANGED' } },
})

export const fileTooLarge = (path: string, file_size: number, limit: number = LIMITS.fileBytes): StructureFailure =>
  structureFailure('FILE_TOO_LARGE', `${path} has ${file_size} bytes; structures are edited in files up to ${limit}.`, {
    file_size,
    limit,
  })

export const LIMITS = { fileBytes: 10 * 1024 * 1024, contentBytes: 1024 * 1024 } as const

/** A part of a text and its replacement. */
export interface TextChange {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Changes do not overlap; of two at one place the first given comes first. */
export function applyChanges(text: string, changes: readonly TextChange[]): string {
  const pieces: string[] = []
  let at = 0
  for (const { start, end, text: put } of inOrder(changes)) {
    pieces.push(text.slice(at, start), put)
    at = end
  }
  pieces.push(text.slice(at))
  return pieces.join('')
}

/** Where the text that a change put in starts in the changed text. */
export function offsetAfter(changes: readonly TextChange[], wanted: TextChange): number {
  let moved = 0
  for (const change of inOrder(changes)) {
    if (change === wanted) return change.start + moved
    moved += change.text.length - (change.end - change.start)
  }
  throw new Error('the change is not one of the list')
}

/** Where a place of the text is in the changed one; what was taken out is where it was. */
export function placeAfter(changes: readonly TextChange[], offset: number): number {
  let moved = 0
  for (const { start, end, text } of inOrder(changes)) {
    if (end > offset) return Math.min(offset, start) + moved
    moved += text.length - (end - start)
  }
  return offset + moved
}

const inOrder = (changes: readonly TextChange[]): TextChange[] =>
  changes.toSorted((a, b) => a.start - b.start || a.end - b.end)

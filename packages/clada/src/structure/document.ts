import type { Language } from './language.ts'
import { languageFor, languages } from './languages.ts'
import { withOutline } from './outline.ts'
import {
  structureFailure,
  type StructureFailure,
  LIMITS,
  lineRangeOf,
  type Outline,
  type Structure,
  fileTooLarge,
} from './structure.ts'
import { findTarget, matchOf, parentFound, shownMatch, suggestionsFor } from './target.ts'
import { withoutIndentOf } from './indent.ts'

/** A file as the operations see it: a name, which tells the language, and a text without byte order mark. */
export interface NamedText {
  readonly path: string
  readonly text: string
}

/** Opens the outline of a document, or says why there is none. */
export async function withDocument<T>(
  { path, text }: NamedText,
  use: (outline: Outline, language: Language) => Promise<T | StructureFailure> | T | StructureFailure,
): Promise<T | StructureFailure> {
  const size = Buffer.byteLength(text)
  if (size > LIMITS.fileBytes) return fileTooLarge(path, size)
  const language = languageFor(path, text)
  if (language === undefined) return unsupportedLanguage(path)
  return withOutline(text, language, (outline) => use(outline, language))
}

export function contentTooLarge(content: string): StructureFailure | undefined {
  const size = Buffer.byteLength(content)
  const limit = LIMITS.contentBytes
  if (size <= limit) return undefined
  return structureFailure(
    'FILE_TOO_LARGE',
    `The content has ${size} bytes; up to ${limit} can be put into a structure.`,
    {
      content_size: size,
      limit,
    },
  )
}

function unsupportedLanguage(path: string): StructureFailure {
  const supported = languages.map(({ name }) => name)
  return structureFailure(
    'LANGUAGE_UNSUPPORTED',
    `The structures of ${path} are not known. Supported: ${supported.join(', ')}. Edit it by text or by lines.`,
    { file: path, supported },
  )
}

/** The one structure that a target means. */
export function findOne(outline: Outline, path: string, target: string): Structure | StructureFailure {
  const found = findTarget(outline, target)
  const [only] = found
  if (only === undefined) return notFound(outline, path, target)
  if (found.length === 1) return only
  const matches = found.map((structure) => matchOf(outline, structure))
  const shown = matches.slice(0, 20).map((match) => `\n  ${shownMatch(match)}`)
  return structureFailure(
    'TARGET_AMBIGUOUS',
    `${quotedTarget(target)} matches ${found.length} structures in ${path}. Add the line of a structure around the one you mean, or its lines as shown, such as "header [12-15]":${shown.join('')}`,
    { matches },
  )
}

export const isFailed = (value: object): value is StructureFailure => 'ok' in value && value.ok === false

function notFound(outline: Outline, path: string, target: string): StructureFailure {
  if (outline.structures.length === 0) {
    const found = outline.errors()
    if (found.length > 0) {
      const errors = found.map(({ line, column, message }) => ({ line, column, message }))
      return structureFailure('PARSER_FAILED', `No structure was found in ${path}: it has syntax errors.`, {
        parse_errors: errors,
      })
    }
  }
  const parent = parentFound(outline, target)
  const suggestions = suggestionsFor(outline, target, parent)
  const parent_found = parent === null ? null : matchOf(outline, parent)
  const inside = parent_found === null ? '' : ` ${shownMatch(parent_found)} is there.`
  const near = suggestions.map((match) => `\n  ${shownMatch(match)}`).join('')
  const hint = near === '' ? ' list_structures shows what there is.' : ` The most similar:${near}`
  return structureFailure('TARGET_NOT_FOUND', `${quotedTarget(target)} is not in ${path}.${inside}${hint}`, {
    searched_path: path,
    parent_found,
    suggestions,
  })
}

const quotedTarget = (target: string): string => `"${target.trim().split(/\r?\n/).join(' > ')}"`

export interface Result_for_read_structure {
  matches: { text: string; line_range_inclusive: [number, number] }[]
}

/** Every structure that a target means, each at zero indent. */
export function readIn(document: NamedText, target: string): Promise<Result_for_read_structure | StructureFailure> {
  return withDocument(document, (outline) => {
    const found = findTarget(outline, target)
    if (found.length === 0) return notFound(outline, document.path, target)
    return {
      matches: found.map((structure) => ({
        text: structureText(outline, structure),
        line_range_inclusive: lineRangeOf(outline.source, structure),
      })),
    }
  })
}

export const structureText = (outline: Outline, structure: Structure): string =>
  withoutIndentOf(outline.source, structure, () => outline.verbatim(structure))

export function listIn(
  document: NamedText,
  depth?: number,
): Promise<{ structures: OutlineEntry[] } | StructureFailure> {
  return withDocument(document, (outline) => ({ structures: outlineEntries(outline, depth) }))
}

/** A structure as `list_structures` gives it. */
export interface OutlineEntry {
  readonly header: string
  readonly kind: string
  readonly name?: string
  /** From 1, both included. */
  readonly lines: [number, number]
  readonly children?: OutlineEntry[]
}

/** `depth` 1 gives the outermost structures only. */
function outlineEntries(outline: Outline, depth = Infinity): OutlineEntry[] {
  const entries = (structures: readonly Structure[], left: number): OutlineEntry[] =>
    structures.map((one) => {
      const { header, kind, name, children } = one
      return {
        header,
        kind,
        name: name === null ? undefined : name,
        lines: lineRangeOf(outline.source, one),
        children: left > 1 && children.length > 0 ? entries(children, left - 1) : undefined,
      }
    })
  return depth < 1 ? [] : entries(outline.structures, depth)
}

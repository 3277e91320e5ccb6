import { APOSTROPHE } from '../../core/character-codes.ts'
import type { Finding } from '../../core/diagnostic.ts'
import { partitionPoint } from '../../text/lines.ts'
import { endsLine, type Source, startsLine } from '../../core/source.ts'

/** What one line of a SHAM or NESL text says, taken by itself. The grammar is in `sham.ts`. */

type Keyword = 'SHAM' | 'NESL' | 'nesl'

/** The keyword and id of a block: together they fix how its end marker and its heredoc delimiter are spelled. */
export interface Name {
  readonly keyword: Keyword
  readonly id: string
}

export const headerLine = ({ keyword, id }: Name): string => `#!${keyword} [@three-char-SHA-256: ${id}]`
export const endLine = ({ keyword, id }: Name): string =>
  keyword === 'nesl' ? `#!end_${id}` : `#!END_${keyword}_${id}`
export const delimiterOf = ({ keyword, id }: Name): string =>
  keyword === 'nesl' ? `EOT_${id}` : `EOT_${keyword}_${id}`

/** A marker or delimiter line without the spaces around it and the quote that models leave after it. */
export function stripMarkerLine(line: string): string {
  const trimmed = line.trim()
  return trimmed.endsWith("'") ? trimmed.slice(0, -1).trimEnd() : trimmed
}

interface Header {
  readonly name: Name
  /** Set when no block can start here. The name is then a guess, to find the end of what was meant. */
  readonly finding?: Finding
}

/** Undefined when the line does not even look like a header. */
export function parseHeader(line: string): Header | undefined {
  const trimmed = line.trim()
  if (!looksLikeHeader(trimmed)) return undefined
  const keyword = keywordOf(trimmed)
  const id = goodHeader.exec(trimmed)?.[1]
  if (id === undefined) return malformedHeader(line, trimmed, keyword)
  if (goodId.test(id)) return { name: { keyword, id } }

  const fixed = id.replace(/[^A-Za-z0-9]/g, '')
  const header = headerLine({ keyword, id: goodId.test(fixed) ? fixed : 'a1b' })
  const standard = line.indexOf(`#!${keyword} [@three-char-SHA-256: `)
  const column = standard === -1 ? 1 : standard + 30
  const finding = { code: 'sham-id', data: { id, header }, column, length: id.length } as const
  return { name: { keyword, id }, finding }
}

const goodId = /^[A-Za-z0-9]{2,8}$/
export const isBlockId = (id: string): boolean => goodId.test(id)
const goodHeader = /^#!(?:(?:SHAM|NESL) \[@three-char-SHA-256|nesl \[@[a-zA-Z0-9-]+): ([^\]]+)\]$/

/** Wider than the grammar: what a model clearly meant as a header is reported, not skipped as prose. */
export const looksLikeHeader = (trimmed: string): boolean =>
  /^#!(?:SHAM|NESL|nesl)(?:[\s[]|$)/.test(trimmed) || /^#!(?:sham|nesl)\s*\[/i.test(trimmed)

function keywordOf(trimmed: string): Keyword {
  const written = trimmed.slice(2, 6)
  if (written.toUpperCase() === 'SHAM') return 'SHAM'
  return written === 'NESL' ? 'NESL' : 'nesl'
}

function malformedHeader(line: string, trimmed: string, keyword: Keyword): Header {
  const rest = trimmed.slice(6).trim()
  const inner = /^\[([^\]]*)/.exec(rest)?.[1] ?? (/\s/.test(rest) ? '' : rest)
  const id = /(?:^|[:\s@])([^\s:@]+)\s*$/.exec(inner)?.[1] ?? ''
  const isOwnId = goodId.test(id)
  const header = headerLine({ keyword, id: isOwnId ? id : 'a1b' })
  const data = { keyword: keyword === 'SHAM' ? 'SHAM' : 'NESL', header, isOwnId } as const
  return { name: { keyword, id }, finding: { code: 'sham-header', data, column: 1, length: line.length } }
}

/** `undefined` for no end marker, null for the block's own, otherwise what is wrong with it. */
export function parseEnd(line: string, name: Name): Finding | null | undefined {
  const marker = stripMarkerLine(line)
  if (marker === endLine(name)) return null
  const given = /^#!end(?:[_\s](?:(?:sham|nesl)[_\s])?|$)(.*)$/is.exec(marker)?.[1]
  if (given === undefined) return undefined
  const data = { marker, given, id: name.id, end: endLine(name) }
  return { code: 'sham-end', data, column: 1, length: line.length }
}

/** The lines of a text as the parser of a block sees them: as they are, or through damage. */
export interface ShamLines {
  readonly source: Source
  /** A line between header and end. Undefined where the block cannot go on. */
  body(line: number, name: Name): string | undefined
  /** A line that may be an end or a delimiter, without what is around it. */
  marker(line: number): string
  /** The first line below `line` that is this end or delimiter, and whether it opens the delimiter. */
  next(marker: string, line: number): { readonly line: number; readonly opens: boolean } | undefined
}

/** The lines as they are. */
export class ExactLines implements ShamLines {
  readonly source: Source
  #marks: ShamMarks | undefined

  constructor(source: Source) {
    this.source = source
  }

  body(line: number): string | undefined {
    return line > this.source.lineCount ? undefined : this.source.line(line)
  }

  marker(line: number): string {
    return stripMarkerLine(this.source.line(line))
  }

  next(marker: string, line: number): { line: number; opens: boolean } | undefined {
    this.#marks ??= new ShamMarks(this.source)
    return this.#marks.next(marker, line)
  }
}

/**
 * Where every heredoc delimiter and every end marker is, found in one pass over the text. A heredoc that is
 * never closed would otherwise be searched for to the end of the text, and a hundred thousand of them a hundred
 * thousand times.
 */
class ShamMarks {
  /** Lines by marker, growing. A line that opens a delimiter instead of closing it is negative. */
  readonly #lines = new Map<string, number | number[]>()

  constructor(source: Source) {
    this.#findDelimiters(source)
    this.#findEnds(source)
  }

  /** The first line after `line` that is this marker, and whether it opens it. */
  next(marker: string, line: number): { line: number; opens: boolean } | undefined {
    const lines = this.#lines.get(marker) ?? []
    const found = typeof lines === 'number' ? lines : lines[partitionPoint(lines, (one) => Math.abs(one) <= line)]
    if (found === undefined || Math.abs(found) <= line) return undefined
    return { line: Math.abs(found), opens: found < 0 }
  }

  #findDelimiters(source: Source): void {
    const { text } = source
    for (let at = text.indexOf('EOT_'); at !== -1; at = text.indexOf('EOT_', at + 4)) {
      const afterQuote = text.charCodeAt(at - 1) === APOSTROPHE
      if (!afterQuote && !startsLine(text, at)) continue
      const number = source.lineAt(at)
      const line = source.line(number)
      if (!afterQuote) {
        const marker = stripMarkerLine(line)
        if (/^\S+$/.test(marker) || SPACED.test(marker)) this.#add(removeDelimiterSpaces(marker), number)
      }
      // The last opener on its line ends the line, so a line is matched as a whole once at most.
      else if (endsLine(text, text.indexOf("'", at) + 1)) {
        const opened = openedOn(line)
        if (opened !== undefined) this.#add(opened, -number)
      }
    }
  }

  #findEnds(source: Source): void {
    const { text } = source
    for (let at = text.indexOf('#!'); at !== -1; at = text.indexOf('#!', at + 2)) {
      if (!text.startsWith('END_', at + 2) && !text.startsWith('end_', at + 2)) continue
      if (!startsLine(text, at)) continue
      const number = source.lineAt(at)
      this.#add(stripMarkerLine(source.line(number)), number)
    }
  }

  #add(marker: string, line: number): void {
    const lines = this.#lines.get(marker)
    // Most markers are in a text once, and an array for each would weigh more than the block.
    if (lines === undefined) this.#lines.set(marker, line)
    else if (typeof lines === 'number') this.#lines.set(marker, [lines, line])
    else lines.push(line)
  }
}

/** The first line at or after `line` that looks like a header; Infinity when there is none. */
export function seekHeader(source: Source, line: number): number {
  for (let n = line; n <= source.lineCount; n++) {
    const text = source.line(n).trimStart()
    if (text.startsWith('#!') && looksLikeHeader(text.trimEnd())) return n
  }
  return Infinity
}

/** A delimiter that a model wrote with spaces after `_`: `EOT_ x9k`. */
const SPACED = /^EOT_ *(?:(?:SHAM|NESL)_)? *[A-Za-z0-9]{2,8}$/

export const removeDelimiterSpaces = (delimiter: string): string =>
  delimiter.includes(' ') && SPACED.test(delimiter) ? delimiter.replaceAll(' ', '') : delimiter

/** The delimiter that a line opens. */
function openedOn(line: string): string | undefined {
  const delimiter = opener.exec(line)?.[1]
  return delimiter && removeDelimiterSpaces(delimiter)
}

/** A key of one word: prose that quotes an opener does not open anything. */
const opener = /^\s*[^\s="'<]+\s*:?=\s*<<'([^']+)'\s*$/

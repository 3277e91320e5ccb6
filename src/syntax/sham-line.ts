import type { Fault } from '../core/block.ts'
import type { Source } from '../core/source.ts'

/** What one line of a SHAM or NESL text says, taken by itself. The grammar is in `sham.ts`. */

type Keyword = 'SHAM' | 'NESL' | 'nesl'

/** The keyword and id of a block: together they fix how its end marker and its heredoc delimiter are spelled. */
export interface Name {
  readonly keyword: Keyword
  readonly id: string
}

/** A fault of one line that does not know yet where the line stands. */
export interface Mistake {
  readonly code: string
  readonly column: number
  readonly length: number
  readonly message: string
  readonly hint?: string
}

export const headerOf = ({ keyword, id }: Name): string => `#!${keyword} [@three-char-SHA-256: ${id}]`
export const endOf = ({ keyword, id }: Name): string => (keyword === 'nesl' ? `#!end_${id}` : `#!END_${keyword}_${id}`)
export const delimiterOf = ({ keyword, id }: Name): string =>
  keyword === 'nesl' ? `EOT_${id}` : `EOT_${keyword}_${id}`

/** A marker or delimiter line without the blanks around it and the quote that models leave behind it. */
export function bare(line: string): string {
  const trimmed = line.trim()
  return trimmed.endsWith("'") ? trimmed.slice(0, -1).trimEnd() : trimmed
}

interface Header {
  readonly name: Name
  /** Set when no block can start here. The name is then a guess, to find the end of what was meant. */
  readonly mistake?: Mistake
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
  const example = headerOf({ keyword, id: goodId.test(fixed) ? fixed : 'a1b' })
  const standard = line.indexOf(`#!${keyword} [@three-char-SHA-256: `)
  const mistake = {
    code: 'INVALID_BLOCK_ID',
    column: standard === -1 ? 1 : standard + 30,
    length: id.length,
    message:
      id.length < 2 || id.length > 8
        ? 'Block ID must be exactly 3 characters'
        : 'Block ID must contain only alphanumeric characters',
    hint: `An id is 2 to 8 letters or digits, for example: ${example}`,
  }
  return { name: { keyword, id }, mistake }
}

const goodId = /^[A-Za-z0-9]{2,8}$/
const goodHeader = /^#!(?:(?:SHAM|NESL) \[@three-char-SHA-256|nesl \[@[a-zA-Z0-9-]+): ([^\]]+)\]$/

/** Wider than the grammar: what a model clearly meant as a header is reported, not passed over as prose. */
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
  const right = goodId.test(id)
  const mistake = {
    code: 'MALFORMED_HEADER',
    column: 1,
    length: line.length,
    message: `Invalid ${keyword === 'SHAM' ? 'SHAM' : 'NESL'} header format`,
    hint: right
      ? `Write the header as: ${headerOf({ keyword, id })}`
      : `Write the header as: ${headerOf({ keyword, id: 'a1b' })} with an id of 2 to 8 letters or digits of your own.`,
  }
  return { name: { keyword, id }, mistake }
}

/** `undefined` for no end marker, null for the block's own, otherwise what is wrong with it. */
export function parseEnd(line: string, name: Name): Mistake | null | undefined {
  const marker = bare(line)
  if (marker === endOf(name)) return null
  const id = /^#!end(?:[_\s](?:(?:sham|nesl)[_\s])?|$)(.*)$/is.exec(marker)?.[1]
  if (id === undefined) return undefined
  return {
    code: 'MISMATCHED_END',
    column: 1,
    length: line.length,
    message:
      id === name.id
        ? `End marker '${marker}' is not the one of block '${name.id}'`
        : `End marker '${id}' doesn't match block ID '${name.id}'`,
    hint: `End the block with: ${endOf(name)}`,
  }
}

/** A mistake in its place in the text. */
export function faultAt(source: Source, line: number, blockId: string | null, mistake: Mistake): Fault {
  const { code, column, length, message, hint } = mistake
  const content = line > source.lineCount ? '' : source.line(line)
  const context = contextAt(source, line)
  const fault = { code, line, column, length, blockId, content, context, message }
  return hint === undefined ? fault : { ...fault, hint }
}

/** Five lines with `line` in their middle, moved rather than cut at either end. Line breaks stay as they are written. */
function contextAt(source: Source, line: number): string {
  const first = Math.max(1, Math.min(line - 2, source.lineCount - 4))
  const behind = source.startOf(first + 5)
  return source.text.slice(source.startOf(first), first + 5 > source.lineCount ? behind : behind - 1)
}

import type { Finding } from '../../core/diagnostic.ts'
import { toPlainMarker } from '../../text/undamage.ts'
import type { Lex, Token, Tokens } from '../tokens.ts'

/*
 * The replacer's blocks:
 *
 *   block       = [ explanation ] file ( edit | overwrite ) "<<<END>>>"
 *   explanation = "<<<EXPLANATION>>>" { line }
 *   file        = "<<<FILE>>>" path                            blank lines around the path
 *   edit        = "<<<SEARCH>>>" { line } "<<<REPLACE>>>" { line }
 *   overwrite   = "<<<OVERWRITE>>>" { line }
 *
 * Every marker is a whole line, from column 1; white space after it and a byte order mark before the text do not
 * matter. Content is the lines between two markers, without the last line break.
 *
 * A marker that cannot come where it is opens nothing, but it is not content either: most likely an END is missing
 * before it, and what would be written is half of the next block. Such a block fails and reaches to the next END, or
 * else to the end of the text. So does a block that is not closed: nothing below it is executed, by whichever syntax.
 */

export const sections = ['EXPLANATION', 'FILE', 'SEARCH', 'REPLACE', 'OVERWRITE'] as const
export type SectionName = (typeof sections)[number]
type MarkerName = SectionName | 'END'

interface ReplacerToken extends Token {
  readonly name: MarkerName
}

export type ReplacerTokens = Tokens<ReplacerToken>

const spellings: ReadonlyMap<string, MarkerName> = new Map(
  [...sections, 'END' as const].map((name) => [`<<<${name}>>>`, name]),
)

/** Matches the beginning of a marker line. */
export const markerStart = new RegExp(`^(?:${[...spellings.keys()].join('|')})`)

export const lexReplacer: Lex<ReplacerToken> = (line, reading) => {
  const name = line.startsWith('<<<') ? spellings.get(line.trimEnd()) : undefined
  if (name !== undefined) return { name, clean: line, markup: line }
  // A marker starts its line; what is indented as a whole is read without its indentation.
  if (reading === 'exact' || /^[ \t]/.test(line)) return undefined
  const clean = toPlainMarker(line)
  const damaged = spellings.get(clean)
  return damaged && { name: damaged, clean, markup: line }
}

/** A block by its lines. */
export interface ParsedBlock {
  readonly start: number
  /** Null when it is not closed. */
  readonly end: number | null
  /** The last line that belongs to it, closed or not. */
  readonly last: number
  readonly sections: readonly ParsedSection[]
  readonly findings: readonly Finding[]
}

interface ParsedSection {
  readonly name: SectionName
  /** Of its marker. */
  readonly line: number
  readonly last: number
}

export const isOpener = (name: MarkerName | undefined): name is 'EXPLANATION' | 'FILE' =>
  name === 'EXPLANATION' || name === 'FILE'

/** Reads the block that opens on `start`. Undefined for an END without a block. */
export function parseBlock(tokens: ReplacerTokens, start: number): ParsedBlock | undefined {
  const first = tokens.at(start)
  if (first === undefined || first.name === 'END') return undefined
  const found: ParsedSection[] = []
  const findings: Finding[] = []
  const report = (line: number, finding: Finding | undefined): void => {
    if (finding !== undefined) findings.push({ ...finding, line })
  }
  const parsed = (end: number | null, last: number): ParsedBlock => ({ start, end, last, sections: found, findings })

  tokens.take(start, first)
  report(start, misplacedFinding(first.name, undefined))
  let section = first.name
  for (let line = start; ;) {
    const next = tokens.next(line + 1)
    const own = { name: section, line, last: next === undefined ? tokens.lineCount : next.line - 1 }
    found.push(own)
    findings.push(...findingsIn(tokens, own))
    if (next === undefined) {
      findings.push({ line, code: 'replacer-open', data: { section, first: start } })
      return parsed(null, tokens.lineCount)
    }
    const { name } = next.token
    if (name === 'EXPLANATION' && isOpener(section)) {
      report(line, incomplete(section))
      return parsed(null, next.line - 1)
    }
    tokens.take(next.line, next.token)
    if (name === 'END') {
      report(section === 'SEARCH' ? next.line : line, incomplete(section))
      return parsed(next.line, next.line)
    }
    if (!isOpener(section) && !(section === 'SEARCH' && name === 'REPLACE')) {
      const end = endAfter(tokens, next.line)
      const last = end ?? tokens.source.lastLine
      const data = { marker: name, section, line, first: start, last, isCut: end === null }
      findings.push({ line: next.line, code: 'replacer-overrun', data })
      return parsed(end, end ?? tokens.lineCount)
    }
    report(next.line, misplacedFinding(name, section))
    section = name
    line = next.line
  }
}

/** The END that a block with a misplaced marker reaches to. */
function endAfter(tokens: ReplacerTokens, line: number): number | null {
  for (let next = tokens.next(line + 1); next !== undefined; next = tokens.next(next.line + 1)) {
    tokens.take(next.line, next.token)
    if (next.token.name === 'END') return next.line
  }
  return null
}

/** What is wrong with the content of a section. */
function findingsIn(tokens: ReplacerTokens, { name, line, last }: ParsedSection): Finding[] {
  if (name !== 'FILE' && name !== 'SEARCH') return []
  const written = linesWithText(tokens, line + 1, last, name === 'FILE' ? 2 : 1)
  // White space alone is in no file or all over it.
  if (name === 'SEARCH') return written.length > 0 ? [] : [{ line, code: 'replacer-empty-search' }]
  const [path, below] = written
  if (path === undefined) return [{ line, code: 'replacer-no-path' }]
  return below === undefined ? [] : [{ line: below, code: 'replacer-below-path' }]
}

/** The first lines that are not blank. */
function linesWithText(tokens: ReplacerTokens, first: number, last: number, most: number): number[] {
  const found: number[] = []
  for (let n = first; n <= last && found.length < most; n++) if ((tokens.line(n) ?? '').trim() !== '') found.push(n)
  return found
}

/** What is wrong with a marker below `section`, or at the start. */
function misplacedFinding(marker: SectionName, section: SectionName | undefined): Finding | undefined {
  if (marker === 'EXPLANATION') return undefined
  if (marker === 'FILE') return section === 'FILE' ? { code: 'replacer-second-file' } : undefined
  const missing = marker === 'REPLACE' ? 'SEARCH' : 'FILE'
  return section === missing ? undefined : { code: 'replacer-without', data: { marker, missing } }
}

/** What is wrong with a block that ends below this section. */
function incomplete(marker: SectionName): Finding | undefined {
  switch (marker) {
    case 'EXPLANATION':
      return { code: 'replacer-without', data: { marker, missing: 'FILE' } }
    case 'FILE':
      return { code: 'replacer-without', data: { marker, missing: 'SEARCH' } }
    case 'SEARCH':
      return { code: 'replacer-without', data: { marker, missing: 'REPLACE' } }
    case 'REPLACE':
    case 'OVERWRITE':
      return undefined
  }
}

import { QUOTE, APOSTROPHE, EQUALS, BACKSLASH, UNDERSCORE } from '../../core/character-codes.ts'
import type { Finding } from '../../core/diagnostic.ts'
import { isSpace } from '../../core/source.ts'
import { toPlainMarker, showsDamage, withoutOuterSpaces } from '../../text/undamage.ts'
import { rewriteAttributes } from '../damage.ts'
import { type Delimiters } from '../reader.ts'
import type { Lex, Token } from '../tokens.ts'

/** What one marker line of a CSL text says, taken by itself. The grammar is in `grammar.ts`. */

/** What each operation has: its attributes, the one it needs, and the content below its marker, if any. */
export const operations = {
  WRITE: { attributes: ['file', 'append'], needs: 'file', content: 'content' },
  RUN: { attributes: ['dir'], needs: undefined, content: 'content' },
  SEARCH: { attributes: ['file', 'count'], needs: 'file', content: 'pattern' },
  READ: { attributes: ['file', 'lines'], needs: 'file', content: undefined },
  EXEC: { attributes: ['lang', 'dir', 'timeout'], needs: 'lang', content: 'content' },
  TASKS: { attributes: ['version', 'atomic'], needs: undefined, content: undefined },
} as const

export type OperationName = keyof typeof operations

const openers = Object.keys(operations)
export const isOperation = (name: string): name is OperationName => Object.hasOwn(operations, name)

/** What divides or ends an operation. */
export const isCloser = (name: string): boolean => closers.includes(name)
const closers: readonly string[] = ['TO', 'REPLACE', 'END']

const names = [...openers, ...closers].join('|')
/** Matches a line that begins with a marker. */
export const cslMarkerStart = new RegExp(String.raw`^<-{2,3}(?:${names})\b.*-{2,3}>`)

/** A line that begins with the start delimiter: outside content it must be a marker. */
export interface CslToken extends Token, MarkerLine {
  /** Empty where the line is not like a marker. */
  readonly name: string
  readonly marker: CslMarker | undefined
}

export const lexCsl =
  (delimiters: Delimiters): Lex<CslToken> =>
  (line, reading) => {
    const found = reading === 'exact' ? undefined : markerThroughDamage(line)
    const clean = found?.clean ?? line
    if (!clean.startsWith(delimiters.start)) return undefined
    const marker = parseMarker(clean, delimiters)
    return { text: clean, delimiters, marker, name: marker?.name ?? '', clean, markup: found?.markup ?? line }
  }

/** A marker with the usual delimiters, cleaned, and what of its line is not value. */
function markerThroughDamage(line: string): Pick<Token, 'clean' | 'markup'> | undefined {
  // A marker starts its line; what is indented as a whole is read without its indentation.
  if (/^[ \t]/.test(line)) return undefined
  const plain = toPlainMarker(line)
  const name = damagedStart.exec(plain)?.[1]
  if (name === undefined) return undefined
  const exact = plain.startsWith(`<---${name}`) && plain.endsWith('--->')
  // How many hyphens there were can be known only where a program made a dash of them.
  if (!exact && !showsDamage(line, 'punctuation') && !showsDamage(line, 'entities')) return undefined
  if (line.trimEnd() === plain) return { clean: line, markup: line.replace(/(["']).*\1/s, '') }

  const core = withoutOuterSpaces(line)
  const [, open = '', inner = '', close = ''] = damagedMarker.exec(core) ?? []
  const attributes = rewriteAttributes(inner, 'escaped')
  // Whatever it says, it is a marker, and the parser has to know; but not with values that nobody wrote.
  if (close === '') return { clean: line, markup: line }
  if (attributes === undefined) return { clean: `<---${name}${inner}--->`, markup: line }
  const markup = line.replace(core, () => `${open}${attributes.markup}${close}`)
  return { clean: `<---${name}${attributes.clean}--->`, markup }
}

const damagedStart = new RegExp(String.raw`^<-{2,5}(${names})\b[^]*-{2,5}>$`)
const damagedMarker = /^([^A-Z]*[A-Z]+)([^]*?)((?:\\?-|[\u2010-\u2015]|&[mn]dash;)+(?:\\?>|&gt;|&#62;|&#x3e;|&#x3E;))$/

export interface CslMarker {
  readonly name: string
  /** Where its attributes are in the line: offsets of the first character and after the last. */
  readonly from: number
  readonly to: number
  /** Where text follows the marker, which makes it none. */
  readonly trailing?: number
}

/** `line` opens with the start delimiter. Undefined when it is not like a marker. */
export function parseMarker(line: string, { start, end }: Delimiters): CslMarker | undefined {
  const text = line.trimEnd()
  // Nothing after a lone CR belongs to the marker: it was meant as a line break.
  const cr = text.indexOf('\r')
  const head = cr === -1 ? text : text.slice(0, cr)
  const word = start.length
  const first = head.indexOf(end, word + 1)
  if (first === -1) return undefined

  let after = word
  while (after < first && isWordPart(head.charCodeAt(after))) after++
  const name = head.slice(word, after)
  if (after === first) return makeMarker(text, name, first, first, first + end.length)
  if (name === '' || !isSpaceAt(head, after)) return undefined
  // The last one, because a value may hold the delimiter.
  const last = head.lastIndexOf(end)
  return makeMarker(text, name, after, last, last + end.length)
}

const isWordPart = (c: number): boolean =>
  (c >= 65 && c <= 90) || (c >= 97 && c <= 122) || (c >= 48 && c <= 57) || c === UNDERSCORE

function makeMarker(text: string, name: string, from: number, to: number, rest: number): CslMarker {
  if (rest >= text.length) return { name, from, to }
  return { name, from, to, trailing: text.length - text.slice(rest).trimStart().length }
}

export interface Attribute {
  readonly value: string
  /** Of the quoted value. */
  readonly column: number
  readonly length: number
}

export type Attributes = ReadonlyMap<string, Attribute>

interface ParsedAttributes {
  /** Those before the mistake, if there is one. */
  readonly attributes: Attributes
  readonly finding?: Finding
}

const noAttributes: Attributes = new Map()

export function parseAttributes(line: string, { from, to }: CslMarker, delimiters: Delimiters): ParsedAttributes {
  if (from === to) return { attributes: noAttributes }
  const attributes = new Map<string, Attribute>()
  let at = skipSpacesTo(line, from, to)
  while (at < to) {
    const nameAt = at
    while (at < to && line.charCodeAt(at) !== EQUALS && !isSpaceAt(line, at)) at++
    const name = line.slice(nameAt, at)
    if (name === '') return attributeFailure(attributes, at, 1, { code: 'csl-attribute' })

    at = skipSpacesTo(line, at, to)
    if (at === to || line.charCodeAt(at) !== EQUALS)
      return attributeFailure(attributes, nameAt, name.length, { code: 'csl-attribute-equals', data: { name } })
    const valueAt = skipSpacesTo(line, at + 1, to)
    if (valueAt === to) return attributeFailure(attributes, at, 1, { code: 'csl-attribute-value', data: { name } })
    const quote = line.charCodeAt(valueAt)
    if (quote !== QUOTE && quote !== APOSTROPHE) {
      const value = line.slice(valueAt, to).split(/\s/, 1)[0] ?? ''
      return attributeFailure(attributes, valueAt, value.length, {
        code: 'csl-attribute-unquoted',
        data: { name, value },
      })
    }
    const close = closingQuote(line, valueAt, to, quote)
    if (close === undefined)
      return attributeFailure(attributes, valueAt, to - valueAt, { code: 'csl-attribute-open', data: { delimiters } })
    if (attributes.has(name))
      return attributeFailure(attributes, nameAt, name.length, { code: 'csl-attribute-twice', data: { name } })
    const value = unescapeQuoted(line.slice(valueAt + 1, close))
    attributes.set(name, { value, column: valueAt + 1, length: close + 1 - valueAt })
    at = skipSpacesTo(line, close + 1, to)
  }
  return { attributes }
}

const attributeFailure = (attributes: Attributes, at: number, length: number, finding: Finding): ParsedAttributes => ({
  attributes,
  finding: findingAt(at, length, finding),
})

const findingAt = (at: number, length: number, finding: Finding): Finding => ({ ...finding, column: at + 1, length })

function skipSpacesTo(line: string, at: number, to: number): number {
  while (at < to && isSpaceAt(line, at)) at++
  return at
}

const isSpaceAt = (line: string, at: number): boolean => isSpace(line.charCodeAt(at))

function closingQuote(line: string, open: number, to: number, quote: number): number | undefined {
  for (let at = open + 1; at < to; at++) {
    const c = line.charCodeAt(at)
    if (c === quote) return at
    if (c === BACKSLASH) at++
  }
  return undefined
}

/** Any other backslash is one: `\n` in a path is two characters. */
const unescapeQuoted = (raw: string): string => (raw.includes('\\') ? raw.replace(/\\(["'\\])/g, '$1') : raw)

/** What a marker means where it is, and what is wrong with it there. */

/** A line that opens with the start delimiter. */
interface MarkerLine {
  readonly text: string
  readonly delimiters: Delimiters
}

interface OutsideMarkers {
  /** The operation that opens here, well or badly. */
  readonly opens?: string
  readonly attributes: Attributes
  /** Without one the line opens or ends something. */
  readonly finding?: Finding | undefined
  /** Set on an END that is as it should be. */
  readonly ends?: true
}

/** What the line means outside content: at the top level or directly in TASKS. */
export function readOutsideContent(line: CslToken, place: 'top' | 'TASKS'): OutsideMarkers {
  const { text, delimiters, marker } = line
  if (marker === undefined) return malformedLine(line)
  const { name } = marker
  const nested = place === 'TASKS' && name === 'TASKS'
  const known = isOperation(name)
  if (marker.trailing !== undefined) {
    const valid = (known && !nested) || (place === 'TASKS' && name === 'END')
    const finding = valid ? trailingFinding(line, marker.trailing) : wholeLine(line, { code: 'csl-not-alone' })
    if (!known) return { attributes: noAttributes, finding }
    return { opens: name, attributes: parseAttributes(text, marker, delimiters).attributes, finding }
  }
  if (name === 'END') {
    if (place === 'top')
      return { attributes: noAttributes, finding: wholeLine(line, { code: 'csl-stray-end', data: { delimiters } }) }
    const finding = badClosingFinding(line, marker)
    return finding === undefined ? { attributes: noAttributes, ends: true } : { attributes: noAttributes, finding }
  }
  if (name === 'TO' || name === 'REPLACE') {
    // "null" is what the top level has always been called in this message.
    const finding = {
      code: 'csl-misplaced',
      data: { name, place: place === 'top' ? 'null' : place, delimiters },
    } as const
    return { attributes: noAttributes, finding: wholeLine(line, finding) }
  }
  const parsed = parseAttributes(text, marker, delimiters)
  if (!known) return unknownOperation(line, marker, parsed.attributes)
  if (!nested) return { opens: name, attributes: parsed.attributes, finding: parsed.finding }
  return { opens: name, attributes: noAttributes, finding: wholeLine(line, { code: 'csl-nested' }) }
}

/** Why a marker that could close a part of an operation does not. */
export function badClosingFinding(line: MarkerLine, marker: CslMarker): Finding | undefined {
  if (marker.trailing !== undefined) return trailingFinding(line, marker.trailing)
  if (marker.name !== 'END' || !hasAttributes(line, marker)) return undefined
  const written = line.text.slice(marker.from, marker.to)
  const at = marker.from + written.length - written.trimStart().length
  return findingAt(at, written.trim().length, { code: 'csl-end-attributes', data: { delimiters: line.delimiters } })
}

export const hasAttributes = ({ text }: MarkerLine, { from, to }: CslMarker): boolean =>
  from !== to && text.slice(from, to).trim() !== ''

export const noReplaceFinding = (line: MarkerLine): Finding =>
  wholeLine(line, { code: 'csl-no-replace', data: { delimiters: line.delimiters } })

export const unterminatedFinding = (line: MarkerLine, name: string): Finding =>
  wholeLine(line, { code: 'csl-open', data: { name, delimiters: line.delimiters } })

function malformedLine(line: MarkerLine): OutsideMarkers {
  const { text, delimiters } = line
  const [opens = ''] = /^[A-Z]+\b/.exec(text.slice(delimiters.start.length)) ?? []
  if (!isOperation(opens))
    return { attributes: noAttributes, finding: wholeLine(line, { code: 'csl-no-marker', data: { delimiters } }) }
  const { needs } = operations[opens]
  const meant = needs === undefined ? opens : `${opens} ${needs}="${needs === 'lang' ? 'bash' : 'path'}"`
  return {
    opens,
    attributes: noAttributes,
    finding: wholeLine(line, { code: 'csl-malformed', data: { meant, delimiters } }),
  }
}

function unknownOperation(line: MarkerLine, marker: CslMarker, attributes: Attributes): OutsideMarkers {
  const { name } = marker
  const upper = name.toUpperCase()
  const finding = findingAt(line.delimiters.start.length, name.length, {
    code: 'csl-unknown',
    data: { name, operations: openers },
  })
  if (isOperation(upper)) return { opens: upper, attributes, finding }
  // What is spelled like an operation has content, which is not to be taken for blocks; a word in an arrow has none.
  const meant = /^[A-Z][A-Z_]*$/.test(name) || hasAttributes(line, marker)
  return { attributes, finding, opens: meant ? name : undefined }
}

const trailingFinding = ({ text }: MarkerLine, at: number): Finding =>
  findingAt(at, text.trimEnd().length - at, { code: 'csl-trailing', data: { hasCr: text.slice(0, at).includes('\r') } })

const wholeLine = ({ text }: MarkerLine, finding: Finding): Finding => findingAt(0, text.trimEnd().length, finding)

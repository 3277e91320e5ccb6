import { APOSTROPHE, type Delimiters, type Mistake, QUOTE, shown } from '../reader.ts'
import { isSpace } from '../../core/source.ts'

/** What one marker line of a CSL text says, taken by itself. The grammar is in `csl.ts`. */

export interface Marker {
  readonly name: string
  /** Where its attributes are in the line: offsets of the first character and after the last. */
  readonly from: number
  readonly to: number
  /** Where text follows the marker, which makes it none. */
  readonly trailing?: number
}

/** `at` is the offset in `line` at which it opens with the start delimiter. Undefined when it is not like a marker. */
export function parseMarker(line: string, { start, end }: Delimiters, at: number): Marker | undefined {
  const text = line.trimEnd()
  // Nothing after a lone CR belongs to the marker: it was meant as a line break.
  const cr = text.indexOf('\r')
  const head = cr === -1 ? text : text.slice(0, cr)
  const word = at + start.length
  const first = head.indexOf(end, word + 1)
  if (first === -1) return undefined

  const bare = head.slice(word, first)
  if (isWord(bare)) return marker(text, bare, first, first, first + end.length)
  const name = /^\w+(?=\s)/.exec(bare)?.[0]
  if (name === undefined) return undefined
  // The last one, because a value may hold the delimiter.
  const last = head.lastIndexOf(end)
  return marker(text, name, word + name.length, last, last + end.length)
}

const isWord = (text: string): boolean => /^\w+$/.test(text)

function marker(text: string, name: string, from: number, to: number, rest: number): Marker {
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
  readonly mistake?: Mistake
}

export const noAttributes: Attributes = new Map()

export function parseAttributes(line: string, from: number, to: number, end: string): ParsedAttributes {
  if (from === to) return { attributes: noAttributes }
  const attributes = new Map<string, Attribute>()
  let at = skipBlanks(line, from, to)
  while (at < to) {
    const nameAt = at
    while (at < to && line.charCodeAt(at) !== EQUALS && !isBlank(line, at)) at++
    const name = line.slice(nameAt, at)
    if (name === '') return { attributes, mistake: wrong(at, 1, 'Invalid attribute syntax', namedHint) }

    at = skipBlanks(line, at, to)
    if (at === to || line.charCodeAt(at) !== EQUALS) {
      const hint = `An attribute has a name and a quoted value, as in file="${shown(name)}".`
      return { attributes, mistake: wrong(nameAt, name.length, "Expected '=' after attribute name", hint) }
    }
    const valueAt = skipBlanks(line, at + 1, to)
    if (valueAt === to) {
      return { attributes, mistake: wrong(at, 1, 'Missing attribute value', `Write: ${shown(name)}="value"`) }
    }
    const quote = line.charCodeAt(valueAt)
    if (quote !== QUOTE && quote !== APOSTROPHE) {
      const value = line.slice(valueAt, to).split(/\s/, 1)[0] ?? ''
      const hint = `Write: ${shown(name)}="${shown(value)}"`
      return { attributes, mistake: wrong(valueAt, value.length, 'Unquoted attribute value', hint) }
    }
    const close = closingQuote(line, valueAt, to, quote)
    if (close === undefined) {
      const hint = `Close the quote before ${end}. Inside a value a quote is written \\" and a backslash before a quote \\\\.`
      return { attributes, mistake: wrong(valueAt, to - valueAt, 'Unterminated quoted value', hint) }
    }
    if (attributes.has(name)) {
      const hint = `Give '${shown(name)}' once.`
      return { attributes, mistake: wrong(nameAt, name.length, `Duplicate attribute: ${name}`, hint) }
    }
    const value = unescaped(line.slice(valueAt + 1, close))
    attributes.set(name, { value, column: valueAt + 1, length: close + 1 - valueAt })
    at = skipBlanks(line, close + 1, to)
  }
  return { attributes }
}

const namedHint = 'An attribute has a name and a quoted value, as in file="src/a.ts".'

export const wrong = (at: number, length: number, message: string, hint: string): Mistake => ({
  code: 'CSL_SYNTAX',
  column: at + 1,
  length,
  message,
  hint,
})

function skipBlanks(line: string, at: number, to: number): number {
  while (at < to && isBlank(line, at)) at++
  return at
}

const isBlank = (line: string, at: number): boolean => isSpace(line.charCodeAt(at))

function closingQuote(line: string, open: number, to: number, quote: number): number | undefined {
  for (let at = open + 1; at < to; at++) {
    const c = line.charCodeAt(at)
    if (c === quote) return at
    if (c === BACKSLASH) at++
  }
  return undefined
}

/** Any other backslash is one: `\n` in a path is two characters. */
const unescaped = (raw: string): string => (raw.includes('\\') ? raw.replace(/\\(["'\\])/g, '$1') : raw)

const EQUALS = 61
const BACKSLASH = 92

/** What a marker means where it is, and what is wrong with it there. */

/** A line that opens with the start delimiter, at offset `at`: after a byte order mark, or 0. */
export interface MarkerLine {
  readonly text: string
  readonly at: number
  readonly delimiters: Delimiters
}

interface Outside {
  /** The operation that opens here, well or badly. */
  readonly opens?: string
  readonly attributes: Attributes
  /** Without one the line opens or ends something. */
  readonly mistake?: Mistake
  /** Set on an END that is as it should be. */
  readonly ends?: true
}

const openers: readonly string[] = ['WRITE', 'RUN', 'SEARCH', 'READ', 'EXEC', 'TASKS']

/** What the line means outside content: at the top level or directly in TASKS. */
export function outside(line: MarkerLine, place: 'top' | 'TASKS'): Outside {
  const { text, at, delimiters } = line
  const marker = parseMarker(text, delimiters, at)
  if (marker === undefined) return malformedLine(line)
  const { name } = marker
  const nested = place === 'TASKS' && name === 'TASKS'
  const known = openers.includes(name)
  if (marker.trailing !== undefined) {
    const valid = (known && !nested) || (place === 'TASKS' && name === 'END')
    const mistake = valid ? trailing(line, marker.trailing) : wholeLine(line, 'Malformed marker', aloneHint)
    if (!known) return { attributes: noAttributes, mistake }
    const { attributes } = parseAttributes(text, marker.from, marker.to, delimiters.end)
    return { opens: name, attributes, mistake }
  }
  if (name === 'END') {
    if (place === 'top') return { attributes: noAttributes, mistake: strayEnd(line) }
    const mistake = badClosing(line, marker)
    return mistake === undefined ? { attributes: noAttributes, ends: true } : { attributes: noAttributes, mistake }
  }
  if (name === 'TO' || name === 'REPLACE') {
    // "null" is what the top level has always been called in this message.
    const message = `${name} marker not valid in ${place === 'top' ? 'null' : place} operation`
    return { attributes: noAttributes, mistake: wholeLine(line, message, searchHint(delimiters)) }
  }
  const parsed = parseAttributes(text, marker.from, marker.to, delimiters.end)
  if (!known) return unknownOperation(line, marker, parsed.attributes)
  if (!nested) return { opens: name, ...parsed }
  const hint = 'Close the first TASKS with END before the second, or leave the inner TASKS and its END out.'
  return { opens: name, attributes: noAttributes, mistake: wholeLine(line, 'TASKS cannot be nested', hint) }
}

/** Why a marker that could close a part of an operation does not. */
export function badClosing(line: MarkerLine, marker: Marker): Mistake | undefined {
  if (marker.trailing !== undefined) return trailing(line, marker.trailing)
  if (marker.name !== 'END' || !hasAttributes(line, marker)) return undefined
  const written = line.text.slice(marker.from, marker.to)
  const at = marker.from + written.length - written.trimStart().length
  const hint = `Write: ${spelled(line.delimiters, 'END')}`
  return wrong(at, written.trim().length, 'END marker cannot have attributes', hint)
}

export const hasAttributes = ({ text }: MarkerLine, { from, to }: Marker): boolean =>
  from !== to && text.slice(from, to).trim() !== ''

export const withoutReplace = (line: MarkerLine): Mistake =>
  wholeLine(line, 'SEARCH operation without REPLACE', searchHint(line.delimiters))

export function unterminated(line: MarkerLine, number: number, name: string): Mistake {
  const end = spelled(line.delimiters, 'END')
  const hint = `Close it with ${end}. Nothing from line ${number} on was executed: send it again, complete.`
  return { ...wholeLine(line, `Unterminated ${name} operation`, hint), code: 'truncated' }
}

function malformedLine(line: MarkerLine): Outside {
  const { text, at, delimiters } = line
  const opens = /^(?:WRITE|RUN|SEARCH|READ|EXEC|TASKS)\b/.exec(text.slice(at + delimiters.start.length))?.[0]
  if (opens === undefined) {
    const hint = `Outside content a line may start with ${delimiters.start} only if it is a marker, such as ${spelled(delimiters, 'RUN')}.`
    return { attributes: noAttributes, mistake: wholeLine(line, 'Malformed marker', hint) }
  }
  const right =
    opens === 'RUN' || opens === 'TASKS' ? opens : `${opens} ${opens === 'EXEC' ? 'lang="bash"' : 'file="path"'}`
  const hint = `Write: ${spelled(delimiters, right)}`
  return { opens, attributes: noAttributes, mistake: wholeLine(line, 'Malformed marker', hint) }
}

function unknownOperation(line: MarkerLine, marker: Marker, attributes: Attributes): Outside {
  const { name } = marker
  const upper = name.toUpperCase()
  const misspelled = openers.includes(upper)
  const hint = misspelled
    ? `Write ${upper} in capital letters.`
    : `The operations are ${openers.slice(0, -1).join(', ')} and ${openers.at(-1)}.`
  const at = line.at + line.delimiters.start.length
  const mistake = wrong(at, name.length, `Unknown operation: ${name}`, hint)
  if (misspelled) return { opens: upper, attributes, mistake }
  // What is spelled like an operation has content, which is not to be taken for blocks; a word in an arrow has none.
  const meant = /^[A-Z][A-Z_]*$/.test(name) || hasAttributes(line, marker)
  return { attributes, mistake, ...(meant && { opens: name }) }
}

const aloneHint = 'A marker must be alone on its line.'

function trailing({ text }: MarkerLine, at: number): Mistake {
  const hint = text.slice(0, at).includes('\r')
    ? 'End every line with LF or CRLF: a lone CR is not a line break here.'
    : `${aloneHint} Put this text on a line below; a content line must not start like a marker that closes the content.`
  return wrong(at, text.trimEnd().length - at, 'Content not allowed on marker line', hint)
}

function strayEnd(line: MarkerLine): Mistake {
  const end = spelled(line.delimiters, 'END')
  const hint = `Leave it out. If it was content, that content was closed by the ${end} before it.`
  return wholeLine(line, 'END marker without active operation', hint)
}

const wholeLine = ({ text, at }: MarkerLine, message: string, hint: string): Mistake =>
  wrong(at, text.trimEnd().length - at, message, hint)

const spelled = ({ start, end }: Delimiters, inner: string): string => start + inner + end

const searchHint = (delimiters: Delimiters): string =>
  `Write ${spelled(delimiters, 'SEARCH file="path"')}, the text to find, ${spelled(delimiters, 'REPLACE')}, the new text, ${spelled(delimiters, 'END')}.`

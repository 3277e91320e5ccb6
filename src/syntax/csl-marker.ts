import type { Mistake } from './sham-line.ts'

/** What one marker line of a CSL text says, taken by itself. The grammar is in `csl.ts`. */

/** What a marker begins and ends with. Neither is empty or has white space at its ends. */
export interface Delimiters {
  readonly start: string
  readonly end: string
}

export interface Marker {
  readonly name: string
  /** Where its attributes stand in the line: offsets of the first character and behind the last. */
  readonly from: number
  readonly to: number
  /** Where text stands behind the marker, which makes it none. */
  readonly trailing?: number
}

/** `at` is the offset in `line` at which it opens with the start delimiter. Undefined when it is not like a marker. */
export function parseMarker(line: string, { start, end }: Delimiters, at: number): Marker | undefined {
  const text = line.trimEnd()
  // Nothing behind a lone CR belongs to the marker: whoever wrote it took it for a line break.
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

function marker(text: string, name: string, from: number, to: number, behind: number): Marker {
  if (behind >= text.length) return { name, from, to }
  return { name, from, to, trailing: text.length - text.slice(behind).trimStart().length }
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

/** Hints are for reading: a long text is named, not repeated. */
const shown = (text: string): string => (text.length <= 160 ? text : `${text.slice(0, 120)}…`)

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

function isBlank(line: string, at: number): boolean {
  const c = line.charCodeAt(at)
  return c === 32 || (c >= 9 && c <= 13) || (c > 127 && /\s/.test(line.charAt(at)))
}

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

const QUOTE = 34
const APOSTROPHE = 39
const EQUALS = 61
const BACKSLASH = 92

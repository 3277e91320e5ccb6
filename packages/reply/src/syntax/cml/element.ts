import type { DiagnosticData } from '../../core/diagnostic.ts'
import { Texts } from '../reader.ts'
import type { CmlFinding, ElementPart, CdataSection } from './open.ts'

/*
 * The XML of an element of CML:
 *
 *   element   = "<" name { space attribute } [ space ] ( "/>" | ">" { element | CDATA | text } "</" name [ space ] ">" )
 *   attribute = name [ space ] "=" [ space ] ( '"' value '"' | "'" value "'" )
 *   value     = characters other than "<" and the quote; "&" begins a reference: &amp; &lt; &gt; &quot; &apos; &#65; &#x41;
 *
 * White space in a value is read as spaces. Namespaces mean nothing, declarations are refused by `locate.ts`.
 */

/** An element with what is in it, and where in the document it is. */
export interface Element {
  readonly kind: 'element'
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly start: number
  readonly end: number
  readonly nodes: readonly XmlNode[]
  /** Where each attribute is written. */
  readonly spans: ReadonlyMap<string, XmlSpan>
}

export type XmlNode =
  | Element
  | { readonly kind: 'section'; readonly section: CdataSection }
  /** Text outside CDATA. */
  | { readonly kind: 'text'; readonly at: number }

interface XmlSpan {
  readonly at: number
  readonly length: number
}

export type ParsedElement =
  | { readonly ok: true; readonly element: Element }
  | { readonly ok: false; readonly finding: CmlFinding }

/** The element that these parts of a text are. */
export function parseElement(text: string, parts: readonly ElementPart[]): ParsedElement {
  const element = buildElement(text, parts)
  if (!(element instanceof XmlError)) return { ok: true, element }
  // Raw text is the usual reason why its markup does not parse either.
  const stray = parts.find(({ at, end }) => at === end)?.at ?? Infinity
  return { ok: false, finding: stray < element.at ? outsideCdataFinding(stray) : element.finding() }
}

type OpenElement = Element & { end: number; readonly nodes: XmlNode[] }

function buildElement(text: string, parts: readonly ElementPart[]): Element | XmlError {
  const open: OpenElement[] = []
  for (const { at, end, section } of parts) {
    const within = open.at(-1)
    if (section !== undefined) within?.nodes.push({ kind: 'section', section })
    else if (at === end) {
      if (within?.nodes.at(-1)?.kind !== 'text') within?.nodes.push({ kind: 'text', at })
    } else if (text.startsWith('</', at)) {
      const wrong = within === undefined ? undefined : endTag(text, at, within.name)
      if (within === undefined || wrong !== undefined) return wrong ?? new XmlError(at, 'Root element is missing')
      within.end = end
      open.pop()
      if (open.length === 0) return within
    } else {
      const element = new TagReader(text, at, end).element()
      if (element === undefined) return noEnd(at, within?.name ?? '')
      if (element instanceof XmlError) return element
      within?.nodes.push(element)
      if (!text.startsWith('/>', end - 2)) open.push(element)
      else if (within === undefined) return element
    }
  }
  return noEnd(parts.at(-1)?.end ?? 0, open.at(-1)?.name ?? '')
}

/** What is wrong with an end tag for `name`. */
function endTag(text: string, at: number, name: string): XmlError | undefined {
  if (matchAt(nameOf, text, at + 2) !== name) return noEnd(at, name)
  const after = at + 2 + name.length
  const close = after + matchAt(spaces, text, after).length
  return text.charAt(close) === '>' ? undefined : new XmlError(close, `Unclosed end tag for element ${name}`, 'tag')
}

/** Reads one start tag, from its `<` to before `end`. */
class TagReader {
  readonly #text: string
  readonly #start: number
  readonly #end: number
  #at: number

  constructor(text: string, start: number, end: number) {
    this.#text = text
    this.#start = start
    this.#end = end
    this.#at = start + 1
  }

  /** Undefined where it has no name. */
  element(): OpenElement | XmlError | undefined {
    const name = this.#take(nameOf)
    if (name === '') return undefined
    const attributes = new Texts()
    const spans = new Map<string, XmlSpan>()
    while (this.#take(spaces) !== '') {
      const at = this.#at
      const attribute = this.#take(nameOf)
      if (attribute === '') break
      const value = this.#take(equals) === '' ? undefined : this.#value()
      if (value instanceof XmlError) return value
      if (value === undefined) return new XmlError(this.#at, 'Attribute value expected', 'quotes')
      if (attribute in attributes) return new XmlError(at, `Duplicate attribute: ${attribute}`, 'twice', attribute)
      attributes[attribute] = value
      spans.set(attribute, { at, length: this.#at - at })
    }
    if (this.#take(tagEnd) === '') return new XmlError(this.#at, `Unclosed start tag for element \`${name}\``, 'tag')
    return { kind: 'element', name, attributes, spans, start: this.#start, end: this.#at, nodes: [] }
  }

  /** A quoted value; undefined where there is none. */
  #value(): string | XmlError | undefined {
    const quote = this.#text.charAt(this.#at)
    if (quote !== '"' && quote !== "'") return undefined
    let value = ''
    this.#at++
    for (;;) {
      const plain = this.#take(quote === '"' ? untilQuote : untilApostrophe)
      const bad = forbidden.exec(plain)
      if (bad !== null) return new XmlError(this.#at - plain.length + bad.index, 'Invalid character', 'character')
      value += plain.replace(/\r\n|[\n\r\t]/g, ' ')
      const next = this.#at < this.#end ? this.#text.charAt(this.#at) : '<'
      if (next === '<') return new XmlError(this.#at, 'Unescaped `<` is not allowed in an attribute value', 'quotes')
      if (next === quote) {
        this.#at++
        return value
      }
      const character = this.#reference()
      if (character instanceof XmlError) return character
      value += character
    }
  }

  /** The character that a reference stands for. */
  #reference(): string | XmlError {
    const at = this.#at
    const wrong = (said: string): XmlError => new XmlError(at, said, 'reference')
    reference.lastIndex = at
    const [, name = '', end] = reference.exec(this.#text) ?? []
    if (end === undefined) return wrong('Unterminated reference (a reference must end with `;`)')
    this.#at += name.length + 2
    if (!name.startsWith('#')) return entities.get(name) ?? wrong(`Named entity isn't defined: &${name};`)
    const code = /^#\d+$/.test(name)
      ? Number(name.slice(1))
      : /^#x[\da-f]+$/i.test(name)
        ? Number(`0${name.slice(1)}`)
        : NaN
    if (Number.isNaN(code)) return wrong('Invalid character reference')
    const character = code <= 0x10ffff ? String.fromCodePoint(code) : '\0'
    return forbidden.test(character) ? wrong('Character reference resolves to an invalid character') : character
  }

  #take(pattern: RegExp): string {
    const found = matchAt(pattern, this.#text, this.#at)
    this.#at += found.length
    return found
  }
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}

const nameStart = String.raw`A-Za-z_:\xc0-\xd6\xd8-\xf6\xf8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff\uf900-\ufdcf\ufdf0-\ufffd\u{10000}-\u{effff}`
const nameMore = String.raw`\-.0-9\xb7\u0300-\u036f\u203f\u2040`
const nameOf = new RegExp(`[${nameStart}][${nameStart}${nameMore}]*`, 'uy')
const spaces = /[ \t\r\n]*/y
const equals = /[ \t\r\n]*=[ \t\r\n]*/y
const tagEnd = /\/?>/y
const untilQuote = /[^"&<]*/y
const untilApostrophe = /[^'&<]*/y
const reference = new RegExp(`&([#${nameStart}${nameMore}]*)(;)?`, 'uy')
/** What XML does not allow, not even as a reference. */
const forbidden = /[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u
const entities: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

type XmlDetail = DiagnosticData['cml-xml']['about']

class XmlError {
  readonly at: number
  readonly #said: string
  readonly #about: XmlDetail | 'end'
  readonly #name: string

  constructor(at: number, said: string, about: XmlDetail | 'end' = 'element', name = '') {
    this.at = at
    this.#said = said
    this.#about = about
    this.#name = name
  }

  finding(): CmlFinding {
    const [said, about, name] = [this.#said, this.#about, this.#name]
    const span = { at: this.at, length: 1 }
    return about === 'end'
      ? { code: 'cml-no-end', data: { name }, ...span }
      : { code: 'cml-xml', data: { said, about, name }, ...span }
  }
}

const noEnd = (at: number, name: string): XmlError =>
  new XmlError(at, `Missing end tag for element ${name}`, 'end', name)

/** Where an attribute of an element is written. */
export const attributeSpan = (element: Element, name: string): XmlSpan => element.spans.get(name) ?? tagSpan(element)

export const tagSpan = ({ start, name }: Element): XmlSpan => ({ at: start, length: name.length + 1 })

export const outsideCdataFinding = (at: number): CmlFinding => ({
  at,
  length: 1,
  code: 'cml-outside-cdata',
})

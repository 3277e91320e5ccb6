import type { XmlElement, XmlError } from '@rgrove/parse-xml'
import { createRequire } from 'node:module'
import type { Located } from './locate.ts'
import type { Misplaced, Section } from './open.ts'

/** An element with what is in it, and where in the document it is. */
export interface Element {
  readonly kind: 'element'
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly start: number
  readonly end: number
  readonly nodes: readonly Node[]
}

export type Node =
  | Element
  | { readonly kind: 'section'; readonly section: Section }
  /** Text outside CDATA. */
  | { readonly kind: 'text'; readonly at: number }

export type Parsed =
  | { readonly ok: true; readonly element: Element }
  | { readonly ok: false; readonly mistake: Misplaced }

/** Parses the tags of an element. This is the only file that knows which parser does it. */
export function parseElement(located: Located): Parsed {
  const { text } = located.tags
  const element = parse(text, located)
  if (!(element instanceof Error)) return { ok: true, element }
  return { ok: false, mistake: mistakeOf(element, located) }
}

/**
 * Most documents have no CML, so the parser is loaded when the first element is read; with `require`, because a reader
 * is synchronous.
 */
let loaded: typeof import('@rgrove/parse-xml') | undefined
const parser = (): typeof import('@rgrove/parse-xml') =>
  (loaded ??= createRequire(import.meta.url)('@rgrove/parse-xml'))

function parse(xml: string, located: Located): Element | XmlError {
  const { parseXml, XmlError } = parser()
  try {
    const { root } = parseXml(xml, options)
    return root === null ? new XmlError('Root element is missing', 0, xml) : convert(root, located)
  } catch (error) {
    if (error instanceof XmlError) return error
    throw error
  }
}

const options = { preserveCdata: true, includeOffsets: true }

/** Recursive, which `locate` makes safe: it lets nothing through that is nested deeply. */
function convert({ name, attributes, children, start, end }: XmlElement, located: Located): Element {
  const { XmlElement, XmlCdata, XmlText } = parser()
  const { tags, sections } = located
  const nodes: Node[] = []
  for (const child of children) {
    if (child instanceof XmlElement) nodes.push(convert(child, located))
    else if (child instanceof XmlCdata) {
      const section = sections[Number(child.text)]
      if (section !== undefined) nodes.push({ kind: 'section', section })
    } else if (child instanceof XmlText) nodes.push({ kind: 'text', at: tags.offsetOf(child.start) })
  }
  // Where characters take two units, the parser gives the end of the text as infinite.
  const last = Math.min(end, tags.text.length) - 1
  return { kind: 'element', name, attributes, start: tags.offsetOf(start), end: tags.offsetOf(last) + 1, nodes }
}

/** Where an attribute of an element is written. */
export function attributeAt(text: string, element: Element, name: string): { at: number; length: number } {
  attribute.lastIndex = element.start + 1 + element.name.length
  for (let found = attribute.exec(text); found !== null; found = attribute.exec(text)) {
    const [all, spaces = '', written] = found
    if (written === name) return { at: found.index + spaces.length, length: all.length - spaces.length }
  }
  return tagAt(element)
}

const attribute = /(\s+)([^\s=<>"']+)\s*=\s*(?:"[^"<]*"|'[^'<]*'|[^\s<>]+)/y

export const tagAt = ({ start, name }: Element): { at: number; length: number } => ({
  at: start,
  length: name.length + 1,
})

function mistakeOf(error: XmlError, { tags, stray }: Located): Misplaced {
  const position = unitAt(tags.text, error.pos)
  const at = tags.offsetOf(position)
  // Raw text is the usual reason why its markup does not parse either.
  if (stray !== undefined && stray < at) return outsideCdata(stray)
  const [first = ''] = error.message.split('\n', 1)
  const message = first.replace(/ \(line \d+, column \d+\)$/, '')
  const mistake = { code: 'malformed_xml', at, length: 1, message, hint: elementHint }
  for (const [pattern, explain] of explanations) {
    const found = pattern.exec(message)
    if (found === null) continue
    const { begins, ...explained } = explain(found[1] ?? '')
    const begun = begins === undefined ? -1 : tags.text.lastIndexOf(begins, position)
    return { ...mistake, ...explained, ...(begun === -1 ? {} : { at: tags.offsetOf(begun) }) }
  }
  return mistake
}

const elementHint = 'Write an element as <name attribute="value"><![CDATA[content]]></name>.'

export const outsideCdata = (at: number): Misplaced => ({
  code: 'malformed_xml',
  at,
  length: 1,
  message: 'Content must be wrapped in CDATA',
  hint: 'Write content as <![CDATA[…]]>, with ]]&gt; for every ]]> in it.',
})

/** What we say instead, by the parser's message. `begins`: what the mistake begins with, where the parser looks after it. */
type Explain = (name: string) => { readonly message?: string; readonly hint: string; readonly begins?: string }

const explanations: readonly (readonly [RegExp, Explain])[] = [
  [/^Missing end tag for element (.+)$/, (name) => ({ message: `Missing end tag: </${name}>`, hint: closingOf(name) })],
  [/^Unclosed (?:start|end) tag/, () => ({ hint: 'End the tag with >.' })],
  [/^Duplicate attribute: (.+)$/, (name) => ({ hint: `Give ${name} once.`, begins: name })],
  [/^Unescaped|^Unclosed attribute|^Attribute value/, () => ({ hint: 'Write attributes as name="value", in quotes.' })],
  [/reference|entity/i, () => ({ hint: 'Write & as &amp; in an attribute.', begins: '&' })],
  [/^Invalid character/, () => ({ hint: 'Leave control characters out of tags.' })],
]

const closingOf = (name: string): string =>
  name === 'read' || name === 'move' || name === 'remove'
    ? `End the tag with />: <${name} …/>`
    : `Close <${name}> with </${name}>.`

/** The parser counts characters, everything else here UTF-16 units. */
function unitAt(text: string, character: number): number {
  let at = 0
  for (let n = 0; n < character && at < text.length; n++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  return at
}

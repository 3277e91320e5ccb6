import type { XmlElement, XmlError } from '@rgrove/parse-xml'
import { createRequire } from 'node:module'
import type { Mistakes } from '../../core/mistake.ts'
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

export type Parsed = { readonly ok: true; readonly element: Element } | { readonly ok: false; readonly slip: Misplaced }

/** Parses the tags of an element. This is the only file that knows which parser does it. */
export function parseElement(located: Located): Parsed {
  const { text } = located.tags
  const element = parse(text, located)
  if (!(element instanceof Error)) return { ok: true, element }
  return { ok: false, slip: slipOf(element, located) }
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

function slipOf(error: XmlError, { tags, stray }: Located): Misplaced {
  const position = unitAt(tags.text, error.pos)
  const at = tags.offsetOf(position)
  // Raw text is the usual reason why its markup does not parse either.
  if (stray !== undefined && stray < at) return outsideCdata(stray)
  const [first = ''] = error.message.split('\n', 1)
  const said = first.replace(/ \(line \d+, column \d+\)$/, '')
  const slip = { code: 'malformed_xml', at, length: 1 }
  for (const [pattern, about] of parserMessages) {
    const found = pattern.exec(said)
    if (found === null) continue
    const [, name = ''] = found
    if (about === 'end') return { ...slip, mistake: { kind: 'cml-no-end', name } }
    // The parser looks after what the mistake begins with.
    const begins = about === 'twice' ? name : about === 'reference' ? '&' : undefined
    const begun = begins === undefined ? -1 : tags.text.lastIndexOf(begins, position)
    return {
      ...slip,
      ...(begun === -1 ? {} : { at: tags.offsetOf(begun) }),
      mistake: { kind: 'cml-xml', said, about, name },
    }
  }
  return { ...slip, mistake: { kind: 'cml-xml', said, about: 'element', name: '' } }
}

export const outsideCdata = (at: number): Misplaced => ({
  code: 'malformed_xml',
  at,
  length: 1,
  mistake: { kind: 'cml-outside-cdata' },
})

/** What a message of the parser is about. */
const parserMessages: readonly (readonly [RegExp, Mistakes['cml-xml']['about'] | 'end'])[] = [
  [/^Missing end tag for element (.+)$/, 'end'],
  [/^Unclosed (?:start|end) tag/, 'tag'],
  [/^Duplicate attribute: (.+)$/, 'twice'],
  [/^Unescaped|^Unclosed attribute|^Attribute value/, 'quotes'],
  [/reference|entity/i, 'reference'],
  [/^Invalid character/, 'character'],
]

/** The parser counts characters, everything else here UTF-16 units. */
function unitAt(text: string, character: number): number {
  let at = 0
  for (let n = 0; n < character && at < text.length; n++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
  return at
}

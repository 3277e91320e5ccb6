import { parseXml, XmlCdata, XmlElement, XmlError, XmlText } from '@rgrove/parse-xml'
import type { Mistakes } from '../../core/mistake.ts'
import { QUOTE, SPACE, Texts } from '../reader.ts'
import { type BlockName, CDATA, innerOpening, type Misplaced, type Part, type Section, type Tags } from './open.ts'

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

/** Where an element of ours is, by its tags alone. */
export interface Located {
  readonly name: BlockName
  readonly start: number
  /** After the last character that belongs to the element. */
  readonly end: number
  /**
   * `unclosed`: its end tag is missing, but what follows can be no part of it. `cut`: the text ended first, and no one
   * knows what of the rest was meant as its content.
   */
  readonly state: 'closed' | 'unclosed' | 'cut'
  readonly tags: Tags
  readonly sections: readonly Section[]
  /** The first text outside CDATA. */
  readonly stray: number | undefined
  /** Set when the element is not worth parsing. */
  readonly slip: Misplaced | undefined
  /** The element, where it is written as usual. */
  readonly usual?: Element
}

export type Parsed = { readonly ok: true; readonly element: Element } | { readonly ok: false; readonly slip: Misplaced }

/** Parses the tags of an element that is in a text. This is the only file that knows which parser does it. */
export function parseElement(text: string, located: Located): Parsed {
  const element = located.usual ?? usualElement(text, located.tags.parts) ?? parse(located.tags.text, located)
  if (!(element instanceof Error)) return { ok: true, element }
  return { ok: false, slip: slipOf(element, located) }
}

/**
 * An element as nearly all are written: names of small letters, and values of plain characters without references. That
 * takes a fraction of the time; about every other one, and about every mistake, the parser decides.
 */
function usualElement(text: string, parts: readonly Part[]): Element | undefined {
  const open: (Element & { end: number; readonly nodes: Node[] })[] = []
  for (const { at, end, section } of parts) {
    const within = open.at(-1)
    if (section !== undefined) {
      within?.nodes.push({ kind: 'section', section })
      continue
    }
    if (text.charCodeAt(at + 1) === SLASH) {
      if (within === undefined || !text.startsWith(within.name, at + 2)) return undefined
      if (end !== at + 3 + within.name.length || text.charCodeAt(end - 1) !== GT) return undefined
      within.end = end
      open.pop()
      if (open.length === 0) return end === parts.at(-1)?.end ? within : undefined
      continue
    }
    const element = usualTag(text, at)
    if (element?.end !== end || (within === undefined && at !== parts[0]?.at)) return undefined
    within?.nodes.push(element)
    if (text.charCodeAt(end - 2) !== SLASH) open.push(element)
    else if (within === undefined) return parts.length === 1 ? element : undefined
  }
  return undefined
}

/** A task with nothing but CDATA in it, as nearly all are written: it needs neither a list of its tags nor a parser. */
export function usualTask(text: string, start: number): Element | undefined {
  const task = usualTag(text, start)
  if (task === undefined || !text.startsWith(CDATA, task.end) || text.charCodeAt(task.end - 2) === SLASH)
    return undefined
  const from = task.end + CDATA.length
  const to = text.indexOf(']]>', from)
  const end = to + 5 + task.name.length
  if (to === -1 || text.charCodeAt(end) !== GT || !text.startsWith(task.name, to + 5)) return undefined
  if (!text.startsWith('</', to + 3) || innerOpening(text, from, to) !== -1) return undefined
  task.nodes.push({ kind: 'section', section: { from, to } })
  task.end = end + 1
  return task
}

function usualTag(text: string, start: number): (Element & { end: number; nodes: Node[] }) | undefined {
  const attributes = new Texts()
  let at = afterName(text, start + 1)
  if (at === start + 1) return undefined
  const name = known(text.slice(start + 1, at))
  while (text.charCodeAt(at) === SPACE) {
    const from = at + 1
    at = afterName(text, from)
    if (at === from || !text.startsWith('="', at)) return undefined
    const attribute = known(text.slice(from, at))
    if (attribute in attributes) return undefined
    const value = at + 2
    for (at = value; isPlain(text.charCodeAt(at)); at++);
    if (text.charCodeAt(at) !== QUOTE) return undefined
    attributes[attribute] = text.slice(value, at++)
  }
  if (text.charCodeAt(at) === SLASH) at++
  return text.charCodeAt(at) === GT ? { kind: 'element', name, attributes, start, end: at + 1, nodes: [] } : undefined
}

function afterName(text: string, from: number): number {
  let at = from
  for (let c = text.charCodeAt(at); (c >= 97 && c <= 122) || (c === HYPHEN && at > from);) c = text.charCodeAt(++at)
  return at
}

/** Not a quote, a reference, a tag or a control character. */
const isPlain = (c: number): boolean => c >= SPACE && c <= 126 && c !== QUOTE && c !== 38 && c !== 60

/** V8 looks up a name that it has just read from a text far more slowly than one that it knows. */
const known = (name: string): string => names.get(name) ?? name
const names = new Map([
  ['tasks', 'tasks'],
  ['edit', 'edit'],
  ['write', 'write'],
  ['run', 'run'],
  ['read', 'read'],
  ['exec', 'exec'],
  ['move', 'move'],
  ['remove', 'remove'],
  ['search', 'search'],
  ['search-start', 'search-start'],
  ['search-end', 'search-end'],
  ['replace', 'replace'],
  ['path', 'path'],
  ['append', 'append'],
  ['count', 'count'],
  ['dir', 'dir'],
])

const SLASH = 47
const GT = 62
const HYPHEN = 45

function parse(xml: string, located: Located): Element | XmlError {
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

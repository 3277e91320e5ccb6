import { rewriteAttributes } from '../damage.ts'
import { Markers, type ReadThroughDamage } from '../tokens.ts'
import { findEscaped, toPlainMarker, removeDamage, withoutOuterSpaces } from '../../text/undamage.ts'
import { type BlockName, blockNames } from '../../core/cml-tasks.ts'
import { CDATA, isNamed, namesHolding, partNames } from './open.ts'

/**
 * The tags of one element through damage, from its own to the one that closes it. They are cleaned line by line; the content
 * of CDATA is not changed, although it may share a line with them. What the element is, the parser says of the clean text.
 */
export const readDamagedCml: ReadThroughDamage = (view, start) => {
  const first = view.line(start) ?? ''
  const name = blockNameIn(toPlainMarker(first))
  if (name === undefined) return undefined
  const markers = new Markers()
  const escaped = findEscaped(first).escaped.has('<')
  const endTag = new RegExp(`</${name}\\s*>`)
  let inside = false
  for (let n = start; ; n++) {
    const line = view.line(n)
    if (line === undefined) return undefined
    const pieces = splitLine(line, inside, escaped)
    if (pieces === undefined) return undefined
    // Only a group contains others: this one is not closed.
    if (n > start && !inside && name !== 'tasks' && blockNameIn(pieces.tags.trimStart()) !== undefined) return undefined
    if (pieces.markup !== '') markers.take(n, pieces)
    inside = pieces.inside
    const isClosed = endTag.test(pieces.tags) || (n === start && /\/>\s*$/.test(pieces.tags))
    if (isClosed) return inside ? undefined : { start, end: n, markers: markers.list }
  }
}

const blockNameIn = (tags: string): BlockName | undefined =>
  tags.startsWith('<') ? blockNames.find((name) => isNamed(tags, 1, name)) : undefined

interface Pieces {
  readonly clean: string
  readonly markup: string
  /** The tags of the line, clean. */
  readonly tags: string
  /** Whether the line ends in CDATA. */
  readonly inside: boolean
}

const open = /(?:<|&lt;|&#60;|&#x3c;|&#x3C;|\\<)\\?!(?:\[|\\\[)CDATA(?:\[|\\\[)/
const plainOpen = /<!\[CDATA\[/
/** `]]&gt;` is content, except where every `<` is escaped too. */
const close = /(?:\]|\\\]){2}(?:>|&gt;|&#62;|&#x3e;|&#x3E;|\\>)/
const plainClose = /\]\]>/

function splitLine(line: string, inside: boolean, escaped: boolean): Pieces | undefined {
  let clean = ''
  let markup = ''
  let tags = ''
  let rest = line
  let content = inside
  for (;;) {
    const found = (content ? (escaped ? close : plainClose) : escaped ? open : plainOpen).exec(rest)
    const piece = found === null ? rest : rest.slice(0, found.index)
    if (content) clean += piece
    else {
      const tag = tagsIn(piece)
      if (tag === undefined) return undefined
      clean += tag.clean
      markup += tag.markup
      tags += tag.clean
    }
    if (found === null) {
      // What follows the opening of CDATA on its line was put there with it.
      const spaces = content && markup !== '' && isBlankText(piece)
      return { clean, markup: spaces ? markup + piece : markup, tags, inside: content }
    }
    clean += content ? ']]>' : '<![CDATA['
    markup += found[0]
    content = !content
    rest = rest.slice(found.index + found[0].length)
  }
}

const isBlankText = (text: string): boolean => withoutOuterSpaces(text) === ''

/** Tags and nothing else. The values of their attributes stay as they are. */
function tagsIn(written: string): { clean: string; markup: string } | undefined {
  if (isBlankText(written)) return { clean: written, markup: '' }
  let clean = ''
  let markup = ''
  let at = 0
  for (tag.lastIndex = 0; ; at = tag.lastIndex) {
    const found = tag.exec(written)
    if (found === null) break
    const [, before = '', opening = '', name = '', inner = '', closing = ''] = found
    const attributes = rewriteAttributes(inner, 'xml')
    if (attributes === undefined) return undefined
    const start = toPlainMarker(opening)
    clean += `${removeDamage(before, ['invisible', 'spaces'])}${start}${name}${attributes.clean}${toPlainMarker(closing)}`
    markup += `${before}${opening}${attributes.markup}${closing}`
  }
  const rest = written.slice(at)
  return isBlankText(rest) && at > 0 ? { clean, markup: markup + rest } : undefined
}

const tag =
  /([^\w<&\\]*)((?:<|&lt;|&#60;|&#x3[cC];|\\<)\\?\/?)([a-z]+(?:\\?-[a-z]+)?)((?:"[^"]*"|'[^']*'|(?!&gt;|&#62;|&#x3[eE];)[^<>"'])*?)(\\?\/?(?:\\?>|&gt;|&#62;|&#x3[eE];))/gy

/**
 * An element that has mistakes, as it was meant: texts without CDATA, attributes without quotes, a missing end tag.
 * Undefined where that is not certain.
 */
export function correctCml(raw: string): string | undefined {
  const [, name = ''] = /^<(\w+)/.exec(raw) ?? []
  if (name !== 'tasks') return correctElement(name, raw)
  const open = /^<tasks\b[^>]*>/.exec(raw)?.[0]
  if (open === undefined) return undefined
  const inner = raw.slice(open.length).replace(/<\/tasks\s*>\s*$/, '')
  let failed = false
  const members = inner.replace(MEMBER, (element, member: string | undefined) => {
    const text = member === undefined ? element : correctElement(member, element)
    failed ||= text === undefined
    return text ?? ''
  })
  return failed ? undefined : `${correctAttributes(open)}${members.trimEnd()}\n</tasks>`
}

const MEMBER = new RegExp(
  String.raw`<(${[...namesHolding('text'), ...namesHolding('parts')].join('|')})\b[\s\S]*?<\/\1\s*>|<(?:${namesHolding('nothing').join('|')})\b[^>]*\/>`,
  'g',
)

function correctElement(name: string, element: string): string | undefined {
  const open = /^<\w+\b[^>]*>/.exec(element)?.[0]
  if (open === undefined || open.endsWith('/>'))
    return open === undefined ? undefined : correctAttributes(element.trimEnd())
  const rest = element.slice(open.length)
  const closed = new RegExp(`</${name}\\s*>\\s*$`).exec(rest)
  // What is not closed is whole only if its last text is.
  if (closed === null && !/(?:\]\]>|<\/replace>)\s*$/.test(rest)) return undefined
  const inner = closed === null ? rest.trimEnd() : rest.slice(0, closed.index)
  const body = name === 'edit' ? correctParts(inner) : correctSection(inner, name === 'write')
  return body === undefined ? undefined : `${correctAttributes(open)}${body}</${name}>`
}

function correctParts(inner: string): string | undefined {
  let failed = false
  const text = inner.replace(
    new RegExp(String.raw`<(${partNames.join('|')})>([\s\S]*?)<\/\1>`, 'g'),
    (_, part: string, own: string) => {
      const written = correctSection(own, false)
      failed ||= written === undefined
      return `<${part}>${written ?? ''}</${part}>`
    },
  )
  return failed ? undefined : text
}

/**
 * A text in CDATA. Where it has lines of its own, the line breaks next to the tags are layout; only a file ends with one.
 */
function correctSection(inner: string, isFile: boolean): string | undefined {
  if (/^\s*<!\[CDATA\[[\s\S]*\]\]>\s*$/.test(inner)) return inner
  if (inner.includes(CDATA)) return undefined
  // A text whose only markup is escaped is either XML or means the escapes.
  if (/&(?:lt|gt|amp|quot|apos|#\w+);/.test(inner) && !/<|&(?![\w#]+;)/.test(inner)) return undefined
  const [, lines] = /^[ \t]*\r?\n([\s\S]*?)[ \t]*$/.exec(inner) ?? []
  const text = lines === undefined ? inner : isFile ? lines : lines.replace(/\r?\n$/, '')
  return `${CDATA}${text.replaceAll(']]>', ']]&gt;')}]]>`
}

/** A tag whose attributes are in quotes, with the characters escaped that XML does not allow there. */
const correctAttributes = (tag: string): string =>
  tag.replace(
    /(\s[\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]*[^\s"'>/]))/g,
    (_, name: string, ...values: unknown[]) => {
      const value = values.slice(0, 3).find((one) => typeof one === 'string')
      const text = String(value)
        .replace(/&(?!\w+;|#)/g, '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('"', '&quot;')
      return `${name}="${text}"`
    },
  )

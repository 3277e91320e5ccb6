import { type Surroundings, firstFrom } from './bounds.ts'
import type { Kind } from './language.ts'
import type { Structure } from './structure.ts'
import type { Span } from '@clada/reply/text/edit.ts'

const LONGEST = 400
const SHORT = 80

/** After the decorators and comments that a structure starts with. */
export function headerStart({ source, comments, decorators }: Surroundings, start: number, end: number): number {
  const { text } = source
  let at = start
  for (;;) {
    while (at < end && /\s/.test(text.charAt(at))) at++
    const decorator = firstFrom(decorators, at)
    const comment = firstFrom(comments, at)
    if (decorator?.start === at) at = decorator.end
    else if (comment?.start === at) at = comment.end
    else return at < end ? at : start
  }
}

/** The text from `start` to the body, or to the end of the line, in one line and without what opens the body. */
export function headerText(
  { source, comments }: Surroundings,
  start: number,
  end: number,
  body: number | null,
): string {
  const lineEnd = source.endOf(source.lineAt(start))
  const to = Math.min(body !== null && body > start ? body : Math.min(lineEnd, end), start + LONGEST)
  const header = collapseSpaces(withoutSpans(source.text, start, to, comments))
  // The first expression is enough for most, and the tables of the second take a while to make.
  if (/[A-Za-z0-9]/.test(header) || /[\p{L}\p{N}]/u.test(header)) return withoutOpener(header)
  // A line that only opens something means nothing; what follows does: `{ "name": "x"`.
  return collapseSpaces(withoutSpans(source.text, start, Math.min(end, start + LONGEST), comments)).slice(0, SHORT)
}

const collapseSpaces = (text: string): string => text.replace(/\s+/g, ' ').trim()

const opener = /(?:\s*(?:[{:;=([,]|=>|->|(?<=\W)(?:then|do)))+$/

/** `if x {` and `if x` are one header. */
export function withoutOpener(header: string): string {
  const bare = header.replace(opener, '')
  return bare === '' ? header : bare
}

function withoutSpans(text: string, start: number, end: number, spans: readonly Span[]): string {
  const pieces: string[] = []
  let at = start
  for (let span = firstFrom(spans, at); span !== undefined && span.start < end; span = firstFrom(spans, at)) {
    pieces.push(text.slice(at, span.start))
    at = Math.max(span.end, at + 1)
  }
  if (at < end) pieces.push(text.slice(at, end))
  return pieces.join(' ')
}

/**
 * What a structure may be called besides its header, by those who write from memory: an `impl` without parameters and
 * paths, an element by its id and its classes, a declarator with what is said once for all of them.
 */
export interface Called {
  readonly kind: Kind
  readonly header: string
  /** The line that it starts on after something else; null where it is the first of its line. */
  readonly line: string | null
  /** What a group says before its first member: `const`, `private int`. */
  readonly shared: string | null
  /** Whether it is a value without members: `- main`. */
  readonly plain: boolean
}

/** Tells those that have none without asking for their header. */
export const mayHaveOthers = ({ kind, parent }: Structure): boolean =>
  valued.has(kind) || ['impl', 'element', 'item'].includes(kind) || parent?.kind === 'group'

export function otherHeadersOf({ kind, header, line, shared, plain }: Called): string[] {
  if (shared !== null) return [`${shared} ${header}`]
  if (kind === 'impl') return [withoutParameters(header), withoutPaths(withoutParameters(header))]
  if (kind === 'element') return selectorsOf(header)
  if (kind === 'item') return plain ? valuesOf(header) : []
  // `return match x {`, `{items.map((item) => (`: who reads the file sees the line.
  return line === null ? [] : [line, line.replace(/^[{(\s]+/, '')]
}

/** Kinds that may be in the middle of a line: as a value, they have no line of their own. */
export const valued: ReadonlySet<Kind> = new Set<Kind>(['lambda', 'if', 'switch', 'try', 'for', 'while', 'block'])

/** `impl<T> Clone for Iter<'_, T>` is the `impl Clone for Iter`, `func (s *Set[K]) Add` the `func (s *Set) Add`. */
export function withoutParameters(header: string): string {
  const bare = header.replace(/<[^<>]*>|\[[^[\]]*\]/g, '')
  return bare === header ? bare : withoutParameters(bare)
}

const withoutPaths = (header: string): string => header.replace(/\b\w+::/g, '')

/** `<nav id="top" class="a b">` is `<nav>`, `#top`, `nav#top`, `.a`, `nav.a.b`, `<nav id="top">`. */
function selectorsOf(header: string): string[] {
  const tag = /^<([\w:-]+)/.exec(header)?.[1]
  if (tag === undefined) return []
  const attributes = [...header.matchAll(/\s(id|class)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gi)]
  const selectors = attributes.flatMap(([text, name = '', ...values]) => {
    const names = (values.find((value) => value !== undefined) ?? '').split(/\s+/).filter((one) => one !== '')
    const mark = name.toLowerCase() === 'id' ? '#' : '.'
    const each = names.map((one) => mark + one)
    const all = each.length > 1 ? [...each, each.join('')] : each
    return [`<${tag}${text}>`, ...all.flatMap((one) => [one, tag + one])]
  })
  return [`<${tag}>`, ...selectors]
}

/** `- "80:80"` is `80:80`, with and without dash and quotes. */
function valuesOf(header: string): string[] {
  const value = header.replace(/^-\s+/, '')
  if (value === header) return []
  const bare = /^(["'])(.*)\1$/.exec(value)?.[2] ?? value
  return [value, bare, `"${bare}"`, `- ${bare}`]
}

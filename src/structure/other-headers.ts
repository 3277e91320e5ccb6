import type { Kind } from './language.ts'
import type { Structure } from './structure.ts'

/**
 * What a structure may be called besides its header, by those who write from memory: an `impl` without parameters and
 * paths, an element by its id and its classes, a declarator with what is said once for all of them.
 */
export interface Called {
  readonly kind: Kind
  readonly header: string
  /** The line that it starts on behind something else; null where it is the first of its line. */
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

/** Kinds that may stand in the middle of a line: as a value, they have no line of their own. */
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

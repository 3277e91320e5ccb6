import { CDATA } from './open.ts'

/**
 * An element that has mistakes, as it was meant: texts without CDATA, attributes without quotes, a missing end tag.
 * Undefined where that is not certain.
 */
export function correctedCml(raw: string): string | undefined {
  const [, name = ''] = /^<(\w+)/.exec(raw) ?? []
  if (name !== 'tasks') return corrected(name, raw)
  const open = /^<tasks\b[^>]*>/.exec(raw)?.[0]
  if (open === undefined) return undefined
  const inner = raw.slice(open.length).replace(/<\/tasks\s*>\s*$/, '')
  let failed = false
  const members = inner.replace(MEMBER, (element, member: string | undefined) => {
    const text = member === undefined ? element : corrected(member, element)
    failed ||= text === undefined
    return text ?? ''
  })
  return failed ? undefined : `${attributes(open)}${members.trimEnd()}\n</tasks>`
}

const MEMBER = /<(write|edit|run|exec)\b[\s\S]*?<\/\1\s*>|<(?:move|remove|read)\b[^>]*\/>/g

function corrected(name: string, element: string): string | undefined {
  const open = /^<\w+\b[^>]*>/.exec(element)?.[0]
  if (open === undefined || open.endsWith('/>')) return open === undefined ? undefined : attributes(element.trimEnd())
  const rest = element.slice(open.length)
  const closed = new RegExp(`</${name}\\s*>\\s*$`).exec(rest)
  // What is not closed is whole only if its last text is.
  if (closed === null && !/(?:\]\]>|<\/replace>)\s*$/.test(rest)) return undefined
  const inner = closed === null ? rest.trimEnd() : rest.slice(0, closed.index)
  const body = name === 'edit' ? parts(inner) : section(inner, name === 'write')
  return body === undefined ? undefined : `${attributes(open)}${body}</${name}>`
}

function parts(inner: string): string | undefined {
  let failed = false
  const text = inner.replace(
    /<(search|search-start|search-end|replace)>([\s\S]*?)<\/\1>/g,
    (_, part: string, own: string) => {
      const written = section(own, false)
      failed ||= written === undefined
      return `<${part}>${written ?? ''}</${part}>`
    },
  )
  return failed ? undefined : text
}

/**
 * A text in CDATA. Where it has lines of its own, the line breaks next to the tags are layout; only a file ends with one.
 */
function section(inner: string, isFile: boolean): string | undefined {
  if (/^\s*<!\[CDATA\[[\s\S]*\]\]>\s*$/.test(inner)) return inner
  if (inner.includes(CDATA)) return undefined
  // A text whose only markup is escaped is either XML or means the escapes.
  if (/&(?:lt|gt|amp|quot|apos|#\w+);/.test(inner) && !/<|&(?![\w#]+;)/.test(inner)) return undefined
  const [, lines] = /^[ \t]*\r?\n([\s\S]*?)[ \t]*$/.exec(inner) ?? []
  const text = lines === undefined ? inner : isFile ? lines : lines.replace(/\r?\n$/, '')
  return `${CDATA}${text.replaceAll(']]>', ']]&gt;')}]]>`
}

/** A tag whose attributes are in quotes, with the characters escaped that XML does not allow there. */
const attributes = (tag: string): string =>
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

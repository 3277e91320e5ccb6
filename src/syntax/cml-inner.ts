import { CDATA } from './cml-open.ts'

/**
 * Where one of our own elements opens its CDATA inside CDATA and nobody wrote `]]&gt;` behind it; -1 when there is none.
 * Models document this very language and forget to escape: the first `]]>` is then the one of the example, and what
 * follows it would be read as blocks.
 */
export function innerOpening(text: string, from: number, to: number): number {
  const first = text.indexOf(CDATA, from)
  if (first === -1 || first >= to) return -1
  const inner = text.lastIndexOf(CDATA, to)
  if (text.slice(inner, to).includes(ESCAPED)) return -1
  return ownTag.test(text.slice(Math.max(from, inner - 500), inner)) ? inner : -1
}

const ESCAPED = ']]&gt;'
const ownTag = /<(?:write|run|search|search-start|search-end|replace)(?:\s[^<>]*)?>\s*$/

/** Where CDATA ends if every opening inside it is meant to have an end of its own; -1 when the text ends first. */
export function balancedEnd(text: string, from: number): number {
  const mark = /<!\[CDATA\[|\]\](?:>|&gt;)/g
  mark.lastIndex = from
  let level = 1
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    if (found[0] === CDATA) level++
    else if (found[0] !== ESCAPED || level > 1) level--
    if (level === 0) return found.index
  }
  return -1
}

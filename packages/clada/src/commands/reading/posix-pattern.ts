import { lookUp } from '@clada/reply/core/look-up.ts'

/**
 * A pattern of POSIX, with what GNU grep adds, for ripgrep. In a basic one `( ) { } + ? |` are ordinary characters, and
 * special with a backslash; in an extended one it is the other way round, as in ripgrep.
 */
export function fromPosix(pattern: string, extended: boolean): string {
  const parts = splitPattern(pattern)
  let begins = true
  return parts
    .map((part, at) => {
      const isFirst = begins
      const meaning = meaningOf(part, extended)
      begins = meaning === '(' || meaning === '|' || (isFirst && meaning === '^')
      if (part.length > 1 && part.startsWith('[')) return bracket(part)
      switch (meaning) {
        case '{':
          // One that begins no interval is an ordinary character: `function f() {`.
          return !isFirst && isInterval(parts.slice(at + 1, at + 1 + longestInterval), extended) ? '{' : '\\{'
        case '*':
        case '+':
        case '?':
          return isFirst ? `\\${meaning}` : meaning
        case '^':
          return extended || isFirst ? '^' : '\\^'
        case '$':
          return extended || isLast(parts[at + 1], extended) ? '$' : '\\$'
        case '(':
        case ')':
        case '|':
        case '}':
        case '.':
          return meaning
        default:
          return part.length > 1 ? convertEscape(part) : part.replace(/[\\^$.*+?()[\]{}|]/, '\\$&')
      }
    })
    .join('')
}

/** Characters, those after a backslash with it, and sets in brackets. After one that is not closed there are no sets. */
function splitPattern(pattern: string): string[] {
  const parts: string[] = []
  let isUnclosed = false
  for (let at = 0; at < pattern.length;) {
    const character = pattern[at] ?? ''
    const end = character === '[' && !isUnclosed ? endOfSet(pattern, at) : undefined
    if (character === '[' && end === undefined) isUnclosed = true
    const next = end ?? at + (character === '\\' ? 2 : 1)
    parts.push(pattern.slice(at, next))
    at = next
  }
  return parts
}

/** A bracket that comes first is in the set, and `[:alpha:]` has one of its own. */
function endOfSet(pattern: string, start: number): number | undefined {
  let at = start + 1
  if (pattern[at] === '^') at++
  if (pattern[at] === ']') at++
  for (let end = pattern.indexOf(']', at); end !== -1; end = pattern.indexOf(']', at)) {
    if (!/\[[:.=]/.test(pattern.slice(at, end))) return end + 1
    at = end + 1
  }
  return undefined
}

/** `32767,32767\}` */
const longestInterval = 16

/** The special character that a part stands for; empty for an ordinary one. */
function meaningOf(part: string, extended: boolean): string {
  if (/^[*^$.]$/.test(part)) return part
  if (/^[(){}+?|]$/.test(part)) return extended ? part : ''
  return !extended && /^\\[(){}+?|]$/.test(part) ? part.slice(1) : ''
}

/** Whether `2}`, `2,}` or `2,3}` follows, with a backslash before the bracket in a basic pattern. */
const isInterval = (parts: readonly string[], extended: boolean): boolean =>
  (extended ? /^\d+(?:,\d*)?\}/ : /^\d+(?:,\d*)?\\\}/).test(parts.join(''))

/** In a basic pattern `$` is special at the end only. */
const isLast = (next: string | undefined, extended: boolean): boolean =>
  next === undefined || ['|', ')'].includes(meaningOf(next, extended))

/** `\<` and `\>` are the two sides of `\b`; a backslash before an ordinary letter means nothing. */
function convertEscape(part: string): string {
  if (part === '\\<') return '\\b{start}'
  if (part === '\\>') return '\\b{end}'
  return /^\\[a-zA-Z]$/.test(part) && !/^\\[wWsSbBdD]$/.test(part) ? part.slice(1) : part
}

/** In brackets a backslash and a second bracket are ordinary, and the classes know all letters. */
function bracket(part: string): string {
  const [, open = '', inner = ''] = /^(\[\^?)([\s\S]*)\]$/.exec(part) ?? []
  const classes = inner.replace(/\[:(\w+):\]|\[[.=](.)[.=]\]|[\\[\]&~]/g, (one, name?: string, character?: string) => {
    if (name !== undefined) return lookUp(letters, name) ?? one
    return `\\${character ?? one}`
  })
  return `${open}${classes}]`
}

const letters: Readonly<Record<string, string>> = {
  alpha: '\\p{Alphabetic}',
  digit: '0-9',
  alnum: '\\p{Alphabetic}\\p{Nd}',
  upper: '\\p{Lu}',
  lower: '\\p{Ll}',
  punct: '\\p{P}\\p{S}',
}

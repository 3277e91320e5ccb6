import { withoutOuterBlankLines } from './lines.ts'
import { isShortWord, squeezed, straight } from './plain.ts'
import { longestPart, readingsOf } from './readings.ts'

/**
 * A short phrase when `wanted` would be in `found` but for one kind of difference, else undefined.
 * `found` may hold more than what was wanted, such as the rest of its lines.
 */
export function explainDifference(wanted: string, found: string, param = 'old_text'): string | undefined {
  if (wanted.trim() === '' || found.includes(wanted)) return undefined
  const place = found.replaceAll('\r\n', '\n')
  const text = wanted.replaceAll('\r\n', '\n')
  if (place.includes(text)) return wanted.includes('\r') ? `${param} has CRLF line ends` : undefined

  const core = withoutOuterBlankLines(text)
  if (place.includes(core)) return edges(text, core, param)
  const same = KINDS.find(({ view, loose }) => view(place).includes(view(core)) && !(loose && isShortWord(core)))
  if (same !== undefined) return typeof same.why === 'string' ? same.why : same.why(core, place)
  const reading = readingsOf(wanted).find((other) => squeezed(place).includes(squeezed(other.text)))
  if (reading !== undefined) return `${param} ${reading.why}`
  if (place.replace(/\\(["'`])/g, '$1').includes(core)) return 'the quotes are escaped in the file'
  const part = longestPart(core)
  if (part !== undefined && !place.includes(part.dots) && squeezed(place).includes(squeezed(part.text))) {
    return `${param} leaves lines out`
  }
  return undefined
}

function edges(text: string, core: string, param: string): string {
  const front = text.startsWith(core)
  const back = text.endsWith(core)
  if (front) return `${param} is there but for a final newline`
  return back ? `${param} is there but for a newline before it` : `${param} is there but for the newlines around it`
}

interface Kind {
  /** What is left of a text when this kind of difference is taken away. */
  view(text: string): string
  /** Whether it takes away what keeps words apart. */
  loose?: boolean
  why: string | ((wanted: string, found: string) => string)
}

// Not `/[ \t]+$/gm`, which takes quadratic time on a long run of spaces.
const withoutTrailing = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
const withoutIndent = (text: string) => withoutTrailing(text).replace(/^[ \t]+/gm, '')
const withoutBlankLines = (text: string) => text.replace(/\n(?:[ \t]*\n)+/g, '\n')

/** From the narrowest to the widest, so that the first to fit says most. */
const KINDS: Kind[] = [
  { view: withoutTrailing, why: 'only trailing spaces differ' },
  { view: withoutIndent, why: indentation },
  { view: withoutBlankLines, why: 'only blank lines differ' },
  { view: (text) => withoutBlankLines(withoutIndent(text)), why: 'only indentation and blank lines differ' },
  { view: straight, why: quotes },
  { view: (text) => text.replace(/[\u200b-\u200d\u2060\ufeff\xad]/g, ''), why: 'only invisible characters differ' },
  { view: (text) => text.replace(/[\xa0\u2000-\u200a\u202f\u3000]/g, ' '), why: 'only no-break or wide spaces differ' },
  { view: (text) => text.replace(/\s+/g, ''), loose: true, why: 'only spaces and line breaks differ' },
  { view: squeezed, loose: true, why: 'only spaces and quotes differ' },
  { view: (text) => text.toLowerCase(), why: 'only upper and lower case differ' },
]

function indentation(wanted: string, found: string): string {
  const tabs = (text: string) => /^ *\t/m.test(text)
  const spaces = (text: string) => /^\t* {2}/m.test(text)
  if (tabs(wanted) && !tabs(found) && spaces(found)) return 'only indentation differs: tabs instead of spaces'
  if (tabs(found) && !tabs(wanted) && spaces(wanted)) return 'only indentation differs: spaces instead of tabs'
  return 'only indentation differs'
}

function quotes(wanted: string): string {
  if (straight(wanted) === wanted) return 'straight quotes or hyphens instead of typographic ones'
  return /[\u2018-\u201f]/.test(wanted)
    ? 'typographic quotes instead of straight ones'
    : 'a typographic dash instead of a hyphen'
}

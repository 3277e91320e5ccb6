import { withoutOuterBlankLines } from './lines.ts'
import { isShortWord, characterClass, squeeze, straighten, foldKinds } from './characters.ts'

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
  if (place.includes(core)) return explainEdges(text, core, param)
  const same = KINDS.find(
    ({ view, joinsWords }) => view(place).includes(view(core)) && !(joinsWords && isShortWord(core)),
  )
  if (same !== undefined) return typeof same.why === 'string' ? same.why : same.why(core, place)
  const reading = searchVariants(wanted).find((other) => squeeze(place).includes(squeeze(other.text)))
  if (reading !== undefined) return `${param} ${reading.why}`
  if (place.replace(/\\(["'`])/g, '$1').includes(core)) return 'the quotes are escaped in the file'
  const part = findLongestPart(core)
  if (part !== undefined && !place.includes(part.dots) && squeeze(place).includes(squeeze(part.text))) {
    return `${param} leaves lines out`
  }
  return undefined
}

function explainEdges(text: string, core: string, param: string): string {
  const front = text.startsWith(core)
  const back = text.endsWith(core)
  if (front) return `${param} matches except for a final newline`
  return back ? `${param} matches except for a newline before it` : `${param} matches except for the newlines around it`
}

interface DifferenceKind {
  /** What is left of a text when this kind of difference is taken away. */
  view(text: string): string
  /** Whether it removes the separator of words. */
  joinsWords?: boolean
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
const KINDS: DifferenceKind[] = [
  { view: withoutTrailing, why: 'only trailing spaces differ' },
  { view: withoutIndent, why: explainIndentation },
  { view: withoutBlankLines, why: 'only blank lines differ' },
  { view: (text) => withoutBlankLines(withoutIndent(text)), why: 'only indentation and blank lines differ' },
  { view: straighten, why: explainQuotes },
  { view: (text) => foldKinds(text, ['invisible']), why: 'only invisible characters differ' },
  { view: (text) => foldKinds(text, ['space']), why: 'only no-break or wide spaces differ' },
  { view: (text) => text.replace(/\s+/g, ''), joinsWords: true, why: 'only spaces and line breaks differ' },
  { view: squeeze, joinsWords: true, why: 'only spaces and quotes differ' },
  { view: (text) => text.toLowerCase(), why: 'only upper and lower case differ' },
]

function explainIndentation(wanted: string, found: string): string {
  const tabs = (text: string) => /^ *\t/m.test(text)
  const spaces = (text: string) => /^\t* {2}/m.test(text)
  if (tabs(wanted) && !tabs(found) && spaces(found)) return 'only indentation differs: tabs instead of spaces'
  if (tabs(found) && !tabs(wanted) && spaces(wanted)) return 'only indentation differs: spaces instead of tabs'
  return 'only indentation differs'
}

function explainQuotes(wanted: string): string {
  if (straighten(wanted) === wanted) return 'straight quotes or hyphens instead of typographic ones'
  return QUOTES.test(wanted) ? 'typographic quotes instead of straight ones' : 'a typographic dash instead of a hyphen'
}

const QUOTES = new RegExp(`[${characterClass('quote')}]`)

/** Another way to read a text that was not found: without what a model puts around or into copied text. */
interface OtherText {
  text: string
  /** What was taken away, to follow the parameter's name. */
  why: string
  /** Whether it can hardly be meant as it is. */
  certain: boolean
}

export function searchVariants(wanted: string): OtherText[] {
  return [
    withoutLineNumbers(wanted),
    withoutDiffMarks(wanted),
    withoutCodeFence(wanted),
    withoutBackslashes(wanted),
    withoutEntities(wanted),
  ].flatMap((reading) =>
    reading !== undefined && reading.text !== wanted && reading.text.trim() !== '' ? [reading] : [],
  )
}

/** `12: text`, `12 | text`, `12→text`; a bare space after the number only when the numbers count up. */
function withoutLineNumbers(wanted: string): OtherText | undefined {
  const lines = wanted.split('\n')
  const numbers: number[] = []
  const texts: string[] = []
  let marked = 0
  for (const line of lines) {
    const match = /^[ \t]*(\d{1,7})(?:([ \t]*[:|│→] ?|\t)| |$)/.exec(line)
    if (match === null && line.trim() !== '') return undefined
    if (match?.[1] !== undefined) numbers.push(Number(match[1]))
    if (match?.[2] !== undefined) marked++
    texts.push(match === null ? line : line.slice(match[0].length))
  }
  const counting = numbers.every((number, index) => number - index === numbers[0])
  if (numbers.length === 0 || !counting || (numbers.length === 1 && marked === 0)) return undefined
  return { text: texts.join('\n'), why: 'carries line numbers', certain: true }
}

/** The old side of a diff; of one that only adds, what it adds. */
function withoutDiffMarks(wanted: string): OtherText | undefined {
  const lines = wanted.split('\n').filter((line) => !/^@@ .*@@/.test(line))
  if (!lines.some((line) => /^[-+]/.test(line)) || !lines.every((line) => /^(?:[-+ ]|$)/.test(line))) return undefined
  const old = lines.filter((line) => !line.startsWith('+'))
  const side = old.some((line) => line.trim() !== '') ? old : lines
  return { text: side.map((line) => line.slice(1)).join('\n'), why: 'carries diff marks', certain: false }
}

function withoutCodeFence(wanted: string): OtherText | undefined {
  const text = /^\s*(?:```|~~~)[^\n]*\n([^]*?)\n?(?:```|~~~)\s*$/.exec(wanted)?.[1]
  return text === undefined ? undefined : { text, why: 'is wrapped in a code fence', certain: true }
}

function withoutBackslashes(wanted: string): OtherText | undefined {
  if (!/\\["'nrt`$]/.test(wanted)) return undefined
  const text = wanted.replace(/\\(["'nrt`$\\])/g, (_, char: string) => ESCAPED.get(char) ?? char)
  return { text, why: 'has \\n, \\" or the like written out', certain: false }
}

const ESCAPED = new Map([
  ['n', '\n'],
  ['r', ''],
  ['t', '\t'],
])

function withoutEntities(wanted: string): OtherText | undefined {
  const text = wanted.replace(/&(lt|gt|quot|apos|#39|amp);/g, (whole, name: string) => ENTITIES.get(name) ?? whole)
  return { text, why: 'has &lt;, &amp; or the like written out', certain: false }
}

const ENTITIES = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['#39', "'"],
  ['amp', '&'],
])

/** Of a text that leaves lines out, `...` or `// ... the rest ...` in their place, the longest part that it gives. */
export function findLongestPart(wanted: string): { text: string; dots: string } | undefined {
  const parts: string[][] = [[]]
  let dots: string | undefined
  for (const line of wanted.split('\n')) {
    const bare = line.trim()
    if (/^(?:\/\/|\/\*|#|--|<!--|\{\/\*)?[ \t]*(?:\.{3}|…)/.test(bare)) {
      dots ??= bare
      parts.push([])
    } else parts.at(-1)?.push(line)
  }
  if (dots === undefined) return undefined
  const [text = ''] = parts.map((part) => part.join('\n').trim()).toSorted((a, b) => b.length - a.length)
  return text.length > 3 ? { text, dots } : undefined
}

/** Another way to read a text that was not found: without what a model puts around or into copied text. */
interface Reading {
  text: string
  /** What was taken away, to follow the parameter's name. */
  why: string
  /** Whether it can hardly be meant as it is. */
  certain: boolean
}

export function readingsOf(wanted: string): Reading[] {
  return [numbered(wanted), diffMarks(wanted), fenced(wanted), escaped(wanted), entities(wanted)].flatMap((reading) =>
    reading !== undefined && reading.text !== wanted && reading.text.trim() !== '' ? [reading] : [],
  )
}

/** `12: text`, `12 | text`, `12→text`; a bare space after the number only when the numbers count up. */
function numbered(wanted: string): Reading | undefined {
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
function diffMarks(wanted: string): Reading | undefined {
  const lines = wanted.split('\n').filter((line) => !/^@@ .*@@/.test(line))
  if (!lines.some((line) => /^[-+]/.test(line)) || !lines.every((line) => /^(?:[-+ ]|$)/.test(line))) return undefined
  const old = lines.filter((line) => !line.startsWith('+'))
  const side = old.some((line) => line.trim() !== '') ? old : lines
  return { text: side.map((line) => line.slice(1)).join('\n'), why: 'carries diff marks', certain: false }
}

function fenced(wanted: string): Reading | undefined {
  const text = /^\s*(?:```|~~~)[^\n]*\n([^]*?)\n?(?:```|~~~)\s*$/.exec(wanted)?.[1]
  return text === undefined ? undefined : { text, why: 'is wrapped in a code fence', certain: true }
}

function escaped(wanted: string): Reading | undefined {
  if (!/\\["'nrt`$]/.test(wanted)) return undefined
  const text = wanted.replace(/\\(["'nrt`$\\])/g, (_, char: string) => ESCAPED.get(char) ?? char)
  return { text, why: 'has \\n, \\" or the like written out', certain: false }
}

const ESCAPED = new Map([
  ['n', '\n'],
  ['r', ''],
  ['t', '\t'],
])

function entities(wanted: string): Reading | undefined {
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
export function longestPart(wanted: string): { text: string; dots: string } | undefined {
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

/** An edit without what a listing, a quotation or a list puts before every line, or a fence around them. */
import type { HunkLine } from './hunks.ts'

interface Bare {
  readonly old: readonly string[]
  readonly fresh: readonly string[]
  /** What was removed. */
  readonly words: string
}

export function withoutPrefixes(lines: readonly HunkLine[]): Bare[] {
  const old = lines.flatMap(({ mark, text }) => (mark === '+' ? [] : [text]))
  const fresh = lines.flatMap(({ mark, text }) => (mark === '-' ? [] : [text]))
  return kinds.flatMap(({ words, strip }) => {
    const bareOld = strip(old)
    if (bareOld === undefined || bareOld.every((line) => line.trim() === '')) return []
    const bareNew = strip(fresh) ?? (fresh.some((line) => strip([line]) !== undefined) ? undefined : fresh)
    return bareNew === undefined ? [] : [{ old: bareOld, fresh: bareNew, words }]
  })
}

const kinds: readonly { words: string; strip(lines: readonly string[]): string[] | undefined }[] = [
  { words: 'line numbers', strip: withoutNumbers },
  { words: "'> ' before every line", strip: (lines) => eachWithout(lines, /^[ \t]*>[ \xa0]?/) },
  { words: 'bullets', strip: (lines) => eachWithout(lines, /^[ \t]*(?:[-*+\u2022]|\d{1,3}[.)]) /) },
  { words: 'diff marks', strip: (lines) => eachWithout(lines, /^[-+]/) },
  { words: 'a code fence', strip: withoutFence },
]

/** Lines without their prefix, when every line with content has it. */
function eachWithout(lines: readonly string[], prefix: RegExp): string[] | undefined {
  if (!lines.some((line) => line.trim() !== '')) return undefined
  const bare: string[] = []
  for (const line of lines) {
    const found = prefix.exec(line)?.[0]
    if (found === undefined && line.trim() !== '') return undefined
    bare.push(line.slice(found?.length ?? 0))
  }
  return bare
}

/** `12: text`, `12 | text`, `12→text`, `12<tab>text`. */
function withoutNumbers(lines: readonly string[]): string[] | undefined {
  return eachWithout(lines, /^[ \t]*\d{1,7}(?:[ \t]*[:|\u2502\u2192][ \xa0]?|\t|$)/) ?? counted(lines)
}

/** `12 text`, where the numbers count up. */
function counted(lines: readonly string[]): string[] | undefined {
  const bare = eachWithout(lines, /^[ \t]*\d{1,7}(?:[ \xa0]|$)/)
  const numbers = lines.flatMap((line) => /^[ \t]*(\d+)/.exec(line)?.[1] ?? []).map(Number)
  const counts = numbers.length > 1 && numbers.every((number, at) => number - at === numbers[0])
  return counts ? bare : undefined
}

function withoutFence(lines: readonly string[]): string[] | undefined {
  const first = lines.findIndex((line) => line.trim() !== '')
  const last = lines.findLastIndex((line) => line.trim() !== '')
  const mark = /^[ \t]*(```+|~~~+)[\w+.-]*[ \t]*$/.exec(lines[first] ?? '')?.[1]
  return mark !== undefined && last > first && lines[last]?.trim() === mark ? lines.slice(first + 1, last) : undefined
}

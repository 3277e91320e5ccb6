import { withoutOpener } from './header.ts'
import { unquoted } from './tree-outline.ts'

/** A line of a target. */
export interface Level {
  readonly text: string
  /** Without what opens a body, and without quotes. */
  readonly bare: string
  readonly tokens: readonly string[]
  /** The line it must start on. */
  readonly line: number | null
  /** Lines that must stand above its header. */
  readonly decorators: readonly (readonly string[])[]
}

export function plainLevel(given: string): Level {
  // `} else {`: what ends before it on its line is no part of it.
  const text = given.replace(/^\}\s*(?=\w)/, '')
  const bare = withoutOpener(text)
  return { text, bare: unquoted(bare), tokens: tokensOf(bare), line: null, decorators: [] }
}

export function numberedLevel(text: string): Level {
  const [, header, line] = /^(.*\S)\s+\[(\d+)(?:-\d+)?\]$/.exec(text) ?? []
  return header === undefined ? plainLevel(text) : { ...plainLevel(header), line: Number(line) }
}

export const levelsOf = (target: string): string[] =>
  target
    .split(/\r?\n/)
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')

/** How the levels may be meant where nothing has them as they stand: paths in one line, calls, decorators above. */
export function* otherReadings(levels: readonly string[]): Generator<Level[]> {
  const bare = levels.map((level) => level.replace(call, '$1').replace(labels, '$1'))
  for (const given of bare.some((level, at) => level !== levels[at]) ? [levels, bare] : [levels]) {
    if (given === bare) yield bare.map(plainLevel)
    const parts = given.map((level) =>
      pathLike.test(level) ? level.replace(receiver, '$1').split(separators) : [level],
    )
    if (parts.every(({ length }) => length === 1)) continue
    yield parts.flat().map(plainLevel)
    // `tool.poetry.name`: the table is `tool.poetry`.
    if (parts.some(({ length }) => length > 2)) yield given.flatMap(splitLast).map(plainLevel)
  }
  if (levels.some((level) => level.includes(' > ')))
    yield levels.flatMap((level) => level.split(' > ')).map(numberedLevel)
  if (levels.some((level) => decorator.test(level))) yield withDecorators(levels)
}

/** `find()`: a function, whatever its parameters are. */
const call = /^(.*\S)\s*\(\)$/
/** `move(to:animated:)`: the labels of its parameters, of which the first tells enough. */
const labels = /^([^\s(]+\(\w+):(?:\w+:)*\)$/

const separators = /\.|::|#| > /
/** `MyClass.method`, for those who write a path in one line; `(*Store).Get`, `Set#add?`, `jobs.build-all`. */
const pathLike = /^(?:[\w$-]+|\(\*?\w+\))(?:(?:\.|::|#| > )[\w$@/-]+[?!=]?)+$/
const receiver = /^\(\*?(\w+)\)/

function splitLast(level: string): string[] {
  const [, around, last] = (pathLike.test(level) && /^(.+)(?:\.|::|#| > )(.+)$/.exec(level)) || []
  return around === undefined || last === undefined ? [level] : [around, last]
}

const decorator = /^(?:@\w|#\[|\[\w)/

/** Decorators that were copied along are no levels: they say which structure is meant. */
function withDecorators(levels: readonly string[]): Level[] {
  const found: Level[] = []
  let decorators: string[][] = []
  for (const level of levels) {
    if (decorator.test(level)) decorators.push(tokensOf(level))
    else {
      found.push({ ...plainLevel(level), decorators })
      decorators = []
    }
  }

  return found
}

/** Whether a list has `-` or `*` is soon forgotten; items are called by their text as well. */
export const bullet = /^[-*+] (?=.)/

export const QUOTE = '"'

/** Words, and every other sign by itself; blanks mean nothing, and one quote is as good as another. */
export const tokensOf = (text: string): string[] =>
  text.replace(/['`]/g, QUOTE).match(/[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]/gu) ?? []

export const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((token, index) => token === b[index])

import { withoutOpener } from './header.ts'
import { words, type Kind } from './language.ts'
import { everyStructure, linesOf, type Outline, type Structure } from './structure.ts'
import { unquoted } from './tree-outline.ts'

/** How surely a line means a structure; a lower rank counts only where no higher one finds anything. */
const ranks = { name: 1, header: 2, bareHeader: 3, lastOfName: 4, run: 5, prefix: 6 } as const

/** How much of a header without a name has to be given. */
const FULL = 50
/** From this length on a line may break off inside a word. */
const LONG = 20

/**
 * The structures a target means: one line a level, each matching a header. Levels may be left out at the front, not in
 * the middle.
 */
export function findTarget(outline: Outline, target: string): Structure[] {
  const levels = levelsOf(target)
  const found = search(outline, levels.map(plainLevel))
  if (found.length === 1) return found
  // What the list of matches shows can be copied: `header [12-15]`.
  const numbered = levels.map(numberedLevel)
  if (numbered.some(({ line }) => line !== null)) {
    const exact = search(outline, numbered)
    if (exact.length > 0) return exact
  }
  if (found.length > 0) return found
  const dotted = levels.flatMap((level) =>
    pathLike.test(level) ? level.replace(receiver, '$1').split(separators) : [level],
  )
  return dotted.length > levels.length ? search(outline, dotted.map(plainLevel)) : []
}

export const levelsOf = (target: string): string[] =>
  target
    .split(/\r?\n/)
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')

const separators = /\.|::|#| > /
/** `MyClass.method`, for those who write a path in one line; `(*Store).Get`, `Set#add?`. */
const pathLike = /^(?:[\w$]+|\(\*?\w+\))(?:(?:\.|::|#| > )[\w$]+[?!]?)+$/
const receiver = /^\(\*?(\w+)\)/

interface Level {
  readonly text: string
  /** Without what opens a body, and without quotes. */
  readonly bare: string
  readonly tokens: readonly string[]
  /** The line it must start on. */
  readonly line: number | null
}

function plainLevel(text: string): Level {
  const bare = withoutOpener(text)
  return { text, bare: unquoted(bare), tokens: tokensOf(bare), line: null }
}

function numberedLevel(text: string): Level {
  const [, header, line] = /^(.*\S)\s+\[(\d+)(?:-\d+)?\]$/.exec(text) ?? []
  return header === undefined ? plainLevel(text) : { ...plainLevel(header), line: Number(line) }
}

function search(outline: Outline, levels: readonly Level[]): Structure[] {
  const level = levels.at(-1)
  if (level === undefined) return []
  const found = bestOf(outline, levels, likely(outline, level))
  return found.length > 0 ? found : bestOf(outline, levels, everyStructure(outline.structures))
}

/** Structures on whose lines the longest word of a target stands: names and headers are made of the text, as a rule. */
function* likely(outline: Outline, { tokens }: Level): Generator<Structure> {
  const word = tokens.toSorted((a, b) => b.length - a.length)[0] ?? ''
  const { source, structures } = outline
  const places = occurrencesOf(word, source.text)
  for (const structure of everyStructure(structures)) {
    const from = source.startOf(source.lineAt(structure.start))
    if (firstNotBefore(from, places) < structure.end) yield structure
  }
}

function occurrencesOf(word: string, text: string): number[] {
  const places: number[] = []
  if (word === '') return places
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) places.push(at)
  return places
}

function firstNotBefore(offset: number, sorted: readonly number[]): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? Infinity) < offset) low = middle + 1
    else high = middle
  }
  return sorted[low] ?? Infinity
}

function bestOf(outline: Outline, levels: readonly Level[], structures: Iterable<Structure>): Structure[] {
  let best = Infinity
  let found: Structure[] = []
  for (const structure of structures) {
    const rank = rankUpwards(outline, structure, levels, levels.length - 1, best)
    if (rank === Infinity || rank > best) continue
    if (rank < best) found = []
    best = rank
    found.push(structure)
  }
  return found
}

/** The lowest of the ranks by which a structure and those around it match the levels up to `index`. */
function rankUpwards(
  outline: Outline,
  structure: Structure,
  levels: readonly Level[],
  index: number,
  limit: number,
): number {
  const level = levels[index]
  if (level === undefined) return 0
  const own = rankOf(outline, structure, level, limit)
  if (own > limit || index === 0) return own
  let around = Infinity
  for (let { parent } = structure; parent !== null; { parent } = parent) {
    around = Math.min(around, rankUpwards(outline, parent, levels, index - 1, limit))
    if (!parent.optional) break
  }
  return Math.max(own, Math.min(around, rankOfOwner(outline, structure, levels, index - 1, limit)))
}

/** By which rank a level means the type that a structure belongs to, here or in another file. */
function rankOfOwner(
  outline: Outline,
  { owner, parent }: Structure,
  levels: readonly Level[],
  index: number,
  limit: number,
): number {
  if (owner === null) return Infinity
  const siblings = parent === null ? outline.structures : parent.children
  const type = siblings
    .flatMap((one) => (one.optional ? one.children : [one]))
    .find((one) => one.name === owner && one.owner === null)
  if (type !== undefined) return rankUpwards(outline, type, levels, index, limit)
  if (levels[index]?.bare !== owner) return Infinity
  return parent === null
    ? index === 0
      ? ranks.name
      : Infinity
    : rankUpwards(outline, parent, levels, index - 1, limit)
}

function rankOf(outline: Outline, structure: Structure, level: Level, limit: number): number {
  if (level.line !== null && !linesOf(outline.source, structure).includes(level.line)) return Infinity
  const { name } = structure
  if (name !== null && (name === level.bare || name === level.text)) {
    return structure.secondary ? ranks.run : ranks.name
  }
  if (limit < ranks.header) return Infinity
  if (name !== null && qualified.has(structure.kind) && lastOf(name.replace(/^[$@]+/, '')) === level.bare) {
    return ranks.lastOfName
  }
  if (!mayMatch(outline, structure, level)) return Infinity
  return name === null ? rankByHeader(outline, structure, level) : rankByName(outline, structure, name, level)
}

/** Kinds whose names may be paths: `exports.run`, `Type::method`. */
const qualified: ReadonlySet<Kind> = new Set<Kind>(['variable', 'function', 'method', 'class', 'module', 'field'])

const lastOf = (name: string): string => /^[\w$]+(?:(?:\.|::|->)[\w$~]+)*(?:\.|::|->)([\w$~]+)$/.exec(name)?.[1] ?? name

/** Tells most structures apart without taking their headers to pieces. */
function mayMatch({ source }: Outline, structure: Structure, { text, tokens }: Level): boolean {
  const { name, otherHeaders, headerStart } = structure
  if (name !== null && (text.includes(name) || otherHeaders.length > 0 || /\s/.test(name))) return true
  const [first = ''] = tokens
  return source.text.startsWith(first, headerStart) || otherHeaders.some((one) => one.trimStart().startsWith(first))
}

function rankByName({ source }: Outline, structure: Structure, name: string, level: Level): number {
  const { header, otherHeaders, language, headerStart } = structure
  const modifiers = new Set(words(language.modifiers))
  const strip = (tokens: readonly string[]): string[] => tokens.filter((token) => !modifiers.has(token))
  const own = tokensOf(header)
  const texts = otherHeaders.map((text) => tokensOf(withoutOpener(text)))
  if ([own, ...texts].some((one) => same(one, level.tokens))) return ranks.header
  const nameTokens = tokensOf(name)
  // Modifiers may be left out, not made up: `function close` is not the method `close`.
  const madeUp = level.tokens.some((token) => modifiers.has(token) && !own.includes(token))
  if (!madeUp && same(strip(own), strip(level.tokens)) && includesRun(level.tokens, nameTokens) !== -1) {
    return ranks.bareHeader
  }
  // The line as it stands may go on behind the header: `get() { return 1 }`.
  const first = source.text.slice(headerStart, source.endOf(source.lineAt(headerStart))).trim()
  const line = tokensOf(first)
  const covers = [own, strip(own), line].some((one) => coversName(one, level.tokens, nameTokens))
  if (covers) return ranks.run
  // The first line is a header even where the name stands below it.
  return same(tokensOf(withoutOpener(first)), level.tokens) ? ranks.prefix : Infinity
}

function coversName(header: readonly string[], wanted: readonly string[], name: readonly string[]): boolean {
  const at = includesRun(header, name)
  if (at === -1) return false
  for (let from = 0; from <= at; from++) {
    if (from + wanted.length < at + name.length) continue
    if (wanted.every((token, index) => header[from + index] === token)) return true
  }
  return false
}

function rankByHeader({ source }: Outline, structure: Structure, { bare, tokens }: Level): number {
  const { kind, header, otherHeaders, headerStart } = structure
  const line = source.text.slice(headerStart, source.endOf(source.lineAt(headerStart))).trim()
  const all = [header, ...otherHeaders, line]
  const headers = all.map((text) => tokensOf(withoutOpener(text)))
  // The line that an anonymous function stands on may be the line of something with a name.
  const equal = headers.findIndex((one) => same(one, tokens))
  if (equal !== -1) return equal > 0 && kind === 'lambda' ? ranks.prefix : ranks.header
  const begins = headers.some((one) => tokens.length < one.length && tokens.every((token, at) => one[at] === token))
  if (begins) return ranks.prefix
  const cut = squeezed(bare.replace(/(?:\.{3}|…)$/, ''))
  if (cut.length < LONG) return Infinity
  const startsAlike = all.some((text) => {
    const own = squeezed(text)
    return (
      own.startsWith(cut) || (bare.length >= FULL && squeezed(text.slice(0, FULL)) === squeezed(bare.slice(0, FULL)))
    )
  })
  return startsAlike ? ranks.prefix : Infinity
}

const squeezed = (text: string): string => text.replace(/\s+/g, '')

/** Words, and every other sign by itself; blanks mean nothing. */
export const tokensOf = (text: string): string[] => text.match(/[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]/gu) ?? []

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((token, index) => token === b[index])

function includesRun(tokens: readonly string[], run: readonly string[]): number {
  for (let at = 0; at + run.length <= tokens.length; at++) {
    if (run.every((token, index) => tokens[at + index] === token)) return at
  }
  return -1
}

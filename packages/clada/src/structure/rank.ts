import { valued, withoutOpener, withoutParameters } from './header.ts'
import { type Kind, type Language, words } from './language.ts'
import { type Outline, type Structure, lineRangeOf } from './structure.ts'
import { keyName } from './tree-outline.ts'

/** How surely a line means a structure; a lower rank counts only where no higher one finds anything. */
export const ranks = { name: 1, line: 2, header: 3, bareHeader: 4, lastOfName: 5, run: 6, prefix: 7 } as const

/** How much of a header without a name has to be given. */
const FULL = 50
/** From this length on a line may break off inside a word. */
const LONG = 20

/** How surely a line of a target means a structure. Ranks above the limit are of no interest. */
export function rankOf(outline: Outline, structure: Structure, level: Level, limit: number): number {
  if (level.line !== null && !lineRangeOf(outline.source, structure).includes(level.line)) return Infinity
  if (!hasDecorators(outline, structure, level)) return Infinity
  const { name } = structure
  if (name !== null && name === level.text) return structure.secondary ? ranks.run : ranks.name
  if (limit < ranks.line) return Infinity
  const named = rankBySimilarName(structure, level)
  return mayMatch(outline, structure, level) ? Math.min(named, rankByText(outline, structure, level)) : named
}

function hasDecorators({ source }: Outline, { start, headerStart }: Structure, { decorators }: Level): boolean {
  if (decorators.length === 0) return true
  const lines = source.text.slice(start, headerStart).split(/\r?\n/).map(wordsAndSigns)
  return decorators.every((wanted) => lines.some((line) => areEqual(line, wanted)))
}

function rankBySimilarName({ name, kind, secondary }: Structure, { bare }: Level): number {
  if (name === null) return Infinity
  if (name === bare) return secondary ? ranks.run : ranks.bareHeader
  return qualified.has(kind) && lastNamePart(name.replace(/^[$@#]+/, '')) === bare ? ranks.lastOfName : Infinity
}

function rankByText(outline: Outline, structure: Structure, level: Level): number {
  const { name, kind } = structure
  if (name !== null) return rankByName(outline, structure, name, level)
  const rank = rankByHeader(outline, structure, level)
  if (rank !== Infinity || kind !== 'item' || !bullet.test(level.text)) return rank
  return rankByHeader(outline, structure, plainLevel(level.text.replace(bullet, '')))
}

/** Kinds whose names may be paths: `exports.run`, `Type::method`. */
const qualified: ReadonlySet<Kind> = new Set<Kind>(['variable', 'function', 'method', 'class', 'module', 'field'])

const lastNamePart = (name: string): string =>
  /^[\w$]+(?:(?:\.|::|->)[\w$~]+)*(?:\.|::|->)([\w$~]+)$/.exec(name)?.[1] ?? name

/** Tells most structures apart without taking their headers to pieces. */
function mayMatch({ source }: Outline, structure: Structure, { text, tokens }: Level): boolean {
  const { name, kind, otherHeaders, headerStart, language } = structure
  if (name !== null && (text.includes(name) || otherHeaders.length > 0 || /\s/.test(name))) return true
  const [first = ''] = tokens
  if (first === QUOTE || (kind === 'item' && bullet.test(text))) return true
  if (source.text.startsWith(first, headerStart)) return true
  if (otherHeaders.some((one) => one.trimStart().startsWith(first))) return true
  // Modifiers may be left out.
  const [word = ''] = /^\w+/.exec(source.text.slice(headerStart, headerStart + LONGEST_MODIFIER)) ?? []
  return name === null && modifiersOf(language).has(word)
}

const LONGEST_MODIFIER = 20

function modifiersOf(language: Language): ReadonlySet<string> {
  let known = modifierSets.get(language)
  if (known === undefined) modifierSets.set(language, (known = new Set(words(language.modifiers))))
  return known
}

const modifierSets = new WeakMap<Language, ReadonlySet<string>>()

function rankByName({ source }: Outline, structure: Structure, name: string, level: Level): number {
  const { header, otherHeaders, language, headerStart } = structure
  const modifiers = modifiersOf(language)
  const strip = (tokens: readonly string[]): string[] => tokens.filter((token) => !modifiers.has(token))
  const own = wordsAndSigns(header)
  const first = source.text.slice(headerStart, source.endOf(source.lineAt(headerStart))).trim()
  const line = wordsAndSigns(first)
  if (areEqual(line, wordsAndSigns(level.text))) return ranks.line
  if (areEqual(own, level.tokens)) return ranks.header
  const texts = otherHeaders.map((text) => wordsAndSigns(withoutOpener(text)))
  if (texts.some((one) => areEqual(one, level.tokens))) return ranks.bareHeader
  const nameTokens = wordsAndSigns(name)
  // Modifiers may be left out, not made up: `function close` is not the method `close`.
  const madeUp = level.tokens.some((token) => modifiers.has(token) && !own.includes(token))
  if (!madeUp && areEqual(strip(own), strip(level.tokens)) && includesRun(level.tokens, nameTokens) !== -1) {
    return ranks.bareHeader
  }
  // The line as it is may continue after the header: `get() { return 1 }`.
  const plain = wordsAndSigns(withoutParameters(header))
  // `@Input() name: string`: decorators on the line of the header are copied with it.
  const lineStart = source.startOf(source.lineAt(headerStart))
  const whole = source.text.slice(Math.max(structure.start, lineStart), headerStart) + first
  const covers = [own, strip(own), line, ...texts, plain, wordsAndSigns(whole)].some((one) =>
    coversName(one, level.tokens, nameTokens),
  )
  if (covers) return ranks.run
  // The first line is a header even where the name is below it.
  return areEqual(wordsAndSigns(withoutOpener(first)), level.tokens) ? ranks.prefix : Infinity
}

function coversName(header: readonly string[], wanted: readonly string[], name: readonly string[]): boolean {
  const at = includesRun(header, name)
  for (let from = 0; from <= at; from++) {
    if (from + wanted.length < at + name.length) continue
    if (wanted.every((token, index) => header[from + index] === token)) return true
  }
  return false
}

function rankByHeader({ source }: Outline, structure: Structure, { bare, tokens }: Level): number {
  const { kind, header, otherHeaders, headerStart, language } = structure
  const line = source.text.slice(headerStart, source.endOf(source.lineAt(headerStart))).trim()
  const all = [header, ...otherHeaders, line]
  const headers = all.map((text) => wordsAndSigns(withoutOpener(text)))
  // The line that a value is on may be the line of something with a name.
  const equal = headers.findIndex((one) => areEqual(one, tokens))
  if (equal !== -1) return equal > 0 && valued.has(kind) ? ranks.prefix : ranks.header
  const modifiers = modifiersOf(language)
  const first = wordsAndSigns(header).findIndex((token) => !modifiers.has(token))
  const plain = wordsAndSigns(header).slice(Math.max(0, first))
  if (areEqual(plain, tokens)) return ranks.bareHeader
  const begins = [...headers, plain].some(
    (one) => tokens.length < one.length && tokens.every((token, at) => one[at] === token),
  )
  if (begins) return ranks.prefix
  const cut = squeezeText(bare.replace(/(?:\.{3}|…)$/, ''))
  if (cut.length < LONG) return Infinity
  const startsAlike = all.some((text) => {
    const own = squeezeText(text)
    return (
      own.startsWith(cut) ||
      (bare.length >= FULL && squeezeText(text.slice(0, FULL)) === squeezeText(bare.slice(0, FULL)))
    )
  })
  return startsAlike ? ranks.prefix : Infinity
}

const squeezeText = (text: string): string => text.replace(/\s+/g, '').replace(/['`]/g, QUOTE)

function includesRun(tokens: readonly string[], run: readonly string[]): number {
  for (let at = 0; at + run.length <= tokens.length; at++) {
    if (run.every((token, index) => tokens[at + index] === token)) return at
  }
  return -1
}

/** A line of a target. */
export interface Level {
  readonly text: string
  /** Without what opens a body, and without quotes. */
  readonly bare: string
  readonly tokens: readonly string[]
  /** The line it must start on. */
  readonly line: number | null
  /** Lines that must be above its header. */
  readonly decorators: readonly (readonly string[])[]
}

export function plainLevel(given: string): Level {
  // `} else {`: what ends before it on its line is no part of it.
  const text = given.replace(/^\}\s*(?=\w)/, '')
  const bare = withoutOpener(text)
  return { text, bare: keyName(bare), tokens: wordsAndSigns(bare), line: null, decorators: [] }
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

/** How the levels may be meant where nothing has them as they are: paths in one line, calls, decorators above. */
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
    if (decorator.test(level)) decorators.push(wordsAndSigns(level))
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

/** Words, and every other sign by itself; spaces mean nothing, and one quote is as good as another. */
export const wordsAndSigns = (text: string): string[] =>
  // eslint-disable-next-line no-control-regex -- all of ASCII
  text.replace(/['`]/g, QUOTE).match(/^[\x00-\x7f]*$/.test(text) ? asciiToken : anyToken()) ?? []

const asciiToken = /[\w$]+|[^\s\w$]/g
/** The tables of Unicode take a while to make, and most headers need none. */
const anyToken = (): RegExp => /[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$]/gu

export const areEqual = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((token, index) => token === b[index])

import { partitionPoint } from '@clada/reply/text/lines.ts'
import type { StructureMatch } from '../core/problem.ts'
import { valued } from './header.ts'
import {
  type Level,
  levelsOf,
  numberedLevel,
  otherReadings,
  plainLevel,
  rankOf,
  ranks,
  areEqual,
  wordsAndSigns,
} from './rank.ts'
import { everyStructure, lineRangeOf, type Outline, pathOf, type Structure } from './structure.ts'

/**
 * The structures a target means: one line a level, each matching a header. Levels may be left out at the front, not in
 * the middle.
 */
export function findTarget(outline: Outline, target: string): Structure[] {
  const levels = levelsOf(target)
  const plain = search(outline, levels.map(plainLevel))
  if (plain.found.length === 1 && plain.rank < ranks.prefix) return plain.found
  // What the list of matches shows can be copied: `header [12-15]`.
  const numbered = levels.map(numberedLevel)
  if (plain.found.length !== 1 && numbered.some(({ line }) => line !== null)) {
    const { found } = search(outline, numbered)
    if (found.length > 0) return found
  }
  for (const reading of otherReadings(levels)) {
    const { found, rank } = search(outline, reading)
    // What has the name is meant before what only begins like it.
    if (found.length > 0 && (plain.found.length === 0 || (rank < ranks.prefix && rank < plain.rank))) return found
  }
  return plain.found.length > 0 ? plain.found : shownAs(outline, levels)
}

/** The one that a list of matches shows as the target, on one line and with the headers around it. */
function shownAs({ structures }: Outline, levels: readonly string[]): Structure[] {
  const [level] = levels.length === 1 ? levels.map(numberedLevel) : []
  if (level === undefined) return []
  return [...everyStructure(structures)].filter((one) =>
    areEqual(
      wordsAndSigns(
        pathOf(one)
          .map(({ header }) => header)
          .join(' > '),
      ),
      wordsAndSigns(level.text),
    ),
  )
}

interface RankedStructures {
  readonly found: Structure[]
  readonly rank: number
}

function search(outline: Outline, levels: readonly Level[]): RankedStructures {
  const level = levels.at(-1)
  if (level === undefined) return { found: [], rank: Infinity }
  const best = bestOf(outline, levels, likely(outline, level))
  return best.found.length > 0 ? best : bestOf(outline, levels, everyStructure(outline.structures))
}

/** Structures on whose lines the longest word of a target is: names and headers are made of the text, as a rule. */
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

const firstNotBefore = (offset: number, sorted: readonly number[]): number =>
  sorted[partitionPoint(sorted, (one) => one < offset)] ?? Infinity

function bestOf(outline: Outline, levels: readonly Level[], structures: Iterable<Structure>): RankedStructures {
  let best = Infinity
  let found: Structure[] = []
  for (const structure of structures) {
    const rank = rankUpwards(outline, structure, levels, levels.length - 1, best)
    if (rank === Infinity || rank > best) continue
    if (rank < best) found = []
    best = rank
    found.push(structure)
  }
  return { found, rank: best }
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
  for (let one = structure; one.parent !== null; one = one.parent) {
    around = Math.min(around, rankUpwards(outline, one.parent, levels, index - 1, limit))
    if (!one.parent.optional && !isValueOf(outline, one, one.parent) && !isValue(outline, one.parent)) break
  }
  return Math.max(own, Math.min(around, rankOfOwner(outline, structure, levels, index - 1, limit)))
}

/** `const x = match y {`: the statement and its value are one level. */
const isValueOf = ({ source }: Outline, { kind, headerStart }: Structure, holder: Structure): boolean =>
  valued.has(kind) && /[=:]\s*$/.test(source.text.slice(holder.headerStart, headerStart))

const isValue = (outline: Outline, structure: Structure): boolean =>
  structure.parent !== null && isValueOf(outline, structure, structure.parent)

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

export function matchOf(outline: Outline, structure: Structure): StructureMatch {
  const path = pathOf(structure).map(({ header }) => header)
  return { path, kind: structure.kind, lines: lineRangeOf(outline.source, structure) }
}

/** `Foo > run() [12-15]` */
export const shownMatch = ({ path, lines }: StructureMatch): string => `${path.join(' > ')} [${lines.join('-')}]`

const MOST = 5

/** The longest beginning of a target that is there. */
export function parentFound(outline: Outline, target: string): Structure | null {
  const levels = levelsOf(target)
  for (let count = levels.length - 1; count > 0; count--) {
    const [found] = findTarget(outline, levels.slice(0, count).join('\n'))
    if (found !== undefined) return found
  }
  return null
}

/** What may have been meant by a target that is not there: the most alike inside the parent, else anywhere. */
export function suggestionsFor(outline: Outline, target: string, parent: Structure | null): StructureMatch[] {
  const wanted = levelsOf(target).at(-1) ?? ''
  const inside = parent === null ? [] : rankByLikeness(everyStructure(parent.children), wanted)
  const anywhere = inside.length >= MOST ? [] : rankByLikeness(everyStructure(outline.structures), wanted)
  const all = [...new Set([...inside, ...anywhere])].slice(0, MOST)
  return all.map((structure) => matchOf(outline, structure))
}

function rankByLikeness(structures: Iterable<Structure>, wanted: string): Structure[] {
  return [...structures]
    .map((structure) => ({ structure, score: likeness(structure, wanted) }))
    .filter(({ score }) => score >= 0.4)
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MOST)
    .map(({ structure }) => structure)
}

function likeness({ name, header }: Structure, wanted: string): number {
  const text = wanted.toLowerCase()
  return Math.max(alike((name ?? header).toLowerCase(), text), alike(header.toLowerCase().slice(0, 80), text))
}

/** The share of pairs of letters that two texts have in common. */
function alike(a: string, b: string): number {
  if (a === b) return 1
  const pairs = new Map<string, number>()
  for (let at = 0; at < a.length - 1; at++) pairs.set(a.slice(at, at + 2), (pairs.get(a.slice(at, at + 2)) ?? 0) + 1)
  let common = 0
  for (let at = 0; at < b.length - 1; at++) {
    const pair = b.slice(at, at + 2)
    const left = pairs.get(pair) ?? 0
    if (left > 0) common++
    pairs.set(pair, left - 1)
  }
  return (2 * common) / Math.max(1, a.length + b.length - 2)
}

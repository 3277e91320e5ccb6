import { everyStructure, linesOf, pathOf, type Outline, type Structure } from './structure.ts'
import { levelsOf } from './level.ts'
import { findTarget } from './target.ts'

/** A structure as errors show it. Its `path` joined by line breaks is a target that finds it. */
export interface Match {
  readonly path: string[]
  readonly kind: string
  readonly lines: [number, number]
}

export function matchOf(outline: Outline, structure: Structure): Match {
  const path = pathOf(structure).map(({ header }) => header)
  return { path, kind: structure.kind, lines: linesOf(outline.source, structure) }
}

/** `Foo > run() [12-15]` */
export const shownMatch = ({ path, lines }: Match): string => `${path.join(' > ')} [${lines.join('-')}]`

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
export function suggestionsFor(outline: Outline, target: string, parent: Structure | null): Match[] {
  const wanted = levelsOf(target).at(-1) ?? ''
  const inside = parent === null ? [] : ranked(everyStructure(parent.children), wanted)
  const anywhere = inside.length >= MOST ? [] : ranked(everyStructure(outline.structures), wanted)
  const all = [...new Set([...inside, ...anywhere])].slice(0, MOST)
  return all.map((structure) => matchOf(outline, structure))
}

function ranked(structures: Iterable<Structure>, wanted: string): Structure[] {
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

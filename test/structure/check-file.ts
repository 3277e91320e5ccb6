import { replacement } from '../../packages/clada/src/structure/edit.ts'
import { words } from '../../packages/clada/src/structure/language.ts'
import { languageFor } from '../../packages/clada/src/structure/languages.ts'
import { withOutline } from '../../packages/clada/src/structure/outline.ts'
import { wordsAndSigns } from '../../packages/clada/src/structure/rank.ts'
import { structureText } from '../../packages/clada/src/structure/document.ts'
import {
  everyStructure,
  lineRangeOf,
  pathOf,
  type Outline,
  type Structure,
} from '../../packages/clada/src/structure/structure.ts'
import { findTarget } from '../../packages/clada/src/structure/target.ts'
import {
  differenceOf,
  insertedAndDeleted,
  type Outcome,
  putBack,
  thereAndBack,
  type Traveller,
  treesAround,
} from './trips.ts'

/** Counts of what became of the structures of files: `moved: exact: before its neighbour`. */
export type Counts = Record<string, number>

export interface FileReport {
  readonly language: string
  readonly counts: Counts
  /** What went wrong, for a person. */
  readonly failures: string[]
  /** What came back, but not to the letter, for a person. */
  readonly remarks: string[]
}

/**
 * Does to the structures of a file what must leave no trace: replaces every one by itself; of up to `most` of them,
 * deletes it and puts it back, inserts a copy and deletes that, moves it before its neighbour and back, and compares the
 * syntax trees outside of it. And looks for it by every target its header gives.
 */
export async function checkFile(path: string, text: string, most = Infinity): Promise<FileReport> {
  const language = languageFor(path, text)
  if (language === undefined) throw new Error(`no language for ${path}`)
  const report: FileReport = { language: language.name, counts: {}, failures: [], remarks: [] }
  await withOutline(text, language, async (outline) => {
    const all = [...everyStructure(outline.structures)]
    for (const structure of all) {
      count(report, 'structures')
      const one: Traveller = { path, outline, structure }
      note(report, 'replaced', one, await replaced(one))
    }
    for (const structure of evenly(all, most)) {
      const one: Traveller = { path, outline, structure }
      for (const [name, trip] of Object.entries({
        'put back': putBack,
        inserted: insertedAndDeleted,
        moved: thereAndBack,
      })) {
        const outcome = await trip(one)
        if (outcome !== null) note(report, name, one, outcome)
      }
      for await (const outcome of treesAround(one)) note(report, 'tree', one, outcome)
      for (const target of new Set(targetsOf(outline, structure))) note(report, 'target', one, sought(one, target))
    }
  })
  return report
}

const count = ({ counts }: FileReport, name: string): void => {
  counts[name] = (counts[name] ?? 0) + 1
}

function note(report: FileReport, name: string, { path, outline, structure }: Traveller, outcome: Outcome): void {
  const { verdict, how, difference } = outcome
  count(report, `${name}: ${verdict}: ${how}`)
  if (verdict === 'exact' || (name === 'target' && verdict !== 'wrong')) return
  const [line] = lineRangeOf(outline.source, structure)
  const where = `${path}:${line} ${structure.kind} ${structure.header.slice(0, 60)}`
  const entry = `${name}: ${where}: ${how}${difference === undefined ? '' : `, ${difference}`}`
  if (verdict === 'wrong') report.failures.push(entry)
  else report.remarks.push(entry)
}

function* evenly<T>(all: readonly T[], most: number): Generator<T> {
  const step = Math.max(1, all.length / most)
  for (let at = 0; at < all.length; at += step) {
    const one = all[Math.floor(at)]
    if (one !== undefined) yield one
  }
}

async function replaced({ outline, structure }: Traveller): Promise<Outcome> {
  const { start, end } = structure
  const old = outline.source.text.slice(start, end)
  const { text } = await replacement(outline, structure, `${structureText(outline, structure)}\n`)
  return text === old
    ? { verdict: 'exact', how: 'by itself' }
    : { verdict: 'wrong', how: 'changed', difference: differenceOf(old, text) }
}

function sought({ outline, structure }: Traveller, target: string): Outcome {
  const found = findTarget(outline, target)
  if (found.length === 0) return { verdict: 'wrong', how: 'missed', difference: JSON.stringify(target) }
  if (!found.includes(structure)) return { verdict: 'by nature', how: 'another is called exactly so' }
  return { verdict: 'exact', how: found.length === 1 ? 'unique' : 'among several' }
}

/** The ways in which a person would call it. */
export function targetsOf({ source }: Outline, structure: Structure): string[] {
  const { name, header, parent, language, headerStart, secondary } = structure
  const line = source.text.slice(headerStart, source.endOf(source.lineAt(headerStart))).trim()
  const modifiers = new Set(words(language.modifiers))
  const path = pathOf(structure)
  const ways = [header, line, path.map((level) => level.header).join('\n')]
  if (name === null) ways.push(header.length > 50 ? header.slice(0, 50) : header)
  else if (!secondary) {
    ways.push(name, path.map((level) => level.name ?? level.header).join('\n'))
    if (parent !== null && !parent.secondary) ways.push(`${parent.name ?? parent.header}\n${name}`)
    const bare = header
      .split(' ')
      .filter((word) => !modifiers.has(word))
      .join(' ')
    if (` ${wordsAndSigns(bare).join(' ')} `.includes(` ${wordsAndSigns(name).join(' ')} `)) ways.push(bare)
  }
  return ways
}

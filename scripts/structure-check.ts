import { applyChanges, offsetAfter } from '../src/structure/change.ts'
import { replacement } from '../src/structure/edit.ts'
import { insertion } from '../src/structure/insertion.ts'
import { words, type Language } from '../src/structure/language.ts'
import { languageFor } from '../src/structure/languages.ts'
import { layoutOf } from '../src/structure/layout.ts'
import { moveIn, pieceFrom, relocation } from '../src/structure/move.ts'
import { withOutline } from '../src/structure/outline.ts'
import { textOf } from '../src/structure/read.ts'
import { removal } from '../src/structure/removal.ts'
import { gapAbove, gapBelow } from '../src/structure/spacing.ts'
import { everyStructure, linesOf, pathOf, type Outline, type Structure } from '../src/structure/structure.ts'
import { findTarget, tokensOf } from '../src/structure/target.ts'

/** Counts of what became of the structures of files, by the name of the outcome. */
export type Counts = Record<string, number>

export interface FileReport {
  readonly language: string
  readonly counts: Counts
  /** What went wrong, for a person. */
  readonly failures: string[]
}

/**
 * Does to every structure of a file what must leave no trace: replaces it by itself, deletes it and puts it back, moves
 * it before its neighbour and back. And looks for it by every target its header gives.
 */
export async function checkFile(path: string, text: string, most = Infinity): Promise<FileReport> {
  const language = languageFor(path, text)
  if (language === undefined) throw new Error(`no language for ${path}`)
  const report: FileReport = { language: language.name, counts: {}, failures: [] }
  await withOutline(text, language, async (outline) => {
    const all = [...everyStructure(outline.structures)]
    for (const structure of evenly(all, most)) {
      count(report, 'structures')
      const checks = { replaced: checkReplace, 'put back': checkPutBack, moved: checkMove, targets: checkTargets }
      for (const [name, check] of Object.entries(checks)) {
        try {
          await check({ path, text, language, outline, structure, report })
        } catch (error) {
          fail(report, name, { path, outline, structure }, String(error))
        }
      }
    }
  })
  return report
}

interface Case {
  readonly path: string
  readonly text: string
  readonly language: Language
  readonly outline: Outline
  readonly structure: Structure
  readonly report: FileReport
}

const count = ({ counts }: FileReport, name: string): void => {
  counts[name] = (counts[name] ?? 0) + 1
}

function fail(
  report: FileReport,
  name: string,
  { path, outline, structure }: Pick<Case, 'path' | 'outline' | 'structure'>,
  why: string,
): void {
  // Where the grammar lost its way already, one more broken edit can move the bounds of everything.
  if (outline.faults().length > 0) return count(report, `${name}: failed in a file with syntax errors`)
  count(report, `${name}: failed`)
  const [line] = linesOf(outline.source, structure)
  report.failures.push(`${name}: ${path}:${line} ${structure.kind} ${structure.header.slice(0, 60)}: ${why}`)
}

function* evenly<T>(all: readonly T[], most: number): Generator<T> {
  const step = Math.max(1, all.length / most)
  for (let at = 0; at < all.length; at += step) {
    const one = all[Math.floor(at)]
    if (one !== undefined) yield one
  }
}

async function checkReplace(one: Case): Promise<void> {
  const { text, outline, structure, report } = one
  const { start, end } = structure
  const put = await replacement(outline, structure, textOf(outline, structure))
  const changed = applyChanges(text, [{ start, end, text: put.text }])
  if (changed === text) count(report, 'replaced: exact')
  else fail(report, 'replaced', one, difference(text, changed))
}

async function checkPutBack(one: Case): Promise<void> {
  const { text, language, outline, structure, report } = one
  const changes = removal(outline, structure)
  const without = applyChanges(text, changes)
  const shift = (offset: number): number =>
    changes.reduce(
      (at, { start, end }) => (end <= offset ? at - (end - start) : start < offset ? at - (offset - start) : at),
      offset,
    )
  const siblings = structure.parent === null ? outline.structures : structure.parent.children
  const index = siblings.indexOf(structure)
  const before = siblings[index - 1]
  const after = siblings[index + 1]
  const nearBefore = before !== undefined && areNeighbours(outline, before, structure) ? before : undefined
  const nearAfter = after !== undefined && areNeighbours(outline, structure, after) ? after : undefined
  const own = linesOf(outline.source, structure)
  const back = await withOutline(without, language, async (left): Promise<string> => {
    const found = (wanted: Structure | undefined | null): Structure | undefined =>
      wanted === undefined || wanted === null
        ? undefined
        : [...everyStructure(left.structures)].find(
            ({ kind, headerStart }) => kind === wanted.kind && headerStart === shift(wanted.headerStart),
          )
    const piece = await pieceFrom(outline, structure)
    const tries: [string, Structure, 'before' | 'after', number | undefined][] = []
    // A branch goes with its statement, not beside what stands in the branch before.
    const above = isClause(structure) ? undefined : found(nearBefore)
    const below = isClause(structure) || (after !== undefined && isClause(after)) ? undefined : found(nearAfter)
    const gaps = { above: gapAbove(outline.source, own[0]).blank, below: gapBelow(outline.source, own[1]).blank }
    if (above !== undefined) tries.push(['exact', above, 'after', undefined])
    if (below !== undefined) tries.push(['exact', below, 'before', undefined])
    if (above !== undefined) tries.push(['exact, blank lines told', above, 'after', gaps.above])
    if (below !== undefined) tries.push(['exact, blank lines told', below, 'before', gaps.below])
    let nearest: string | undefined
    for (const [name, anchor, side, blank_lines] of tries) {
      const again = applyChanges(without, insertion(left, anchor, side, piece, { blank_lines }).changes)
      if (again === text) return name
      nearest ??= difference(text, again)
      if (sameButBlanks(again, text)) nearest = 'blanks'
    }
    for (let { parent } = structure; parent !== null; { parent } = parent) {
      const holder = found(parent)
      if (holder === undefined) continue
      const put = await replacement(left, holder, textOf(outline, parent))
      const again = applyChanges(without, [{ start: holder.start, end: holder.end, text: put.text }])
      if (again === text) return 'exact, with what is around it'
      nearest ??= difference(text, again)
      if (sameButBlanks(again, text)) nearest = 'blanks'
    }
    if (structure.parent === null) {
      const own = { path: one.path, text: text.slice(structure.start, structure.end) }
      for (const at of ['file-end', 'file-start'] as const) {
        const again = await moveIn(own, `${structure.header} [1]`, { path: one.path, text: without }, { at })
        if ('destination' in again && again.destination === text) return 'exact, at an end of the file'
      }
    }
    if (nearest === 'blanks') return 'all but blanks'
    // An operation that does this warns of it: SYNTAX_BROKEN.
    if (left.faults().length > outline.faults().length) return 'not found again in what was a broken file by then'
    if (nearest === undefined) return 'nothing is left to put it beside'
    throw new Error(nearest)
  })
  count(report, `put back: ${back}`)
}

async function checkMove(one: Case): Promise<void> {
  const { text, language, outline, structure, report } = one
  const siblings = structure.parent === null ? outline.structures : structure.parent.children
  const before = siblings[siblings.indexOf(structure) - 1]
  const { ownLines } = layoutOf(outline, structure)
  // What shares its line with other code has no neighbours that a line could be moved before.
  if (!ownLines && !structure.listed) return
  if (before === undefined || isClause(structure) || isClause(before) || !areNeighbours(outline, before, structure))
    return
  const there = await relocation(outline, structure, { anchor: before, at: 'before' })
  if (there === null) return fail(report, 'moved', one, 'stands before its neighbour already')
  const moved = applyChanges(text, there.changes)
  const outcome = await withOutline(moved, language, async (other): Promise<string> => {
    const landed = offsetAfter(there.changes, there.main) + there.from
    const again = [...everyStructure(other.structures)].find(
      (one) => one.kind === structure.kind && one.start >= landed && textOf(other, one) === textOf(outline, structure),
    )
    const list = again === undefined ? [] : again.parent === null ? other.structures : again.parent.children
    const neighbour = again === undefined ? undefined : list[list.indexOf(again) + 1]
    // A part of a statement can be told from another only where it stands.
    if (again === undefined || neighbour === undefined) return 'cannot be found where it went'
    const back = await relocation(other, again, { anchor: neighbour, at: 'after' })
    if (back === null) throw new Error('stands behind its neighbour already')
    const result = applyChanges(moved, back.changes)
    if (result === text) return 'exact'
    if (sameButBlanks(result, text)) return 'all but blanks'
    throw new Error(difference(text, result))
  })
  count(report, `moved: ${outcome}`)
}

/** Nothing stands between neighbours but blanks, the comma and a comment behind it. */
function areNeighbours(outline: Outline, before: Structure, after: Structure): boolean {
  const { suffix, comma } = layoutOf(outline, before)
  const text = outline.source.text.slice(before.end, after.start)
  const between = comma === null ? text : text.replace(suffix, '')
  return before.listed === after.listed && between.replace(before.listed ? ',' : '', '').trim() === ''
}

/** Branches of a statement have an order that is meaning. */
const isClause = ({ kind }: Structure): boolean => ['else', 'catch', 'finally', 'case'].includes(kind)

function checkTargets(one: Case): void {
  const { outline, structure, report } = one
  for (const target of new Set(targetsOf(outline, structure))) {
    const found = findTarget(outline, target)
    if (found.length === 0) fail(report, 'target', one, JSON.stringify(target))
    else if (!found.includes(structure)) count(report, 'target: another ranks higher')
    else count(report, found.length === 1 ? 'target: unique' : 'target: among several')
  }
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
    if (tokensOf(bare).join(' ').includes(tokensOf(name).join(' '))) ways.push(bare)
  }
  return ways
}

const sameButBlanks = (a: string, b: string): boolean => a.replace(/\s+/g, '') === b.replace(/\s+/g, '')

function difference(expected: string, actual: string): string {
  let at = 0
  while (at < expected.length && expected[at] === actual[at]) at++
  const show = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 30), at + 40))
  return `expected ${show(expected)}, got ${show(actual)}`
}

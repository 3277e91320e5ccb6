/**
 * The line diff of `unified-diff.ts` and `shown-diff.ts`. It loads jsdiff, so code that needs it at
 * a later time only imports it at that time.
 *
 * Bound on work: lines at both ends that are alike, and lines that only one side has, never reach
 * jsdiff; for the rest it may look at no more than MAX_EDITS edits. Beyond that the whole middle
 * counts as replaced, which is a correct diff, though not a short one.
 */
import { diffArrays } from 'diff'
import { countCommonEnds, splitKeepingEnds } from './lines.ts'

/** `count` lines that both sides have, or that only the old or only the new side has, in order. */
export interface LineRun {
  kind: 'same' | 'old' | 'new'
  count: number
}

export function diffLines(before: readonly string[], after: readonly string[]): LineRun[] {
  const runs: LineRun[] = []
  const add = (kind: LineRun['kind'], count: number) => {
    const last = runs.at(-1)
    if (last?.kind === kind) last.count += count
    else if (count > 0) runs.push({ kind, count })
  }
  let [oldAt, newAt] = [0, 0]
  for (const [oldLine, newLine] of findCommonPairs(before, after)) {
    add('old', oldLine - oldAt)
    add('new', newLine - newAt)
    add('same', 1)
    ;[oldAt, newAt] = [oldLine + 1, newLine + 1]
  }
  add('old', before.length - oldAt)
  add('new', after.length - newAt)
  return runs
}

const MAX_EDITS = 1000

/** Which items of two lists correspond, as pairs of indexes that both grow: lines of texts, or words of lines. */
export function findCommonPairs(before: readonly string[], after: readonly string[]): [number, number][] {
  const { head, tail } = countCommonEnds(before, after)
  const [oldEnd, newEnd] = [before.length - tail, after.length - tail]
  const newItems = new Set(after.slice(head, newEnd))
  const oldShared = sharedItems(before, head, oldEnd, newItems)
  const newShared = sharedItems(after, head, newEnd, new Set(oldShared.map(({ item }) => item)))
  const changes = diffArrays(
    oldShared.map(({ item }) => item),
    newShared.map(({ item }) => item),
    { maxEditLength: MAX_EDITS },
  )
  const pairs: [number, number][] = Array.from({ length: head }, (_, at) => [at, at])
  let [oldAt, newAt] = [0, 0]
  for (const { added, removed, count } of changes ?? []) {
    for (let step = 0; step < count && !added && !removed; step++) {
      const [old, now] = [oldShared[oldAt + step], newShared[newAt + step]]
      if (old !== undefined && now !== undefined) pairs.push([old.at, now.at])
    }
    if (!added) oldAt += count
    if (!removed) newAt += count
  }
  for (let at = tail; at > 0; at--) pairs.push([before.length - at, after.length - at])
  return pairs
}

/** The items between two indexes that the other side has too: only those can correspond. */
const sharedItems = (
  items: readonly string[],
  from: number,
  to: number,
  others: ReadonlySet<string>,
): { readonly at: number; readonly item: string }[] =>
  items.slice(from, to).flatMap((item, nth) => (others.has(item) ? [{ at: from + nth, item }] : []))

/** How many lines a change adds and removes, as git counts them; null means a missing file. */
export function countChanges(before: string | null, after: string | null): { added: number; removed: number } {
  const old = before ?? ''
  const now = after ?? ''
  // Most changes leave most of a file alone, and comparing stretches of it is cheaper than cutting lines.
  const shorter = Math.min(old.length, now.length)
  let head = 0
  while (head + stretch <= shorter && stretchFrom(old, head) === stretchFrom(now, head)) head += stretch
  while (head < shorter && old.charCodeAt(head) === now.charCodeAt(head)) head++
  if (head === old.length && head === now.length) return { added: 0, removed: 0 }
  head = head === 0 ? 0 : old.lastIndexOf('\n', head - 1) + 1
  let tail = 0
  const rest = shorter - head
  while (tail + stretch <= rest) {
    const from = tail + stretch
    if (stretchFrom(old, old.length - from) !== stretchFrom(now, now.length - from)) break
    tail += stretch
  }
  while (tail < rest && old.charCodeAt(old.length - 1 - tail) === now.charCodeAt(now.length - 1 - tail)) tail++
  const oldEnd = tail === 0 ? -1 : old.indexOf('\n', old.length - tail)
  const cut = oldEnd === -1 ? 0 : old.length - oldEnd - 1
  let added = 0
  let removed = 0
  for (const { kind, count } of diffLines(
    splitKeepingEnds(old.slice(head, old.length - cut)),
    splitKeepingEnds(now.slice(head, now.length - cut)),
  )) {
    if (kind === 'new') added += count
    if (kind === 'old') removed += count
  }
  return { added, removed }
}

/** Characters that are compared at once. */
const stretch = 1024

const stretchFrom = (text: string, from: number): string => text.substring(from, from + stretch)

/**
 * The line diff of `unified-diff.ts` and `small-diff.ts`. It loads jsdiff, so code that needs it at
 * a later time only imports it at that time.
 *
 * Bound on work: lines at both ends that are alike, and lines that only one side has, never reach
 * jsdiff; for the rest it may look at no more than MAX_EDITS edits. Beyond that the whole middle
 * counts as replaced, which is a correct diff, though not a short one.
 */
import { diffArrays } from 'diff'

/** `count` lines that both sides have, or that only the old or only the new side has, in order. */
export interface Run {
  kind: 'same' | 'old' | 'new'
  count: number
}

export function diffLines(before: readonly string[], after: readonly string[]): Run[] {
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && before[head] === after[head]) head++
  let tail = 0
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++

  const runs: Run[] = []
  const add = (kind: Run['kind'], count: number) => {
    const last = runs.at(-1)
    if (last?.kind === kind) last.count += count
    else if (count > 0) runs.push({ kind, count })
  }
  add('same', head)
  const oldEnd = before.length - tail
  const newEnd = after.length - tail
  let oldAt = head
  let newAt = head
  for (const [oldLine, newLine] of pairs(before, after, head, oldEnd, newEnd)) {
    add('old', oldLine - oldAt)
    add('new', newLine - newAt)
    add('same', 1)
    oldAt = oldLine + 1
    newAt = newLine + 1
  }
  add('old', oldEnd - oldAt)
  add('new', newEnd - newAt)
  add('same', tail)
  return runs
}

const MAX_EDITS = 1000

/** Pairs of line numbers of the same line, both growing. */
function pairs(
  before: readonly string[],
  after: readonly string[],
  head: number,
  oldEnd: number,
  newEnd: number,
): [number, number][] {
  const newLines = new Set(after.slice(head, newEnd))
  const ids = new Map<string, number>()
  const oldShared: { line: number; id: number }[] = []
  for (let line = head; line < oldEnd; line++) {
    const text = before[line] ?? ''
    if (!newLines.has(text)) continue
    const id = ids.get(text) ?? ids.size
    ids.set(text, id)
    oldShared.push({ line, id })
  }
  const newShared: { line: number; id: number }[] = []
  for (let line = head; line < newEnd; line++) {
    const id = ids.get(after[line] ?? '')
    if (id !== undefined) newShared.push({ line, id })
  }

  const changes = diffArrays(
    oldShared.map(({ id }) => id),
    newShared.map(({ id }) => id),
    { maxEditLength: MAX_EDITS },
  )
  const found: [number, number][] = []
  let oldAt = 0
  let newAt = 0
  for (const { added, removed, count } of changes ?? []) {
    for (let step = 0; step < count && !added && !removed; step++) {
      const oldLine = oldShared[oldAt + step]?.line
      const newLine = newShared[newAt + step]?.line
      if (oldLine !== undefined && newLine !== undefined) found.push([oldLine, newLine])
    }
    if (!added) oldAt += count
    if (!removed) newAt += count
  }
  return found
}

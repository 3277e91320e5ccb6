import { counted } from '../core/counted.ts'
import { diffLines, type Run } from './line-diff.ts'
import { clipped } from './small-diff.ts'
import { extent, hunkRuns, linesOf, MARKS } from './unified-diff.ts'

export interface ShownDiffOptions {
  /** Lines shown around a change. */
  readonly context?: number
  /** Lines in all, the one that says how many are left out included. */
  readonly maxLines: number
  /** Characters of a line. */
  readonly width: number
}

/**
 * A change of a file as a person looks at it: hunks with their line numbers as in a unified diff, but no higher and no
 * wider than there is room. Not for `patch`. Empty when both texts are the same.
 */
export function shownDiff(before: string, after: string, options: ShownDiffOptions): string[] {
  const { context = 2, maxLines } = options
  const old = linesOf(before)
  const now = linesOf(after)
  const hunks = hunkRuns(diffLines(old, now), context)
  const total = hunks.reduce((sum, { runs }) => sum + 1 + lengthOf(runs, 'same', 'old', 'new'), 0)
  const room = total > maxLines ? maxLines - 1 : maxLines
  const shown: string[] = []
  // What ends every line of a file need not be seen.
  const hidden = [before, after].every((text) => text === '' || text.includes('\r\n')) ? /\r?\n$/ : /\n$/
  for (const row of rowsOf(hunks, old, now)) {
    if (shown.length >= room) break
    const text = row.text.replace(hidden, '')
    shown.push(row.kind === 'head' ? text : MARKS[row.kind] + clipped(text, row.other, options.width - 1))
  }
  const left = total - shown.length
  if (left > 0) return [...shown, `… ${counted(left, 'more line')}`]
  // Otherwise two lines could look alike that are not.
  const ended = [before, after].map((text) => text === '' || text.endsWith('\n'))
  return ended[0] === ended[1] ? shown : [...shown, `\\ ${ended[0] ? 'No' : 'A'} line break at the end now`]
}

type Row = { kind: 'head'; text: string } | { kind: Run['kind']; text: string; other: string | undefined }

function* rowsOf(hunks: ReturnType<typeof hunkRuns>, old: readonly string[], now: readonly string[]): Generator<Row> {
  let oldAt = 0
  let newAt = 0
  for (const { lead, runs } of hunks) {
    oldAt += lead
    newAt += lead
    const oldEnd = oldAt + lengthOf(runs, 'same', 'old')
    const newEnd = newAt + lengthOf(runs, 'same', 'new')
    yield { kind: 'head', text: `@@ -${extent(oldAt, oldEnd)} +${extent(newAt, newEnd)} @@` }
    for (const [index, { kind, count }] of runs.entries()) {
      const replaced = runs[index - 1]
      const replacing = runs[index + 1]
      for (let nth = 0; nth < count; nth++) {
        const text = (kind === 'new' ? now[newAt + nth] : old[oldAt + nth]) ?? ''
        // Where lines are replaced, each is cut where it leaves its counterpart.
        let other: string | undefined
        if (kind === 'old' && replacing?.kind === 'new' && nth < replacing.count) other = now[newAt + nth]
        if (kind === 'new' && replaced?.kind === 'old' && nth < replaced.count)
          other = old[oldAt - replaced.count + nth]
        yield { kind, text, other }
      }
      if (kind !== 'new') oldAt += count
      if (kind !== 'old') newAt += count
    }
  }
}

const lengthOf = (runs: readonly Run[], ...kinds: Run['kind'][]): number =>
  runs.reduce((sum, { kind, count }) => sum + (kinds.includes(kind) ? count : 0), 0)

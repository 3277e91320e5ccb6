import { formatCount } from '../core/words.ts'
import { diffLines, type LineRun } from './line-diff.ts'
import { formatExtent, groupRuns, MARKS } from './unified-diff.ts'
import { splitKeepingEnds, splitLines } from './lines.ts'

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
export function renderDiff(before: string, after: string, options: ShownDiffOptions): string[] {
  const { context = 2, maxLines } = options
  const old = splitKeepingEnds(before)
  const now = splitKeepingEnds(after)
  const hunks = groupRuns(diffLines(old, now), context)
  const total = hunks.reduce((sum, { runs }) => sum + 1 + countRunLines(runs, 'same', 'old', 'new'), 0)
  const room = total > maxLines ? maxLines - 1 : maxLines
  const shown: string[] = []
  // CRLF is not shown where every line has it.
  const hidden = [before, after].every((text) => text === '' || text.includes('\r\n')) ? /\r?\n$/ : /\n$/
  let oldAt = 0
  let newAt = 0
  for (const { lead, runs } of hunks) {
    if (shown.length >= room) break
    const [oldStart, newStart] = [oldAt + lead, newAt + lead]
    oldAt = oldStart + countRunLines(runs, 'same', 'old')
    newAt = newStart + countRunLines(runs, 'same', 'new')
    shown.push(`@@ -${formatExtent(oldStart, oldAt)} +${formatExtent(newStart, newAt)} @@`)
    for (const { kind, text, other } of listShownLines(runs, [old, oldStart], [now, newStart])) {
      if (shown.length >= room) break
      shown.push(MARKS[kind] + clipLine(text.replace(hidden, ''), other, options.width - 1))
    }
  }
  const left = total - shown.length
  if (left > 0) return [...shown, `… ${formatCount(left, 'more line')}`]
  // Otherwise two lines could look alike that are not.
  const ended = [before, after].map((text) => text === '' || text.endsWith('\n'))
  return ended[0] === ended[1] ? shown : [...shown, `\\ ${ended[0] ? 'No' : 'A'} line break at the end now`]
}

interface ShownLine {
  readonly kind: LineRun['kind']
  readonly text: string
  /** Where lines are replaced, the counterpart: a long line is cut where it leaves it. */
  readonly other: string | undefined
}

/** The lines of some runs, the first of which is at these places of the two texts. */
function* listShownLines(
  runs: readonly LineRun[],
  [old, oldStart]: readonly [readonly string[], number],
  [now, newStart]: readonly [readonly string[], number],
): Generator<ShownLine> {
  let oldAt = oldStart
  let newAt = newStart
  for (const [index, { kind, count }] of runs.entries()) {
    const replaced = runs[index - 1]
    const replacing = runs[index + 1]
    for (let nth = 0; nth < count; nth++) {
      const text = (kind === 'new' ? now[newAt + nth] : old[oldAt + nth]) ?? ''
      let other: string | undefined
      if (kind === 'old' && replacing?.kind === 'new' && nth < replacing.count) other = now[newAt + nth]
      if (kind === 'new' && replaced?.kind === 'old' && nth < replaced.count) other = old[oldAt - replaced.count + nth]
      yield { kind, text, other }
    }
    if (kind !== 'new') oldAt += count
    if (kind !== 'old') newAt += count
  }
}

const countRunLines = (runs: readonly LineRun[], ...kinds: LineRun['kind'][]): number =>
  runs.reduce((sum, { kind, count }) => sum + (kinds.includes(kind) ? count : 0), 0)

/**
 * What differs, for a reader: `-` lines of `before`, `+` lines of `after`, a space for both; at most
 * `maxLines` lines, where lines are left out one that says how many. Not for `patch`.
 */
export function renderSmallDiff(before: string, after: string, maxLines: number): string {
  const [old, now] = [splitLines(before), splitLines(after)]
  const all = [...listShownLines(diffLines(old, now), [old, 0], [now, 0])].map(({ kind, text, other }): ShownRow => ({
    kind,
    text: clipLine(text, other),
  }))
  const near = all.length > maxLines ? nearChanges(all) : all
  const shown = near.length > maxLines ? withoutMiddle(near, maxLines) : near
  return shown
    .map((row) => (row.kind === 'gap' ? `… ${formatCount(row.count, 'line')} left out` : MARKS[row.kind] + row.text))
    .join('\n')
}

type ShownRow = { kind: LineRun['kind']; text: string } | { kind: 'gap'; count: number }

const WIDTH = 160

/** A long line is cut to the part where it leaves `other`, or both would show only what is alike. */
export function clipLine(text: string, other = '', width = WIDTH): string {
  if (text.length <= width) return text
  let alike = 0
  while (alike < other.length && text.charCodeAt(alike) === other.charCodeAt(alike)) alike++
  const lead = Math.floor(width / 4)
  const from = alike + lead > width ? Math.max(0, Math.min(alike - lead, text.length - width)) : 0
  const to = from + width
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`
}

/** Lines that both sides have are kept only beside a change. */
function nearChanges(rows: readonly ShownRow[]): ShownRow[] {
  const kept: ShownRow[] = []
  for (const [index, row] of rows.entries()) {
    const changed = [rows[index - 1], row, rows[index + 1]].some((near) => near !== undefined && near.kind !== 'same')
    const last = kept.at(-1)
    if (changed) kept.push(row)
    else if (last?.kind === 'gap') last.count++
    else kept.push({ kind: 'gap', count: 1 })
  }
  return kept
}

function withoutMiddle(rows: readonly ShownRow[], maxLines: number): ShownRow[] {
  const head = Math.ceil((maxLines - 1) / 2)
  const tail = rows.length - (maxLines - 1 - head)
  const count = rows.slice(head, tail).reduce((sum, row) => sum + (row.kind === 'gap' ? row.count : 1), 0)
  return [...rows.slice(0, head), { kind: 'gap', count }, ...rows.slice(tail)]
}

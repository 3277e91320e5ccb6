import { counted } from '../core/counted.ts'
import { diffLines, type Run } from './line-diff.ts'
import { splitLines } from './lines.ts'

/**
 * What differs, for a reader: `-` lines of `before`, `+` lines of `after`, a space for both; at most
 * `maxLines` lines, where lines are left out one that says how many. Not for `patch`.
 */
export function smallDiff(before: string, after: string, maxLines: number): string {
  const all = rowsOf(splitLines(before), splitLines(after))
  const near = all.length > maxLines ? nearChanges(all) : all
  const shown = near.length > maxLines ? withoutMiddle(near, maxLines) : near
  return shown
    .map((row) => (row.kind === 'gap' ? `… ${counted(row.count, 'line')} left out` : MARKS[row.kind] + row.text))
    .join('\n')
}

const MARKS = { same: ' ', old: '-', new: '+' } as const

type Row = { kind: Run['kind']; text: string } | { kind: 'gap'; count: number }

function rowsOf(before: readonly string[], after: readonly string[]): Row[] {
  const rows: Row[] = []
  const runs = diffLines(before, after)
  let oldAt = 0
  let newAt = 0
  for (const [index, { kind, count }] of runs.entries()) {
    const replaced = kind === 'new' && runs[index - 1]?.kind === 'old' ? (runs[index - 1]?.count ?? 0) : 0
    const replacing = kind === 'old' && runs[index + 1]?.kind === 'new' ? (runs[index + 1]?.count ?? 0) : 0
    for (let nth = 0; nth < count; nth++) {
      const text = (kind === 'new' ? after[newAt + nth] : before[oldAt + nth]) ?? ''
      let other: string | undefined
      if (nth < replaced) other = before[oldAt - replaced + nth]
      if (nth < replacing) other = after[newAt + nth]
      rows.push({ kind, text: clipped(text, other) })
    }
    if (kind !== 'new') oldAt += count
    if (kind !== 'old') newAt += count
  }
  return rows
}

const WIDTH = 160

/** A long line is cut to the part where it leaves `other`, or both would show only what is alike. */
export function clipped(text: string, other = '', width = WIDTH): string {
  if (text.length <= width) return text
  let alike = 0
  while (alike < other.length && text.charCodeAt(alike) === other.charCodeAt(alike)) alike++
  const lead = Math.floor(width / 4)
  const from = alike + lead > width ? Math.max(0, Math.min(alike - lead, text.length - width)) : 0
  const to = from + width
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`
}

/** Lines that both sides have are kept only beside a change. */
function nearChanges(rows: readonly Row[]): Row[] {
  const kept: Row[] = []
  for (const [index, row] of rows.entries()) {
    const changed = [rows[index - 1], row, rows[index + 1]].some((near) => near !== undefined && near.kind !== 'same')
    const last = kept.at(-1)
    if (changed) kept.push(row)
    else if (last?.kind === 'gap') last.count++
    else kept.push({ kind: 'gap', count: 1 })
  }
  return kept
}

function withoutMiddle(rows: readonly Row[], maxLines: number): Row[] {
  const head = Math.ceil((maxLines - 1) / 2)
  const tail = rows.length - (maxLines - 1 - head)
  const count = rows.slice(head, tail).reduce((sum, row) => sum + (row.kind === 'gap' ? row.count : 1), 0)
  return [...rows.slice(0, head), { kind: 'gap', count }, ...rows.slice(tail)]
}

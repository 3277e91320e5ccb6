import { isUtf8 } from 'node:buffer'
import { pathFrom } from '../core/paths.ts'
import type { Evidence } from '../core/result.ts'
import { changedPlaces } from '../text/changed-places.ts'
import type { Change } from '../workspace/open.ts'

/** What an action did to files: where and how much, and with `diff` a few lines of it. */
export function evidenceOf(changes: readonly Change[], root: string, detail: 'lines' | 'diff'): Evidence[] {
  const sorted = changes.toSorted((a, b) => (a.at.absolute < b.at.absolute ? -1 : 1))
  const [gone, ...otherGone] = sorted.filter(({ after }) => after === null)
  const [came, ...otherCame] = sorted.filter(({ before }) => before === null)
  const one = otherGone.length + otherCame.length === 0 && sorted.length === 2
  if (one && gone !== undefined && came !== undefined) {
    const moved = fileEvidence({ at: gone.at, before: gone.before, after: came.after }, root, detail)
    // More lines that stay than lines that go: it is the same file under another name.
    if (
      isText(bytesOf(gone.before)) ? moved.removed * 2 <= linesOf(gone.before).length : isSame(gone.before, came.after)
    )
      return [{ ...moved, change: 'move', to: pathFrom(root, came.at.absolute) }]
  }
  return sorted.map((change) => fileEvidence(change, root, detail))
}

const bytesOf = (state: Change['before']): Buffer => state?.bytes ?? Buffer.alloc(0)

export const isText = (bytes: Buffer): boolean => isUtf8(bytes) && !bytes.includes(0)

const isSame = (before: Change['before'], after: Change['after']): boolean =>
  before !== null && after !== null && before.bytes.equals(after.bytes)

function fileEvidence({ at, before, after }: Change, root: string, detail: 'lines' | 'diff'): Evidence {
  const path = pathFrom(root, at.absolute)
  const change = before === null ? 'create' : after === null ? 'delete' : 'modify'
  const states = [before, after].filter((state) => state !== null)
  if (!states.every(({ bytes }) => isText(bytes))) {
    const [now] = states.slice(-1)
    return { path, change, added: 0, removed: 0, binary: now?.bytes.length ?? 0 }
  }
  const [old, now] = [linesOf(before), linesOf(after)]
  if (change !== 'modify') return { path, change, added: now.length, removed: old.length }
  const places = changedPlaces(old, now)
  const removed = places.reduce((sum, { oldStart, oldEnd }) => sum + oldEnd - oldStart, 0)
  const added = places.reduce((sum, { newStart, newEnd }) => sum + newEnd - newStart, 0)
  const lines = places.map(({ oldStart, oldEnd, newStart, newEnd }) =>
    oldEnd > oldStart ? rangeOf(oldStart, oldEnd) : rangeOf(newStart, newEnd),
  )
  const diff = detail === 'lines' ? [] : shownRows(places, old, now)
  return { path, change, added, removed, lines, ...(diff.length === 0 ? {} : { diff }) }
}

const rangeOf = (start: number, end: number): string => (end - start === 1 ? `${end}` : `${start + 1}-${end}`)

/** As lines are counted, with LF or CRLF; the last one without its break is not the same as one with it. */
function linesOf(state: Change['before']): string[] {
  const text = state?.bytes.toString('utf8') ?? ''
  return text === '' ? [] : (text.match(/[^\n]*\n|[^\n]+$/g) ?? [])
}

/** All rows of a small change; of a larger one the ends of what went and the beginning of what came. */
function shownRows(places: ReturnType<typeof changedPlaces>, old: readonly string[], now: readonly string[]): string[] {
  const [first] = places
  if (first === undefined) return []
  const gone = old.slice(first.oldStart, first.oldEnd).map((line) => `-${shortened(line)}`)
  const came = now.slice(first.newStart, first.newEnd).map((line) => `+${shortened(line)}`)
  if (gone.length + came.length <= maxRows) return [...gone, ...came]
  const [top = [], bottom = []] = [gone.slice(0, 1), gone.slice(1).slice(-1)]
  const kept =
    came.length === 0 ? [...top, ...bottom] : gone.length === 0 ? ends(came) : [...top, ...bottom, ...came.slice(0, 1)]
  return kept.slice(0, maxRows)
}

const ends = (rows: readonly string[]): string[] => [...rows.slice(0, 2), ...rows.slice(2).slice(-1)]

const maxRows = 3
const width = 100

function shortened(line: string): string {
  const text = line.replace(/\r?\n$/, '')
  return text.length > width ? `${text.slice(0, width)}…` : text
}

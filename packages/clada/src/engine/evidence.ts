import { diffLines } from '@clada/reply/text/line-diff.ts'
import { clipLine } from '@clada/reply/text/shown-diff.ts'
import { splitKeepingEnds } from '@clada/reply/text/lines.ts'
import { isUtf8 } from 'node:buffer'
import { isNotebookPath, pathFrom } from '../core/paths.ts'
import type { Evidence } from '../core/result.ts'
import type { ChangedPlace } from '../core/review.ts'
import { notebookText } from '../workspace/notebook.ts'
import type { Change } from '../workspace/open.ts'
import { withTimeLimit } from '../core/time-limit.ts'
import { unlessEmpty } from '@clada/reply/core/optional.ts'

/** What an action did to files: where and how much, and with `diff` a few lines of the first. */
export function evidenceOf(changes: readonly Change[], root: string, detail: 'lines' | 'diff'): Evidence[] {
  const [only, ...rest] = changes
  if (only !== undefined && rest.length === 0) return [fileEvidence(only, root, detail)]
  const sorted = changes.toSorted((a, b) => (a.at.absolute < b.at.absolute ? -1 : 1))
  const [gone, ...otherGone] = sorted.filter(({ after }) => after === null)
  const [came, ...otherCame] = sorted.filter(({ before }) => before === null)
  const one = otherGone.length + otherCame.length === 0 && sorted.length === 2
  if (one && gone !== undefined && came !== undefined) {
    const moved = fileEvidence({ at: gone.at, before: gone.before, after: came.after }, root, detail)
    // More lines that stay than lines that go: it is the same file under another name.
    if (
      isText(bytesOf(gone.before))
        ? moved.removed * 2 <= stateLines(gone.before).length
        : isSameFileState(gone.before, came.after)
    )
      return [{ ...moved, change: 'move', to: pathFrom(root, came.at.absolute) }]
  }
  // The same edit in many files is seen in the first.
  return sorted.map((change, at) => fileEvidence(change, root, at === 0 ? detail : 'lines'))
}

const bytesOf = (state: Change['before']): Buffer => state?.bytes ?? Buffer.alloc(0)

export const isText = (bytes: Buffer): boolean => isUtf8(bytes) && !bytes.includes(0)

const isSameFileState = (before: Change['before'], after: Change['after']): boolean =>
  before !== null && after !== null && before.bytes.equals(after.bytes)

function fileEvidence({ at, before, after }: Change, root: string, detail: 'lines' | 'diff'): Evidence {
  const path = pathFrom(root, at.absolute)
  const change = before === null ? 'create' : after === null ? 'delete' : 'modify'
  const states = [before, after].filter((state) => state !== null)
  if (!states.every(({ bytes }) => isText(bytes))) {
    const [now] = states.slice(-1)
    return { path, change, added: 0, removed: 0, binary: now?.bytes.length ?? 0 }
  }
  const cells = isNotebookPath(path) ? [before, after].map((state) => notebookText(bytesOf(state).toString())) : []
  // As the file is shown when it is read.
  const isShown = cells.length > 0 && cells.every((text) => text !== undefined)
  if (change !== 'modify') {
    const [old = [], now = []] = isShown
      ? cells.map((text = '') => splitKeepingEnds(text))
      : [stateLines(before), stateLines(after)]
    return { path, change, added: now.length, removed: old.length }
  }
  const { above, old, now } = isShown
    ? { above: 0, old: splitKeepingEnds(cells[0] ?? ''), now: splitKeepingEnds(cells[1] ?? '') }
    : trimCommonLines(bytesOf(before), bytesOf(after))
  const places = findChangedPlaces(old, now)
  const removed = places.reduce((sum, { oldStart, oldEnd }) => sum + oldEnd - oldStart, 0)
  const added = places.reduce((sum, { newStart, newEnd }) => sum + newEnd - newStart, 0)
  const lines = places.map(({ oldStart, oldEnd, newStart, newEnd }) =>
    // Of several the lines are counted as they are now, so that each is found there.
    places.length === 1 && oldEnd > oldStart
      ? changedRange(above + oldStart, above + oldEnd)
      : changedRange(above + newStart, above + Math.max(newStart + 1, newEnd)),
  )
  const diff = detail === 'lines' ? [] : rowsToShow(places, old, now)
  return { path, change, added, removed, lines, diff: unlessEmpty(diff) }
}

/** The lines between those that are the same at the beginning and at the end, and how many are above them. */
function trimCommonLines(before: Buffer, after: Buffer): { above: number; old: string[]; now: string[] } {
  const [beginning, end] = commonBytes(before, after)
  const from = beginning === 0 ? 0 : before.lastIndexOf(10, beginning - 1) + 1
  const rest = before.length - (before.indexOf(10, before.length - end) + 1 || before.length)
  let above = 0
  for (let at = 0; at < from; at++) if (before[at] === 10) above++
  const [old = [], now = []] = [before, after].map((bytes) =>
    splitKeepingEnds(bytes.toString('utf8', from, bytes.length - rest)),
  )
  return { above, old, now }
}

const changedRange = (start: number, end: number): string => (end - start === 1 ? `${end}` : `${start + 1}-${end}`)

/** As lines are counted, with LF or CRLF; the last one without its break is not the same as one with it. */
const stateLines = (state: Change['before']): string[] => splitKeepingEnds(state?.bytes.toString('utf8') ?? '')

/** All rows of a small change; of a larger one a few that say something: ends of what went, the first of what came. */
function rowsToShow(places: readonly ChangedPlace[], old: readonly string[], now: readonly string[]): string[] {
  const rowsOf = ({ oldStart, oldEnd, newStart, newEnd }: ChangedPlace): { gone: string[]; came: string[] } => ({
    gone: old.slice(oldStart, oldEnd).map((line, nth) => `-${shortenLine(line, now.slice(newStart, newEnd)[nth])}`),
    came: now.slice(newStart, newEnd).map((line, nth) => `+${shortenLine(line, old.slice(oldStart, oldEnd)[nth])}`),
  })
  const count = places.reduce((sum, one) => sum + one.oldEnd - one.oldStart + one.newEnd - one.newStart, 0)
  if (count <= mostRows) return places.map(rowsOf).flatMap(({ gone, came }) => [...gone, ...came])
  const saying = (rows: readonly string[]): string[] => rows.filter((row) => row.slice(1).trim() !== '')
  const samples = places.map(rowsOf).map(({ gone, came }) => ({ gone: saying(gone), came: saying(came) }))
  const { gone = [], came = [] } = samples.find((one) => one.gone.length + one.came.length > 0) ?? {}
  const [top, bottom] = [gone.slice(0, 1), gone.slice(1).slice(-1)]
  if (came.length === 0) return [...top, ...bottom]
  return [...top, ...bottom, ...came.slice(0, 1)]
}

/** A change of so many lines is shown whole. */
const mostRows = 6
const width = 100

/** A long line is cut to the part that differs from the one that it replaces, or that replaces it. */
const shortenLine = (line: string, other: string | undefined): string =>
  clipLine(line.replace(/\r?\n$/, ''), other, width)

interface CheckedFile {
  readonly before: Buffer
  after: Buffer | null
}

interface SyntaxWarning {
  /** Absolute. */
  readonly file: string
  readonly message: string
}

/** Files that a run changed, as they were before it and as they are now. */
export class SyntaxCheck {
  readonly #root: string
  readonly #largest: number
  readonly #files = new Map<string, CheckedFile>()

  /** `lasting`: the process lives on, so that loading parsers pays. Otherwise only small files are checked. */
  constructor(root: string, process: 'lasting' | 'short') {
    this.#root = root
    this.#largest = process === 'lasting' ? 512 * 1024 : 48 * 1024
  }

  addChanges(changes: readonly Change[]): void {
    for (const { at, before, after } of changes) {
      const known = this.#files.get(at.absolute)
      if (known !== undefined) known.after = after?.bytes ?? null
      else if (before !== null && before.bytes.length <= this.#largest && parsed.test(at.absolute))
        this.#files.set(at.absolute, { before: before.bytes, after: after?.bytes ?? null })
    }
  }

  /** One sentence for each file whose syntax was right before the run and is not any more. */
  async warnings(): Promise<SyntaxWarning[]> {
    const found: SyntaxWarning[] = []
    for (const [absolute, { before, after }] of this.#files) {
      if (after === null || after.length > this.#largest || before.equals(after) || !isText(before) || !isText(after))
        continue
      const path = pathFrom(this.#root, absolute)
      const { line = 0, column, message } = (await diagnosticOf(path, before, after)) ?? {}
      if (message === undefined) continue
      const place = `${path}:${line}:${column}`
      // Content is written as it is, so escapes that came with the reply are in the file.
      const [entity] = ENTITY.exec(splitKeepingEnds(after.toString())[line - 1] ?? '') ?? []
      const hint =
        entity === undefined || before.includes(entity)
          ? ''
          : `; the line has ${entity}, which the file had nowhere: if the character was meant, write that`
      found.push({ file: absolute, message: `${place} has a syntax error since this run: ${message}${hint}` })
    }
    return found
  }
}

const ENTITY = /&(?:lt|gt|amp|quot|apos|#39);/

/** A parser that takes too long or fails says nothing about the file. */
async function diagnosticOf(path: string, before: Buffer, after: Buffer) {
  try {
    const { brokenSyntax } = await (validity ??= import('../structure/validity.ts'))
    return await withTimeLimit(mostMs, () => brokenSyntax(path, () => before.toString(), after.toString()))
  } catch {
    return undefined
  }
}

let validity: Promise<typeof import('../structure/validity.ts')> | undefined

const mostMs = 2000

/** Names of files worth keeping; the languages decide in the end. */
const parsed =
  /\.(?:[cm]?[jt]sx?|py|pyi|json|ya?ml|toml|java|go|rs|[ch]|cc|cpp|cxx|hpp|hh|cs|rb|php|sh|bash|css|html?|kts?|swift)$/i

/** The places where two lists of lines differ, as git counts them. */
export function findChangedPlaces(old: readonly string[], now: readonly string[]): ChangedPlace[] {
  const places: ChangedPlace[] = []
  let [oldAt, newAt] = [0, 0]
  let isOpen = false
  for (const { kind, count } of diffLines(old, now)) {
    if (kind === 'same') {
      oldAt += count
      newAt += count
      isOpen = false
      continue
    }
    const before = isOpen ? places.pop() : undefined
    const place = before ?? { oldStart: oldAt, oldEnd: oldAt, newStart: newAt, newEnd: newAt }
    if (kind === 'old') oldAt += count
    else newAt += count
    places.push({ ...place, oldEnd: oldAt, newEnd: newAt })
    isOpen = true
  }
  return places
}

/** How many bytes two contents have in common at their beginnings and, after those, at their ends. */
function commonBytes(one: Buffer, other: Buffer): [beginning: number, end: number] {
  const shorter = Math.min(one.length, other.length)
  const beginning = commonPrefix(shorter, (at, length) => one.compare(other, at, at + length, at, at + length) === 0)
  const end = commonPrefix(shorter - beginning, (at, length) => {
    const [own, theirs] = [one.length - at, other.length - at]
    return one.compare(other, theirs - length, theirs, own - length, own) === 0
  })
  return [beginning, end]
}

/** Galloping comparison: large blocks first, because comparing many bytes at once is fast. */
function commonPrefix(most: number, isSame: (at: number, length: number) => boolean): number {
  let at = 0
  for (let step = 1 << 20; step >= 1; step >>= 1) while (at + step <= most && isSame(at, step)) at += step
  return at
}

import {
  contentsOfHistory,
  type ExecutionRecord,
  type HeadMove,
  numbersIn,
  type PathRecord,
  readRecord,
  type State,
} from './record.ts'
import type { ContentStore } from './content-store.ts'

/** An execution, and whether it was undone. */
export interface ExecutionStanding {
  readonly record: ExecutionRecord
  readonly undone: boolean
}

/**
 * The undos in effect, oldest first. A redo reverts the last undo of the same execution, or of the same actions of it.
 * An interrupted undo has no effect.
 */
export function heldUndos(records: readonly ExecutionRecord[]): ExecutionRecord[] {
  const held: ExecutionRecord[] = []
  for (const record of records) {
    if (record.ended === 'interrupted' || record.of === undefined) continue
    if (record.kind === 'undo') held.push(record)
    const at = record.kind === 'redo' ? held.findLastIndex((undo) => isAboutSame(undo, record)) : -1
    if (at !== -1) held.splice(at, 1)
  }
  return held
}

/** How the files of an execution were left by the undos of single actions of it. */
export function statesAfterPartialUndos(
  { number }: Pick<ExecutionRecord, 'number'>,
  records: readonly ExecutionRecord[],
): ReadonlyMap<string, State> {
  const partial = heldUndos(records).filter(({ of, ofActions }) => of === number && ofActions !== undefined)
  return new Map(partial.flatMap(({ paths }) => paths.map(({ path, after }) => [path, after] as const)))
}

/** `back`, `forward` and `squash` move HEAD. What they do to files is in commits, and nobody's change. */
export const isMove = ({ kind }: Pick<ExecutionRecord, 'kind'>): boolean =>
  kind === 'back' || kind === 'forward' || kind === 'squash'

/** A step back, with where HEAD was and where it went. */
export interface StepBack extends ExecutionRecord {
  readonly moved: HeadMove
}

/**
 * The steps back in effect, oldest first: one that died counts if it changed something. A step forward reverts the one
 * it is about and all after it.
 */
export function heldBacks(records: readonly ExecutionRecord[]): StepBack[] {
  const held: StepBack[] = []
  for (const record of records) {
    const { kind, ended, moved, paths } = record
    if (kind === 'back' && moved !== undefined && (ended === 'whole' || (ended === 'interrupted' && paths.length > 0)))
      held.push({ ...record, moved })
    const at = record.kind === 'forward' && record.ended === 'whole' ? held.findIndex(isReverted(record)) : -1
    if (at !== -1) held.splice(at)
  }
  return held
}

/** The paths that an interrupted revert of an execution may have removed on the way to their earlier states. */
export const interruptedPaths = (
  { number }: ExecutionRecord,
  records: readonly ExecutionRecord[],
): ReadonlySet<string> =>
  new Set(
    records
      .filter(({ of, ended }) => of === number && ended === 'interrupted')
      .flatMap(({ paths }) => paths.map((entry) => entry.path)),
  )

const isReverted =
  ({ of }: ExecutionRecord) =>
  ({ number }: ExecutionRecord): boolean =>
    number === of

/** The newest executions as long as they only move HEAD, oldest first: after a step back nothing else is executed. */
export function newestMoves(history: string, numbers: readonly number[]): ExecutionRecord[] {
  const moves: ExecutionRecord[] = []
  for (const number of numbers.toReversed()) {
    const record = readRecord(history, number)
    if (record === undefined) continue
    if (!isMove(record)) break
    moves.push(record)
  }
  return moves.reverse()
}

type UndoTarget = Pick<ExecutionRecord, 'of' | 'ofActions'>

export const isAboutSame = (a: UndoTarget, b: UndoTarget): boolean =>
  a.of === b.of && a.ofActions?.join() === b.ofActions?.join()

/** The runs among the records, and whether each is undone. A run of which only some actions are undone is not. */
export function standings(records: readonly ExecutionRecord[]): ExecutionStanding[] {
  const undone = new Set(heldUndos(records).flatMap(({ of, ofActions }) => (ofActions === undefined ? of : [])))
  // An interrupted undo can be undone itself.
  return records
    .filter((record) => record.kind === 'run' || (record.ended === 'interrupted' && !isMove(record)))
    .map((record) => ({ record, undone: undone.has(record.number) }))
}

/** The execution that `undo` without a number reverts. */
export const lastStanding = (records: readonly ExecutionRecord[]): ExecutionRecord | undefined =>
  standings(records).findLast(({ record, undone }) => !undone && !isRepeated(record, records))?.record

/** Whether an interrupted undo or redo was followed by a complete one. */
const isRepeated = (died: ExecutionRecord, records: readonly ExecutionRecord[]): boolean =>
  died.kind !== 'run' &&
  records.some(({ number, ended, ...later }) => number > died.number && ended === 'whole' && isAboutSame(later, died))

/** Whether an execution, or one of its actions, is undone. */
export function isUndone(record: ExecutionRecord, action: number | undefined, records: readonly ExecutionRecord[]) {
  const held = heldUndos(records)
  if (record.kind === 'run' || record.kind === 'squash' || record.ended === 'interrupted')
    return held.some(
      ({ of, ofActions }) =>
        of === record.number && (ofActions === undefined || (action !== undefined && ofActions.includes(action))),
    )
  if (record.kind === 'undo') return !held.includes(record)
  return records.some((later) => later.number > record.number && later.ended === 'whole' && isAboutSame(later, record))
}

/** An action that ran in an earlier execution. */
export interface EarlierAction {
  readonly execution: number
  readonly action: number
  readonly time: string
}

/** The execution that last ran a block. */
export interface Executed extends EarlierAction {
  readonly success: boolean
}

/** The last time a block ran, by the digest of its text, whether or not it was undone since. */
export function lastRunOf(digest: string, records: readonly ExecutionRecord[]): Executed | undefined {
  const record = records.findLast(({ actions }) => actions.some(({ block }) => block === digest))
  const action = record?.actions.findLast(({ block }) => block === digest)
  return (
    record && action && { execution: record.number, action: action.seq, success: action.success, time: record.time }
  )
}

/** The previous execution, if it ran the same document. */
export function previousRunOf(
  document: string,
  history: string,
): Pick<EarlierAction, 'execution' | 'time'> | undefined {
  for (const number of numbersIn(history).reverse()) {
    const record = readRecord(history, number)
    // The current execution has no record yet.
    if (record === undefined || isMove(record)) continue
    return record.document === document ? { execution: number, time: record.time } : undefined
  }
  return undefined
}

/**
 * Answers for blocks, one after another, whether they ran successfully and are not undone. A block that occurs twice
 * must have run twice. `again` says whether a block runs nevertheless; without it only the previous run counts, so
 * that a document is recognized that comes twice in a row.
 */
export function doneIn(
  records: readonly ExecutionRecord[],
  again?: (block: string) => boolean,
): (block: string, digest: string) => EarlierAction | undefined {
  const runs = records.filter(({ kind }) => kind === 'run').reverse()
  const undos = heldUndos(records)
  const isUndone = (execution: number, action: number): boolean =>
    undos.some(({ of, ofActions }) => of === execution && (ofActions === undefined || ofActions.includes(action)))
  const asked = new Map<string, number>()
  return (block, digest) => {
    const nth = asked.get(digest) ?? 0
    asked.set(digest, nth + 1)
    if (again?.(block)) return undefined
    const candidates = again === undefined ? runs.slice(0, 1) : runs
    const run = candidates.find(({ actions }) => actions.some((action) => action.block === digest))
    const found = run?.actions.filter((action) => action.block === digest)[nth]
    if (run === undefined || found === undefined || !found.success) return undefined
    const { execution, action } = found.already ?? { execution: run.number, action: found.seq }
    const { time } = runs.find(({ number }) => number === execution) ?? run
    return isUndone(execution, action) ? undefined : { execution, action, time }
  }
}

export interface LostBy {
  readonly execution: number
  /** 0 for an undo or redo, which has none. */
  readonly action: number
  readonly kind?: 'undo' | 'redo'
  /** The execution that an undo or redo was about. */
  readonly of?: number
}

/** Older executions are not searched: a text that was removed so long ago is not what the caller expects. */
const mostSearched = 50

/**
 * The recorded change that removed a text from a file. If an execution left the text in the file, another process removed
 * it later, and no earlier change counts. CRLF and LF are equal.
 */
export function lostBy(
  records: readonly ExecutionRecord[],
  history: string,
  path: string,
  text: string,
): LostBy | undefined {
  const wanted = text.replaceAll('\r\n', '\n')
  const contents = contentsOfHistory(history)
  let looked = 0
  for (const { number, kind, of, paths } of records.toReversed()) {
    const entry = paths.find((one) => one.path === path)
    if (entry === undefined || isMove({ kind })) continue
    if (++looked > mostSearched) return undefined
    const left = entry.after.type === 'file' ? hasIn(contents.read(entry.after.digest), wanted) : false
    if (left !== false) return undefined
    const action = lostIn(entry, contents, wanted)
    if (action === undefined) continue
    const about = kind === 'undo' || kind === 'redo' ? { kind } : {}
    return { execution: number, action, ...about, of }
  }
  return undefined
}

/** The last step that removed a text from a file that no longer contains it. */
export function lostIn(
  { before, steps }: Pick<PathRecord, 'before' | 'steps'>,
  contents: ContentStore,
  wanted: string,
): number | undefined {
  for (const [at, { by }] of [...steps.entries()].reverse()) {
    const digest = at > 0 ? steps[at - 1]?.digest : before.type === 'file' ? before.digest : undefined
    // A content that was not kept is treated like the one after it, which lacks the text.
    if (digest !== undefined && hasIn(contents.read(digest), wanted)) return by
  }
  return undefined
}

/** Undefined when the content is unknown. */
const hasIn = (bytes: Buffer | undefined, wanted: string): boolean | undefined =>
  bytes && bytes.toString('utf8').replaceAll('\r\n', '\n').includes(wanted)

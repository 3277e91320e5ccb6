import { Contents } from './contents.ts'
import { type ExecutionRecord, numbersIn, type PathRecord, readRecord } from './record.ts'

/** A block that was carried out. */
export interface Executed {
  readonly execution: number
  readonly action: number
  readonly success: boolean
  readonly time: string
}

/** The last time a block was carried out, by the fingerprint of its text. */
export function blockIn(records: readonly ExecutionRecord[], print: string): Executed | undefined {
  for (const { number, time, actions } of records.toReversed()) {
    const found = actions.findLast(({ block }) => block === print)
    if (found !== undefined) return { execution: number, action: found.seq, success: found.success, time }
  }
  return undefined
}

/** The execution before, when it was one of the same document. */
export function repeatedIn(history: string, document: string): Pick<Executed, 'execution' | 'time'> | undefined {
  for (const number of numbersIn(history).reverse()) {
    const record = readRecord(history, number)
    // The one that is going on has none yet.
    if (record === undefined) continue
    return record.document === document ? { execution: number, time: record.time } : undefined
  }
  return undefined
}

export interface LostBy {
  readonly execution: number
  readonly action: number
}

/** Looks back no further than this: a text that was lost so long ago was lost for a reason. */
const lookBack = 50

/** The last change that took a text out of a file. Line breaks count as one kind. */
export function lostBy(
  records: readonly ExecutionRecord[],
  history: string,
  path: string,
  text: string,
): LostBy | undefined {
  const wanted = text.replaceAll('\r\n', '\n')
  let looked = 0
  for (const { number, paths } of records.toReversed()) {
    const entry = paths.find((one) => one.path === path)
    if (entry === undefined) continue
    if (++looked > lookBack) return undefined
    const action = lostIn(entry, new Contents(history, number), wanted)
    if (action !== undefined) return { execution: number, action }
  }
  return undefined
}

/** The last step of an entry that took a text out. */
export function lostIn(
  entry: Pick<PathRecord, 'before' | 'steps'>,
  contents: Contents,
  wanted: string,
): number | undefined {
  const has = (bytes: Buffer | undefined): boolean =>
    bytes !== undefined && bytes.toString('utf8').replaceAll('\r\n', '\n').includes(wanted)
  let before = has(contents.bytesOf(entry.before))
  let lost: number | undefined
  for (const { by, pack } of entry.steps) {
    const now = pack !== undefined && has(contents.slice(pack))
    if (before && !now) lost = by
    before = now
  }
  return lost
}

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
  /** 0 for an undo or redo, which has none. */
  readonly action: number
  readonly kind?: 'undo' | 'redo'
  /** The execution that an undo or redo was about. */
  readonly of?: number
}

/** Looks back no further than this: a text that was lost so long ago was lost for a reason. */
const lookBack = 50

/**
 * The change that took a text out of a file, when it was one of ours. A text that an execution left in the file was
 * taken away later, by somebody else, whatever became of it before. Line breaks count as one kind.
 */
export function lostBy(
  records: readonly ExecutionRecord[],
  history: string,
  path: string,
  text: string,
): LostBy | undefined {
  const wanted = text.replaceAll('\r\n', '\n')
  let looked = 0
  for (const { number, kind, of, paths } of records.toReversed()) {
    const entry = paths.find((one) => one.path === path)
    if (entry === undefined) continue
    if (++looked > lookBack) return undefined
    const contents = new Contents(history, number)
    const left = entry.after.type === 'file' ? hasIn(contents.bytesOf(entry.after), wanted) : false
    if (left !== false) return undefined
    const action = lostIn(entry, contents, wanted)
    if (action === undefined) continue
    return { execution: number, action, ...(kind === 'run' ? {} : { kind }), ...(of === undefined ? {} : { of }) }
  }
  return undefined
}

/** The last step that took a text out of a file which does not hold it any more. */
export function lostIn(
  { before, steps }: Pick<PathRecord, 'before' | 'steps'>,
  contents: Contents,
  wanted: string,
): number | undefined {
  for (const [at, { by }] of [...steps.entries()].reverse()) {
    const pack = steps[at - 1]?.pack
    // What a step made and nobody kept counts as what came after it, which is without the text.
    const bytes = at === 0 ? contents.bytesOf(before) : pack && contents.slice(pack)
    if (hasIn(bytes, wanted)) return by
  }
  return undefined
}

/** Undefined when nobody can say. */
const hasIn = (bytes: Buffer | undefined, wanted: string): boolean | undefined =>
  bytes && bytes.toString('utf8').replaceAll('\r\n', '\n').includes(wanted)

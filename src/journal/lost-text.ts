import { Contents } from './images.ts'
import type { ExecutionRecord, PathRecord } from './record.ts'

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
  let looked = 0
  for (const { number, kind, of, paths } of records.toReversed()) {
    const entry = paths.find((one) => one.path === path)
    if (entry === undefined) continue
    if (++looked > mostSearched) return undefined
    const contents = new Contents(history, number)
    const left = entry.after.type === 'file' ? hasIn(contents.bytesOf(entry.after), wanted) : false
    if (left !== false) return undefined
    const action = lostIn(entry, contents, wanted)
    if (action === undefined) continue
    return { execution: number, action, ...(kind === 'run' ? {} : { kind }), ...(of === undefined ? {} : { of }) }
  }
  return undefined
}

/** The last step that removed a text from a file that no longer contains it. */
export function lostIn(
  { before, steps }: Pick<PathRecord, 'before' | 'steps'>,
  contents: Contents,
  wanted: string,
): number | undefined {
  for (const [at, { by }] of [...steps.entries()].reverse()) {
    const kept = steps[at - 1]?.kept
    // A content that was not kept is treated like the one after it, which lacks the text.
    const bytes = at === 0 ? contents.bytesOf(before) : kept && contents.slice(kept)
    if (hasIn(bytes, wanted)) return by
  }
  return undefined
}

/** Undefined when the content is unknown. */
const hasIn = (bytes: Buffer | undefined, wanted: string): boolean | undefined =>
  bytes && bytes.toString('utf8').replaceAll('\r\n', '\n').includes(wanted)

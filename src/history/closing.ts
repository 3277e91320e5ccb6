import fs from 'node:fs'
import { isOsError } from '../core/platform.ts'
import { Stop } from '../core/problem.ts'
import type { Inspect } from '../core/recorder.ts'
import type { ActionResult } from '../core/result.ts'
import type { Checkpoints } from '../git/checkpoints.ts'
import type { Journal } from '../journal/journal.ts'
import type { HistoryOptions, Open } from './opening.ts'
import { type ActionRecord, dirOf, type ExecutionRecord, type Moved, seenAt } from '../journal/record.ts'
import { summaryOf, targetOf } from '../journal/summary.ts'

/** The end of an execution, for its report. */
export interface Ended {
  readonly record?: ExecutionRecord
  readonly commit?: string
  readonly warnings: readonly string[]
  readonly failure?: Stop
}

/** The results of an execution, for its record. */
export interface Done {
  readonly results: readonly ActionResult[]
  /** By action: the fingerprint of its block. */
  readonly blocks: ReadonlyMap<number, string>
  /** Fingerprint of the document. */
  readonly document: string | undefined
  readonly explanations: readonly string[]
  /** How programs moved the branch. */
  readonly moved: Moved | undefined
  /** Paths with conflicts for the user to resolve: they are not committed. */
  readonly left: ReadonlySet<string>
  /** Paths that programs have changed. */
  readonly byPrograms: ReadonlySet<string>
}

/** Ends an execution: first the record, which undo needs, then the checkpoint. Does not release the lock. */
export async function closeExecution(
  { history, number, journal, checkpoints }: Open,
  options: HistoryOptions,
  done: Done,
): Promise<Ended> {
  let isEmpty = false
  try {
    const record = recordOf(number, journal, options, done)
    // An undo without changes is recorded too.
    isEmpty =
      record.paths.length === 0 &&
      record.moved === undefined &&
      (record.of === undefined || record.ended === 'interrupted')
    if (isEmpty) return { warnings: [] }
    journal.end(record)
    if (checkpoints === undefined) await journal.sync()
    const ended =
      checkpoints === undefined
        ? { record, warnings: [] }
        : await checkpointed(checkpoints, record, journal, options.inspect, done)
    await journal.compress()
    if (number % packedEvery === 0) await checkpoints?.pack()
    return ended
  } finally {
    journal.close()
    if (isEmpty) fs.rmSync(dirOf(history, number), { recursive: true, force: true })
  }
}

/** Executions from one look at the number of loose objects to the next. */
const packedEvery = 32

async function checkpointed(
  checkpoints: Checkpoints,
  record: ExecutionRecord,
  journal: Journal,
  inspect: Inspect,
  { explanations, left, byPrograms }: Done,
): Promise<Ended> {
  const [saved] = await Promise.all([
    checkpoints.after(record, explanations, inspect, left).catch(asGitStop),
    journal.sync(),
  ])
  if (saved instanceof Stop) return { record, warnings: [], failure: saved }
  const { commits, warnings, ignored } = saved
  const paths = record.paths.map((entry) =>
    ignored.has(entry.path) && byPrograms.has(entry.path) ? { ...entry, ignored: true as const } : entry,
  )
  const whole: ExecutionRecord = { ...record, mode: checkpoints.mode, commits, paths }
  journal.end(whole)
  await journal.sync()
  const commit = checkpoints.mode === 'commit' ? commits.after : undefined
  return { record: whole, warnings, ...(commit === undefined ? {} : { commit }) }
}

/** Failures of git and of the disk are reported in the same way: the commit is missing. */
function asGitStop(error: unknown): Stop {
  if (error instanceof Stop) return error
  if (!isOsError(error)) throw error
  return new Stop({ kind: 'git', reason: error.message })
}

function recordOf(number: number, journal: Journal, options: HistoryOptions, done: Done): ExecutionRecord {
  const { inspect, about, settings } = options
  const { conversation } = settings
  const { kind = options.kind, of, ofActions, ended = 'whole' } = about?.() ?? {}
  const { results, blocks, document, explanations, moved } = done
  const paths = journal.finish((absolute) => seenAt(inspect, absolute))
  return {
    version: 1,
    number,
    time: new Date().toISOString(),
    kind,
    ...(of === undefined ? {} : { of }),
    ...(ofActions === undefined ? {} : { ofActions }),
    ended,
    mode: 'off',
    ...(moved === undefined ? {} : { moved }),
    summary: ended === 'whole' ? summaryOf({ kind, of, ofActions, paths, moved, explanations }) : 'interrupted',
    ...(conversation === undefined ? {} : { conversation }),
    ...(document === undefined ? {} : { document }),
    actions: results.map((result) => actionOf(result, blocks.get(result.seq))),
    paths,
  }
}

function actionOf(
  { seq, action, params, success, error, details, review }: ActionResult,
  block: string | undefined,
): ActionRecord {
  const [line] = error?.split('\n') ?? []
  return {
    seq,
    action,
    target: targetOf(params),
    success,
    ...(review?.leftOut ? { left: true } : {}),
    ...(block === undefined ? {} : { block }),
    ...(details?.already_done === undefined ? {} : { already: details.already_done }),
    ...(line === undefined ? {} : { error: line.slice(0, 200) }),
  }
}

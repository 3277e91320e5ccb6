import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { formatCount } from '@clada/reply/core/words.ts'
import { ProblemError } from '../core/problem.ts'
import { type Inspect, type Inspected, mostInMemory } from '../core/recorder.ts'
import { git } from '../git/git-program.ts'
import type { ContentStore } from '../store/content-store.ts'
import {
  digestOfFile,
  type ExecutionRecord,
  isSameMode,
  isSameState,
  type PathRecord,
  type State,
  type StepRecord,
} from '../store/record.ts'
import type { OpenWorkspace, WantedContent, WantedState } from '../workspace/open.ts'
import { everythingBelow } from './plan-checkout.ts'

/** The planned change of one path by an undo. */
export interface PathPlan {
  readonly path: string
  readonly wanted?: WantedState
  readonly conflict?: string
  /** The reason why it cannot be restored by anybody. Others are restored nevertheless. */
  readonly lost?: string
  /** The reason why it is left as it is; no conflict. */
  readonly left?: string
  /** A later action that changed the same lines. */
  readonly overlapsAction?: number
}

/** The contents that were kept, and what is there now. */
interface UndoContext {
  readonly contents: ContentStore
  readonly inspect: Inspect
  /** A merge would put the content of a blocked file into one that is not. */
  readonly isBlocked: (absolute: string) => boolean
}

interface AllKnown extends UndoContext {
  readonly names: OpenWorkspace['names']
}

export async function planUndo(
  entries: readonly RevertedPath[],
  root: string,
  known: AllKnown,
  onChange: 'merge' | 'refuse',
): Promise<PathPlan[]> {
  const planned = entries.map((entry) => planPath(entry, path.resolve(root, entry.path), known, onChange))
  const plans = await Promise.all(planned)
  const leaving = new Set(plans.flatMap(({ wanted }) => (wanted?.to.type === 'absent' ? wanted.absolute : [])))
  return plans.map((plan) =>
    isOccupied(plan, leaving, known) ? { path: plan.path, conflict: 'it is a directory now, with other files' } : plan,
  )
}

/** Whether others have something in a directory that a file is to replace. It would stay, and nothing would tell of the file. */
function isOccupied({ wanted }: PathPlan, leaving: ReadonlySet<string>, { inspect, names }: AllKnown): boolean {
  if (wanted === undefined || (wanted.to.type !== 'file' && wanted.to.type !== 'symlink')) return false
  const { absolute } = wanted
  if (inspect(absolute).type !== 'directory') return false
  const { files, dirs } = everythingBelow({ names }, absolute)
  return [...files, ...dirs].some((name) => !leaving.has(path.join(absolute, name)))
}

export async function planPath(
  { path: short, before, after, last, later, ignored }: RevertedPath,
  absolute: string,
  { contents, inspect, isBlocked }: UndoContext,
  onChange: 'merge' | 'refuse',
): Promise<PathPlan> {
  const now = inspect(absolute)
  const to = stateFrom(before, contents)
  if (to === undefined)
    return {
      path: short,
      lost: before.type === 'file' ? 'its saved content is missing or damaged' : 'a special file was not kept',
    }
  const hasOtherMode = isOtherMode(now, before, last)
  const isLeft = isSameState(now, last) && !hasOtherMode
  if (isLeft && later === undefined) return { path: short, wanted: wantedOf(absolute, now, to, before, after) }
  if (isSameState(now, to) && isSameMode(now, to)) return { path: short }
  // A directory that is in use stays, and one that is gone needs no removal.
  if (after.type === 'directory' && before.type === 'absent') return { path: short }
  if (!isLeft && ignored) return { path: short, left: `git ignores it, and ${describeChange(now, last)}` }
  if (!isLeft && onChange === 'refuse') return { path: short, conflict: describeChange(now, last) }
  if (now.type === 'file' && isBlocked(absolute))
    return { path: short, conflict: 'it is another name of a blocked file now and is kept' }
  const both = await mergePath(
    short,
    absolute,
    now,
    to,
    after.type === 'file' ? contents.read(after.digest) : undefined,
  )
  const reasons = [both.conflict, hasOtherMode ? 'its mode was changed since and is kept' : undefined]
  const conflict = reasons.filter((reason) => reason !== undefined).join('; ')
  const plan = conflict === '' ? both : { ...both, conflict }
  const overlaps = onChange === 'refuse' && plan.conflict !== undefined
  return overlaps && later !== undefined ? { path: short, overlapsAction: later } : plan
}

/** Merges both changes if possible; otherwise keeps the newer one and reports a conflict. */
async function mergePath(
  short: string,
  absolute: string,
  now: Inspected,
  to: WantedContent,
  base: Buffer | undefined,
): Promise<PathPlan> {
  if (now.type === 'absent')
    return { path: short, wanted: { absolute, to }, conflict: 'it was deleted since and is restored' }
  if (now.type !== 'file' || to.type !== 'file') return { path: short, conflict: 'it was changed since and is kept' }
  const [ours, theirs] = [now.bytes, to.bytes]
  const result: MergeResult =
    base === undefined || ours === undefined || theirs === undefined
      ? { kind: 'impossible' }
      : await mergeFile(ours, base, theirs)
  if (result.kind === 'impossible')
    return { path: short, conflict: 'it was changed since, cannot be merged, and is kept' }
  const wanted: WantedState = {
    absolute,
    to: { type: 'file', mode: now.mode, bytes: result.bytes },
    expect: digestOfFile(now),
  }
  return result.conflicts === 0
    ? { path: short, wanted }
    : {
        path: short,
        wanted,
        conflict: `${formatCount(result.conflicts, 'conflict')} marked in the file: resolve ${result.conflicts === 1 ? 'it' : 'them'} between <<<<<<< and >>>>>>>`,
      }
}

function wantedOf(absolute: string, now: Inspected, to: WantedContent, before: State, after: State): WantedState {
  const keepsMode = before.type === 'file' && after.type === 'file' && before.mode === after.mode
  const expect = now.type === 'file' ? digestOfFile(now) : undefined
  const readOnly = after.type === 'file' && (after.mode & 0o222) === 0 ? 'left so' : undefined
  if (to.type !== 'file' || keepsMode) return { absolute, to, expect, readOnly }
  // The owner becomes the user who runs undo.
  const like = { mode: to.mode, uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 }
  return { absolute, to, expect, readOnly, like }
}

function stateFrom(state: State, contents: ContentStore): WantedContent | undefined {
  if (state.type !== 'file') return state.type === 'other' ? undefined : state
  const { mode, digest } = state
  if (contents.sizeOf(digest) > mostInMemory)
    return contents.isWhole(digest) ? { type: 'file', mode, digest, from: contents.fileOf(digest) } : undefined
  const bytes = contents.read(digest)
  return bytes && { type: 'file', mode, bytes }
}

/** Whether another process changed a mode that undo would revert. */
function isOtherMode(now: Inspected, before: State, last: State): boolean {
  if (now.type !== 'file' || before.type !== 'file' || last.type !== 'file' || before.mode === last.mode) return false
  return now.mode !== last.mode && now.mode !== before.mode
}

function describeChange(now: Inspected, then: State): string {
  if (now.type === 'absent') return 'it was deleted since'
  if (then.type === 'absent') return 'it was created since'
  if (isSameState(now, then)) return 'its mode was changed since'
  if (now.type === then.type) return 'it was changed since'
  return now.type === 'other' ? 'it is a pipe, a socket or a device now' : `it is a ${now.type} now`
}

type MergeResult =
  | { readonly kind: 'merged'; readonly bytes: Buffer; readonly conflicts: number }
  /** Not a text, or git is missing. */
  | { readonly kind: 'impossible' }

/** Merges two changes of one text, both made from `base`. Conflicts are marked in the result. */
async function mergeFile(now: Buffer, base: Buffer, other: Buffer): Promise<MergeResult> {
  if ([now, base, other].some((bytes) => bytes.includes(0))) return { kind: 'impossible' }
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-merge-'))
  try {
    const names = ['now', 'base', 'undo'] as const
    for (const [index, bytes] of [now, base, other].entries())
      fs.writeFileSync(path.join(dir, names[index] ?? ''), bytes)
    const args = ['merge-file', '-p', '-L', 'now', '-L', 'executed', '-L', 'undone', ...names]
    // The exit code is the number of conflicts; above 127 git failed.
    const fine = Array.from({ length: 127 }, (_, index) => index + 1)
    const { status, out } = await git({ cwd: dir, env: { GIT_DIR: dir }, args, okExitCodes: fine })
    return { kind: 'merged', bytes: out, conflicts: status }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return { kind: 'impossible' }
  } finally {
    fs.rmSync(dir, { recursive: true, force: true })
  }
}

/** A path to revert to its state before an execution, or before one action of it. */
export interface RevertedPath extends Pick<PathRecord, 'path' | 'before' | 'ignored'> {
  /** The state after that execution or action. */
  readonly after: State
  /** The state after the whole execution: the same, unless later actions changed it. */
  readonly last: State
  /** The first later action that changed it. */
  readonly later?: number
}

export const revertedPaths = ({ paths }: ExecutionRecord): RevertedPath[] =>
  paths.map((entry) => ({ ...entry, last: entry.after }))

/** The paths that one action changed, with the states before and after it, or the reason why they are unknown. */
export function pathsOfAction(
  record: ExecutionRecord,
  action: number,
  contents: Pick<ContentStore, 'has'>,
): RevertedPath[] | string {
  const own = record.paths.filter(({ steps }) => steps.some(({ by }) => by === action))
  if (own.length === 0) return `Action ${action} of execution ${record.number} changed nothing.`
  const found: RevertedPath[] = []
  for (const entry of own) {
    const reverted = ofAction(entry, action, contents)
    if (typeof reverted === 'number') return changedAsWell(record.number, reverted, entry.path)
    found.push(reverted)
  }
  return found
}

export const changedAsWell = (number: number, action: number, path: string): string =>
  `Cannot undo only this action: action ${action} of execution ${number} also changed ${path}. Undo the whole execution: clada undo ${number}.`

/** The number of another action if the state between the two is unknown. */
function ofAction(
  { path, before, after, steps, ignored }: PathRecord,
  action: number,
  contents: Pick<ContentStore, 'has'>,
): RevertedPath | number {
  const first = steps.findIndex(({ by }) => by === action)
  const end = steps.findLastIndex(({ by }) => by === action) + 1
  const between = steps.slice(first, end).find(({ by }) => by !== action)
  if (between !== undefined) return between.by
  const [earlier, own, later] = [steps[first - 1], steps[end - 1], steps[end]]
  const found = earlier === undefined ? before : leftBy(earlier, contents)
  if (found === undefined) return earlier?.by ?? action
  const left = later === undefined ? after : own && leftBy(own, contents)
  if (left === undefined) return later?.by ?? action
  return {
    path,
    before: found,
    after: left,
    last: after,
    later: later?.by,
    ignored,
  }
}

function leftBy({ type, mode, digest }: StepRecord, contents: Pick<ContentStore, 'has'>): State | undefined {
  if (type !== undefined) return { type }
  if (mode === undefined || digest === undefined || !contents.has(digest)) return undefined
  return { type: 'file', mode, digest }
}

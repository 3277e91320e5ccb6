import fs from 'node:fs'
import path from 'node:path'
import type { Conversation } from '../core/settings.ts'
import { ContentStore } from './content-store.ts'
import { recordAtEnd } from './log.ts'
import { signerOf } from '../state/project-state.ts'
import { digestOfContent } from '../core/digest.ts'
import { pathFrom } from '../core/paths.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { ProblemError } from '../core/problem.ts'
import type { Inspect, Inspected } from '../core/recorder.ts'
import { readOwn, removeFile } from '../state/own-files.ts'

/** `run`: of a reply. The others are commands of the user; `back` and `forward` are steps between commits. */
export const executionKinds = ['run', 'undo', 'redo', 'back', 'forward', 'squash'] as const
export type ExecutionKind = (typeof executionKinds)[number]

/** The record of an execution. Paths are as `pathFrom` makes them. */
export interface ExecutionRecord {
  readonly version: 1
  readonly number: number
  readonly time: string
  readonly kind: ExecutionKind
  /** The execution that an undo or redo is about, or the step back that a step forward reverts. */
  readonly of?: number
  /** Only these actions of it, when not all. */
  readonly ofActions?: readonly number[]
  /** `lost`: the journal is damaged, so nothing is known about it. */
  readonly ended: 'whole' | 'interrupted' | 'lost'
  readonly mode: 'commit' | 'shadow' | 'off'
  readonly commits?: { readonly before?: string; readonly after?: string }
  /** The further roots in which files may have changed, with their repositories. */
  readonly further?: readonly FurtherRoot[]
  /** Set when HEAD or its branch moved. An interrupted step, squash or undo was to move it, and did not. */
  readonly moved?: HeadMove
  /** What a step back removed that was not committed. */
  readonly uncommitted?: readonly string[]
  /**
   * The paths that the step left as they are, because the older commit has the same. `git checkout` of the branch changes it all the
   * same, and the step forward from there restores it.
   */
  readonly unchanged?: readonly UnchangedPath[]
  readonly summary: string
  /** The MAC with which the execution before ends. */
  readonly previous?: string
  /** The conversation that it is part of. */
  readonly conversation?: Conversation
  /** Digest of the document, to recognize it when it runs again. */
  readonly document?: string
  readonly actions: readonly ActionRecord[]
  readonly paths: readonly PathRecord[]
  /** Files below the root that have replies, of this execution and of those before it. */
  readonly replies?: readonly string[]
}

/** As in a `PathRecord`. The content of a file that is too large for memory is not kept. */
export interface UnchangedPath {
  readonly path: string
  readonly state: State
}

/** A repository outside the project, or a root without one. */
export interface FurtherRoot {
  /** The root that the user allowed. */
  readonly root: string
  /** The top of the repository; missing where there is none. */
  readonly top?: string
  readonly mode?: 'commit' | 'shadow'
  readonly commits?: NonNullable<ExecutionRecord['commits']>
}

export interface HeadMove {
  readonly before: RepositoryPosition
  readonly after: RepositoryPosition
}

/** Where a repository is. */
export interface RepositoryPosition {
  readonly commit: string
  /** By its full name; missing when no branch is checked out. */
  readonly branch?: string
  /** Where the index comes back as it was. */
  readonly index?: KeptIndex
}

/** An index file whose content is in the store. By its time git decides which entries it can trust. */
export interface KeptIndex {
  readonly digest: string
  readonly time: number
}

/** A move of HEAD that is about to be made. */
export interface PlannedMove extends Pick<ExecutionRecord, 'uncommitted' | 'unchanged'> {
  readonly moved: HeadMove
  /** Of the execution, where it is a step or a squash. */
  readonly summary?: string
}

export interface ActionRecord {
  readonly seq: number
  readonly action: string
  readonly target: string
  readonly success: boolean
  /** The user left it out in a review. */
  readonly left?: true
  readonly block?: string
  /** Set when it was skipped because it already ran. */
  readonly already?: { readonly execution: number; readonly action: number }
  readonly error?: string
}

export interface PathRecord {
  readonly path: string
  readonly before: State
  readonly after: State
  /** One entry for each change. */
  readonly steps: readonly StepRecord[]
  /** Git ignores it: changes by others are expected and no conflict. */
  readonly ignored?: true
}

/** One change of a path, and the state after it as far as it is known. */
export interface StepRecord {
  /** The action's number. */
  readonly by: number
  /** Set when the path is no file after the change. */
  readonly type?: 'absent' | 'directory'
  readonly mode?: number
  readonly digest?: string
}

export type State =
  | { readonly type: 'absent' }
  | { readonly type: 'directory'; readonly mode?: number }
  | { readonly type: 'symlink'; readonly target: string }
  | {
      readonly type: 'file'
      readonly mode: number
      readonly digest: string
    }
  /** A pipe, a socket or a device: it cannot be restored. */
  | { readonly type: 'other' }

export const journalFile = 'journal'
/** The temporary git directory of an execution. */
export const isolatedDir = 'git'
/** The same for commands that are not executions, in clada's own directory. */
export const isolatedPrefix = 'git-'

/** The caller holds the lock, so every such directory belongs to a dead process. */
export function sweepIsolated(stateDir: string): void {
  for (const name of fs.readdirSync(stateDir))
    if (name.startsWith(isolatedPrefix)) fs.rmSync(path.join(stateDir, name), { recursive: true, force: true })
}

/** The numbers of all executions, in order. A link with such a name is not clada's and may lead anywhere. */
export function numbersIn(history: string): number[] {
  try {
    return fs
      .readdirSync(history, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && /^[1-9]\d{0,9}$/.test(entry.name))
      .map(({ name }) => Number(name))
      .sort((a, b) => a - b)
  } catch {
    return []
  }
}

/**
 * The numbers of the newest executions, in order. There may be a thousand names, so they are looked for from the one that
 * was noted last; where that is not enough, all names are read.
 */
export function newestIn(history: string, count: number): number[] {
  const isThere = (number: number): boolean =>
    fs.lstatSync(dirOf(history, number), { throwIfNoEntry: false })?.isDirectory() ?? false
  const noted = Number(readOwn(path.join(history, lastFile)) ?? '')
  const found: number[] = []
  if (count < mostProbed && Number.isSafeInteger(noted) && noted > 0 && isThere(noted)) {
    // A power cut may have kept an older note.
    for (let next = noted + 1; next <= (found[0] ?? noted) + mostMissing; next++) if (isThere(next)) found.unshift(next)
    for (let next = noted, missing = 0; next > 0 && found.length < count && missing < mostMissing; next--)
      if (isThere(next)) found.push(next)
      else missing++
    if (found.length >= count || found.at(-1) === 1) return found.slice(0, count).reverse()
  }
  const all = numbersIn(history)
  return all.slice(Math.max(0, all.length - count))
}

const lastFile = 'last'
const mostProbed = 100
/** Executions that changed nothing leave no directory. */
const mostMissing = 8

/** Only a hint, so it is not synced. */
export function noteLast(history: string, number: number): void {
  removeFile(path.join(history, lastFile))
  fs.writeFileSync(path.join(history, lastFile), String(number), { flag: 'wx' })
}

/** The contents that the executions of a history have kept, those of one of them first. */
export const contentsOfHistory = (history: string, execution = 0): ContentStore =>
  contentsIn(path.dirname(history), execution)

export const contentsIn = (stateDir: string, execution = 0): ContentStore =>
  new ContentStore(path.join(stateDir, 'objects'), execution)

export const dirOf = (history: string, number: number): string => path.join(history, String(number))

export const readRecord = (history: string, number: number): ExecutionRecord | undefined =>
  readSigned(history, number)?.record

/**
 * The files below a root that have replies: those of this execution, and those that the executions before it noted and that
 * are still there. Each execution notes them again, so that the newest few know all.
 */
export function replyFilesIn(history: string, root: string, own: readonly string[] = []): string[] {
  const noted = newestIn(history, recentRecords).flatMap((number) => readRecord(history, number)?.replies ?? [])
  const names = [...own.map((file) => pathFrom(root, file)), ...noted].filter((name) => !path.isAbsolute(name))
  const isThere = (name: string): boolean =>
    fs.lstatSync(path.join(root, name), { throwIfNoEntry: false }) !== undefined
  return [...new Set(names)].filter(isThere).slice(0, mostReplies)
}

/** Interrupted executions note nothing. */
const recentRecords = 5
const mostReplies = 200

/** With the MAC of the last entry of its journal. */
export function readSigned(
  history: string,
  number: number,
): { readonly record: ExecutionRecord; readonly mac: string } | undefined {
  const found = recordAtEnd(path.join(dirOf(history, number), journalFile), signerOf(path.dirname(history)))
  if (found === undefined) return undefined
  const { record, mac } = found
  return isExecution(record) && record.number === number ? { record, mac } : undefined
}

/** Undefined where it is something else. */
export function conversationIn(value: unknown): Conversation | undefined {
  if (!isRecord(value)) return undefined
  const { kind, id } = value
  const isKind = kind === 'mcp' || kind === 'loop' || kind === 'session'
  return isKind && typeof id === 'string' ? { kind, id } : undefined
}

/** An older version may have written it. */
function isExecution(value: unknown): value is ExecutionRecord {
  if (!isRecord(value) || value['version'] !== 1 || typeof value['number'] !== 'number') return false
  const { kind, of, ofActions, commits, further, moved, conversation, actions, paths, replies } = value
  if (!['time', 'summary'].every((name) => typeof value[name] === 'string')) return false
  if (!executionKinds.some((one) => one === kind)) return false
  if (of !== undefined && typeof of !== 'number') return false
  if (conversation !== undefined && conversationIn(conversation) === undefined) return false
  if (replies !== undefined && !isListOf(replies, (one) => typeof one === 'string')) return false
  if (ofActions !== undefined && !isListOf(ofActions, (one) => typeof one === 'number')) return false
  if (!isCommits(commits) || (further !== undefined && !isListOf(further, isFurtherRoot))) return false
  if (moved !== undefined && !isMoved(moved)) return false
  if (!isUncommitted(value)) return false
  return isListOf(actions, isActionRecord) && isListOf(paths, isPathRecord)
}

const isListOf = (value: unknown, fits: (one: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every((one) => fits(one))

const isObjectName = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{40,64}$/.test(value)

const isCommits = (value: unknown): boolean =>
  value === undefined || (isRecord(value) && Object.values(value).every(isObjectName))

export const isFurtherRoot = (value: unknown): value is FurtherRoot =>
  isRecord(value) &&
  typeof value['root'] === 'string' &&
  ['string', 'undefined'].includes(typeof value['top']) &&
  isCommits(value['commits'])

/** The move that an execution announced in its journal. */
export function plannedMoveIn(line: object): PlannedMove | undefined {
  if (!isRecord(line)) return undefined
  const { moved, summary } = line
  if (!isMoved(moved) || !isUncommitted(line)) return undefined
  const { uncommitted, unchanged } = line
  return { moved, uncommitted, unchanged, summary: typeof summary === 'string' ? summary : undefined }
}

const isUncommitted = (value: object): value is Pick<ExecutionRecord, 'uncommitted' | 'unchanged'> =>
  isRecord(value) &&
  isListOf(value['uncommitted'] ?? [], (one) => typeof one === 'string') &&
  isListOf(value['unchanged'] ?? [], (one) => isRecord(one) && typeof one['path'] === 'string' && isState(one['state']))

const isMoved = (value: unknown): value is HeadMove =>
  isRecord(value) && isPosition(value['before']) && isPosition(value['after'])

const isPosition = (value: unknown): boolean =>
  isRecord(value) &&
  isObjectName(value['commit']) &&
  (value['index'] === undefined || isKeptIndex(value['index'])) &&
  (value['branch'] === undefined ||
    (typeof value['branch'] === 'string' && /^refs\/heads\/(?!.*\.\.)[^\s~^:?*[\\\p{Cc}]+$/u.test(value['branch'])))

const isKeptIndex = (value: unknown): boolean =>
  isRecord(value) && typeof value['digest'] === 'string' && typeof value['time'] === 'number'

const isActionRecord = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value['seq'] === 'number' &&
  typeof value['action'] === 'string' &&
  typeof value['target'] === 'string'

const isPathRecord = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value['path'] === 'string' &&
  isState(value['before']) &&
  isState(value['after']) &&
  isListOf(value['steps'], (step) => isRecord(step) && typeof step['by'] === 'number')

function isState(value: unknown): value is State {
  if (typeof value !== 'object' || value === null || !('type' in value)) return false
  return value.type !== 'file' || ('digest' in value && typeof value.digest === 'string')
}

/**
 * The state of a path that an execution changed earlier. A path below a link that was created since counts as absent:
 * the files seen through the link are elsewhere. A path that must not be inspected does not prevent the record.
 */
export function seenAt(inspect: Inspect, absolute: string): Inspected {
  try {
    return inspect(absolute)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const { problem } = error
    return { type: problem.kind === 'path' && problem.rule === 'symlink_not_allowed' ? 'absent' : 'other' }
  }
}

/** With a digest instead of the bytes. */
export const stateOf = (found: Inspected): State =>
  found.type === 'file' ? { type: 'file', mode: found.mode, digest: digestOfFile(found) } : found

type AnyState = Inspected | State

/** Whether two states of a path are the same: type, content and target of a link. Modes are `isSameMode`'s. */
export function isSameState(one: AnyState, other: AnyState): boolean {
  if (one.type === 'symlink' && other.type === 'symlink') return one.target === other.target
  if (one.type !== 'file' || other.type !== 'file') return one.type === other.type
  return digestOfFile(one) === digestOfFile(other)
}

/** Of a directory the mode is not always known. */
export function isSameMode(one: AnyState, other: AnyState): boolean {
  if (one.type === 'file' && other.type === 'file') return one.mode === other.mode
  if (one.type !== 'directory' || other.type !== 'directory') return true
  return one.mode === undefined || other.mode === undefined || one.mode === other.mode
}

export const digestOfFile = (file: AnyState & { type: 'file' }): string => file.digest ?? digestOfContent(file.bytes)

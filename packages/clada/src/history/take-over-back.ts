import { lookUp } from '@clada/reply/core/look-up.ts'
import fs from 'node:fs'
import path from 'node:path'
import { dirsAbove, pathFrom } from '../core/paths.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { ProblemError } from '../core/problem.ts'
import { type Difference, diffCommits, modeOfNew } from '../git/differences.ts'
import { type ConfiguredRepository, findRepository } from '../git/find-repository.ts'
import { gitError } from '../git/git-program.ts'
import { releaseLocks } from '../git/index-file.ts'
import { IsolatedGit } from '../git/isolated-git.ts'
import { keepCommit } from '../git/kept.ts'
import { type KeptBytes, moveHead } from '../git/move-head.ts'
import { type Head, headOf, removeRef } from '../git/repository.ts'
import { namesUncommitted } from '../git/uncommitted.ts'
import { jsonOf, ownDir, ownOwner, putFile, readOwn, readStats, removeFile, syncFileNow } from '../state/own-files.ts'
import { oldBackName } from '../state/old-state.ts'
import { signerOf } from '../state/project-state.ts'
import { Log } from '../store/log.ts'
import type { ContentStore } from '../store/content-store.ts'
import {
  contentsIn,
  dirOf,
  type ExecutionRecord,
  journalFile,
  type KeptIndex,
  noteLast,
  numbersIn,
  type PathRecord,
  readSigned,
  type State,
  stateOf,
  type UnchangedPath,
} from '../store/record.ts'

/** The commits that `clada back` of an earlier version left, and what it put aside at each. */
interface OldBack {
  /** Null for a detached HEAD. */
  readonly branch: string | null
  /** From the newest commit to the current one. */
  readonly way: readonly string[]
  /** By commit: a commit of its uncommitted changes, as git stash makes it. */
  readonly saved: Readonly<Record<string, string>>
  /** By commit and name: files that git would not restore as they were. Their contents are in the store. */
  readonly files?: Readonly<
    Record<string, Readonly<Record<string, { readonly mode: number; readonly digest: string }>>>
  >
  /** The last step died. */
  readonly moving?: boolean
  /** The first execution that stands for a step, once that is known: one killed on the way is begun anew. */
  readonly first?: number
}

const oldBackFile = (stateDir: string): string => path.join(stateDir, oldBackName)

/**
 * Makes executions of the log of the steps back that an earlier version had in a file of their own. The caller holds the lock.
 * Returns what the user should know.
 */
export async function takeOverBack(root: string, stateDir: string): Promise<string[]> {
  const old = oldBackIn(jsonOf(readOwn(oldBackFile(stateDir))))
  if (old === undefined) return removeBackState(stateDir)
  const repository = await findRepository(root)
  if (repository === undefined) return []
  await releaseLocks(repository)
  const head = await headOf(repository)
  const isolated = IsolatedGit.openIn(stateDir, repository, head)
  try {
    const taking = { old, root, repository, isolated, stateDir }
    const steps = await writeSteps(taking)
    await finishForward(taking, head)
    for (const commit of steps) {
      const saved = old.saved[commit]
      if (saved !== undefined) await removeRef(repository, oldRef(saved))
    }
    const left = Object.entries(old.saved).filter(([commit]) => !steps.includes(commit))
    return [...left.map(leftNote), ...removeBackState(stateDir)]
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.kind !== 'git') throw error
    const advice = `Return to the newest commit with git checkout, and remove '${oldBackFile(stateDir)}'.`
    throw gitError(`clada back of an earlier version cannot be reverted: ${error.problem.reason}`, advice)
  } finally {
    isolated.close()
  }
}

interface Taking {
  readonly old: OldBack
  readonly root: string
  readonly repository: ConfiguredRepository
  readonly isolated: IsolatedGit
  readonly stateDir: string
}

interface TakingStep extends Taking {
  readonly contents: ContentStore
}

/** Returns the commits that were left. */
async function writeSteps(taking: Taking): Promise<readonly string[]> {
  const { old, root, stateDir } = taking
  const history = ownDir(stateDir, 'history')
  const first = old.first ?? (numbersIn(history).at(-1) ?? 0) + 1
  putFile(oldBackFile(stateDir), JSON.stringify({ ...old, first }))
  for (const number of numbersIn(history))
    if (number >= first) fs.rmSync(dirOf(history, number), { recursive: true, force: true })
  const steps = old.way.slice(0, -1)
  for (const [at, commit] of steps.entries()) {
    const number = first + at
    const saved = old.saved[commit]
    await keepCommit(root, { stateDir, number }, saved ?? commit)
    const contents = contentsIn(stateDir, number)
    try {
      const record = await recordOfOldStep({ ...taking, contents }, at, number)
      contents.syncNow()
      writeRecord(history, record)
    } finally {
      contents.close()
    }
  }
  return steps
}

function writeRecord(history: string, record: ExecutionRecord): void {
  const { number, kind } = record
  const previous = readSigned(history, number - 1)?.mac
  fs.mkdirSync(dirOf(history, number))
  const log = Log.create(path.join(dirOf(history, number), journalFile), signerOf(path.dirname(history)))
  try {
    log.add({ execution: number, previous, kind, ...ownOwner() })
    log.addRecord({ ...record, previous })
    log.syncNow()
  } finally {
    log.close()
  }
  noteLast(history, number)
}

async function recordOfOldStep(taking: TakingStep, at: number, number: number): Promise<ExecutionRecord> {
  const { old, isolated, stateDir, contents } = taking
  const [commit = '', to = ''] = old.way.slice(at, at + 2)
  const { [commit]: saved } = old.saved
  const paths = await pathsOfOldStep(taking, commit, to)
  const isLast = at === old.way.length - 2
  const branch = at === 0 ? (old.branch ?? undefined) : undefined
  return {
    version: 1,
    number,
    time: new Date().toISOString(),
    kind: 'back',
    ended: isLast && old.moving === true && paths.length > 0 ? 'interrupted' : 'whole',
    mode: 'off',
    summary: `back to ${to.slice(0, 8)}`,
    moved: { before: { commit, branch, index: keepIndex(stateDir, commit, contents) }, after: { commit: to } },
    uncommitted: saved === undefined ? undefined : await namesUncommitted(isolated, saved),
    unchanged: saved === undefined ? undefined : await unchangedOf(taking, { commit, saved }, paths),
    actions: [],
    paths,
  }
}

/** What a step changed: from what was put aside, or else committed, to the older commit. */
async function pathsOfOldStep(
  { old, root, isolated, contents }: TakingStep,
  commit: string,
  to: string,
): Promise<PathRecord[]> {
  const { top = root } = isolated.repository
  const changes = await diffCommits(isolated, old.saved[commit] ?? commit, to)
  const files = changes.map((change): PathRecord => {
    const before = lookUp(old.files?.[commit] ?? {}, change.name)
    return {
      path: pathFrom(root, path.join(top, change.name)),
      before: before === undefined ? keepState(change.from, contents) : { type: 'file', ...before },
      after: stateOf(change.to),
      steps: [{ by: 0 }],
    }
  })
  const made = madeDirs(changes).map((dir): PathRecord => {
    const steps = [{ by: 0, type: 'directory' as const }]
    return {
      path: pathFrom(root, path.join(top, dir)),
      before: { type: 'absent' },
      after: { type: 'directory' },
      steps,
    }
  })
  return [...files, ...made]
}

/** What was put aside and is the same in the older commit. */
async function unchangedOf(
  { root, isolated, contents }: TakingStep,
  { commit, saved }: { readonly commit: string; readonly saved: string },
  changed: readonly PathRecord[],
): Promise<UnchangedPath[]> {
  const known = new Set(changed.map((one) => one.path))
  const { top = root } = isolated.repository
  const all = (await diffCommits(isolated, saved, commit)).map(({ name, from }) => {
    return { path: pathFrom(root, path.join(top, name)), from }
  })
  const unchanged = all.filter((one) => !known.has(one.path))
  return unchanged.map((one) => ({ path: one.path, state: keepState(one.from, contents) }))
}

/** Of a file the content as git restores it. */
function keepState(from: Difference['from'], contents: ContentStore): State {
  if (from.type !== 'file') return from
  const digest = contents.put(from.bytes)
  return { type: 'file', mode: modeOfNew(from.mode === 0o755), digest }
}

/** Directories that only files of the older commit are in, as far as the difference tells. One that has others stays. */
function madeDirs(changes: readonly Difference[]): string[] {
  const dirsOf = (side: 'from' | 'to'): string[] =>
    changes.flatMap((change) => (change[side].type === 'absent' ? [] : dirsAbove(change.name)))
  const known = new Set(dirsOf('from'))
  return [...new Set(dirsOf('to'))].filter((dir) => !known.has(dir))
}

function keepIndex(stateDir: string, commit: string, contents: ContentStore): KeptIndex | undefined {
  const index = readOldIndex(stateDir, commit)
  return index && { digest: contents.put(index.bytes), time: index.time }
}

function readOldIndex(stateDir: string, commit: string): KeptBytes | undefined {
  const file = path.join(stateDir, oldDir, `index-${commit}`)
  const stat = readStats(file)
  return stat?.isFile() ? { bytes: fs.readFileSync(file), time: stat.mtimeMs } : undefined
}

/** A step forward died between HEAD and the index, or had nothing else to do. A step back that died has left both. */
async function finishForward({ old, isolated, stateDir }: Taking, { commit, branch }: Head): Promise<void> {
  if (old.moving !== true || commit === undefined || commit !== old.way.at(-2)) return
  const here = { commit, branch }
  await moveHead(isolated, { before: here, after: here }, '', readOldIndex(stateDir, commit) ?? { tree: commit })
}

const oldDir = 'back'

const oldRef = (saved: string): string => `refs/clada/back/${saved}`

const leftNote = ([commit, saved]: [string, string]): string =>
  `what clada back put aside at ${commit.slice(0, 8)} is kept: git stash apply --index ${oldRef(saved)}`

/** First what says that there is something to take over. */
function removeBackState(stateDir: string): string[] {
  removeFile(oldBackFile(stateDir))
  syncFileNow(stateDir)
  fs.rmSync(path.join(stateDir, oldDir), { recursive: true, force: true })
  return []
}

/** The values become parts of paths and arguments of git. */
function oldBackIn(value: unknown): OldBack | undefined {
  return isOldBack(value) ? value : undefined
}

function isOldBack(value: unknown): value is OldBack {
  if (!isRecord(value)) return false
  const { branch, way, saved, files = {}, first } = value
  if (!Array.isArray(way) || way.length === 0 || !isRecord(saved) || !isRecord(files)) return false
  const commits: unknown[] = [...way, ...Object.entries(saved).flat()]
  return (
    commits.every((id) => typeof id === 'string' && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id)) &&
    Object.values(files).every((one) => isRecord(one) && Object.values(one).every(isKeptFile)) &&
    (branch === null || (typeof branch === 'string' && /^refs\/heads\/[^-\s]\S*$/.test(branch))) &&
    (first === undefined || (Number.isInteger(first) && Number(first) > 0))
  )
}

const isKeptFile = (value: unknown): boolean =>
  isRecord(value) && Number.isInteger(value['mode']) && typeof value['digest'] === 'string'

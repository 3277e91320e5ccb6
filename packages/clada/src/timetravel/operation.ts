import path from 'node:path'
import { pathFrom } from '../core/paths.ts'
import { isOsError } from '../core/errors.ts'
import { type Problem, ProblemError } from '../core/problem.ts'
import type { HistorySettings, Settings } from '../core/settings.ts'
import { type ConfiguredRepository, findRepository, headPosition } from '../git/find-repository.ts'
import { gitError } from '../git/git-program.ts'
import { releaseLocks } from '../git/index-file.ts'
import { IsolatedGit } from '../git/isolated-git.ts'
import { moveHead, type NewIndex, readIndex } from '../git/move-head.ts'
import { type Head, headOf } from '../git/repository.ts'
import type { ExecutionFacts, Ended } from '../history/execution.ts'
import { type History, openRecordedWorkspace } from '../history/history.ts'
import { checkoutPolicyOf, makePathJudge, pathPolicyOf } from '../policy/paths.ts'
import { explain, noteWarnings } from '../report/explain.ts'
import { inProgress } from '../state/git-dirs.ts'
import { makeState } from '../state/project-state.ts'
import { lockProject } from '../store/lock.ts'
import {
  type ExecutionRecord,
  type KeptIndex,
  type HeadMove,
  numbersIn,
  type PlannedMove,
  type RepositoryPosition,
  seenAt,
  stateOf,
  type UnchangedPath,
} from '../store/record.ts'
import { newestMoves } from '../store/timeline.ts'
import { openWorkspace, type OpenWorkspace, type WantedState } from '../workspace/open.ts'

/** What a command that moves HEAD knows, under the lock. */
interface OperationContext {
  readonly root: string
  readonly repository: ConfiguredRepository
  readonly head: Head
  readonly isolated: IsolatedGit
  readonly stateDir: string
  /** Restores whatever was committed, except git's and clada's own directories. */
  readonly workspace: OpenWorkspace
  /** What the project blocks is not saved. By paths relative to the root. */
  readonly isBlocked: (relative: string) => boolean
  /** See `newestMoves`. */
  readonly moves: readonly ExecutionRecord[]
}

/**
 * A command that moves HEAD, as an execution of the log: it plans the move, changes files, and moves HEAD in the end. So where
 * HEAD is tells, after a crash, what was done.
 */
export class Operation {
  readonly place: OperationContext
  readonly #history: History
  #planned: PlannedMove | undefined
  #about: ExecutionFacts = {}
  #isDone = false

  constructor(history: History, place: OperationContext) {
    this.place = place
    this.#history = history
  }

  /** The top of the repository. */
  get top(): string {
    return this.place.repository.top ?? this.place.root
  }

  /** In the history. */
  get number(): number | undefined {
    return this.#history.number
  }

  /** It reverts this execution. */
  reverts(of: number): void {
    this.#about = { of }
    this.#history.note({ about: this.#about })
  }

  /** The index as it is, in the store. */
  keepIndex(): KeptIndex | undefined {
    const index = readIndex(this.place.repository)
    return index && { digest: this.#history.keepContent(index.bytes), time: index.time }
  }

  /** Paths as they are, with their contents in the store, by names in the repository. */
  keepPaths(names: readonly string[]): UnchangedPath[] {
    return names.flatMap((name) => {
      const absolute = path.join(this.top, name)
      const now = seenAt((file) => this.place.workspace.inspect(file), absolute)
      if (now.type === 'directory' || now.type === 'other') return []
      if (now.type === 'file' && now.bytes !== undefined) this.#history.keepContent(now.bytes)
      return { path: pathFrom(this.place.root, absolute), state: stateOf(now) }
    })
  }

  /** Announces a move of HEAD, with the commit that git must keep for it. */
  async plan(move: PlannedMove, left: string | undefined): Promise<void> {
    this.#planned = move
    await this.#history.planMove(move, left)
  }

  /** Brings files to a state, all of them or none. Returns warnings. */
  async restore(wanted: readonly WantedState[]): Promise<string[]> {
    const { workspace } = this.place
    const notes = await workspace.restore(wanted, 'committed')
    await workspace.settle()
    return notes.flatMap(noteWarnings)
  }

  async moveHead(moved: HeadMove, index: NewIndex): Promise<void> {
    const { summary = '' } = this.#planned ?? {}
    await moveHead(this.place.isolated, moved, `clada: ${summary}`, index)
    this.#history.movedBranch(moved)
  }

  /** How far it came. */
  aboutNow(): ExecutionFacts {
    return this.#isDone ? this.#about : { ...this.#about, ended: 'interrupted' }
  }

  done(): void {
    this.#isDone = true
  }

  /** It may fail after HEAD has moved. Then there is something to revert, whatever happened to the files. */
  async failed(): Promise<void> {
    const { moved } = this.#planned ?? {}
    const now = moved && (await headPosition(this.place.root))
    if (moved !== undefined && (now === undefined || !isAt(now, moved.before))) this.#history.movedBranch(moved)
  }
}

interface OperationResult {
  success: boolean
  warnings?: string[] | undefined
  error?: string
}

interface MoveOptions<R> {
  readonly kind: 'back' | 'forward' | 'squash'
  readonly settings: Settings
  readonly how: HistorySettings
  /** The result where it did nothing. */
  readonly refuse: (problem: Problem) => R
}

/** Runs a command that moves HEAD, under the lock. */
export async function runMove<R extends OperationResult>(
  repository: ConfiguredRepository,
  { kind, settings, how, refuse }: MoveOptions<R>,
  work: (operation: Operation) => Promise<R>,
): Promise<R> {
  const { root } = settings
  let operation: Operation | undefined
  const project = openWorkspace(settings, makePathJudge(pathPolicyOf(settings)), 'disk')
  const isBlocked = (relative: string): boolean => project.isBlocked(path.join(root, relative))
  const judge = makePathJudge(checkoutPolicyOf(repository.top ?? root))
  const { history, workspace, close } = openRecordedWorkspace(settings, judge, 'disk', {
    settings: { ...how, git: 'off' },
    kind,
    about: () => operation?.aboutNow() ?? { ended: 'interrupted' },
    isBlocked,
  })
  let isolated: IsolatedGit | undefined
  try {
    await workspace.begin()
    await releaseLocks(repository)
    const head = await headOf(repository)
    const stateDir = workspace.stateDir()
    const log = path.join(stateDir, 'history')
    const moves = newestMoves(log, numbersIn(log))
    isolated = IsolatedGit.openIn(stateDir, repository, head)
    operation = new Operation(history, { root, repository, head, isolated, stateDir, workspace, isBlocked, moves })
    const result = await work(operation)
    if (result.success) operation.done()
    return addEnd(result, await history.end([]), workspace.notes)
  } catch (error) {
    await operation?.failed()
    const ended = await history.end([])
    const problem = isOsError(error) ? gitError(error.message) : error
    if (!(problem instanceof ProblemError)) throw error
    return addEnd(refuse(problem.problem), ended, workspace.notes)
  } finally {
    isolated?.close()
    await close()
    await project.close()
  }
}

function addEnd<R extends OperationResult>(result: R, { warnings, failure }: Ended, notes: readonly string[]): R {
  const all = [...(result.warnings ?? []), ...warnings, ...notes]
  const told = { ...result, warnings: all.length === 0 ? undefined : all }
  if (failure === undefined || !result.success) return told
  const { error } = explain(failure.problem, 'clada')
  return { ...told, success: false, error: `${error}. Everything else is done, and the next execution records it.` }
}

export const isAt = (head: Head | RepositoryPosition, { commit, branch }: RepositoryPosition): boolean =>
  head.commit === commit && head.branch === branch

/** The user's repository, in which no merge or the like is unfinished. */
export async function idleRepository(root: string, advice: string): Promise<ConfiguredRepository> {
  const repository = await findRepository(root)
  if (repository === undefined) throw gitError('there is no git repository here', advice)
  const busy = inProgress(repository)
  if (busy !== undefined) throw gitError(`${busy} is in progress`, 'Finish or abort it first.')
  return repository
}

/** A repository under the lock, for what is no execution. */
export interface LockedRepository {
  /** Read after the lock was taken: another command may just have moved it. */
  readonly head: Head
  readonly isolated: IsolatedGit
}

export async function underLock<T>(
  { settings, how }: { readonly settings: Settings; readonly how: HistorySettings },
  repository: ConfiguredRepository,
  work: (locked: LockedRepository) => Promise<T>,
): Promise<T> {
  const release = await lockProject(how, settings.root)
  let isolated: IsolatedGit | undefined
  try {
    await releaseLocks(repository)
    const head = await headOf(repository)
    isolated = IsolatedGit.openIn(makeState(settings.root).dir, repository, head)
    return await work({ head, isolated })
  } finally {
    isolated?.close()
    release()
  }
}

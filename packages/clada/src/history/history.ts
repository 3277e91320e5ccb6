import fs from 'node:fs'
import path from 'node:path'
import { digestOf } from '../core/digest.ts'
import { isOsError } from '../core/errors.ts'
import { pathFrom } from '../core/paths.ts'
import { ProblemError } from '../core/problem.ts'
import type {
  Commits,
  EndChange,
  FileState,
  Inspect,
  Inspected,
  NotedFile,
  PathChange,
  Recorder,
  SeenChanges,
} from '../core/recorder.ts'
import type { ActionResult } from '../core/result.ts'
import { lockProject } from '../store/lock.ts'
import { closeExecution, type Ended, type HistoryOptions, type Open, openExecution } from './execution.ts'
import { closeFurther, enterFurther } from './further-roots.ts'
import { dirOf, isolatedDir, type HeadMove, type PlannedMove, type RepositoryPosition } from '../store/record.ts'
import { headPosition } from '../git/find-repository.ts'
import { keepCommit, keepIfLeft } from '../git/kept.ts'
import type { Snapshot } from '../git/snapshot.ts'
import { targetOfParams } from '../store/summary.ts'
import type { PathJudge } from '../core/effects.ts'
import type { Settings } from '../core/settings.ts'
import { readWhole } from '../workspace/disk-file.ts'
import { openWorkspace, type OpenWorkspace } from '../workspace/open.ts'

/**
 * Records one execution: nothing until its first change, then the lock, the checkpoint and the journal, and at the end
 * the record. Reads are not recorded.
 */
export class History implements Recorder {
  acting = 0
  ofProgram = false
  /** Warnings of the execution. */
  readonly warnings: string[] = []
  readonly #options: HistoryOptions
  readonly #blocks = new Map<number, string>()
  #left: ReadonlySet<string> = new Set()
  readonly #byPrograms = new Set<string>()
  #queued: Promise<() => void> | undefined
  #beginning: Promise<void> | undefined
  /** By directory. */
  readonly #entering = new Map<string, Promise<void>>()
  #open: Open | undefined
  #explanations: string[] = []
  #snapshot: Snapshot | undefined
  #programs = 0
  /** Where the repository was before the program that runs. */
  #position: RepositoryPosition | undefined
  #moved: HeadMove | undefined
  #planned: PlannedMove | undefined
  readonly #noted: NotedChanges

  constructor(options: HistoryOptions) {
    this.#options = options
    this.#noted = new NotedChanges(options.inspect)
  }

  queue(): Promise<unknown> {
    return (this.#queued ??= lockProject(this.#options.settings, this.#options.root))
  }

  begin(stateDir: string, commits: Commits = 'clada'): Promise<void> {
    this.#beginning ??= this.#begin(stateDir, commits).catch((error: unknown) => {
      // A full disk or a missing permission is reported by the action.
      if (!isOsError(error)) throw error
      throw new ProblemError({ kind: 'os', code: error.code, op: 'write', path: stateDir, message: error.message })
    })
    return this.#beginning
  }

  enter(root: string, dir: string): Promise<void> {
    const known = this.#entering.get(dir)
    if (known !== undefined) return known
    const entering = this.#enter(root, dir)
    this.#entering.set(dir, entering)
    return entering
  }

  prepare(changes: readonly PathChange[]): Promise<void> | undefined {
    if (this.#open === undefined) throw new Error('a change before the beginning')
    return this.#open.journal.prepare(changes)
  }

  beginChange(changes: readonly PathChange[]): EndChange {
    if (this.#open === undefined) throw new Error('a change before the beginning')
    if (this.ofProgram) for (const { absolute } of changes) this.#byPrograms.add(pathFrom(this.#options.root, absolute))
    const noted = this.#noted.beginChange(changes)
    const recorded = this.#open.journal.beginChange(changes)
    return (failed) => {
      recorded(failed)
      noted(failed)
    }
  }

  passed(change: PathChange): void {
    this.#open?.journal.passed(change)
  }

  reverted(absolute: string): void {
    this.#noted.reverted(absolute)
    this.#open?.journal.reverted(absolute)
  }

  namesOf(file: { readonly dev: number; readonly ino: number }): number {
    return this.#open?.journal.namesOf(file) ?? 0
  }

  noting(): () => NotedFile[] {
    return this.#noted.noting(this.acting)
  }

  /** Adds a line to the journal, for the recovery after a crash. */
  note(line: object): void {
    this.#open?.journal.note(line)
  }

  async beforeProgram(): Promise<void> {
    if (this.#open === undefined) return
    const { stateDir, history, number } = this.#open
    const { root, settings, isBlocked, files } = this.#options
    await this.beforeGit()
    this.#snapshot?.isolated.close()
    const dir = path.join(dirOf(history, number), isolatedDir, `snapshot-${this.#programs++}`)
    try {
      const { takeSnapshot } = await import('../git/snapshot.ts')
      this.#snapshot = await takeSnapshot({ root, stateDir, settings, isBlocked, files, dir })
      this.#open.journal.note({ program: this.acting, tree: this.#snapshot.tree })
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      this.#snapshot = undefined
      this.#open.journal.note({ program: this.acting })
      this.warnings.push('git cannot save the project before a program runs, so its changes cannot be undone')
    }
    await this.#open.journal.sync()
  }

  async changedByProgram(absolutes: readonly string[], seen?: SeenChanges): Promise<ReadonlyMap<string, Inspected>> {
    if (this.#open === undefined) return new Map()
    const { noteProgram } = await import('./programs.ts')
    const { root } = this.#options
    const { states, warnings } = await noteProgram(absolutes, seen, {
      root,
      action: this.acting,
      journal: this.#open.journal,
      snapshot: this.#snapshot,
    })
    this.#noted.changedByProgram(this.acting, states)
    this.warnings.push(...warnings)
    await this.afterGit()
    return states
  }

  async beforeGit(): Promise<void> {
    this.#position = await headPosition(this.#options.root)
  }

  async afterGit(): Promise<void> {
    const { root } = this.#options
    const [before, after] = [this.#position, await headPosition(root)]
    if (before === undefined || after === undefined) return
    this.movedBranch({ before, after })
    if (this.#moved !== undefined && this.#open !== undefined)
      await keepIfLeft(root, this.#open, this.#moved.before.commit)
  }

  /**
   * HEAD is about to move. On the disk, with the commit that it leaves, before anything else changes: if the process dies,
   * where HEAD is then tells whether the execution is whole.
   */
  async planMove(move: PlannedMove, left: string | undefined): Promise<void> {
    if (this.#open === undefined) throw new Error('a move before the beginning')
    this.#planned = move
    if (left !== undefined) await keepCommit(this.#options.root, this.#open, left)
    this.#open.journal.note(move)
    await this.#open.journal.sync()
  }

  /** Keeps a content that is no file of the project; it is on the disk once the move is planned. */
  keepContent(bytes: Buffer): string {
    if (this.#open === undefined) throw new Error('a content before the beginning')
    return this.#open.journal.keepContent(bytes)
  }

  /** The branch moved, or another one is checked out. */
  movedBranch({ before, after }: HeadMove): void {
    const from = this.#moved?.before ?? before
    this.#moved = from.commit === after.commit && from.branch === after.branch ? undefined : { before: from, after }
  }

  /** An action begins. */
  act(seq: number, raw: string, explanation?: string): void {
    this.acting = seq
    // A call by the user has no block.
    if (raw !== '') this.#blocks.set(seq, digestOf(raw))
    if (explanation !== undefined) this.#explanations.push(explanation)
  }

  /** An action ended; noted for the recovery after a crash. */
  acted({ seq, action, params, success, review }: ActionResult): void {
    const block = this.#blocks.get(seq)
    const [target, left] = [targetOfParams(params), review?.leftOut]
    this.#open?.journal.note({ done: seq, action, target, success, left, block })
  }

  /** The action of this execution that removed a text from a file. */
  lostBy(absolute: string, text: string): { action: number } | undefined {
    const action = this.#open?.journal.lostBy(absolute, text.replaceAll('\r\n', '\n'))
    return action === undefined ? undefined : { action }
  }

  /** Absolute paths that actions of this execution have changed so far. */
  changed(): string[] {
    return this.#open?.journal.changedByActions() ?? []
  }

  /** Digest of the document. */
  get document(): string | undefined {
    return this.#blocks.size === 0 ? undefined : digestOf([...this.#blocks.values()].join())
  }

  /** Whether an action began to change files. */
  get begun(): boolean {
    return this.#beginning !== undefined
  }

  /** Where the record will be, when it was begun. */
  get stateDir(): string | undefined {
    return this.#open?.stateDir
  }

  /** Of this execution, when it was begun. */
  get number(): number | undefined {
    return this.#open?.number
  }

  /** These paths have conflicts for the user to resolve, and are not committed. */
  leave(paths: readonly string[]): void {
    this.#left = new Set(paths)
  }

  /** Writes the record. A failure is returned; the next start then recovers the execution from its journal. */
  async end(results: readonly ActionResult[]): Promise<Ended> {
    await this.#beginning?.catch(() => {})
    try {
      return await this.#end(results)
    } finally {
      ;(await this.#queued?.catch(() => {}))?.()
      this.#queued = undefined
    }
  }

  async #end(results: readonly ActionResult[]): Promise<Ended> {
    const open = this.#open
    if (open === undefined) return { warnings: this.warnings }
    await Promise.allSettled(this.#entering.values())
    this.#open = undefined
    try {
      const ended = await closeExecution(open, this.#options, {
        results,
        blocks: this.#blocks,
        document: this.document,
        explanations: this.#explanations,
        moved: this.#moved,
        planned: this.#planned,
        left: this.#left,
        byPrograms: this.#byPrograms,
      })
      return { ...ended, warnings: [...this.warnings, ...ended.warnings] }
    } catch (error) {
      if (!isOsError(error)) throw error
      const { code, message } = error
      return { warnings: this.warnings, failure: new ProblemError({ kind: 'record-unwritten', code, message }) }
    } finally {
      closeFurther(open.further)
      open.checkpoints?.close()
      const isolatedDirs = path.join(dirOf(open.history, open.number), isolatedDir)
      if (this.#programs > 0) fs.rmSync(isolatedDirs, { recursive: true, force: true })
    }
  }

  /** One after the other: a repository of two roots is opened once. */
  #enter(root: string, dir: string): Promise<void> {
    const open = this.#open
    if (open === undefined) throw new Error('a change before the beginning')
    const before = [...this.#entering.values()]
    return Promise.allSettled(before).then(() =>
      enterFurther(open, { root, dir }, this.#options, (lines) => this.warnings.push(...lines)),
    )
  }

  async #begin(stateDir: string, commits: Commits): Promise<void> {
    await this.queue()
    const { settings } = this.#options
    const git = commits === 'git' && settings.git === 'commit' ? 'shadow' : settings.git
    const options = { ...this.#options, settings: { ...settings, git } }
    this.#open = await openExecution(stateDir, options, (lines) => this.warnings.push(...lines))
  }
}

/** For actions that are watched: how files were before them, and are after them. */
export class NotedChanges {
  readonly #inspect: Inspect
  /** By the number of the action. Files that cannot be shown are undefined. */
  readonly #notes = new Map<number, Map<string, NotedFile | undefined>>()

  constructor(inspect: Inspect) {
    this.#inspect = inspect
  }

  /** See `Recorder.noting`. */
  noting(by: number): () => NotedFile[] {
    const noted = new Map<string, NotedFile | undefined>()
    this.#notes.set(by, noted)
    return () => {
      this.#notes.delete(by)
      // Files of one action land in any order.
      const files = [...noted.values()].filter((file) => file !== undefined)
      return files.sort((a, b) => (a.absolute < b.absolute ? -1 : 1))
    }
  }

  /** Reads the files before and after changes where an action is watched. */
  beginChange(changes: readonly PathChange[]): EndChange {
    const watched = changes.filter(({ by }) => this.#notes.has(by))
    const before = new Map(watched.map((change) => [change, stateBefore(change)]))
    return (failed) => {
      const [moved] = watched.filter((change) => change.moved)
      for (const change of watched) {
        if (failed === 'unknown' || failed?.has(change)) continue
        const { becomes } = change
        const after =
          becomes.type === 'moved' ? moved && before.get(moved) : becomes.type === 'file' ? stateAfter(change) : null
        this.#note(change.by, change.absolute, before.get(change), after)
      }
    }
  }

  reverted(absolute: string): void {
    for (const noted of this.#notes.values()) noted.delete(absolute)
  }

  changedByProgram(by: number, before: ReadonlyMap<string, Inspected>): void {
    if (!this.#notes.has(by)) return
    for (const [absolute, was] of [...before].slice(0, mostFiles))
      this.#note(by, absolute, shownStateOf(was), shownStateOf(this.#inspect(absolute)))
  }

  #note(by: number, absolute: string, before: ShownState, after: ShownState): void {
    const noted = this.#notes.get(by)
    const known = noted?.get(absolute)
    if (noted === undefined || (noted.has(absolute) && known === undefined)) return
    const shown = before !== undefined && after !== undefined
    noted.set(absolute, shown ? { absolute, before: known === undefined ? before : known.before, after } : undefined)
  }
}

/** Null where there is no file. Undefined where there is one that is not shown. */
type ShownState = FileState | null | undefined

/** Differences of larger files, and of more files, are not kept. */
const largest = 1 << 20
const mostFiles = 20

function stateBefore({ was, safePath }: PathChange): ShownState {
  if (was === 'absent') return null
  return was === undefined ? readShownState(safePath) : visibleState(was)
}

function stateAfter({ becomes, safePath }: PathChange): ShownState {
  if (becomes.type !== 'file' || becomes.bytes === undefined) return readShownState(safePath)
  return visibleState({ mode: becomes.mode, bytes: becomes.bytes })
}

function shownStateOf(found: Inspected): ShownState {
  if (found.type === 'file') return found.bytes && visibleState(found)
  return found.type === 'absent' ? null : undefined
}

const visibleState = ({ bytes, mode }: FileState): ShownState =>
  bytes.length > largest ? undefined : { bytes, mode: mode & 0o7777 }

/** A look beside the way of the data: where it fails, nothing is shown, and nothing else is different. */
function readShownState(safePath: string): ShownState {
  try {
    const stat = fs.lstatSync(safePath, { throwIfNoEntry: false })
    if (stat === undefined || stat.isDirectory()) return null
    if (!stat.isFile() || stat.size > largest) return undefined
    const fd = fs.openSync(safePath, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK)
    try {
      return visibleState({ bytes: readWhole(fd, stat.size), mode: stat.mode })
    } finally {
      fs.closeSync(fd)
    }
  } catch {
    return undefined
  }
}

/** The files of a project for one execution, and the history that records every change of them. */
export interface RecordedWorkspace {
  readonly history: History
  /** What actions see: the disk, or a stage over it. */
  readonly workspace: OpenWorkspace
  /** The disk, also where actions work on a stage. */
  readonly disk: OpenWorkspace
  close(): Promise<void>
}

export function openRecordedWorkspace(
  settings: Settings,
  judge: PathJudge,
  over: 'disk' | 'staged',
  options: Pick<HistoryOptions, 'settings' | 'kind' | 'about' | 'beforeCommit'> &
    Partial<Pick<HistoryOptions, 'isBlocked'>>,
): RecordedWorkspace {
  const { root, allowedRoots } = settings
  const history = new History({
    isBlocked: (relative) => workspace.isBlocked(path.resolve(root, relative)),
    ...options,
    root,
    allowedRoots,
    inspect: (absolute) => workspace.inspect(absolute),
    files: {
      inspect: (absolute) => workspace.inspect(absolute),
      look: (absolute) => workspace.look(absolute),
      names: (absolute) => workspace.names(absolute),
    },
    settle: async () => {
      await workspace.settle()
      if (disk !== workspace) await disk.settle()
    },
  })
  const workspace: OpenWorkspace = openWorkspace(settings, judge, over, history)
  const disk = over === 'disk' ? workspace : openWorkspace(settings, judge, 'disk', history)
  const close = async (): Promise<void> => {
    await workspace.close()
    if (disk !== workspace) await disk.close()
  }
  return { history, workspace, disk, close }
}

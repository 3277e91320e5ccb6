/**
 * Records changes on the disk. The workspace calls it for every change of every path, so that the state before can be
 * restored.
 */
export interface Recorder {
  /** Waits until this execution is the only one, or throws `ProblemError`. Called before every read that a change depends on. */
  queue(): Promise<unknown>
  /** Waits until this execution may write, or throws `ProblemError`. Called before every change; only the first call does anything. */
  begin(stateDir: string, commits?: Commits): Promise<void>
  /** Waits until this execution may write below a further root, in `dir`. Called after `begin` and before every change there. */
  enter(root: string, dir: string): Promise<void>
  /** Keeps the states before changes that follow, on the disk. Many at once cost as little as one. Undefined: it is done. */
  prepare(changes: readonly PathChange[]): Promise<void> | undefined
  /**
   * Changes are about to be made: keeps the states before them, or throws the reason why nothing could be kept. The
   * returned function is called once they are made; other changes may be made meanwhile, of other paths.
   */
  beginChange(changes: readonly PathChange[]): EndChange
  /** A change that is only a step on the way to the one that was prepared for the same path. */
  passed(change: PathChange): void
  /** An earlier change was reverted. */
  reverted(absolute: string): void
  /** A program is about to run, and may change anything. */
  beforeProgram(): Promise<void>
  /** A git command is about to run in a layer: notes where the branch is. */
  beforeGit(): Promise<void>
  /** What it did has landed. */
  afterGit(): Promise<void>
  /** Records the changes of a program. Returns the states before it, as far as they are known. */
  changedByProgram(absolutes: readonly string[], seen?: SeenChanges): Promise<ReadonlyMap<string, Inspected>>
  /** Keeps how files are before and after the running action. The returned function reports them, once, and forgets them. */
  noting(): () => NotedFile[]
  /** The number of the running action. */
  acting: number
  /** Whether the current changes are those of a program: what git ignores of them may change at any time. */
  ofProgram: boolean
  /** How many hard links of a file are the recorder's own. */
  namesOf(file: { readonly dev: number; readonly ino: number }): number
}

/** The commit that an execution is about to make on the branch. */
export interface PlannedCommit {
  /** Of its repository. */
  readonly top: string
  /** The paths that it changes, relative to `top`. */
  readonly paths: readonly string[]
  readonly message: string
}

/** Differences between the project before and after a program, by absolute paths. */
export interface SeenChanges {
  /** Files that were not there before. */
  readonly created: readonly string[]
  /** The modes of files that were there before. */
  readonly modes: ReadonlyMap<string, number>
  readonly madeDirs: readonly string[]
  /** Directories that are gone or have another mode, with their modes before. */
  readonly goneDirs: ReadonlyMap<string, number>
}

/** One file before and after an action. */
export interface NotedFile {
  readonly absolute: string
  readonly before: FileState | null
  readonly after: FileState | null
}

export interface FileState {
  readonly bytes: Buffer
  readonly mode: number
}

/** Called with those of the changes that were not made, or `unknown` where that is not known. */
export type EndChange = (failed: ReadonlySet<PathChange> | 'unknown' | void) => void

export interface PathChange {
  readonly absolute: string
  /** A path to the same place that no swapped link can lead elsewhere. */
  readonly safePath: string
  readonly becomes: Becoming
  /** Set where the caller has just looked; otherwise the recorder does. */
  readonly was?: 'absent' | { readonly mode: number; readonly bytes: Buffer } | undefined
  /** The file is moved to another path. */
  readonly moved?: boolean
  /** The action it belongs to. */
  readonly by: number
}

export type Becoming =
  | { readonly type: 'absent' }
  | { readonly type: 'directory'; readonly mode?: number }
  /** Bytes are missing where the caller does not have them; they are read when the execution ends. */
  | { readonly type: 'file'; readonly mode: number; readonly bytes?: Buffer }
  /** The content of another path of the same change. */
  | { readonly type: 'moved' }

/** The current state of a path. */
export type Inspected =
  | { readonly type: 'absent' | 'other' }
  | { readonly type: 'directory'; readonly mode?: number }
  | { readonly type: 'symlink'; readonly target: string }
  | { readonly type: 'file'; readonly mode: number; readonly bytes: Buffer; readonly digest?: undefined }
  /** Too large for memory. */
  | { readonly type: 'file'; readonly mode: number; readonly bytes?: undefined; readonly digest: string }

/** A state with the content of a file in memory. */
export type InMemory = Exclude<Inspected, { readonly digest: string }>

/** Larger files are described by their digest, and their contents are streamed. */
export const mostInMemory = 64 * 1024 * 1024

/** Reads the state of an absolute path. Throws `ProblemError` where that is not allowed. */
export type Inspect = (absolute: string) => Inspected

/** Who commits in this execution: with the user's git, clada leaves the branch and unsaved work to it. */
export type Commits = 'clada' | 'git'

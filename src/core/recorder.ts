/**
 * Whoever writes down what changes on the disk. The workspace calls it around every change of every path; it makes
 * sure that what was there before can be had again.
 */
export interface Recorder {
  /** Waits until this execution may write. Stops when it may not. Asked before every change, done once. */
  begin(stateDir: string): Promise<void>
  /** Makes a change, and keeps what it displaces. Throws what `act` throws, or why nothing could be kept. */
  change(changes: readonly PathChange[], act: () => void): void
  /** What an earlier change displaced is back in its place. */
  reverted(absolute: string): void
  /** A program is about to run, and may change anything. */
  beforeProgram(): Promise<void>
  /** What a program changed. Answers with what was there before, as far as anybody knows. */
  changedByProgram(absolutes: readonly string[], seen?: SeenChanges): Promise<ReadonlyMap<string, Inspected>>
  /** The action that is being carried out, for changes that come later. */
  acting: number
  /** How many of a file's names are the recorder's own. */
  namesOf(file: { readonly dev: number; readonly ino: number }): number
}

/** What a look before a program and one after it have seen: absolute paths. */
export interface SeenChanges {
  /** Files that were not there before. */
  readonly created: readonly string[]
  /** The modes of files that were there before. */
  readonly modes: ReadonlyMap<string, number>
  readonly madeDirs: readonly string[]
  /** With their modes. */
  readonly goneDirs: ReadonlyMap<string, number>
}

export interface PathChange {
  readonly absolute: string
  /** A path to the same place that no swapped link can lead elsewhere. */
  readonly door: string
  readonly becomes: Becoming
  /** Set where the caller has just looked; otherwise the recorder does. */
  readonly was?: 'absent' | { readonly mode: number; readonly bytes: Buffer }
  /** It goes on under another name. */
  readonly moved?: boolean
  /** The action it belongs to. */
  readonly by: number
}

export type Becoming =
  | { readonly type: 'absent' }
  | { readonly type: 'directory'; readonly mode?: number }
  /** Bytes are missing where the caller does not have them; they are read when the execution ends. */
  | { readonly type: 'file'; readonly mode: number; readonly bytes?: Buffer }
  /** Whatever was at another place of the same change. */
  | { readonly type: 'moved' }

/** What is at a path right now. */
export type Inspected =
  | { readonly type: 'absent' | 'other' }
  | { readonly type: 'directory'; readonly mode?: number }
  | { readonly type: 'symlink'; readonly target: string }
  | { readonly type: 'file'; readonly mode: number; readonly bytes: Buffer }

/** Looks at an absolute path. Stops where it may not be looked at. */
export type Inspect = (absolute: string) => Inspected

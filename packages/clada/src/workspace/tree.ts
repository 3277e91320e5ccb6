import type { Becoming } from '../core/recorder.ts'
import type { Staged } from '../core/effects.ts'
import type { DirectoryEntry, FileStat, ListedEntry, OpenFile, WriteNote } from '../core/files.ts'
import type { Location } from './walk.ts'

/**
 * Files and directories by location. The disk is one; a staged tree is another on top of it and keeps
 * everything to itself until the end. What is built on a tree does not know which of the two it has.
 */
export interface Tree {
  /** Whether changes are those of a program; the history keeps them apart. */
  ofProgram: boolean
  /** What is at a location; undefined when there is nothing. A link is reported as a link. */
  look(at: Location): EntryInfo | undefined
  /** The bytes of a regular file. The base stays valid until it is used in a `write` or released. */
  read(at: Location, limit: number): Base
  /**
   * Puts a file in place. `base` is what the caller saw there, or null for "nothing": if something else is
   * there by then, nothing is written. Resolves when the file is on the disk for good.
   */
  write(at: Location, bytes: Buffer, base: Base | null): Promise<WriteNote>
  copy(from: Location, to: Location): Promise<void>
  remove(at: Location, how?: Removal): void
  rename(from: Location, to: Location): void
  /** Announces changes that follow, so that the disk is waited for once and not for each. */
  announce(changes: readonly Announced[]): Promise<void>
  /** Makes a directory, or gives one that is there another mode. */
  makeDir(at: Location, mode?: number): void
  makeLink(at: Location, target: string): void
  /** Takes a file that is at no place of the project yet, mode included. What is there goes. */
  adopt(at: Location, file: AdoptedFile): void
  /** The time of the last change, which builds go by. Not recorded. */
  setTime(at: Location, mtime: Date): void
  removeDir(at: Location): void
  list(at: Location): ListedEntry[]
  /** A regular file of any size. */
  open(at: Location): OpenFile
  /** Where a symbolic link points. */
  readLink(at: Location): string
  /** Names and types only: where a whole tree is walked, sizes and times would cost a call a file. */
  names(at: Location): ListedName[]
  /** Everything that this tree has otherwise than the disk. */
  staged(): readonly Staged[]
  /** How a child process sees a directory. */
  outside(at: Location): OutsideStage
}

/** A change that is about to be made. */
export interface Announced {
  readonly at: Location
  readonly becomes: Becoming
  readonly moved?: 'moved'
  /** The action it belongs to, when not the current one. */
  readonly by?: number
  readonly ofProgram?: boolean
}

export interface AdoptedFile {
  readonly from: string
  readonly mode: number
}

/** How a file goes where that was not decided a moment ago. */
export interface Removal {
  /** What it must be until then, as `digestOf` has it. */
  readonly expect?: string | undefined
  readonly readOnly?: 'left so' | undefined
}

/** The content of a file: its bytes, or a file to copy. */
export type PlacedContent = Buffer | { readonly file: string; readonly mode: number }

export type ListedName = Pick<DirectoryEntry, 'name' | 'type'>

export interface EntryInfo {
  readonly type: DirectoryEntry['type']
  readonly size: number
  readonly mode: number
  /** It is read-only. */
  readonly readOnly: boolean
  readonly stat: FileStat
}

/** A file as it was when it was read. */
export interface Base {
  readonly bytes: Buffer
  readonly mode: number
  release(): void
}

export interface OutsideStage {
  /** A path to the directory that is surely the one that was checked; undefined when it is not on the disk. */
  readonly cwd: string | undefined
  /** Files that this tree has otherwise than the disk, by absolute path; null for one that is gone. */
  readonly differing: ReadonlyMap<string, Buffer | null>
}

/** A write on its way to the disk. */
export interface Landing {
  readonly written: Promise<WriteNote>
  /** What it keeps in memory until then. */
  readonly bytes: number
  /** The action waits for the result and reports it itself. */
  reported: boolean
}

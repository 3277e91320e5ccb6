import type { EncodingName } from './encodings.ts'
import type { Access, Effect, Landed, Staged, WriterKind } from './effects.ts'
import type { SeenChanges } from './recorder.ts'

/** What actions may do with the disk. The workspace is the only implementation; actions see this and nothing else. */
export interface Files {
  /** The text of a file as this run sees it. */
  read(path: PathArg, options?: FileReadOptions): Promise<TextFile>
  /** Puts an edited text in the place of one that was read; byte order mark and mode are kept. */
  save(file: TextFile, text: string): Promise<void>
  /** Waits until what this action wrote to a file is on the disk; stops if it was refused. */
  landed(path: PathArg): Promise<void>
  /** Writes a whole file, parent directories included. */
  write(path: PathArg, text: string, options?: WriteOptions): Promise<WriteResult>
  remove(path: PathArg): Promise<void>
  move(from: PathArg, to: PathArg): Promise<{ overwrote: boolean }>
  copy(from: PathArg, to: PathArg): Promise<{ overwrote: boolean }>
  makeDir(path: PathArg): Promise<void>
  removeDir(path: PathArg): Promise<void>
  /** What is in a directory, sorted by name. */
  list(path: PathArg): Promise<ListedEntry[]>
  /** Where a symbolic link points. */
  readLink(path: PathArg): Promise<string>
  /** A file to be read piece by piece, of any size, as bytes. */
  open(path: PathArg): Promise<OpenFile>
  /** Whether replies may not read what is at a path. */
  isBlocked(path: PathArg): boolean
  /** Every file below a directory that matches, as `path/below/it`, sorted. Links are not followed. */
  glob(base: PathArg, matches: (relative: string) => boolean, enter: (relative: string) => boolean): Promise<string[]>
  search(query: Search): Promise<SearchResult>
  /** The files below a directory that a search looks into, relative to it and sorted. */
  searched(base: PathArg, choice: FileChoice): Promise<string[]>
  /** What a path is, after the same check as for a use of that kind; undefined when there is nothing. */
  look(path: PathArg, access: Access): Promise<Pathed | undefined>
  /**
   * A directory for a child process, with everything on the disk that this run has written. `lands`: what it changes
   * comes back as effects. `changes`: it changes the disk itself, and everything is saved first. With `repository` it is
   * a git command: clada makes no commits of its own, and where the branch was is noted.
   */
  outside(
    dir: PathArg,
    effect: 'looks' | 'lands' | 'lands repository' | 'changes' | 'changes repository',
  ): Promise<{ readonly cwd: string; readonly absolute: string }>
  /** Everything that is not on the disk yet, by absolute path. A program that must see it works on layers. */
  staged(): readonly Staged[]
  /** Makes what a program did in a layer of its own count, as far as the policy lets it. */
  land(root: string, effects: readonly Effect[], by: WriterKind): Promise<Landed>
  /** What a git command did to the repository has landed: notes where the branch is now. */
  landedRepository(): Promise<void>
  /** Makes empty files at free names below the root, for a sandbox to mount over. Returns those that were made. */
  placehold(root: string, absolutes: readonly string[]): readonly string[]
  /** Removes what a program made at these names below the root, or what is still empty. Returns what is gone. */
  discard(root: string, absolutes: readonly string[], which: Discarded): readonly string[]
  /** Files that a child process has changed: what this run knew of them no longer holds. */
  changedOutside(absolutes: readonly string[], seen?: SeenChanges): Promise<void>
}

/** `made`: with everything in it. `placeholders`: files that a sandbox was mounted over. */
export type Discarded = 'made' | 'placeholders' | 'empty directories'

export interface Pathed {
  readonly type: DirectoryEntry['type']
  /** Canonical; none of its components is a link. */
  readonly absolute: string
  readonly stat: FileStat
}

/** What the system knows of a file besides its content, under Node's names. */
export interface FileStat {
  /** Type and permissions. */
  readonly mode: number
  readonly size: number
  readonly nlink: number
  readonly uid: number
  readonly gid: number
  readonly dev: number
  readonly rdev: number
  readonly ino: number
  readonly blocks: number
  readonly blksize: number
  readonly atime: Date
  readonly mtime: Date
  readonly mtimeMs: number
  readonly ctime: Date
  readonly birthtime: Date
}

/** A file that is held open, whatever takes its name meanwhile. */
export interface OpenFile {
  /** As it was opened. */
  readonly size: number
  /** The bytes from a position on: no more than `length`, none after the end. */
  read(position: number, length: number): Buffer
  close(): void
}

/** A path as the block wrote it, and what it means. Made by `actions/decode.ts`; the workspace checks it at every use. */
export interface PathArg {
  readonly given: string
  readonly absolute: string
  /** The directory it was relative to. */
  readonly base?: string
}

export interface FileReadOptions {
  /** The file must have this hash, or it is not the one the model saw. */
  readonly expectHash?: string | undefined
  /** Notebooks are read as text, cell by cell, unless their JSON is asked for. */
  readonly notebooks?: 'json'
  /** The text that an edit is about: the JSON of a notebook is read where more of its lines are in it than in the cells. */
  readonly having?: string
}

export interface WriteOptions {
  readonly ifExists?: 'replace' | 'refuse'
  readonly expectHash?: string | undefined
}

export interface WriteResult {
  /** Bytes of the text itself. */
  readonly bytes: number
  /** What was there before. */
  readonly replaced?: Uint8Array
}

/** A file that was read, as `Files.save` takes it. */
export interface TextFile {
  readonly path: PathArg
  /** Without the byte order mark. */
  readonly text: string
  readonly bom: boolean
  /** How the file is written back. UTF-8 unless it says so. */
  readonly encoding?: EncodingName | undefined
  /** What is in the file, where the text is that of a notebook's cells. */
  readonly json?: string
  /** Computed when asked for. */
  hash(): string
}

export interface DirectoryEntry {
  readonly name: string
  readonly type: 'file' | 'directory' | 'symlink' | 'other'
  readonly size: number
  readonly modified: string
}

export interface ListedEntry extends DirectoryEntry {
  readonly stat: FileStat
}

export interface Search extends FileChoice {
  readonly base: PathArg
  /** A line is a hit if any of them matches. */
  readonly patterns: readonly string[]
  readonly regex: boolean
  readonly ignoreCase: boolean
  readonly max: number
  readonly lines?: LineChoice
}

/** Which files a search looks into. By default all that git does not ignore. */
export interface FileChoice {
  /** Globs of which a file must match one; of several, all are for names. One that begins with `!` leaves files out. */
  readonly include: readonly string[]
  /** Globs for the names of files that are left out. */
  readonly exclude?: readonly string[]
  /** Globs for the names of directories that are left out. */
  readonly excludeDirs?: readonly string[]
  /** Set if ignored files are searched as well. */
  readonly ignored?: boolean
}

/** Which lines are hits, and how many of the lines around them are listed. */
export interface LineChoice {
  readonly invert: boolean
  readonly words: boolean
  readonly wholeLines: boolean
  readonly before: number
  readonly after: number
  /** For each file. */
  readonly max: number | undefined
}

export interface SearchHit {
  readonly file: string
  readonly line_number: number
  readonly line: string
  /** What matched, where a search has a choice of lines. */
  readonly matches?: readonly string[]
  /** Set on a line that is only listed because it is near one. */
  readonly isContext?: true
}

export interface SearchResult {
  readonly hits: readonly SearchHit[]
  /** True when there were more than `max`. */
  readonly more: boolean
  /** Files with hits that are not text, whose lines are not listed. */
  readonly binary: readonly string[]
}

/** What is to be said of a file that was written. */
export interface WriteNote {
  /** Where a text went that was written in the very moment of the replacement. */
  readonly displaced?: string
  /** The file now belongs to this user instead of its owner, because only the superuser can give files away. */
  readonly disowned?: string
}

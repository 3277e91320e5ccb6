/**
 * The files that user and model keep in view, from one execution to the next. Only names are kept: whoever uses one
 * reads the file, and is checked, like everybody.
 */
export interface WorkingSet {
  /** In the order they were added. Stops when what is kept cannot be read. */
  entries(): Promise<readonly WorkingEntry[]>
  /** Puts another list in the place of the one that is there by then; nobody comes in between. */
  change(update: UpdateEntries): Promise<void>
  /** Forgets everything. A list that could not be read is kept under the name that is returned. */
  clear(): Promise<string | undefined>
  /** The last executions that changed files, oldest first: no more than `count`. */
  executions(count: number): Promise<readonly Touching[]>
}

export interface WorkingEntry {
  /** Absolute; `file@@Class@@method` for one structure of a file. */
  readonly path: string
  readonly added: string
}

export type UpdateEntries = (entries: readonly WorkingEntry[]) => readonly WorkingEntry[]

/** An execution and the files it was about, by their absolute paths. */
export interface Touching {
  readonly time: string
  readonly paths: ReadonlySet<string>
}

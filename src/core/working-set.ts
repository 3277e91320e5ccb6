/**
 * The files that user and model keep in view, from one execution to the next. Only names are stored: every use reads
 * the file, with the usual checks.
 */
export interface WorkingSet {
  /** In the order they were added. Throws `Stop` when the list cannot be read. */
  entries(): Promise<readonly WorkingEntry[]>
  /** Replaces the current list under a lock. */
  change(update: UpdateEntries): Promise<void>
  /** Removes all entries. A list that cannot be read is renamed, and its new name is returned. */
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

/** An execution and the absolute paths of its files. */
export interface Touching {
  readonly time: string
  readonly paths: ReadonlySet<string>
}

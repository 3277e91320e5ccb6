/** A path that was judged: a root, and the components below it. None of them is a link once the walk has passed. */
export interface Location {
  readonly root: string
  readonly parts: readonly string[]
  /** Canonical, for keys and comparison. */
  readonly absolute: string
  /** As the block wrote it, for messages. */
  readonly given: string
}

export const nameOf = (location: Location): string => location.parts.at(-1) ?? ''

/** A place in a file that was found: its line, and the lines around it. */
export interface Place {
  line: number
  before?: string
  text: string
  after?: string
}

/** A place that is close to what was asked for, with what differs. */
export interface NearPlace {
  line: number
  endLine: number
  /** 0 to 1. */
  similarity: number
  /** `-` what was asked for, `+` what is there. */
  diff: string
  /** The lines of the file whole and exact, for the nearest place and others that are as near. */
  text?: string
  /** Whether it is as near as the first. */
  tied?: true
  /** The kind of difference, when there is only one. */
  why?: string
}

/** A line that stands for others, and why these are not known. */
export interface Elision {
  readonly line: string
  /** Its number in its text, from 1. */
  readonly at: number
  /**
   * `only-new`: nothing says what it stands for. `only-old`: the new text does not say whether those lines stay.
   * `unequal`: there are more in one text than in the other. `not-found`: the old lines around it are not in the file once.
   */
  readonly why: 'only-new' | 'only-old' | 'unequal' | 'not-found'
}

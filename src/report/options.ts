export interface ReportOptions {
  /** How much is said about failures: message and code, what helps to repair them, or also where clada's own code was. */
  readonly errorDetail?: 'minimal' | 'full' | 'debug' | undefined
  /** Characters of output shown for one action. */
  readonly outputLimit?: number | undefined
  /** Characters of the whole report. */
  readonly budget?: number | undefined
  /** Whether what programs wrote is shown. `seen`: it was shown while they ran, so only the files they changed are. */
  readonly programs?: 'show' | 'hide' | 'seen' | undefined
  readonly color?: boolean | undefined
  /** The text in which lines are counted, where that is not the whole document. */
  readonly lines?: CountedIn | undefined
  /** What actions did to files, as lines, by their numbers: for a person. */
  readonly changes?: ReadonlyMap<number, readonly string[]> | undefined
}

/**
 * `block`: each in its own block, for a model whose reply is somewhere in a larger text. Otherwise in a text that a
 * person knows by name, with so many lines above the document.
 */
export type CountedIn = 'block' | { readonly name: string; readonly above: number }

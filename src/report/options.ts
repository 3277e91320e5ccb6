export interface ReportOptions {
  /** How much is said about failures: message and code, what helps to repair them, or also where clada's own code was. */
  readonly errorDetail?: 'minimal' | 'full' | 'debug' | undefined
  /** Characters of output shown for one action. */
  readonly outputLimit?: number | undefined
  /** Characters of the whole report. */
  readonly budget?: number | undefined
  /** Whether what programs wrote is shown. */
  readonly programs?: 'show' | 'hide' | undefined
  readonly color?: boolean | undefined
  /** Which text its lines are counted in, where that is not the whole of what was carried out. */
  readonly lines?: CountedIn | undefined
  /** What actions did to files, as lines, by their numbers: for a person. */
  readonly changes?: ReadonlyMap<number, readonly string[]> | undefined
}

/**
 * `block`: each in its own block, for a model whose reply stands somewhere in a larger text. Otherwise in a text that a
 * person knows by name, with so many lines above what was carried out.
 */
export type CountedIn = 'block' | { readonly name: string; readonly above: number }

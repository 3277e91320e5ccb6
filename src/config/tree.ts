/** A config file as it was written, with the place of everything. Lines and columns count from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

export type Tree =
  | { readonly kind: 'scalar'; readonly at: Place; readonly value: string | number | boolean | null }
  /** What the parser has complained about already. */
  | { readonly kind: 'broken'; readonly at: Place }
  | { readonly kind: 'list'; readonly at: Place; readonly items: readonly Tree[] }
  | { readonly kind: 'map'; readonly at: Place; readonly entries: readonly Entry[] }

export interface Entry {
  readonly name: string
  readonly at: Place
  readonly value: Tree
}

/** What is wrong with a config file. */
export interface Fault {
  readonly at: Place
  readonly message: string
}

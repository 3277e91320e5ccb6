/** One thing that `clada doctor` looked at. */
export interface Finding {
  readonly name: string
  readonly ok: boolean
  readonly found: string
  readonly advice?: string
  /** Most of clada does without it. */
  readonly optional?: true
}

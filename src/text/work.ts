/** What a search for near places has done so far. */
export interface Work {
  /** Characters looked at and cells filled. */
  steps: number
  windows: number
}

export const LIMITS = { steps: 20_000_000, windows: 200 } as const

/** Books `steps` and answers true, or false when they are more than what is left. */
export function afford(work: Work, steps: number): boolean {
  if (work.steps + steps > LIMITS.steps) return false
  work.steps += steps
  return true
}

/** A command of the user's own that runs before or after an execution. */
export interface Hook {
  /** For a shell. `${NAME}` is taken from the variables and from the facts of the run. */
  readonly run: string
  /** Seconds. Default: 30. */
  readonly timeout?: number
  /** Below the root. */
  readonly cwd?: string
  /** Its failure is told, and stops nothing. */
  readonly continueOnError?: boolean
  /** `unsandboxed` leaves it as free as the user is. */
  readonly exec?: 'sandbox' | 'unsandboxed'
  /** Whether it may use the network from inside the sandbox. */
  readonly network?: boolean
}

export interface Hooks {
  readonly before?: readonly Hook[]
  readonly after?: readonly Hook[]
}

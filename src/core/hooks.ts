/** A command of the user that runs before or after an execution. */
export interface Hook {
  /** For a shell. `${NAME}` is a variable or a fact of the run. */
  readonly run: string
  /** Seconds. Default: 30. */
  readonly timeout?: number
  /** Below the root. */
  readonly cwd?: string
  /** Its failure is only a warning. */
  readonly continueOnError?: boolean
  /** `unsandboxed` runs it with all rights of the user. */
  readonly exec?: 'sandbox' | 'unsandboxed'
  /** Whether it may use the network from inside the sandbox. */
  readonly network?: boolean
}

/** Hooks in the order in which they run. */
export interface Hooks {
  readonly before?: readonly Hook[]
  readonly after?: readonly Hook[]
}

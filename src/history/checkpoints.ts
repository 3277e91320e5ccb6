import type { Inspected } from '../core/recorder.ts'
import type { HistorySettings } from '../core/settings.ts'
import type { ExecutionRecord } from './record.ts'

/** Saves the state before and after an execution in git. */
export interface Checkpoints {
  /** What it came to be: staged work turns `commit` into `shadow`. Known after `before`. */
  readonly mode: 'commit' | 'shadow' | 'off'
  /** Answers with warnings; stops when git cannot work. */
  before(): Promise<string[]>
  after(
    record: ExecutionRecord,
    explanations: readonly string[],
    inspect: (absolute: string) => Inspected,
  ): Promise<{ commits: NonNullable<ExecutionRecord['commits']>; warnings: string[] }>
}

export interface CheckpointOptions {
  readonly root: string
  readonly stateDir: string
  readonly settings: HistorySettings
  readonly closed: (relative: string) => boolean
  /** The execution's own directory. */
  readonly dir: string
  readonly number: number
}

export async function openCheckpoints(_options: CheckpointOptions): Promise<Checkpoints> {
  throw new Error('later')
}

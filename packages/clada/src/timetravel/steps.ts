import type { Code } from '@clada/reply/core/codes.ts'
import { fail, ok, type Outcome, type SquashRequest, type HistoryCommands } from '../core/action.ts'
import type { HistorySettings, Settings } from '../core/settings.ts'
import { squashCommits, type SquashOptions } from './squash.ts'
import { stepBack, stepForward, type StepResult } from './back-forward.ts'
import { undoExecution } from './undo.ts'

/** Undo, back, forward and squash as actions call them: the same functions, their answers as outcomes. */
export const stepsOf = (settings: Settings, history: HistorySettings): HistoryCommands => ({
  undo: async ({ execution, action, force }) => {
    const result = await undoExecution(settings, history, { number: execution, action, force })
    const { warnings = [], ...data } = result
    const { conflicts } = data
    const merged = conflicts.map(({ path, reason }) => `${path}: ${reason}`)
    return changingOutcome(data, conflicts, [...merged, ...warnings])
  },
  back: async () => stepOutcome(await stepBack(settings, history)),
  forward: async () => stepOutcome(await stepForward(settings, history)),
  squash: async (request) => {
    const { warnings, execution: _, ...result } = await squashCommits(settings, history, squashOptionsOf(request))
    return changingOutcome({ ...result, dry_run: request.dryRun ? true : undefined }, [], warnings)
  },
})

const stepOutcome = ({ conflicts = [], warnings, ...result }: StepResult) =>
  changingOutcome(
    result,
    conflicts.map((path) => ({ path, reason: 'it is not committed' })),
    warnings,
  )

interface StepAnswer {
  readonly success: boolean
  readonly error?: string
  readonly reason?: string
  readonly code?: Code
  readonly gitCommit?: string
}

function changingOutcome<A extends StepAnswer>(
  answer: A,
  conflicts: { path: string; reason: string }[] = [],
  warnings: readonly string[] = [],
): Outcome<Omit<A, keyof StepAnswer> & { git_commit?: string }> {
  const {
    success,
    error = 'It could not be done',
    reason = error,
    code = 'git_operation_failed',
    gitCommit,
    ...data
  } = answer
  if (success) return ok({ ...data, git_commit: gitCommit }, warnings)
  return fail({ kind: 'step-refused', reason, code, conflicts })
}

const squashOptionsOf = ({ mode, contiguous, ...options }: SquashRequest): SquashOptions => ({
  ...options,
  contiguous: mode === 'auto_ai' || (mode !== 'ai_messages' && contiguous),
})

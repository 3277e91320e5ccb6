import type { ApprovalAnswer, ApprovalRequest, Ask } from '../core/commands.ts'
import { untilAborted } from '../core/until-aborted.ts'
import type { PreviewOptions, RunOptions } from './options.ts'

/**
 * The same options with the caller's own functions made safe. `onOutput` is called from an event of a process, and an async
 * function rejects where nobody waits: both would end the caller's program. A question ends with the signal.
 */
export function guardCallerCode(run: RunOptions, failed: (listener: string, error: unknown) => void): RunOptions {
  const { options, request } = run
  const { ask } = options
  const guarded = <Arguments extends readonly unknown[]>(
    name: string,
    listener: ((...given: Arguments) => unknown) | undefined,
  ): ((...given: Arguments) => void) | undefined =>
    listener &&
    ((...given) => {
      try {
        Promise.resolve(listener(...given)).catch((error: unknown) => failed(name, error))
      } catch (error) {
        failed(name, error)
      }
    })
  const listeners: Partial<PreviewOptions> = {
    onOutput: guarded('onOutput', request.onOutput),
    onProgram: guarded('onProgram', request.onProgram),
    onAction: guarded('onAction', request.onAction),
    onUnreadable: guarded('onUnreadable', request.onUnreadable),
    onNotExecuted: guarded('onNotExecuted', request.onNotExecuted),
    onChanges: guarded('onChanges', request.onChanges),
  }
  const guardedAsk = async (ask: Ask, question: ApprovalRequest): Promise<ApprovalAnswer | undefined> => {
    try {
      return await untilAborted(request.signal, () => ask(question))
    } catch (error) {
      if (!request.signal?.aborted) failed('ask', error)
      return undefined
    }
  }
  return {
    ...run,
    options: { ...options, ask: ask && ((question) => guardedAsk(ask, question)) },
    request: { ...request, ...listeners },
  }
}

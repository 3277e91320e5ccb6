import { setTimeout as pause } from 'node:timers/promises'
import { askDesk } from '../../approvals/desk.ts'
import type { ApprovalAnswer, ApprovalRequest, Ask } from '../../core/commands.ts'
import { approvalFacts, asked } from '../ask.ts'

/** Asks the person at this terminal, who answers with one key. */
export interface Questions {
  /** Undefined when `gone` comes first. */
  ask(lines: readonly string[], question: string, gone: AbortSignal): Promise<ApprovalAnswer | undefined>
  tell(line: string): void
}

/** Asks at the terminal and on an open page at the same time; the first answer counts. */
export function askingBoth(here: Questions | undefined, over: AbortSignal): Ask {
  return async (request) => {
    const decided = new AbortController()
    const signal = AbortSignal.any([over, decided.signal])
    const desk = askPage(request, signal, here)
    const answer = await firstAnswer([
      desk,
      ...(here === undefined ? [] : [here.ask(approvalFacts(request), asked[request.about], signal)]),
    ])
    decided.abort()
    return answer
  }
}

/** As long as this terminal could still answer, a page may be opened as well. */
async function askPage(
  request: ApprovalRequest,
  signal: AbortSignal,
  here: Questions | undefined,
): Promise<ApprovalAnswer | undefined> {
  for (;;) {
    const answer = await askDesk(request, signal)
    if (answer !== undefined) here?.tell(`answered on the page: ${answer}`)
    if (answer !== undefined || here === undefined || signal.aborted) return answer
    await pause(1000, undefined, { signal })
  }
}

function firstAnswer(answers: readonly Promise<ApprovalAnswer | undefined>[]): Promise<ApprovalAnswer | undefined> {
  return new Promise((resolve) => {
    let left = answers.length
    for (const one of answers) {
      const heard = (answer?: ApprovalAnswer): void => {
        left--
        if (answer !== undefined || left === 0) resolve(answer)
      }
      one.then(heard, () => heard())
    }
  })
}

import type { ApprovalAnswer, ApprovalRequest, Ask } from '../../core/commands.ts'
import { answerIn, approvalFacts, asked } from '../ask.ts'
import type { Screen } from './screen.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { askApprovalSocket } from '../../approvals/socket.ts'

/** Questions on a screen, answered by one key. */
export interface KeyQuestions extends Questions {
  /** Whether the key was an answer, or belongs to a question that is open. */
  key(key: string): boolean
  /** What the last line says while a question is open. */
  readonly hint: readonly string[] | undefined
}

/** A key that was meant for the previous question does not answer the next. */
const pauseMs = 100

export function keyQuestions(screen: Screen, showStatus: () => void): KeyQuestions {
  let open: { question: string; answer: (answer: ApprovalAnswer | undefined) => void } | undefined
  let answeredAt = -Infinity

  return {
    get hint() {
      return open === undefined ? undefined : [open.question, 'y once', 'a always', 'n no']
    },
    tell: (line) => screen.print([`  ${line}`]),
    ask: (lines, question, gone) =>
      new Promise((resolve) => {
        const answer = (given: ApprovalAnswer | undefined): void => {
          open = undefined
          gone.removeEventListener('abort', leave)
          showStatus()
          resolve(given)
        }
        const leave = (): void => answer(undefined)
        gone.addEventListener('abort', leave, { once: true })
        open = { question, answer }
        screen.printRaw(['', ...lines])
        showStatus()
        if (gone.aborted) leave()
      }),
    key: (key) => {
      if (open === undefined || performance.now() - answeredAt < pauseMs) return open !== undefined
      if (!/^(?:[yan]|escape)$/i.test(key)) return true
      answeredAt = performance.now()
      const given = answerIn(key)
      screen.print([`  ${{ once: 'yes, once', always: 'yes, always', no: 'no' }[given]}`])
      open.answer(given)
      return true
    },
  }
}

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
    const onPage = askPage(request, signal, here)
    const answer = await firstAnswer([
      onPage,
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
    const answer = await askApprovalSocket(request, signal)
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

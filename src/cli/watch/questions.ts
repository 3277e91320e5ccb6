import type { ApprovalAnswer } from '../../core/commands.ts'
import { answerIn } from '../ask.ts'
import type { Questions } from './approvals.ts'
import type { Screen } from './screen.ts'

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

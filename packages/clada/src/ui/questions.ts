import type { ApprovalAnswer, ApprovalRequest } from '../core/commands.ts'
import type { Question } from './protocol.ts'

/** Questions that wait for a person. The asker waits too, unless it goes away. */
export class Questions {
  readonly #waiting = new Map<number, { question: Question; answered: (answer: ApprovalAnswer | undefined) => void }>()
  readonly #changed: () => void
  #last = 0

  constructor(changed: () => void) {
    this.#changed = changed
  }

  list(): Question[] {
    return [...this.#waiting.values()].map(({ question }) => question)
  }

  /** Rejected when the asker is gone or there is no page to answer. */
  ask(request: ApprovalRequest, from: Question['from'], gone?: AbortSignal): Promise<ApprovalAnswer> {
    return new Promise((resolve, reject) => {
      const id = ++this.#last
      const answered = (answer: ApprovalAnswer | undefined): void => {
        if (!this.#waiting.delete(id)) return
        gone?.removeEventListener('abort', leave)
        if (answer === undefined) reject(new Error('no answer'))
        else resolve(answer)
        this.#changed()
      }
      const leave = (): void => answered(undefined)
      gone?.addEventListener('abort', leave, { once: true })
      this.#waiting.set(id, { question: { ...request, id, from }, answered })
      this.#changed()
    })
  }

  /** False when the question is not there any more. */
  answer(id: number, answer: ApprovalAnswer): boolean {
    const waiting = this.#waiting.get(id)
    waiting?.answered(answer)
    return waiting !== undefined
  }

  /** These stay unanswered. */
  drop(from: Question['from']): void {
    for (const { question, answered } of this.#waiting.values()) if (question.from === from) answered(undefined)
  }
}

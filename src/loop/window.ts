import { capText } from '../report/words.ts'
import { tokenLength, tokensOf } from '../text/tokens.ts'
import type { Message } from './model.ts'

/** A reply and the report on it. */
export interface Turn {
  readonly reply: string
  readonly report: string
}

/**
 * The conversation within the window of the model, in tokens. Old reports are shortened first, then old replies; the task
 * and the last report stay, and if even those do not fit, the last report loses its middle.
 */
export function messagesFor(prompt: string, turns: readonly Turn[], window: number): Message[] {
  const kept = turns.map(({ reply, report }) => ({ reply, report }))
  const size = (): number =>
    tokensOf(prompt) + kept.reduce((sum, { reply, report }) => sum + tokensOf(reply) + tokensOf(report), 0)
  const older = kept.slice(0, -1)
  for (const turn of older) if (size() > window) turn.report = firstLines(turn.report)
  for (const turn of older) if (size() > window) turn.reply = firstLines(turn.reply)
  const last = kept.at(-1)
  if (last !== undefined && size() > window) {
    const room = Math.max(window - (size() - tokensOf(last.report)), 500)
    last.report = capText(last.report, room * tokenLength)
  }
  return [
    { role: 'user', content: prompt },
    ...kept.flatMap(({ reply, report }): Message[] => [
      { role: 'assistant', content: reply },
      { role: 'user', content: report },
    ]),
  ]
}

/** Enough to know what it was about. */
function firstLines(text: string): string {
  const lines = text.split('\n')
  return lines.length <= shownLines ? text : [...lines.slice(0, shownLines), '[shortened]'].join('\n')
}

const shownLines = 8

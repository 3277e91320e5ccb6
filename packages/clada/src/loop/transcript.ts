import path from 'node:path'
import { numbersIn } from '../store/record.ts'
import { jsonOf, ownDir, putFile, readOwn } from '../state/own-files.ts'
import { findState, makeState } from '../state/project-state.ts'
import { capText } from '../report/words.ts'
import { tokenLength, estimateTokens } from '@clada/reply/text/lines.ts'
import type { ChatMessage } from './model.ts'

/** A reply and the report on it. */
export interface Turn {
  readonly reply: string
  readonly report: string
}

/**
 * The conversation within the window of the model, in tokens. Old reports are shortened first, then old replies; the task
 * and the last report stay, and if even those do not fit, the last report loses its middle.
 */
export function messagesFor(prompt: string, turns: readonly Turn[], window: number): ChatMessage[] {
  const kept = turns.map(({ reply, report }) => ({ reply, report }))
  const size = (): number =>
    estimateTokens(prompt) +
    kept.reduce((sum, { reply, report }) => sum + estimateTokens(reply) + estimateTokens(report), 0)
  const older = kept.slice(0, -1)
  for (const turn of older) if (size() > window) turn.report = firstLines(turn.report)
  for (const turn of older) if (size() > window) turn.reply = firstLines(turn.reply)
  const last = kept.at(-1)
  if (last !== undefined && size() > window) {
    const room = Math.max(window - (size() - estimateTokens(last.report)), 500)
    last.report = capText(last.report, room * tokenLength)
  }
  return [
    { role: 'user', content: prompt },
    ...kept.flatMap(({ reply, report }): ChatMessage[] => [
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

/** A loop as it is written down. */
export interface LoopRecord {
  readonly version: 1
  readonly number: number
  /** The conversation of its executions. */
  readonly id: string
  readonly started: string
  readonly task: string
  readonly model: string
  readonly until?: string | undefined
  /** Why it ended; missing while it runs, and when it was killed. */
  readonly ended?: string | undefined
  readonly rounds: number
  readonly tokens: number
}

const recordName = 'loop.json'

/** The directory of one loop in the state of the project: its record, the prompt, and a reply and a report for each round. */
export class Transcript {
  readonly #dir: string
  record: LoopRecord

  private constructor(dir: string, record: LoopRecord) {
    this.#dir = dir
    this.record = record
  }

  static begin(root: string, about: Omit<LoopRecord, 'version' | 'number' | 'rounds' | 'tokens'>): Transcript {
    const loops = ownDir(makeState(root).dir, 'loops')
    const number = Math.max(0, ...numbersIn(loops)) + 1
    const dir = ownDir(loops, String(number))
    const transcript = new Transcript(dir, { version: 1, number, rounds: 0, tokens: 0, ...about })
    transcript.note({})
    return transcript
  }

  /** Undefined when there is no such loop. */
  static open(root: string, number: number): Transcript | undefined {
    const stateDir = findState(root)
    if (stateDir === undefined) return undefined
    const dir = path.join(stateDir, 'loops', String(number))
    const record = jsonOf(readOwn(path.join(dir, recordName)))
    return isLoopRecord(record) ? new Transcript(dir, record) : undefined
  }

  static last(root: string): number | undefined {
    const stateDir = findState(root)
    return stateDir === undefined ? undefined : numbersIn(path.join(stateDir, 'loops')).at(-1)
  }

  note(news: Partial<LoopRecord>): void {
    this.record = { ...this.record, ...news }
    putFile(path.join(this.#dir, recordName), `${JSON.stringify(this.record, null, 2)}\n`)
  }

  keepPrompt(text: string): void {
    putFile(path.join(this.#dir, 'prompt.txt'), text)
  }

  get prompt(): string {
    return readOwn(path.join(this.#dir, 'prompt.txt')) ?? ''
  }

  keepTurn({ reply, report }: Turn, tokens: number): void {
    const round = this.record.rounds + 1
    putFile(path.join(this.#dir, `${round}-reply.md`), reply)
    putFile(path.join(this.#dir, `${round}-report.txt`), report)
    this.note({ rounds: round, tokens: this.record.tokens + tokens })
  }

  turns(): Turn[] {
    return Array.from({ length: this.record.rounds }, (_, at) => ({
      reply: readOwn(path.join(this.#dir, `${at + 1}-reply.md`)) ?? '',
      report: readOwn(path.join(this.#dir, `${at + 1}-report.txt`)) ?? '',
    }))
  }
}

function isLoopRecord(value: unknown): value is LoopRecord {
  if (typeof value !== 'object' || value === null) return false
  const texts = ['id', 'started', 'task', 'model'].every((name) => typeof Reflect.get(value, name) === 'string')
  return texts && ['number', 'rounds', 'tokens'].every((name) => Number.isSafeInteger(Reflect.get(value, name)))
}

import fs from 'node:fs'
import type { StringDecoder } from 'node:string_decoder'
import type { ExecuteOptions } from '../engine/options.ts'
import { now } from '../core/time-limit.ts'
import { type ActionResult, type FileChange } from '../core/result.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import type { ReportOptions } from '../report/parts.ts'
import { withColor } from '../report/pretty.ts'
import { truncateToWidth } from '../report/width.ts'
import { cutMark, oneLine, spellOut, withoutColors } from '../report/words.ts'
import { elapsedText } from './end-notice.ts'
import type { FlagValues } from './flags.ts'
import { isPretty } from './options.ts'
import { columnsOf, isTerminal } from './streams.ts'

const newDecoder = (): StringDecoder => new (process.getBuiltinModule('node:string_decoder').StringDecoder)('utf8')

interface LiveOutputOptions {
  /** Characters of one program. */
  readonly limit?: number
  /** What stands before each line. */
  readonly mark?: (task: string) => string
}

/**
 * Shows what programs write as it arrives, line by line, marked with the task it belongs to. Of a long output the first
 * half of the limit is shown as it arrives and the last half at its end.
 */
export class LiveOutput {
  readonly #print: (line: string) => void
  readonly #mark: (task: string) => string
  /** Characters of one task that are shown. */
  readonly #limit: number
  #head: number
  #tail: string[] = []
  #tailLength = 0
  #lines = 0
  #left = 0
  /** Made for the first output: few runs have any. */
  #decoder: StringDecoder | undefined
  #task = ''
  #rest = ''

  constructor(print: (line: string) => void, { limit = Infinity, mark = markForPrograms }: LiveOutputOptions = {}) {
    this.#print = print
    this.#mark = mark
    this.#limit = limit
    this.#head = limit / 2
  }

  readonly add = (task: string, chunk: Buffer): void => {
    if (task !== this.#task) this.end()
    this.#task = task
    const lines = (this.#rest + (this.#decoder ??= newDecoder()).write(chunk)).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) this.#take(line)
    // A program that never breaks its lines is shown in pieces.
    if (this.#rest.length > longestPiece) this.#takeRest()
  }

  /** The program has ended. */
  end(): void {
    this.#takeRest()
    if (this.#left > 0) {
      const last = this.#lines - this.#tail.length
      const cut = { first: last - this.#left + 1, last, total: this.#lines }
      this.#show(cutMark(cut, 'run less at a time to see them'))
    }
    for (const line of this.#tail) this.#show(line)
    this.#head = this.#limit / 2
    this.#tail = []
    this.#tailLength = 0
    this.#lines = 0
    this.#left = 0
  }

  #takeRest(): void {
    const rest = this.#rest + (this.#decoder?.end() ?? '')
    this.#decoder = undefined
    this.#rest = ''
    if (rest !== '') this.#take(rest)
  }

  #take(line: string): void {
    this.#lines++
    this.#head -= line.length + 1
    if (this.#head >= 0) return this.#show(line)
    // No later line is shown before one that is held back.
    this.#head = -1
    this.#tail.push(line)
    this.#tailLength += line.length + 1
    while (this.#tailLength > this.#limit / 2) {
      const gone = this.#tail.shift()
      if (gone === undefined) break
      this.#tailLength -= gone.length + 1
      this.#left++
    }
  }

  #show(line: string): void {
    this.#print(`${this.#mark(this.#task)} ${spellOut(withoutColors(line))}`)
  }
}

const markForPrograms = (task: string): string => `[task-${task}:exec]`

/** A person sees the action below it. */
export const markForPerson = (isColored: boolean): string => (isColored ? withColor.dim('  │') : '  │')

const longestPiece = 4096

/**
 * Shows what goes on in a long run, on stderr. A terminal has one line that changes: how many actions are done, where the
 * report comes at the end, and which program runs while it writes nothing. A log gets a line now and then.
 */
export class ProgressLine {
  readonly #live = isTerminal(2)
  readonly #counts: boolean
  #next = now() + 1000
  #shown = false
  #done = 0
  #busy: { readonly what: string; readonly since: number } | undefined
  #timer: NodeJS.Timeout | undefined
  /** When a person last saw something new. */
  #said = now()
  #isAsking = false

  /** `counts`: also how many actions are done, for those who do not see the lines of the report as they come. */
  constructor(kind: 'counts' | 'programs') {
    this.#counts = kind === 'counts'
  }

  readonly program = (what: string): void => this.busy(`running ${what}`)

  /** Until the next step, or until another thing is worked on. */
  busy(what: string): void {
    this.#busy = { what, since: now() }
    this.#said = now()
    if (this.#live) this.#timer ??= setInterval(() => this.#tick(), 500).unref()
  }

  step({ seq, action, params, success }: ActionResult): void {
    this.#busy = undefined
    if (!this.#counts) return this.clear()
    if (success) this.#done++
    const time = now()
    if (time < this.#next) return
    this.#next = time + (this.#live ? 100 : 10_000)
    const target = typeof params['path'] === 'string' ? ` ${params['path']}` : ''
    const count = this.#done === seq ? formatCount(seq, 'action') : `${this.#done} of ${formatCount(seq, 'action')}`
    this.#show(`${count} done, ${success ? '' : 'not '}${action}${target}`)
  }

  /** Nothing is shown while a question waits for its answer. */
  async asking<T>(question: () => Promise<T>): Promise<T> {
    this.clear()
    this.#isAsking = true
    try {
      return await question()
    } finally {
      this.#isAsking = false
      this.#said = now()
      if (this.#busy !== undefined) this.#busy = { ...this.#busy, since: now() }
    }
  }

  /** Before anything else is printed. */
  readonly clear = (): void => {
    this.#said = now()
    if (!this.#shown || !this.#live) return
    fs.writeSync(2, '\r\u001b[K')
    this.#shown = false
  }

  end(): void {
    clearInterval(this.#timer)
    this.clear()
  }

  #tick(): void {
    const time = now()
    if (this.#busy === undefined || this.#isAsking || time - this.#said < silentMs) return
    const { what, since } = this.#busy
    this.#show(`${oneLine(what)}, ${elapsedText(time - since)}`)
  }

  #show(text: string): void {
    const line = truncateToWidth(spellOut(text), (columnsOf(2) ?? 100) - 1)
    fs.writeSync(2, this.#live ? `\r\u001b[K${line}` : `clada: ${line}\n`)
    this.#shown = true
  }
}

/** A program that writes nothing for so long makes a person wonder. */
const silentMs = 1500

/** The changes of actions, as the few lines that a person sees. */
export interface ShownChanges {
  readonly listen: Pick<ExecuteOptions, 'onChanges'>
  readonly shown: Pick<ReportOptions, 'changes'>
}

/** Loads nothing where no person reads the report. */
export async function openShownChanges(flags: FlagValues): Promise<ShownChanges> {
  if (flags.quiet !== undefined || !isPretty(flags)) return { listen: {}, shown: {} }
  const { changeLines } = await import('../report/action-diff.ts')
  const changes = new Map<number, readonly string[]>()
  let left = mostLines
  const onChanges = (result: ActionResult, some: readonly FileChange[]): void => {
    const width = Math.max(20, (process.stdout.columns || 120) - 6)
    const lines = left < leastLines ? [] : changeLines(result, some, { lines: Math.min(left, actionLines), width })
    left -= lines.length
    changes.set(result.seq, lines)
  }
  return { listen: { onChanges }, shown: { changes } }
}

/** The report of a long run must stay readable from its beginning. */
const mostLines = 200
const actionLines = 12
const leastLines = 4

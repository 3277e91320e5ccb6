import { plainReason } from '../core/os-words.ts'
import { isUtf8 } from 'node:buffer'
import path from 'node:path'
import { Clada } from '../api/clada.ts'
import { type Document, isEditMissing } from '@clada/reply/core/block.ts'
import type { ExecutionResult } from '../core/result.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import { formatLlm } from '../report/llm.ts'
import type { ReportOptions } from '../report/parts.ts'
import { type CladaOptions, readingOptions, settingsOf } from '../config/settings.ts'
import { readReply } from '../core/read-reply.ts'
import {
  interrupted,
  type ListenerEvent,
  notUtf8,
  type Origin,
  type ReviewHook,
  runUnits,
  inputTooLarge,
  type UnitRunner,
  warmUp,
} from './run-units.ts'
import {
  chooseUnits,
  fatesIn,
  isCutOff,
  type KnownFates,
  knownOf,
  findRepeated,
  type Unit,
  unitsOf,
  type Which,
} from './units.ts'
import { ListenerError, takePlace, trackedReason } from './place.ts'
import { isIndexLocked, isTrackedByGit } from '../process/tracked-files.ts'
import { type FiledReply, isInFence, repliesIn, type ReplyMark, replyAlone, trimmedLines } from './replies.ts'
import { splitWatchedFile, ResultsWriter, saidAgain, sectionFor, sectionOf } from './results-writer.ts'
import { inspectFile, watchPath } from './watched-file.ts'
import { messageOf } from '../core/errors.ts'

/** Options of a listener, with those of its project. */
export interface ListenerOptions {
  /** The file to watch; made with a short explanation when it is missing. Absolute. */
  readonly filePath: string
  /** Where the whole report goes. Default: `.clada/output.md` in the project. */
  readonly outputFile?: string | undefined
  /** How long a file must be unchanged before it is read. At least 15, default 50. */
  readonly debounceMs?: number | undefined
  readonly clada?: CladaOptions
  readonly report?: ReportOptions
  /**
   * Blocks that are there already at the start. `new` runs those that were not run before; `hold` does not, if this
   * file was never watched; `all` runs them whatever was.
   */
  readonly atStart?: 'new' | 'hold' | 'all'
  readonly onEvent?: (event: ListenerEvent) => void
  /** Called before a text runs: of its changes only those are made that the user wants. */
  readonly review?: ReviewHook | undefined
  /**
   * What a line such as `/undo` does when it is the only text that a save added. The lines that it returns take its
   * place. A reply that contains such a line runs none of them.
   */
  readonly commands?: Readonly<Record<string, () => Promise<readonly string[]>>> | undefined
  /**
   * Copies the whole report; the results note whether that worked. Undefined means that there is no clipboard, which is
   * reported once and not with every run.
   */
  readonly copy?: ((report: string) => Promise<boolean | undefined>) | undefined
}

/** A running listener. */
export interface Listener {
  /** Runs a text that did not come from the file. Undefined when nothing in it is new. */
  submit(text: string, origin?: 'clipboard' | 'terminal'): Promise<ExecutionResult | undefined>
  /** Runs the blocks of the file again: all, or those that failed. */
  again(which: 'failed' | 'all'): Promise<void>
  /** Stops the current run, completes pending writes to the file, and releases it. */
  stop(): Promise<void>
}

/**
 * Watches a file, runs new blocks, and writes the results at the top.
 * @throws ListenerError
 */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const { debounceMs = 50, onEvent: tell = () => {}, atStart = 'new' } = options
  if (options.filePath === '') throw new ListenerError('INVALID', 'filePath is required')
  if (!path.isAbsolute(options.filePath)) throw new ListenerError('INVALID', 'filePath must be absolute')
  if (!(debounceMs >= 15)) throw new ListenerError('INVALID', 'debounceMs must be at least 15')

  const settings = settingsOf(options.clada ?? {})
  const reading = readingOptions(options.clada ?? {})
  const limit = settings.limits.inputBytes
  const place = await takePlace(settings, options.filePath, options.outputFile)
  const { file, ledger, output } = place
  const cladaOptions = { ...options.clada, reserved: [...(options.clada?.reserved ?? []), file, output.path] }
  const read = (text: string): Document => readReply(text, reading, settings.limits.actionMs)
  const writer = new ResultsWriter(place, tell, read)
  const stopping = new AbortController()
  const { signal } = stopping
  const runner: UnitRunner = {
    // What was done before is known here better than by the history.
    clada: new Clada({ ...cladaOptions, alreadyDone: 'run' }),
    output,
    report: options.report,
    review: options.review,
    copy: options.copy,
    tell,
    listened: options.onEvent !== undefined,
    signal,
  }

  let known: KnownFates = new Map()
  let submitted: KnownFates = new Map()
  /** The user's text as it was considered last. */
  let last: Buffer = Buffer.alloc(0)
  let lastUnits: readonly Unit[] | undefined
  let marks: readonly ReplyMark[] = []
  /** A text that seems to be unfinished; looked at again when it has stayed as it is for a while. */
  let doubted: Buffer | undefined
  /** Set after the first look: a file without blocks at the start is not reported. */
  let begun = false
  let trouble = ''
  let lockedLooks = 0
  let queue: Promise<unknown> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined

  /** Runs one task after another. */
  function queued<T>(work: () => Promise<T>): Promise<T> {
    const next = queue.then(work)
    queue = next.catch((error: unknown) => tellTrouble(messageOf(error)))
    return next
  }

  function later(ms: number): void {
    clearTimeout(timer)
    // The queue reports failures.
    timer = setTimeout(() => queued(() => consider('new')).catch(() => {}), ms)
  }

  async function consider(which: Which): Promise<void> {
    if (signal.aborted) return
    const look = inspectFile(file, limit)
    if (look === undefined) return later(debounceMs)
    // Git lists what it has written when it is done.
    if (isIndexLocked(file)) {
      if (lockedLooks++ > longLocked)
        tellTrouble(`${file}: git is at work here, and nothing runs until index.lock is gone.`)
      return later(Math.max(100, debounceMs))
    }
    lockedLooks = 0
    if (isTrackedByGit(file)) return tellTrouble(`${trackedReason(file)}. Nothing in it runs until then.`)
    tellTrouble(look.kind === 'odd' ? `${file}: ${look.why}. It is ignored until it is a file again.` : '')
    if (look.kind === 'large') return refuse(inputTooLarge(look.size, limit), Buffer.from('too large'))
    // Deleted and not yet made again, or emptied and not yet written.
    if (look.kind !== 'file' || look.bytes.length === 0) return
    const { own, section } = writer.partsOf(look.bytes)
    // The same text was saved again without the results, so they are written again.
    const resaved = section.length === 0 && writer.hasWritten
    if (which === 'new' && own.equals(last) && !resaved) return
    if (!isUtf8(own)) return refuse(notUtf8, own)

    const text = own.toString('utf8')
    const replies = readReplies(text)
    const typed = which === 'new' && begun ? commandIn(replies) : undefined
    if (typed !== undefined) {
      // Before it runs: a file that cannot be written must not undo twice.
      note(own, replies)
      return runTyped(typed)
    }
    const units = replies.flatMap((reply) => reply.units)
    const unfinished = isBeginningOf(own, last) || isCutOff(replies.flatMap((one) => (one.isNew ? one.units : [])))
    if (which === 'new' && unfinished && !doubted?.equals(own)) {
      doubted = own
      // A program that writes in pieces may pause this long.
      return later(Math.max(300, debounceMs * 5))
    }
    doubted = undefined
    last = own
    const keysOf = (one: ReadReply): ReadonlySet<string> => chooseUnits(one.units, known, which)
    const isToRun = (one: ReadReply): boolean =>
      keysOf(one).size > 0 || (which === 'new' && one.isNew && lacksEdit(one))
    const toRun = replies.filter(isToRun)
    const came = resaved && toRun.length === 0 ? units : findRepeated(units, lastUnits ?? units, known)
    const again = which === 'all' ? [] : came.flatMap((unit) => saidAgain(unit, known.get(unit.key)))
    lastUnits = units
    marks = replies.map(({ mark }) => mark)
    if (toRun.length === 0) {
      remember(knownOf(units, known, () => undefined))
      if (begun || units.length > 0) tell({ kind: 'nothing-new', origin: 'file', blocks: blocksIn(units) })
      if (again.length > 0) await put(sectionOf(again))
      return
    }
    const results: ExecutionResult[] = []
    let earlier: string[] = []
    for (const one of toRun) {
      // The same block may have run in another reply just now.
      if (signal.aborted || !isToRun(one)) continue
      const keys = keysOf(one)
      ledger.write({ known, running: [...keys], replies: marks })
      const elsewhere = blocksIn(units) - blocksIn(one.units)
      const order = {
        ...one,
        origin: 'file',
        keys,
        again: results.length === 0 ? again : [],
        elsewhere,
        earlier,
      } as const
      const done = await runUnits(order, runner)
      results.push(done.result)
      earlier = [done.report]
      const fateOf = fatesIn(done.result, keys)
      // Other replies may have the same block, and have not run now.
      remember(knownOf(units, known, (unit) => (one.units.includes(unit) ? fateOf(unit) : undefined)))
      tell({ kind: 'done', ...done, above: await put(sectionFor(results, done.copied)) })
    }
    // The user may have saved in the meantime.
    if (!signal.aborted) later(debounceMs)
  }

  /** The command that is all that was added since the last look, or all that is left: `echo /undo > FILE`. */
  function commandIn(replies: readonly ReadReply[]): TypedCommand | undefined {
    const fresh = replies.filter(({ isNew }) => isNew)
    const [only] = fresh
    if (only === undefined || fresh.length > 1) return undefined
    if (replies.length > 1 && replies.length <= marks.length) return undefined
    const name = only.text.trim()
    const run = Object.hasOwn(options.commands ?? {}, name) ? options.commands?.[name] : undefined
    return run && { name, run, line: only.text.split('\n').findIndex((line) => line.trim() === name) }
  }

  function note(own: Buffer, replies: readonly ReadReply[]): void {
    last = own
    lastUnits = replies.flatMap(({ units }) => units)
    marks = replies.map(({ mark }) => mark)
    remember(known)
  }

  /** Its result is read like any other text afterwards, so it must have no blocks: a diff could. */
  async function runTyped({ name, run, line }: TypedCommand): Promise<void> {
    tell({ kind: 'command', name })
    const lines = await run().catch((error: unknown) => [messageOf(error)])
    const whole = sectionOf([name, ...lines.map((one) => `| ${one}`)])
    const isInert = unitsOf(read(whole)).length === 0
    const section = isInert ? whole : sectionOf([name, `| ${formatCount(lines.length, 'line')}; see the terminal`])
    const own = await writer.replaceLine(line, name, section)
    // The next save is compared with the text that has the result.
    if (own !== undefined) note(own, readReplies(own.toString('utf8')))
    tell({ kind: 'command-done', name, lines })
    later(debounceMs)
  }

  /** Each reply of a text, read by itself: those that are there already say nothing about a new one. */
  function readReplies(text: string): ReadReply[] {
    const readOne = (reply: FiledReply): ReadReply => {
      const own = replyAlone(text, reply)
      const document = read(own)
      const units = unitsOf(document)
      const isOpen = isCutOff(units) || (units.length === 0 && isInFence(trimmedLines(own)))
      const state = isOpen ? 'open' : units.length === 0 ? 'prose' : 'whole'
      const { from, to, digest, before } = reply
      return { text: own, document, units, isNew: before === undefined, mark: { lines: to - from, digest, state } }
    }
    const soundIn = (reply: FiledReply): number => readOne(reply).units.filter(({ state }) => state === 'sound').length
    const isRest = (fresh: FiledReply, joined: FiledReply): boolean => {
      const alone = soundIn(fresh)
      return alone === 0 || soundIn(joined) > alone
    }
    return repliesIn(text, marks, isRest).map(readOne)
  }

  /** Writes at the top of the file why nothing runs; once for each text. */
  async function refuse(result: ExecutionResult, about: Buffer): Promise<void> {
    if (about.equals(last)) return
    last = about
    const above = await put(sectionFor([result]))
    const report = formatLlm(result, options.report)
    tell({ kind: 'done', origin: 'file', result, report, copied: undefined, above, durationMs: 0 })
  }

  async function submit(text: string, origin: Origin): Promise<ExecutionResult | undefined> {
    const document = read(text)
    const units = unitsOf(document)
    const keys = chooseUnits(units, submitted, 'new')
    if (keys.size === 0) {
      tell({ kind: 'nothing-new', origin, blocks: blocksIn(units) })
      return undefined
    }
    const done = await runUnits({ origin, text, document, keys, again: [] }, runner)
    submitted = knownOf(units, submitted, fatesIn(done.result, keys))
    tell({ kind: 'done', ...done })
    return done.result
  }

  /** Compares the file with the ledger, before the listener reports that it watches. */
  function lookFirst(): (ListenerEvent & { kind: 'held' })[] {
    const memory = ledger.read()
    known = memory?.known ?? known
    marks = memory?.replies ?? marks
    if (atStart === 'all') return []
    const look = inspectFile(file, limit)
    const { own, section } = splitWatchedFile(look?.kind === 'file' ? look.bytes : Buffer.alloc(0))
    const replies = isUtf8(own) ? readReplies(own.toString('utf8')) : []
    const units = replies.flatMap((reply) => reply.units)
    const died = new Set(memory?.running)
    if (died.size > 0) {
      // It is unknown which of them ran, and running one twice is worse than asking.
      remember(knownOf(units, known, ({ key }) => (died.has(key) ? 'failed' : undefined)))
      return [{ kind: 'held', blocks: died.size, why: 'interrupted' }]
    }
    // Below results without a ledger everything already ran; elsewhere the user may not have read it yet.
    if (memory !== undefined || (atStart === 'new' && section.length === 0)) return []
    if (place.created && units.length > 0) {
      // The listener has just created the file, so the blocks are the user's.
      remember(known)
      return []
    }
    last = own
    marks = replies.map(({ mark }) => mark)
    remember(knownOf(units, known, ({ state }) => (state === 'sound' ? 'held' : 'unread')))
    return units.length === 0 ? [] : [{ kind: 'held', blocks: blocksIn(units), why: 'first-look' }]
  }

  /** Answers with how many lines they take. Results that cannot be put there are in the output anyway. */
  async function put(section: string): Promise<number> {
    try {
      return (await writer.put(section)) ? section.split('\n').length - 1 : 0
    } catch (error) {
      tellTrouble(`The results cannot be put into ${file}: ${plainReason(error)}`)
      return 0
    }
  }

  function remember(now: KnownFates): void {
    known = now
    ledger.write({ known, running: [], replies: marks })
  }

  function tellTrouble(why: string): void {
    if (why !== trouble) tell({ kind: 'trouble', why })
    trouble = why
  }

  const unwatch = watchPath(file, () => later(debounceMs))
  const held = lookFirst()
  tell({ kind: 'watching', file, output: output.path, created: place.created, excluded: place.excluded })
  for (const event of held) tell(event)
  queued(async () => {
    if (held.some(({ why }) => why === 'interrupted')) await put(sectionFor([interrupted]))
    await consider(atStart === 'all' ? 'all' : 'new')
    begun = true
    await warmUp(runner.clada, settings.root, cladaOptions)
  }).catch(() => {})

  return {
    submit: (text, origin = 'clipboard') => queued(() => submit(text, origin)),
    again: (which) => queued(() => consider(which)),
    stop: async () => {
      if (signal.aborted) return
      stopping.abort(new Error('the user stopped the run'))
      unwatch()
      await queue
      clearTimeout(timer)
      await writer.close()
      place.release()
    },
  }
}

/** Looks during which git may hold its lock before that is said. */
const longLocked = 50

interface TypedCommand {
  readonly name: string
  readonly run: () => Promise<readonly string[]>
  /** Where it is in the user's text, from 0. */
  readonly line: number
}

/** A reply of the file, read by itself. */
interface ReadReply {
  /** The text of the file with nothing else in it. */
  readonly text: string
  readonly document: Document
  readonly units: readonly Unit[]
  readonly isNew: boolean
  readonly mark: ReplyMark
}

/** Whether something that was meant could not be read and is no unit: it is reported, once. */
const lacksEdit = ({ document }: ReadReply): boolean =>
  document.notExecuted.some((one) => one.block === undefined && isEditMissing(one))

const blocksIn = (units: readonly Unit[]): number => units.reduce((sum, { blocks }) => sum + blocks.length, 0)

/** While a file is rewritten, it is for a moment the beginning of its old text. */
const isBeginningOf = (text: Buffer, whole: Buffer): boolean =>
  text.length < whole.length && whole.subarray(0, text.length).equals(text)

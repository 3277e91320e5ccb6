import { setImmediate as nextTurn } from 'node:timers/promises'
import { printable } from '../../report/words.ts'
import type { Clipboard } from './clipboard.ts'
import { type How, Recogniser, type RecogniserOptions, type Verdict } from './recognise.ts'
import type { Block } from '../../core/block.ts'
import { messageOf } from '../../core/platform.ts'

export interface WatchOptions extends RecogniserOptions {
  /** Receives a copied reply that is to run. */
  readonly onReply: (text: string, how: How) => void
  /** Receives a text that waits for a key or a second copy; undefined when it no longer waits. */
  readonly onWaiting: (offer: Offer | undefined) => void
  /** Once when the clipboard cannot be reached, and once when it can again. Safe to print. */
  readonly onTrouble: (message: string) => void
}

export interface ClipboardWatch {
  /** The key was pressed. False when nothing waits. */
  accept(): boolean
  /** Puts an answer on the clipboard, which is never taken for a reply. False when it cannot be reached. */
  answer(text: string): Promise<boolean>
  stop(): void
}

/** Interval of polling, where copies are not reported; longer where a read is slow. */
const lookMs = 400
const rarestLookMs = 3000
const lookCost = 1 / 25
const longestRetryMs = 8000
const listenAgainMs = 30_000

/** Sees what is copied from now on. Resolves when it does. */
export async function watchClipboard(clipboard: Clipboard, options: WatchOptions): Promise<ClipboardWatch> {
  const { onReply, onWaiting, onTrouble, secondCopy = false } = options
  const recogniser = new Recogniser(options)
  let reported: { owner: string; at: number } | undefined
  let stopListening: (() => void) | undefined
  let listenedAt = -Infinity
  let timer: NodeJS.Timeout | undefined
  let state: 'starting' | 'watching' | 'in trouble' | 'stopped' = 'starting'
  let looking = false
  let failures = 0
  let offering = false
  let lastAnswer: string | undefined

  const lookIn = (ms: number): void => {
    clearTimeout(timer)
    if (state !== 'stopped') timer = setTimeout(() => void look(), ms)
  }

  const listen = async (): Promise<void> => {
    if (clipboard.listen === undefined || stopListening !== undefined) return
    if (performance.now() - listenedAt < listenAgainMs) return
    listenedAt = performance.now()
    const onCopy = (owner: string): void => {
      reported = { owner, at: performance.now() }
      if (!looking) lookIn(0)
    }
    const onEnd = (): void => {
      stopListening = undefined
      if (!looking) lookIn(0)
    }
    try {
      stopListening = await clipboard.listen(onCopy, onEnd)
      if (state === 'stopped') stopListening()
    } catch {
      // Then it is read again and again.
    }
  }

  const look = async (): Promise<void> => {
    looking = true
    const copy = reported
    const start = performance.now()
    let next: number | undefined
    try {
      await listen()
      const text = await clipboard.read()
      // Copies before the read are reported by now.
      await nextTurn()
      next = reported !== copy ? 0 : stopListening === undefined ? restAfter(performance.now() - start) : undefined
      // Of two copies in a row it is not known which one was read.
      if (reported === copy) heard(text, copy)
    } catch (error) {
      next = failed(error)
    }
    looking = false
    if (next !== undefined) lookIn(next)
  }

  const heard = (text: string, copy: typeof reported): void => {
    reported = undefined
    if (state === 'watching')
      return act(recogniser.saw({ text, at: copy?.at ?? performance.now(), owner: copy?.owner }))
    if (state === 'in trouble') onTrouble('The clipboard can be reached again.')
    if (state === 'stopped') return
    recogniser.begin(text)
    state = 'watching'
    failures = 0
  }

  const failed = (error: unknown): number => {
    if (state === 'starting' || state === 'watching') {
      onTrouble(`The clipboard cannot be reached: ${reasonOf(error)}. clada keeps trying.`)
      state = 'in trouble'
    }
    // Listening is started again.
    listenedAt = -Infinity
    return Math.min(longestRetryMs, lookMs * 2 ** failures++)
  }

  const act = (verdict: Verdict): void => {
    if (verdict.kind === 'echo') {
      if (lastAnswer !== undefined) void answer(lastAnswer)
      return
    }
    if (offering && !recogniser.offers) onWaiting(undefined)
    offering = recogniser.offers
    if (verdict.kind === 'wait')
      onWaiting({ ...verdict, again: stopListening !== undefined && secondCopy ? 'seen' : 'unseen' })
    if (verdict.kind !== 'run') return
    lastAnswer = undefined
    onReply(verdict.text, verdict.how)
  }

  const answer = async (text: string): Promise<boolean> => {
    lastAnswer = text
    recogniser.wrote(text)
    try {
      await clipboard.write(text)
      return true
    } catch (error) {
      if (state === 'watching') lookIn(failed(error))
      return false
    }
  }

  await look()
  return {
    accept() {
      const verdict = recogniser.accept(performance.now())
      act(verdict)
      return verdict.kind === 'run'
    },
    answer,
    stop() {
      state = 'stopped'
      clearTimeout(timer)
      stopListening?.()
    },
  }
}

const restAfter = (cost: number): number => Math.max(lookMs, Math.min(rarestLookMs, cost / lookCost))

const reasonOf = (error: unknown): string => printable(messageOf(error)).split('\n')[0]?.replace(/\.$/, '') ?? ''

/** A copied text that waits for the user. */
export interface Offer {
  readonly text: string
  readonly blocks: readonly Block[]
  /** Whether a second copy of the same text would be seen, and would count. */
  readonly again: 'seen' | 'unseen'
}

/** One line, safe to print. It names a key only where keys are read. */
export function offerLine({ blocks, again }: Offer, keys: 'keys' | 'live' | 'none' = 'keys'): string {
  const shown = blocks.slice(0, 3).map(({ action, params }) => {
    const primary = params['path'] ?? params['command'] ?? params['old_path'] ?? params['lang'] ?? ''
    return printable(`${action || '?'} ${shortened(primary)}`.trim().replace(/\s+/g, ' '))
  })
  const more = blocks.length - shown.length
  const list = [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ')
  const count = blocks.length === 1 ? 'a block' : `${blocks.length} blocks`
  const them = blocks.length === 1 ? 'it' : 'them'
  return `The clipboard has ${count} (${list}). ${wayTo(`run ${them}`, again, keys)}`
}

function wayTo(run: string, again: Offer['again'], keys: 'keys' | 'live' | 'none'): string {
  if (keys === 'keys') return `Press Enter to ${run}${again === 'seen' ? ', or copy it again right away' : ''}.`
  if (again === 'seen') return `Copy it again right away to ${run}.`
  return 'Here only a reply with the token of clada prompt runs.'
}

const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text)

import { spellOut } from '../../report/words.ts'
import type { Clipboard } from './clipboard.ts'
import { type How, Recogniser, type RecogniserOptions, type CopyVerdict } from './recognise.ts'
import type { Block } from '@clada/reply/core/block.ts'
import { messageOf } from '../../core/errors.ts'

export interface WatchOptions extends RecogniserOptions {
  /** Receives a copied reply that is to run. */
  readonly onReply: (text: string, how: How) => void
  /** Receives a text that waits for a key; undefined when it no longer waits. */
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

/** How often the clipboard is read; less often where a read is slow. */
const lookMs = 400
const rarestLookMs = 3000
const lookCost = 1 / 25
const longestRetryMs = 8000

/** Sees what is copied from now on. Resolves when it does. */
export async function watchClipboard(clipboard: Clipboard, options: WatchOptions): Promise<ClipboardWatch> {
  const { onReply, onWaiting, onTrouble } = options
  const recogniser = new Recogniser(options)
  let timer: NodeJS.Timeout | undefined
  let state: 'starting' | 'watching' | 'in trouble' | 'stopped' = 'starting'
  let failures = 0
  let offering = false
  let lastAnswer: string | undefined

  const lookIn = (ms: number): void => {
    clearTimeout(timer)
    if (state !== 'stopped') timer = setTimeout(() => void look(), ms)
  }

  const look = async (): Promise<void> => {
    const start = performance.now()
    try {
      takeText(await clipboard.read())
      lookIn(restAfter(performance.now() - start))
    } catch (error) {
      lookIn(failed(error))
    }
  }

  const takeText = (text: string): void => {
    if (state === 'watching') return act(recogniser.saw({ text, at: performance.now() }))
    if (state === 'in trouble') onTrouble('The clipboard can be reached again.')
    if (state === 'stopped') return
    recogniser.begin(text)
    state = 'watching'
    failures = 0
  }

  const failed = (error: unknown): number => {
    if (state === 'starting' || state === 'watching') {
      onTrouble(`The clipboard cannot be reached: ${shortReason(error)}. clada keeps trying.`)
      state = 'in trouble'
    }
    return Math.min(longestRetryMs, lookMs * 2 ** failures++)
  }

  const act = (verdict: CopyVerdict): void => {
    if (verdict.kind === 'echo') {
      if (lastAnswer !== undefined) void answer(lastAnswer)
      return
    }
    if (offering && !recogniser.offers) onWaiting(undefined)
    offering = recogniser.offers
    if (verdict.kind === 'wait') onWaiting(verdict)
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
    },
  }
}

const restAfter = (cost: number): number => Math.max(lookMs, Math.min(rarestLookMs, cost / lookCost))

const shortReason = (error: unknown): string => spellOut(messageOf(error)).split('\n')[0]?.replace(/\.$/, '') ?? ''

/** A copied text that waits for the user. */
export interface Offer {
  readonly text: string
  readonly blocks: readonly Block[]
}

/** One line, safe to print. It names a key only where keys are read. */
export function offerLine({ blocks }: Offer, keys: 'keys' | 'live' | 'none' = 'keys'): string {
  const shown = blocks.slice(0, 3).map(({ action, params }) => {
    const primary = params['path'] ?? params['command'] ?? params['old_path'] ?? params['lang'] ?? ''
    return spellOut(`${action || '?'} ${ellipsize(primary)}`.trim().replace(/\s+/g, ' '))
  })
  const more = blocks.length - shown.length
  const list = [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ')
  const count = blocks.length === 1 ? 'a block' : `${blocks.length} blocks`
  const them = blocks.length === 1 ? 'it' : 'them'
  const way = keys === 'keys' ? `Press Enter to run ${them}.` : 'Here only a reply with the token of clada prompt runs.'
  return `The clipboard has ${count} (${list}). ${way}`
}

const ellipsize = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text)

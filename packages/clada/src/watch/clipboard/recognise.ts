import type { Block, Document } from '@clada/reply/core/block.ts'
import { InputError } from '@clada/reply/core/source.ts'
import { carriesToken, quotesInstruction } from '../token.ts'
import type { FindOptions } from '@clada/reply/syntax/find-blocks.ts'
import { readReply } from '../../core/read-reply.ts'
import { defaultLimits } from '../../core/settings.ts'

/** A text that was seen on the clipboard. Times are in milliseconds from anywhere. */
export interface Copy {
  readonly text: string
  readonly at: number
}

export type CopyVerdict =
  | { readonly kind: 'ignore' }
  /** Complete blocks and no token: the user has to press a key. */
  | { readonly kind: 'wait'; readonly text: string; readonly blocks: readonly Block[] }
  | { readonly kind: 'run'; readonly text: string; readonly how: How }
  /** What was just run is copied once more, out of habit. It took the answer from the clipboard. */
  | { readonly kind: 'echo' }

export type How = 'token' | 'accepted'

/** A reply that is copied again within this time after it ran was copied out of habit. */
const habitMs = 1800

const longestText = 50 * 1024 * 1024

export interface RecogniserOptions {
  /** Asked for at every reply: another process may have renewed it. */
  readonly token: () => string
  readonly reading?: FindOptions | undefined
}

/** Classifies copied texts. It has no clock and no side effects. */
export class Recogniser {
  readonly #options: RecogniserOptions
  #last: string | undefined
  #offered: string | undefined
  #ran: Copy | undefined
  #answers: readonly string[] = []

  constructor(options: RecogniserOptions) {
    this.#options = options
  }

  /** What is there at the start never counts. */
  begin(text: string): void {
    this.#last = text
    this.#offered = undefined
  }

  /** An answer of clada's own, about to be put on the clipboard. */
  wrote(answer: string): void {
    this.#answers = [...this.#answers.slice(-rememberedAnswers), normalizeCopy(answer)]
  }

  saw(copy: Copy): CopyVerdict {
    const { text, at } = copy
    // Emptied, something that is no text, or still there.
    if (text === '' || text === this.#last) return ignore
    this.#last = text
    this.#offered = undefined
    if (text.length > longestText || this.#answers.includes(normalizeCopy(text))) return ignore
    if (this.#ran !== undefined && at - this.#ran.at <= habitMs && contains(text, this.#ran.text))
      return { kind: 'echo' }
    return this.#judge(copy)
  }

  /** Whether something waits for a key. */
  get offers(): boolean {
    return this.#offered !== undefined
  }

  /** The key that accepts the offer was pressed. */
  accept(at: number): CopyVerdict {
    return this.#offered === undefined ? ignore : this.#run(this.#offered, 'accepted', at)
  }

  #judge(copy: Copy): CopyVerdict {
    const { text, at } = copy
    const document = this.#read(text)
    if (document === undefined) return ignore
    // A prompt is full of examples.
    if (!document.blocks.some(({ endLine }) => endLine !== null) || quotesInstruction(text)) return ignore
    if (carriesToken(text, this.#options.token(), document)) return this.#run(text, 'token', at)
    this.#offered = text
    return { kind: 'wait', text, blocks: document.blocks }
  }

  /** Undefined for a text that takes too long: anything may be copied. */
  #read(text: string): Document | undefined {
    try {
      return readReply(text, this.#options.reading, defaultLimits.actionMs)
    } catch (error) {
      if (error instanceof InputError) return undefined
      throw error
    }
  }

  #run(text: string, how: How, at: number): CopyVerdict {
    this.#offered = undefined
    this.#ran = { text, at }
    return { kind: 'run', text, how }
  }
}

const ignore: CopyVerdict = { kind: 'ignore' }
const rememberedAnswers = 20

/** How a text ends, and how its lines are broken, depends on where it was copied. */
const normalizeCopy = (text: string): string => text.replaceAll('\r\n', '\n').trim()
const contains = (text: string, earlier: string): boolean => normalizeCopy(text).includes(normalizeCopy(earlier))

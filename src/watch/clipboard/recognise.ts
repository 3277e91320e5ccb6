import type { Block } from '../../core/block.ts'
import { Source } from '../../core/source.ts'
import { carriesToken, quotesInstruction } from '../token.ts'
import { findBlocks, type FindOptions } from '../../syntax/find-blocks.ts'

/** A text that was seen on the clipboard. Times are in milliseconds from anywhere. */
export interface Copy {
  readonly text: string
  readonly at: number
  /** The program that put it there, where the clipboard reports every copy. Otherwise only a changed text is a copy. */
  readonly owner?: string | undefined
}

export type Verdict =
  | { readonly kind: 'ignore' }
  /** Complete blocks and no token: a key must come, or a second copy where that counts. */
  | { readonly kind: 'wait'; readonly text: string; readonly blocks: readonly Block[] }
  | { readonly kind: 'run'; readonly text: string; readonly how: How }
  /** What was just run is copied once more, out of habit. It took the answer from the clipboard. */
  | { readonly kind: 'echo' }

export type How = 'token' | 'copied-twice' | 'accepted'

/** How long after the first copy a second one means: run it. */
export const secondCopyMs = 1800

/** Two copies within this time are those of a clipboard manager. */
const soonestMs = 200

const longestText = 50 * 1024 * 1024

export interface RecogniserOptions {
  /** Asked for at every reply: another process may have renewed it. */
  readonly token: () => string
  readonly reading?: FindOptions | undefined
  /** Whether a second copy is enough without the token. Off by default: a web page can copy twice after one click. */
  readonly secondCopy?: boolean | undefined
}

/** Classifies copied texts. It has no clock and no side effects. */
export class Recogniser {
  readonly #options: RecogniserOptions
  #last: Copy | undefined
  /** Copies with complete blocks that a second one may still confirm. */
  #first: readonly Copy[] = []
  #offered: string | undefined
  #ran: Copy | undefined
  #answers: readonly string[] = []

  constructor(options: RecogniserOptions) {
    this.#options = options
  }

  /** What is there at the start never counts. */
  begin(text: string): void {
    this.#last = { text, at: -Infinity }
    this.#first = []
    this.#offered = undefined
  }

  /** An answer of clada's own, about to be put on the clipboard. */
  wrote(answer: string): void {
    this.#answers = [...this.#answers.slice(-rememberedAnswers), plain(answer)]
  }

  saw(copy: Copy): Verdict {
    const { text, at } = copy
    // Emptied, or something that is no text.
    if (text === '') return ignore
    const last = this.#last
    if (last?.text === text && (copy.owner === undefined || last.owner !== copy.owner)) {
      // Not a copy: it is still there, or another program has taken it over.
      this.#last = { ...last, owner: copy.owner ?? last.owner }
      return ignore
    }
    if (last?.text === text && at - last.at < soonestMs) return ignore
    this.#last = copy
    this.#offered = undefined
    if (text.length > longestText || this.#answers.includes(plain(text))) return ignore
    if (this.#ran !== undefined && at - this.#ran.at <= secondCopyMs && contains(text, this.#ran.text))
      return { kind: 'echo' }
    return this.#judge(copy)
  }

  /** Whether something waits for a second copy or a key. */
  get offers(): boolean {
    return this.#offered !== undefined
  }

  /** The key that accepts the offer was pressed. */
  accept(at: number): Verdict {
    return this.#offered === undefined ? ignore : this.#run(this.#offered, 'accepted', at)
  }

  #judge(copy: Copy): Verdict {
    const { text, at } = copy
    const document = findBlocks(new Source(text), this.#options.reading)
    // A prompt is full of examples.
    if (!document.blocks.some(({ endLine }) => endLine !== null) || quotesInstruction(text)) return ignore
    if (carriesToken(text, this.#options.token(), document)) return this.#run(text, 'token', at)
    const first = this.#first.filter((earlier) => at - earlier.at <= secondCopyMs)
    const confirmed = first.findLast((earlier) => contains(text, earlier.text))
    if (confirmed !== undefined && this.#options.secondCopy === true)
      return this.#run(confirmed.text, 'copied-twice', at)
    this.#first = [...first, copy]
    this.#offered = text
    return { kind: 'wait', text, blocks: document.blocks }
  }

  #run(text: string, how: How, at: number): Verdict {
    this.#first = []
    this.#offered = undefined
    this.#ran = { text, at }
    return { kind: 'run', text, how }
  }
}

const ignore: Verdict = { kind: 'ignore' }
const rememberedAnswers = 20

/** How a text ends, and how its lines are broken, depends on where it was copied. */
const plain = (text: string): string => text.replaceAll('\r\n', '\n').trim()
const contains = (text: string, earlier: string): boolean => plain(text).includes(plain(earlier))

import { isRecord } from '@clada/reply/core/is-record.ts'
/** What the parts of the extension say to each other. Who asks, and for which tab and site, is what the browser says. */

/** A reply as the page shows it. */
export interface PageReply {
  readonly text: string
  readonly left: readonly LeftOut[]
  /** Whether the page shows only a part of a code block. */
  readonly isIncomplete: boolean
}

/** A text of a reply that cannot be seen on the page, and is not part of what was read. */
export interface LeftOut {
  readonly why: WhyHidden
  readonly text: string
  readonly isInCode: boolean
}

export type WhyHidden =
  | 'not displayed'
  | 'transparent'
  | 'in the colour of its background'
  | 'too small'
  | 'cut off'
  | 'masked'

/** A reply that was opened in the panel of a window. */
export interface OpenedReply extends PageReply {
  /** Another one for every click, because the panel hears of changes only. */
  readonly id: string
  readonly tab: number
  readonly site: string
  /** The bar that was clicked. */
  readonly bar: string
}

/** What is asked from a tab. Nothing of it applies anything. */
export type FromTab =
  | { readonly type: 'hello' }
  | { readonly type: 'found'; readonly text: string }
  | ({ readonly type: 'open'; readonly bar: string } & PageReply)

/** What the popup asks, because it may be closed before it is done. */
export interface FromPopup {
  readonly type: 'enable'
  readonly tab: number
  readonly how: 'always' | 'once' | 'off'
}

/** Asks the panel of a window whether it is open. */
export interface ToPanel {
  readonly type: 'panel'
  readonly window: number
}

/** A message to a tab. */
export type ToTab =
  /** Gets whether it is in the field for the next message. */
  | { readonly type: 'insert'; readonly text: string }
  /** Gets a `Comparison`. */
  | { readonly type: 'compare'; readonly bar: string }
  /** Gets a `PageReply`; nothing if the reply is gone. */
  | { readonly type: 'read'; readonly bar: string }
  /** For the bar. */
  | { readonly type: 'say'; readonly bar: string; readonly text: string }

/** What the page shows now, compared with what was opened. */
export type ReplyComparison = 'same' | 'changed' | 'gone'

/** The blocks of a reply, in few words. */
export interface BlockSummary {
  readonly summary: string
  /** If it was applied before, perhaps long ago: what the bar says. */
  readonly before?: string
}

/** Characters of a reply. Browsers keep 10 MB for all that the panels of a session show. */
export const longestReply = 2_000_000

export const isReading = (value: unknown): value is PageReply =>
  isRecord(value) && typeof value['text'] === 'string' && Array.isArray(value['left'])

/** What clada asks of a clipboard. Contents are never logged, and never written to the disk. */
export interface Clipboard {
  /** What serves it, for messages. */
  readonly name: string
  /** The text on it; empty when there is none, or something that is no text. Rejects when it cannot be reached. */
  read(): Promise<string>
  write(text: string): Promise<void>
  /**
   * Tells of every copy that is made, also of the same text again, until it is stopped. `owner` is the same for two
   * copies from the same program. Where it is missing, or ends, the clipboard can only be read again and again.
   */
  readonly listen?: (onCopy: (owner: string) => void, onEnd: () => void) => () => void
}

export interface NoClipboard {
  /** One message: what is missing and what to do. */
  readonly why: string
}

export const isClipboard = (opened: Clipboard | NoClipboard): opened is Clipboard => 'read' in opened

/** Where a program lies, if it is installed. */
export type FindProgram = (name: string) => string | undefined

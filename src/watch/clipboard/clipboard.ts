/** What clada asks of a clipboard. Contents are never logged, and never written to the disk. */
export interface Clipboard {
  /** What serves it, for messages. */
  readonly name: string
  /** The text on it; empty when there is none, or something that is no text. Rejects when it cannot be reached. */
  read(): Promise<string>
  write(text: string): Promise<void>
  /**
   * Tells of every copy that is made, also of the same text again, until it is stopped by what it resolves to. `owner`
   * is the same for two copies from the same program. Where it is missing, rejects or ends, the clipboard can only be
   * read again and again.
   */
  readonly listen?: (onCopy: (owner: string) => void, onEnd: () => void) => Promise<() => void>
}

export interface NoClipboard {
  /** One message: what is missing and what to do. */
  readonly why: string
}

export const isClipboard = (opened: Clipboard | NoClipboard): opened is Clipboard => 'read' in opened

/** What a clipboard is reached with. */
export interface Machine {
  /** Where a program lies, if it is installed. */
  readonly find: (name: string) => string | undefined
  readonly env: NodeJS.ProcessEnv
  /** How long a program may take. */
  readonly patienceMs: number
}

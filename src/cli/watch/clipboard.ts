import { type Clipboard, isClipboard } from '../../watch/clipboard/clipboard.ts'
import { byTerminal, openClipboard } from '../../watch/clipboard/open.ts'
import { type ClipboardWatch, offerLine, watchClipboard } from '../../watch/clipboard/watch.ts'
import { sessionToken } from '../../watch/token.ts'
import { type CladaOptions, readingOf, settingsOf } from '../../config/settings.ts'

/** What a listener does with the clipboard. */
export interface ClipboardUse {
  /** Looks for replies on it. */
  readonly read: boolean
  /** Puts every answer on it. */
  readonly write: boolean
  /** Asks the terminal to take a copy where there is no clipboard here, or only another machine's. */
  readonly osc52: boolean
  /** Takes a reply without the token that was copied twice. */
  readonly secondCopy: boolean
}

export interface Board {
  /** Whether the text went anywhere. Undefined where there is no clipboard, which was said at the start. */
  copy(text: string): Promise<boolean | undefined>
  /** Takes the reply that waits. */
  take(): void
  stop(): void
}

/** Who is spoken to, and what is done for them. */
interface Talk {
  readonly say: (line: string) => void
  readonly run: (reply: string) => void
  /** Whether they can press any. */
  readonly keys: 'keys' | 'no keys'
}

/** A missing clipboard is reported once, and everything else goes on. */
export async function openBoard(
  { read, osc52, secondCopy }: ClipboardUse,
  options: CladaOptions,
  { say, run, keys }: Talk,
): Promise<Board> {
  const { root, allowedRoots } = settingsOf(options)
  const opened = await openClipboard({ roots: [root, ...allowedRoots] })
  const clipboard = isClipboard(opened) ? opened : undefined
  if (!isClipboard(opened) && (read || !osc52)) say(`! ${opened.why}`)
  const watch =
    clipboard && read
      ? await watchClipboard(clipboard, {
          token: () => sessionToken(root),
          reading: readingOf(options),
          secondCopy,
          onReply: run,
          onWaiting: (offer) => offer && say(offerLine(offer, keys)),
          onTrouble: (message) => say(`! ${message}`),
        })
      : undefined
  if (watch !== undefined) say(`Looking at the clipboard (${clipboard?.name}). ${wayToRun(secondCopy, keys)}`)
  return {
    copy: async (text) => {
      const here = await put(text, clipboard, watch)
      return (osc52 && 'to' in byTerminal(text)) || (clipboard === undefined && !osc52 ? undefined : here)
    },
    take: () => {
      if (watch?.accept() !== true) say('No copied reply is waiting.')
    },
    stop: () => watch?.stop(),
  }
}

function wayToRun(secondCopy: boolean, keys: Talk['keys']): string {
  const token = 'A reply with the token of clada prompt runs immediately'
  if (keys === 'keys') return `${token}, another after Enter${secondCopy ? ' or a second copy' : ''}.`
  return secondCopy ? `${token}, another when it is copied twice.` : `${token}, others do not run.`
}

/** By the watch where there is one, which must know its own answers. */
async function put(
  text: string,
  clipboard: Clipboard | undefined,
  watch: ClipboardWatch | undefined,
): Promise<boolean> {
  if (watch !== undefined) return watch.answer(text)
  if (clipboard === undefined) return false
  return clipboard.write(text).then(
    () => true,
    () => false,
  )
}

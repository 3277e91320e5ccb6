import { type Clipboard, isClipboard } from '../../watch/clipboard/clipboard.ts'
import { byTerminal, openClipboard } from '../../watch/clipboard/open.ts'
import { type ClipboardWatch, offerLine, watchClipboard } from '../../watch/clipboard/watch.ts'
import { sessionToken } from '../../watch/token.ts'
import { type CladaOptions, readingOptions, settingsOf } from '../../config/settings.ts'
import { waitForTypedKeys } from './keys.ts'

export interface ClipboardUse {
  readonly read: boolean
  readonly write: boolean
  /** Asks the terminal to take a copy where there is no clipboard here, or only another machine's. */
  readonly osc52: boolean
}

export interface Board {
  /** Whether the text went anywhere. Undefined where there is no clipboard, which was said at the start. */
  copy(text: string): Promise<boolean | undefined>
  take(): void
  stop(): void
}

/** The terminal of a listener, as the clipboard needs it. */
interface Talk {
  readonly say: (line: string) => void
  /** Says what waits for a key. */
  readonly offer: (line: string) => void
  readonly run: (reply: string) => void
  readonly keys: 'keys' | 'live' | 'none'
}

/** A missing clipboard is reported once, and everything else goes on. */
export async function openBoard(
  { read, osc52 }: ClipboardUse,
  options: CladaOptions,
  { say, offer, run, keys }: Talk,
  open = openClipboard,
): Promise<Board> {
  const { root, allowedRoots } = settingsOf(options)
  const opened = await open({ roots: [root, ...allowedRoots] })
  const clipboard = isClipboard(opened) ? opened : undefined
  if (!isClipboard(opened) && (read || !osc52)) say(`! ${opened.why}`)
  let [offers, isOffered] = [0, false]
  const watch =
    clipboard && read
      ? await watchClipboard(clipboard, {
          token: () => sessionToken(root),
          reading: readingOptions(options),
          onReply: run,
          onWaiting: (waiting) => {
            const own = ++offers
            isOffered = false
            // Enter may have been pressed for something else.
            if (waiting)
              void waitForTypedKeys().then(() => {
                if (own !== offers) return
                isOffered = true
                offer(offerLine(waiting, keys))
              })
          },
          onTrouble: (message) => say(`! ${message}`),
        })
      : undefined
  if (watch !== undefined) say(`Watching the clipboard (${clipboard?.name}). ${wayToRun(keys)}`)
  return {
    copy: async (text) => {
      const here = await putText(text, clipboard, watch)
      return (osc52 && 'to' in byTerminal(text)) || (clipboard === undefined && !osc52 ? undefined : here)
    },
    take: () => {
      if (!isOffered || watch?.accept() !== true) say('No copied reply is waiting.')
    },
    stop: () => watch?.stop(),
  }
}

function wayToRun(keys: Talk['keys']): string {
  const token = 'A reply with the token of clada prompt runs immediately'
  return keys === 'keys' ? `${token}, any other after Enter.` : `${token}, others do not run.`
}

/** Through the watch where there is one, so that it recognises its own answers. */
async function putText(
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

import fs from 'node:fs'
import { now } from '../core/time-limit.ts'
import { spellOut } from '../report/words.ts'
import type { FlagValues } from './flags.ts'
import { loadConfigFiles } from './options.ts'
import { isTerminal } from './streams.ts'

/** After this time a person looks at something else. */
const longMs = 10_000

/**
 * Tells the person at the terminal that something long has ended. Returns what to call at its end. OSC 9 is shown as a
 * notification by iTerm2, Windows Terminal, kitty, WezTerm and others; a terminal that does not know it rings the bell
 * that ends the sequence.
 */
export async function openEndNotice(flags: FlagValues): Promise<(text: string) => void> {
  const begun = now()
  const setting = (await loadConfigFiles(flags))?.merged.notify.value ?? 'auto'
  return (text) => {
    if (setting === 'off' || flags.quiet !== undefined || !isTerminal(2) || now() - begun < longMs) return
    fs.writeSync(2, formatNotice(text))
  }
}

/** One line: a control character would end the sequence early. */
export const formatNotice = (text: string): string =>
  `\u001b]9;${spellOut(text.replace(/\s+/g, ' ')).slice(0, 120)}\u0007`

/** `4 s`, `2 min 5 s`. */
export function elapsedText(ms: number): string {
  const seconds = Math.round(ms / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

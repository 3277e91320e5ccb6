import fs from 'node:fs'
import tty from 'node:tty'
import { printable } from '../../report/content.ts'
import { isClipboard } from './clipboard.ts'
import { openClipboard, type OpenOptions } from './open.ts'

export interface CopyOptions extends OpenOptions {
  /** Asks the terminal too, which may be on another machine. */
  readonly osc52?: boolean | undefined
}

export interface Copied {
  /** Where the text went; empty when nowhere. */
  readonly to: readonly string[]
  /** Why it went nowhere. Safe to print. */
  readonly why: readonly string[]
}

/** Puts a text on whatever clipboards there are. Never rejects. */
export async function copyText(text: string, options: CopyOptions = {}): Promise<Copied> {
  const tries = [await bySystem(text, options), ...(options.osc52 ? [byTerminal(text)] : [])]
  const to = tries.flatMap((one) => ('to' in one ? [one.to] : []))
  const why = tries.flatMap((one) => ('why' in one ? [one.why] : []))
  // The terminal is used where there is no other clipboard.
  return { to, why: to.length > 0 ? [] : why }
}

type Try = { readonly to: string } | { readonly why: string }

async function bySystem(text: string, options: OpenOptions): Promise<Try> {
  const clipboard = await openClipboard(options)
  if (!isClipboard(clipboard)) return clipboard
  try {
    await clipboard.write(text)
    return { to: 'the clipboard' }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { why: `Not copied: ${printable(reason)}` }
  }
}

/** Asked only where a terminal listens: in a file or a pipe the sequence would be rubbish. */
export function byTerminal(text: string): Try {
  const terminal = [2, 1].find((descriptor) => tty.isatty(descriptor))
  if (terminal === undefined) return { why: 'Not copied by OSC 52: neither stderr nor stdout is a terminal.' }
  const asked = osc52(text)
  if (!asked.ok) return asked
  try {
    fs.writeSync(terminal, asked.sequence)
    return { to: 'the clipboard of the terminal (OSC 52)' }
  } catch {
    return { why: 'Not copied by OSC 52: the terminal takes nothing.' }
  }
}

/**
 * OSC 52 asks a terminal to put a text on the clipboard of its machine, which over SSH is the user's. It never answers,
 * so the result is unknown.
 */
export type Osc52 = { readonly ok: true; readonly sequence: string } | { readonly ok: false; readonly why: string }

/** Bytes of text. It makes a sequence of 100 000, which is where the first of the common terminals stop reading. */
export const osc52Limit = 74_994

export function osc52(text: string, env: NodeJS.ProcessEnv = process.env): Osc52 {
  const bytes = Buffer.from(text, 'utf8')
  if (bytes.length > osc52Limit) {
    const why = `Not copied by OSC 52: the text has ${bytes.length} bytes, and terminals take ${osc52Limit}.`
    return { ok: false, why }
  }
  return { ok: true, sequence: handedOn(`\x1b]52;c;${bytes.toString('base64')}\x07`, env) }
}

/** A terminal multiplexer passes on only what is wrapped for it. */
function handedOn(sequence: string, env: NodeJS.ProcessEnv): string {
  // Which of the two tmux lets pass is a matter of its settings: allow-passthrough or set-clipboard.
  if (env['TMUX']) return `\x1bPtmux;${sequence.replaceAll('\x1b', '\x1b\x1b')}\x1b\\${sequence}`
  if (!env['STY']) return sequence
  // screen takes short strings only.
  return (sequence.match(/[^]{1,250}/g) ?? []).map((piece) => `\x1bP${piece}\x1b\\`).join('')
}

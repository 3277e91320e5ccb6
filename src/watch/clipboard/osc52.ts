/**
 * OSC 52: a terminal that is asked so puts a text on the clipboard of the machine it runs on, which over SSH is the
 * one in front of the person. It never answers, so nobody knows whether it did.
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

/** A program that keeps terminals of its own hands on only what it is told to hand on. */
function handedOn(sequence: string, env: NodeJS.ProcessEnv): string {
  // Which of the two tmux lets pass is a matter of its settings: allow-passthrough or set-clipboard.
  if (env['TMUX']) return `\x1bPtmux;${sequence.replaceAll('\x1b', '\x1b\x1b')}\x1b\\${sequence}`
  if (!env['STY']) return sequence
  // screen takes short strings only.
  return (sequence.match(/[^]{1,250}/g) ?? []).map((piece) => `\x1bP${piece}\x1b\\`).join('')
}

import { printable } from '../report/printable.ts'
import type { FlagValues } from './flags.ts'
import { print } from './print.ts'

/**
 * Gives a text to whoever asked for it: to the clipboard with --copy, else to stdout. Where there is no clipboard it
 * goes to stdout all the same, and the answer is the exit code of a failure. What would drive a terminal is shown by its
 * code wherever it goes: these texts are there to be pasted, and many a chat is a terminal.
 */
export async function giveText(given: string, flags: FlagValues, root: string): Promise<0 | 1> {
  const text = printable(given)
  if (flags.copy === undefined) {
    print(text)
    return 0
  }
  const { copyText } = await import('../clipboard/copy.ts')
  const { to, why } = await copyText(text, { roots: [root], osc52: flags.osc52 !== undefined })
  if (to.length > 0) {
    if (flags.quiet === undefined) process.stderr.write(`clada: copied to ${to.join(' and ')}\n`)
    return 0
  }
  for (const reason of why) process.stderr.write(`clada: ${reason}\n`)
  print(text)
  return 1
}

import { printable } from '../report/printable.ts'
import type { FlagValues } from './flags.ts'
import { print } from './print.ts'
import { isTerminal } from './terminal.ts'

/**
 * Gives a text to whoever asked for it: to the clipboard with --copy, else to stdout. Where there is no clipboard it
 * goes to stdout all the same, and the answer is the exit code of a failure.
 */
export async function giveText(text: string, flags: FlagValues, root: string): Promise<0 | 1> {
  if (flags.copy === undefined) {
    printText(text)
    return 0
  }
  const { copyText } = await import('../clipboard/copy.ts')
  const { to, why } = await copyText(text, { roots: [root], osc52: flags.osc52 !== undefined })
  if (to.length > 0) {
    if (flags.quiet === undefined) process.stderr.write(`clada: copied to ${to.join(' and ')}\n`)
    return 0
  }
  for (const reason of why) process.stderr.write(`clada: ${reason}\n`)
  printText(text)
  return 1
}

/** As it is for a program, and harmless for a terminal. */
const printText = (text: string): void => print(isTerminal(1) ? printable(text) : text)

import type { ConfigParts } from '../config/to-options.ts'
import { printable } from '../report/printable.ts'
import type { FlagValues } from './flags.ts'
import { print } from './print.ts'

/** Whether a text is to be copied, and whether the terminal is asked as well. */
export interface Giving {
  readonly copy: boolean
  readonly osc52: boolean
  readonly quiet: boolean
}

/** --osc52 implies --copy. */
export const givingOf = (flags: FlagValues, { osc52 }: ConfigParts['clipboard']): Giving => ({
  copy: flags.copy !== undefined || flags.osc52 !== undefined,
  osc52: osc52 || flags.osc52 !== undefined,
  quiet: flags.quiet !== undefined,
})

/**
 * Puts out a text: to the clipboard with --copy or --osc52, else to stdout. Where there is no clipboard it
 * goes to stdout all the same, and the answer is the exit code of a failure. What would drive a terminal is shown by its
 * code wherever it goes: these texts are there to be pasted, and many a chat is a terminal.
 */
export async function giveText(given: string, { copy, osc52, quiet }: Giving, root: string): Promise<0 | 1> {
  const text = printable(given)
  if (!copy) {
    print(text)
    return 0
  }
  const { copyText } = await import('../watch/clipboard/copy.ts')
  const { to, why } = await copyText(text, { roots: [root], osc52 })
  if (to.length > 0) {
    if (!quiet) process.stderr.write(`clada: copied to ${to.join(' and ')}\n`)
    return 0
  }
  for (const reason of why) process.stderr.write(`clada: ${reason}\n`)
  print(text)
  return 1
}

import fs from 'node:fs'
import os from 'node:os'
import type { ConfigParts } from '../config/to-options.ts'
import { printable } from '../report/content.ts'
import type { FlagValues } from './flags.ts'

/** The answer did not get to where it was to go. What was done is done. */
export class OutputError extends Error {
  override readonly name = 'OutputError'

  constructor(cause: unknown) {
    super(`the report could not be written to stdout: ${cause instanceof Error ? cause.message : cause}`)
  }
}

/**
 * Writes to standard output before the process ends. The stream would lose what is in flight when a pipe is slow
 * and the process exits; and it costs start-up time.
 */
export function print(text: string, end: 'line' | 'as it is' = 'line'): void {
  const open = end === 'line' && text !== '' && !text.endsWith('\n')
  const bytes = Buffer.from(open ? `${text}\n` : text)
  for (let at = 0; at < bytes.length;) {
    try {
      at += fs.writeSync(1, bytes, at)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      // The reader has gone.
      if (code === 'EPIPE') return
      if (code !== 'EAGAIN') throw new OutputError(error)
      Atomics.wait(pause, 0, 0, 5)
    }
  }
}

const pause = new Int32Array(new SharedArrayBuffer(4))

/** Whether a descriptor is a terminal, without loading what only terminals need. */
export function isTerminal(fd: 0 | 1 | 2): boolean {
  try {
    const stat = fs.fstatSync(fd)
    if (!stat.isCharacterDevice() || stat.rdev === fs.statSync(os.devNull).rdev) return false
  } catch {
    // It is closed.
    return false
  }
  return process.getBuiltinModule('node:tty').isatty(fd)
}

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

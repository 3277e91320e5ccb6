import { Clada } from '../clada.ts'
import { outputOf } from '../report/outputs.ts'
import { printable } from '../report/printable.ts'
import type { Command } from './command.ts'
import { UsageError } from './flags.ts'
import { cladaOptions } from './options.ts'
import { failureText } from './print-failure.ts'
import { print } from './print.ts'

/** The structures of a file, as `list_structures` gives them. */
export const command: Command = async ({ flags, words }) => {
  const [file, extra] = words
  if (file === undefined || extra !== undefined) throw new UsageError('outline needs one file: clada outline FILE')
  const result = await new Clada(await cladaOptions(flags)).perform('list_structures', { path: file })
  const [only] = result.results
  const shown = only?.success ? outputOf(only, Infinity) : undefined
  if (flags.json !== undefined) print(JSON.stringify(only?.data ?? only ?? result, null, 2))
  else if (shown !== undefined) print(printable(shown.body))
  else print(failureText(result, flags, 1))
  return result.success ? 0 : 1
}

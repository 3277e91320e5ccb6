import { Clada } from '../api/clada.ts'
import type { Command } from './command.ts'
import { UsageError } from './flags.ts'
import { cladaOptions } from './options.ts'
import { printStep } from './print-step.ts'

export const command: Command = async ({ flags, words }) => {
  if (words.length > 0) throw new UsageError('forward takes no words: it goes one commit forward.')
  return printStep(await new Clada(await cladaOptions(flags)).forward(), flags)
}

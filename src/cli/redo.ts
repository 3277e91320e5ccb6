import { Clada } from '../api/clada.ts'
import type { Command } from './command.ts'
import { UsageError } from './flags.ts'
import { cladaOptions } from './options.ts'
import { printUndo } from './print-undo.ts'

export const command: Command = async ({ flags, words }) => {
  if (words.length > 0) throw new UsageError('redo takes no words: it brings back what was undone last.')
  const result = await new Clada(await cladaOptions(flags)).redo({ force: flags.force !== undefined })
  return printUndo(result, flags, 'Done again')
}

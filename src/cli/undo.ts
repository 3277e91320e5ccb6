import { Clada } from '../api/clada.ts'
import type { Command } from './command.ts'
import { numberOf, UsageError } from './flags.ts'
import { executionNumber } from './history.ts'
import { cladaOptions } from './options.ts'
import { printUndo } from './print-undo.ts'

export const command: Command = async ({ flags, words: [word, ...rest] }) => {
  if (rest.length > 0) throw new UsageError('undo takes one number: clada undo N.')
  const action = numberOf(flags, 'action')
  const result = await new Clada(await cladaOptions(flags)).undo({
    force: flags.force !== undefined,
    ...(word === undefined ? {} : { number: executionNumber(word) }),
    ...(action === undefined ? {} : { action }),
  })
  return printUndo(result, flags, 'Undone')
}

import { Clada } from '../../api/clada.ts'
import type { Command } from '../command.ts'
import { general, readNumber, saving, UsageError } from '../flags.ts'
import { cladaOptions } from '../options.ts'
import { printUndo } from '../print-step.ts'
import { executionNumber } from './history.ts'

export const command: Command = {
  name: 'redo',
  group: 'history',
  usage: 'clada redo [N]',
  summary: 'redo the last undo, or execution N',
  flags: ['root', 'allow', 'allow-escape', 'action', 'force', ...saving, 'json', ...general],
  examples: [['clada redo', 'after one undo too many']],
  run: async ({ flags, words: [word, ...rest] }) => {
    if (rest.length > 0) throw new UsageError('redo takes one number: clada redo N.')
    const action = readNumber(flags, 'action')
    if (action !== undefined && word === undefined)
      throw new UsageError('--action needs the execution: clada redo N --action M.')
    const result = await new Clada(await cladaOptions(flags)).redo({
      force: flags.force !== undefined,
      number: word === undefined ? undefined : executionNumber(word),
      action,
    })
    return printUndo(result, flags, 'Redone')
  },
}

import { Clada } from '../../api/clada.ts'
import type { Command } from '../command.ts'
import { general, readNumber, saving, UsageError } from '../flags.ts'
import { cladaOptions } from '../options.ts'
import { printUndo } from '../print-step.ts'
import { executionNumber } from './history.ts'

export const command: Command = {
  name: 'undo',
  group: 'history',
  usage: 'clada undo [N]',
  summary: 'undo the last execution, or execution N',
  about:
    'Restores every file that the execution changed, all of them or none. It refuses if one of them has changed since\nthen; --force merges instead. An undo is an execution itself: no commit is lost, and redo restores everything.',
  flags: ['root', 'allow', 'allow-escape', 'action', 'conversation', 'loop', 'force', ...saving, 'json', ...general],
  examples: [
    ['clada undo', 'undo the last execution'],
    ['clada undo --loop', 'undo everything that the last clada loop did'],
    ['clada undo 12 --action 3', 'only the third action of execution 12'],
  ],
  run: async ({ flags, words: [word, ...rest] }) => {
    if (rest.length > 0) throw new UsageError('undo takes one number: clada undo N.')
    const action = readNumber(flags, 'action')
    const together = flags.loop !== undefined ? 'loop' : flags.conversation !== undefined ? 'any' : undefined
    if (together !== undefined && (word ?? action) !== undefined)
      throw new UsageError('--loop and --conversation undo several executions; leave out the number and --action.')
    const result = await new Clada(await cladaOptions(flags)).undo({
      force: flags.force !== undefined,
      number: word === undefined ? undefined : executionNumber(word),
      action,
      conversation: together,
    })
    return printUndo(result, flags, 'Undone')
  },
}

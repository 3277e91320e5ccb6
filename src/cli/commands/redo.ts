import { Clada } from '../../api/clada.ts'
import type { Command } from '../command.ts'
import { general, saving } from '../flags.ts'
import { cladaOptions } from '../options.ts'
import { printUndo } from '../print-step.ts'

export const command: Command = {
  name: 'redo',
  usage: 'clada redo',
  summary: 'redo the last undo',
  words: [],
  flags: ['root', 'allow', 'allow-escape', 'force', ...saving, 'json', ...general],
  examples: [['clada redo', 'after one undo too many']],
  run: async ({ flags }) => {
    const result = await new Clada(await cladaOptions(flags)).redo({ force: flags.force !== undefined })
    return printUndo(result, flags, 'Done again')
  },
}

import { Clada } from '../../api/clada.ts'
import type { Command } from '../command.ts'
import { general } from '../flags.ts'
import { cladaOptions } from '../options.ts'
import { printStep } from '../print-step.ts'

export const command: Command = {
  name: 'forward',
  usage: 'clada forward',
  summary: 'one step towards where clada back began',
  about:
    'One step towards where clada back began, as long as nothing was changed here. Who has checked out the branch with\ngit meanwhile gets back with it what was put aside there; what was put aside on the way is named, for git stash apply.',
  words: [],
  flags: ['root', 'lock-file', 'lock-timeout', 'json', ...general],
  examples: [['clada forward', 'and at the end on the branch again, with the uncommitted work']],
  run: async ({ flags }) => {
    return printStep(await new Clada(await cladaOptions(flags)).forward(), flags)
  },
}

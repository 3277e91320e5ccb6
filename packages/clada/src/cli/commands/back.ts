import { Clada } from '../../api/clada.ts'
import type { Command } from '../command.ts'
import { general } from '../flags.ts'
import { cladaOptions } from '../options.ts'
import { printStep } from '../print-step.ts'

export const command: Command = {
  name: 'back',
  group: 'history',
  usage: 'clada back',
  summary: 'check out the previous commit; uncommitted changes are stashed',
  about:
    'Checks out the first parent. The branch is remembered and uncommitted changes are stashed until clada forward\nreturns to it. Until then nothing is executed.',
  words: [],
  flags: ['root', 'lock-file', 'lock-timeout', 'json', ...general],
  examples: [['clada back', 'look at the project one commit earlier']],
  run: async ({ flags }) => {
    return printStep(await new Clada(await cladaOptions(flags)).back(), flags)
  },
}

import { Clada } from '../../api/clada.ts'
import type { Command } from '../command.ts'
import { general } from '../flags.ts'
import { cladaOptions } from '../options.ts'
import { printStep } from '../print-step.ts'

export const command: Command = {
  name: 'forward',
  group: 'history',
  usage: 'clada forward',
  summary: 'go one commit forward again, after clada back',
  about:
    'Goes one commit forward again, if nothing was changed here. If you have checked out the branch with git in the\nmeantime, the changes that were stashed there are restored; other stashes are named, for git stash apply.',
  words: [],
  flags: ['root', 'lock-file', 'lock-timeout', 'json', ...general],
  examples: [['clada forward', 'at the newest commit, the branch and the uncommitted changes are restored']],
  run: async ({ flags }) => {
    return printStep(await new Clada(await cladaOptions(flags)).forward(), flags)
  },
}

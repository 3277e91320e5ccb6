import type { Command } from '../command.ts'
import { describeCompletion, scripts } from '../complete.ts'
import { UsageError } from '../flags.ts'
import { print } from '../streams.ts'

export const command: Command = {
  name: 'completion',
  group: 'set-up',
  usage: `clada completion ${Object.keys(scripts).join('|')}`,
  summary: 'print a script that completes commands and flags in a shell',
  words: Object.keys(scripts),
  flags: ['help'],
  examples: [
    ['source <(clada completion bash)', 'in ~/.bashrc; the same for zsh'],
    ['clada completion fish | source', 'in ~/.config/fish/config.fish'],
    ['clada completion powershell | Out-String | Invoke-Expression', 'in $PROFILE'],
  ],
  run: async ({ words: [shell = ''], all }) => {
    const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
    if (script === undefined)
      throw new UsageError(`completion needs a shell: clada completion ${Object.keys(scripts).join('|')}`)
    print(script(describeCompletion(await all())))
    return 0
  },
}

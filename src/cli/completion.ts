import type { Command } from './command.ts'
import { bashCompletion } from './complete-bash.ts'
import { fishCompletion } from './complete-fish.ts'
import { zshCompletion } from './complete-zsh.ts'
import { UsageError } from './flags.ts'
import { shells } from './help.ts'
import { print } from './print.ts'

/** A script for a shell, made from the same tables as parsing and help. */
export const command: Command = async ({ words: [shell] }) => {
  switch (shells.find((one) => one === shell)) {
    case 'bash':
      print(bashCompletion())
      return 0
    case 'zsh':
      print(zshCompletion())
      return 0
    case 'fish':
      print(fishCompletion())
      return 0
    case undefined:
      throw new UsageError(`completion needs a shell: clada completion ${shells.join('|')}`)
  }
}

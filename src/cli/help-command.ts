import type { Command } from './command.ts'
import { closestName } from '../text/closest-name.ts'
import { UsageError } from './flags.ts'
import { commands } from './help.ts'
import { commandHelp, generalHelp } from './help-text.ts'
import { print } from './print.ts'

export const command: Command = async ({ words: [name] }) => {
  const found = commands.find((one) => one.name === name)
  if (name !== undefined && found === undefined && name !== 'help') {
    const close = closestName(
      name,
      commands.map((one) => one.name),
    )
    throw new UsageError(`There is no command ${name}.${close === undefined ? '' : ` Did you mean ${close}?`}`)
  }
  print(found === undefined ? generalHelp() : commandHelp(found))
  return 0
}

import { didYouMean } from '@clada/reply/text/closest-name.ts'
import type { Command } from '../command.ts'
import { type Flag, flags, UsageError } from '../flags.ts'
import { print } from '../streams.ts'

export const command: Command = {
  name: 'help',
  usage: 'clada help [COMMAND]',
  summary: 'flags and examples of a command',
  flags: ['help'],
  words: 'commands',
  examples: [['clada help watch', 'everything about clada watch']],
  run: async ({ words: [name], all }) => {
    const commands = await all()
    const found = commands.find((one) => one.name === name)
    if (name !== undefined && found === undefined) {
      const names = commands.map((one) => one.name)
      throw new UsageError(`There is no command ${name}.${didYouMean(name, names)}`)
    }
    print(found === undefined ? generalHelp(commands) : commandHelp(found))
    return 0
  },
}

export function generalHelp(commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ usage }) => usage.length))
  return [
    'clada applies the action blocks in a language model’s reply.',
    '',
    ...commands.map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}`),
  ].join('\n')
}

export function commandHelp({ name, usage, summary, about, flags: names, examples }: Command): string {
  const shown: readonly Flag[] = names.flatMap((flag) => flags.filter((one) => one.name === flag))
  const spelled = (flag: Flag): string => `--${flag.name}${flag.value === undefined ? '' : ` ${flag.value}`}`
  const width = Math.max(...shown.map((flag) => spelled(flag).length))
  const exampleWidth = Math.max(...examples.map(([line]) => line.length))
  return [
    usage,
    '',
    about ?? `${summary[0]?.toUpperCase()}${summary.slice(1)}.`,
    '',
    'Flags:',
    ...shown.map((flag) => {
      const { help, values } = { ...flag, ...flag.for?.[name] }
      return `  ${spelled(flag).padEnd(width)}  ${help}${values === undefined ? '' : ` (${values.join(', ')})`}`
    }),
    '',
    'Examples:',
    ...examples.map(([line, what]) => `  ${line.padEnd(exampleWidth)}  ${what}`),
  ].join('\n')
}

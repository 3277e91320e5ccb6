import { syntaxNames, targetNames } from '../core/block.ts'
import { reportFormats } from '../report/format.ts'
import { type Flag, flags, toolFormats } from './flags.ts'
import { type CommandHelp, commands } from './help.ts'

export function generalHelp(): string {
  const width = Math.max(...commands.map((command) => command.usage.length))
  return [
    'clada carries out the action blocks in a language model’s reply.',
    '',
    ...commands.map(({ usage, summary }) => `  ${usage.padEnd(width)}  ${summary}`),
    '',
    '  clada help COMMAND shows its flags and examples.',
  ].join('\n')
}

export function commandHelp({ name: command, usage, summary, about, flags: names, examples }: CommandHelp): string {
  const shown = names.flatMap((name) => flags.filter((flag) => flag.name === name)).map((flag) => asOf(command, flag))
  const spelled = (flag: Flag): string => `--${flag.name}${flag.value === undefined ? '' : ` ${flag.value}`}`
  const width = Math.max(...shown.map((flag) => spelled(flag).length))
  const exampleWidth = Math.max(...examples.map(([command]) => command.length))
  return [
    `${usage}`,
    '',
    about ?? `${summary[0]?.toUpperCase()}${summary.slice(1)}.`,
    '',
    'Flags:',
    ...shown.map(
      (flag: Flag) =>
        `  ${spelled(flag).padEnd(width)}  ${flag.help}${flag.values === undefined ? '' : ` (${flag.values.join(', ')})`}`,
    ),
    '',
    'Examples:',
    ...examples.map(([command, what]) => `  ${command.padEnd(exampleWidth)}  ${what}`),
  ].join('\n')
}

/** A flag as one command takes it: of what is said about several, only what concerns this one. */
function asOf(command: string, flag: Flag): Flag {
  const clauses = flag.help.split(/; (?=with )/)
  const own = clauses.find((clause) => heading.exec(clause)?.[1]?.split(' ').includes(command))
  const others = clauses.filter((clause) => !heading.test(clause))
  const help = own?.replace(heading, '') ?? (others.length > 0 ? others.join('; ') : flag.help)
  const values = valuesOf(command, flag)
  return { ...flag, help, ...(values === undefined ? {} : { values }) }
}

const heading = /^with ([^:]*): /

function valuesOf(command: string, { name, values }: Flag): readonly string[] | undefined {
  if (name === 'format') return command === 'tools' ? toolFormats : [...reportFormats, 'auto']
  if (name === 'syntax') return command === 'prompt' ? targetNames.filter((target) => target !== 'nesl') : syntaxNames
  return values
}

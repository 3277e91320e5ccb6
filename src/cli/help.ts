import { type Flag, flags } from './flags.ts'

export interface CommandHelp {
  readonly name: string
  readonly usage: string
  readonly summary: string
  readonly about?: string
  readonly flags: readonly string[]
  readonly examples: readonly (readonly [command: string, what: string])[]
}

const running = ['root', 'allow', 'allow-escape', 'syntax', 'format', 'json', 'error-detail', 'budget', 'max-output']
const general = ['quiet', 'no-color', 'help']

export const commands: readonly CommandHelp[] = [
  {
    name: 'run',
    usage: 'clada [run] [FILE…|-]',
    summary: 'carry out what is in FILE or stdin',
    about:
      'Finds the action blocks in a reply, carries them out one after another, and prints a report.\nOne failure stops nothing; --atomic makes it all or nothing.',
    flags: [...running, 'atomic', 'strict', 'no-git', 'timeout', 'total-timeout', ...general],
    examples: [
      ['clada reply.md', 'carry out a saved reply'],
      ['pbpaste | clada', 'carry out what is on the clipboard'],
      ['clada --atomic --json < reply.md', 'all or nothing, with a report for a program'],
    ],
  },
  {
    name: 'check',
    usage: 'clada check [FILE…|-]',
    summary: 'parse and validate only',
    about: 'Lists every block with its place, its action and what is wrong with it. The disk is not looked at.',
    flags: ['root', 'syntax', 'json', 'strict', ...general],
    examples: [['clada check reply.md', 'is this reply well written?']],
  },
  {
    name: 'diff',
    usage: 'clada diff [FILE…|-]',
    summary: 'show what would change, as a unified diff; nothing is touched',
    flags: [...running, 'strict', 'timeout', ...general],
    examples: [
      ['clada diff reply.md', 'look first'],
      ['clada diff reply.md | git apply', 'and apply it yourself'],
    ],
  },
  {
    name: 'do',
    usage: 'clada do ACTION name=value…',
    summary: 'one action',
    about: 'Calls one action by hand. Paths may be relative to the root.',
    flags: [...running, 'stdin', 'no-git', 'timeout', ...general],
    examples: [
      ['clada do file_read_numbered path=src/a.ts lines=10-20', 'read some lines'],
      ['clada do file_write path=notes.md --stdin content < notes', 'take a parameter from stdin'],
    ],
  },
  {
    name: 'tools',
    usage: 'clada tools [ACTION…] [--format table|yaml|json|md]',
    summary: 'the actions',
    flags: ['format', 'json', 'no-color', 'help'],
    examples: [
      ['clada tools', 'a table'],
      ['clada tools file_edit --format json', 'the JSON schema of one action'],
    ],
  },
]

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

export function commandHelp({ usage, summary, about, flags: names, examples }: CommandHelp): string {
  const shown = names.flatMap((name) => flags.filter((flag) => flag.name === name))
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

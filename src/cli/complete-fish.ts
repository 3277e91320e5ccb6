import { completion } from './complete.ts'

/** For fish. */
export function fishCompletion(): string {
  const { commands, flags, flagsOf, wordsOf, paramsOf } = completion()
  const names = commands.map(({ name }) => name)
  const taking = flags.filter(({ takes, name }) => takes !== 'none' && name !== 'csl-delimiters')
  const line = (when: string, rest: string): string => `complete -c clada -n ${quoted(when)} ${rest}`
  const inAction = (list: readonly string[]): string => `__fish_seen_subcommand_from ${list.join(' ')}`
  return [
    '# clada completion for fish: clada completion fish | source',
    'complete -c clada -e',
    'function __clada_command',
    '  set -l skip 0',
    '  for word in (commandline -opc)[2..]',
    '    if test $skip -gt 0',
    '      set skip (math $skip - 1)',
    '      continue',
    '    end',
    '    switch $word',
    '      case --csl-delimiters',
    '        set skip 2',
    `      case ${taking.map(({ name }) => `--${name}`).join(' ')}`,
    '        set skip 1',
    "      case '-*'",
    `      case ${names.join(' ')}`,
    '        echo $word',
    '        return',
    '      case "*"',
    // A file: the command is the one that need not be said.
    '        echo run',
    '        return',
    '    end',
    '  end',
    '  echo none',
    'end',
    'function __clada_at',
    '  contains -- (__clada_command) $argv',
    'end',
    ...commands.map(({ name, summary }) => line('__clada_at none', `-a ${name} -d ${quoted(summary)}`)),
    ...Object.entries(wordsOf)
      .filter(([name, list]) => list.length > 0 && name !== 'do')
      .map(([name, list]) => line(`__clada_at ${name}`, `-f -a ${quoted(list.join(' '))}`)),
    line(
      `__clada_at do; and not ${inAction(Object.keys(paramsOf))}`,
      `-f -a ${quoted((wordsOf['do'] ?? []).join(' '))}`,
    ),
    ...Object.entries(paramsOf).map(([action, params]) =>
      line(`__clada_at do; and ${inAction([action])}`, `-f -a ${quoted(params.join(' '))}`),
    ),
    ...flags.flatMap(({ name, help, takes, values }) => {
      const owners = Object.keys(flagsOf).filter((one) => flagsOf[one]?.includes(name))
      const at = owners.includes('run') ? ['none', ...owners] : owners
      const action = {
        none: '',
        values: ` -x -a ${quoted(values.join(' '))}`,
        directory: " -x -a '(__fish_complete_directories)'",
        file: ' -r',
        text: ' -x',
      }[takes]
      return at.length === 0 ? [] : [line(`__clada_at ${at.join(' ')}`, `-l ${name} -d ${quoted(help)}${action}`)]
    }),
  ].join('\n')
}

const quoted = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`

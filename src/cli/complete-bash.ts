import { completion } from './complete.ts'

/** For bash. Needs no package of completions. */
export function bashCompletion(): string {
  const { commands, flags, flagsOf, wordsOf, paramsOf } = completion()
  const words = (list: readonly string[]): string => `"${list.join(' ')}"`
  const cases = (table: Readonly<Record<string, readonly string[]>>, set: string): string[] =>
    Object.entries(table)
      .filter(([, list]) => list.length > 0)
      .map(([name, list]) => `    ${name}) ${set}=${words(list)} ;;`)
  const spelled = (list: readonly string[]): string[] => list.map((name) => `--${name}`)
  const taking = (takes: string): string =>
    spelled(flags.flatMap((flag) => (flag.takes === takes ? [flag.name] : []))).join('|')
  return [
    '# clada completion for bash: source <(clada completion bash)',
    '_clada() {',
    '  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} i word',
    '  local command= first= flags= words= params=',
    '  COMPREPLY=()',
    '  for ((i = 1; i < COMP_CWORD; i++)); do',
    '    word=${COMP_WORDS[i]}',
    '    case $word in',
    '      --csl-delimiters) ((i += 2)) ;;',
    `      ${['values', 'directory', 'file', 'text'].map(taking).join('|')}) ((i++)) ;;`,
    '      -*) ;;',
    '      *) if [[ -z $command ]]; then command=$word; elif [[ -z $first ]]; then first=$word; fi ;;',
    '    esac',
    '  done',
    '  case $prev in',
    ...flags
      .filter(({ takes }) => takes === 'values')
      .map(({ name, values }) => `    --${name}) COMPREPLY=($(compgen -W ${words(values)} -- "$cur")); return ;;`),
    `    ${taking('directory')}) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur"); return ;;`,
    `    ${taking('file')}|${taking('text')}) return ;;`,
    '  esac',
    `  flags=${words(spelled(flagsOf['run'] ?? []))}`,
    '  case $command in',
    ...cases(Object.fromEntries(Object.entries(flagsOf).map(([name, list]) => [name, spelled(list)])), 'flags'),
    '  esac',
    '  if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$cur")); return; fi',
    '  if [[ -z $command ]]; then',
    `    COMPREPLY=($(compgen -W ${words(commands.map(({ name }) => name))} -- "$cur"))`,
    '    return',
    '  fi',
    '  if [[ $command == do && -n $first ]]; then',
    '    [[ $prev == = || $cur == = ]] && return',
    '    case $first in',
    ...cases(paramsOf, 'params').map((line) => `  ${line}`),
    '    esac',
    '    compopt -o nospace 2>/dev/null',
    '    COMPREPLY=($(compgen -W "$params" -- "$cur"))',
    '    return',
    '  fi',
    '  case $command in',
    ...cases(wordsOf, 'words'),
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    '}',
    'complete -o default -F _clada clada',
  ].join('\n')
}

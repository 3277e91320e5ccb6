import { completion, type CompletedFlag } from './complete.ts'

/** For zsh. */
export function zshCompletion(): string {
  const { commands, flags, flagsOf, wordsOf, paramsOf } = completion()
  const byName = new Map(flags.map((flag) => [flag.name, flag]))
  const flagLines = (names: readonly string[]): string[] =>
    names.flatMap((name) => {
      const flag = byName.get(name)
      return flag === undefined ? [] : [`        ${quoted(specOf(flag))} \\`]
    })
  return [
    '#compdef clada',
    '# clada completion for zsh: source <(clada completion zsh), or as _clada in a directory of $fpath',
    '_clada() {',
    '  local -a commands params',
    '  commands=(',
    ...commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`),
    '  )',
    '  local command= first= word',
    '  for word in "${(@)words[2,CURRENT-1]}"; do',
    '    [[ $word == -* ]] && continue',
    '    if [[ -z $command && -n ${commands[(r)$word:*]} ]]; then command=$word',
    '    elif [[ -n $command && -z $first ]]; then first=$word; fi',
    '  done',
    '  case $command in',
    ...Object.entries(wordsOf).flatMap(([name, list]) => [
      `    ${name})`,
      ...(name === 'do' ? doLines(paramsOf) : []),
      '      _arguments -S \\',
      ...flagLines(flagsOf[name] ?? []),
      `        '1:command:' ${list.length > 0 ? quoted(`*:word:(${list.join(' ')})`) : "'*:file:_files'"}`,
      '      ;;',
    ]),
    '    *)',
    '      _arguments -S \\',
    ...flagLines(flagsOf['run'] ?? []),
    "        '1:command:->first' '*:file:_files'",
    '      if [[ $state == first ]]; then _describe command commands || _files; fi',
    '      ;;',
    '  esac',
    '}',
    'if [[ $funcstack[1] == _clada ]]; then _clada "$@"; else compdef _clada clada; fi',
  ].join('\n')
}

function doLines(paramsOf: Readonly<Record<string, readonly string[]>>): string[] {
  return [
    '      case $first in',
    ...Object.entries(paramsOf).map(
      ([action, params]) => `        ${action}) params=(${params.map(quoted).join(' ')}) ;;`,
    ),
    '      esac',
    '      if [[ -n $first && $PREFIX != -* ]]; then compadd -S "" -a params; return; fi',
  ]
}

function specOf({ name, help, takes, values }: CompletedFlag): string {
  const about = help.replace(/[[\]:\\]/g, '\\$&')
  const action = {
    none: '',
    values: `:value:(${values.join(' ')})`,
    directory: ':directory:_files -/',
    file: ':file:_files',
    text: ':text:',
  }[takes]
  return `*--${name}[${about}]${action}${name === 'csl-delimiters' ? ':text:' : ''}`
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

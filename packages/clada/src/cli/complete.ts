import { actionNames, allActions } from '../actions/registry.ts'
import { keyNames } from '../config/keys.ts'
import { type Flag, flags } from './flags.ts'
import type { Command } from './command.ts'

/** The possible completions, for any shell. */
export interface Completion {
  readonly commands: readonly { readonly name: string; readonly summary: string }[]
  readonly flags: readonly CompletedFlag[]
  readonly flagsOf: Readonly<Record<string, readonly string[]>>
  /** The words that may follow each command; where there are none, files may. */
  readonly wordsOf: Readonly<Record<string, readonly string[]>>
  /** The words that the first argument of a command may be; files may follow. */
  readonly verbsOf: Readonly<Record<string, readonly string[]>>
  /** The parameters of each action, for `do`. */
  readonly paramsOf: Readonly<Record<string, readonly string[]>>
}

export interface CompletedFlag {
  readonly name: string
  readonly help: string
  /** `none`: a switch. */
  readonly takes: 'none' | 'values' | 'directory' | 'file' | 'text'
  readonly values: readonly string[]
}

export const scripts: Readonly<Record<string, (completion: Completion) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
  powershell: powershellCompletion,
}

export function describeCompletion(commands: readonly Command[]): Completion {
  return {
    commands: commands.map(({ name, summary }) => ({ name, summary })),
    flags: flags.map((flag) => completeFlag(flag)),
    flagsOf: Object.fromEntries(commands.map(({ name, flags: own }) => [name, own])),
    wordsOf: Object.fromEntries(commands.map((one) => [one.name, wordsFor(one, commands)])),
    verbsOf: Object.fromEntries(commands.flatMap(({ name, verbs }) => (verbs === undefined ? [] : [[name, verbs]]))),
    paramsOf: Object.fromEntries(
      allActions().flatMap((spec) =>
        [spec.name, ...spec.aliases].map((name) => [name, Object.keys(spec.params).map((param) => `${param}=`)]),
      ),
    ),
  }
}

function wordsFor({ words }: Command, commands: readonly Command[]): readonly string[] {
  switch (words) {
    case 'actions':
      return actionNames
    case 'keys':
      return keyNames
    case 'commands':
      return commands.map(({ name }) => name)
    case undefined:
      return []
    default:
      return words
  }
}

function completeFlag({ name, value, values = [], help, for: others = {} }: Flag): CompletedFlag {
  const known = [...new Set([...values, ...Object.values(others).flatMap((other) => other.values ?? [])])]
  const kinds: Readonly<Record<string, CompletedFlag['takes']>> = { DIR: 'directory', FILE: 'file' }
  const takes = value === undefined ? 'none' : known.length > 0 ? 'values' : (kinds[value] ?? 'text')
  return { name, help, takes, values: known }
}

/** For bash. Needs no package of completions. */
function bashCompletion({ commands, flags, flagsOf, wordsOf, verbsOf, paramsOf }: Completion): string {
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
    '  if [[ -z $first ]]; then',
    '    case $command in',
    ...cases(verbsOf, 'words').map((line) => `  ${line}`),
    '    esac',
    '  fi',
    '  case $command in',
    ...cases(wordsOf, 'words'),
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    '}',
    'complete -o default -F _clada clada',
  ].join('\n')
}

function fishCompletion({ commands, flags, flagsOf, wordsOf, verbsOf, paramsOf }: Completion): string {
  const names = commands.map(({ name }) => name)
  const taking = flags.filter(({ takes, name }) => takes !== 'none' && name !== 'csl-delimiters')
  const line = (when: string, rest: string): string => `complete -c clada -n ${fishQuoted(when)} ${rest}`
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
    // A file: the default command.
    '        echo run',
    '        return',
    '    end',
    '  end',
    '  echo none',
    'end',
    'function __clada_at',
    '  contains -- (__clada_command) $argv',
    'end',
    ...commands.map(({ name, summary }) => line('__clada_at none', `-a ${name} -d ${fishQuoted(summary)}`)),
    ...Object.entries(wordsOf)
      .filter(([name, list]) => list.length > 0 && name !== 'do')
      .map(([name, list]) => line(`__clada_at ${name}`, `-f -a ${fishQuoted(list.join(' '))}`)),
    ...Object.entries(verbsOf).map(([name, verbs]) =>
      line(`__clada_at ${name}; and not ${inAction(verbs)}`, `-f -a ${fishQuoted(verbs.join(' '))}`),
    ),
    line(
      `__clada_at do; and not ${inAction(Object.keys(paramsOf))}`,
      `-f -a ${fishQuoted((wordsOf['do'] ?? []).join(' '))}`,
    ),
    ...Object.entries(paramsOf).map(([action, params]) =>
      line(`__clada_at do; and ${inAction([action])}`, `-f -a ${fishQuoted(params.join(' '))}`),
    ),
    ...flags.flatMap(({ name, help, takes, values }) => {
      const owners = Object.keys(flagsOf).filter((one) => flagsOf[one]?.includes(name))
      const at = owners.includes('run') ? ['none', ...owners] : owners
      const action = {
        none: '',
        values: ` -x -a ${fishQuoted(values.join(' '))}`,
        directory: " -x -a '(__fish_complete_directories)'",
        file: ' -r',
        text: ' -x',
      }[takes]
      return at.length === 0 ? [] : [line(`__clada_at ${at.join(' ')}`, `-l ${name} -d ${fishQuoted(help)}${action}`)]
    }),
  ].join('\n')
}

const fishQuoted = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`

function zshCompletion({ commands, flags, flagsOf, wordsOf, verbsOf, paramsOf }: Completion): string {
  const byName = new Map(flags.map((flag) => [flag.name, flag]))
  const flagLines = (names: readonly string[]): string[] =>
    names.flatMap((name) => {
      const flag = byName.get(name)
      return flag === undefined ? [] : [`        ${shQuoted(specOf(flag))} \\`]
    })
  return [
    '#compdef clada',
    '# clada completion for zsh: source <(clada completion zsh), or as _clada in a directory of $fpath',
    '_clada() {',
    '  local -a commands params',
    '  commands=(',
    ...commands.map(({ name, summary }) => `    ${shQuoted(`${name}:${summary}`)}`),
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
      `        '1:command:' ${zshArguments(list, verbsOf[name])}`,
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

function zshArguments(words: readonly string[], verbs: readonly string[] | undefined): string {
  if (verbs !== undefined) return `${shQuoted(`2:verb:(${verbs.join(' ')})`)} '*:file:_files'`
  return words.length > 0 ? shQuoted(`*:word:(${words.join(' ')})`) : "'*:file:_files'"
}

function doLines(paramsOf: Readonly<Record<string, readonly string[]>>): string[] {
  return [
    '      case $first in',
    ...Object.entries(paramsOf).map(
      ([action, params]) => `        ${action}) params=(${params.map(shQuoted).join(' ')}) ;;`,
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

const shQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Without an answer PowerShell offers files by itself. */
function powershellCompletion({ commands, flags, flagsOf, wordsOf, verbsOf, paramsOf }: Completion): string {
  const list = (words: readonly string[]): string => `@(${words.map(psQuoted).join(', ')})`
  const table = (rows: Readonly<Record<string, readonly string[]>>): string[] =>
    Object.entries(rows).flatMap(([name, words]) =>
      words.length === 0 ? [] : [`    ${psQuoted(name)} = ${list(words)}`],
    )
  const spelled = (names: readonly string[]): string[] => names.map((name) => `--${name}`)
  const taking = flags.filter(({ takes }) => takes !== 'none').map(({ name }) => `--${name}`)
  const about = [
    ...commands.map(({ name, summary }) => [name, summary] as const),
    ...flags.map(({ name, help }) => [`--${name}`, help] as const),
  ]
  return [
    '# clada completion for PowerShell: clada completion powershell | Out-String | Invoke-Expression',
    'Register-ArgumentCompleter -Native -CommandName clada -ScriptBlock {',
    '  param($word, $ast, $cursor)',
    '  $about = @{',
    ...about.map(([name, text]) => `    ${psQuoted(name)} = ${psQuoted(text)}`),
    '  }',
    '  $valuesOf = @{',
    ...table(Object.fromEntries(flags.map(({ name, values }) => [`--${name}`, values]))),
    '  }',
    '  $flagsOf = @{',
    ...table(Object.fromEntries(Object.entries(flagsOf).map(([name, names]) => [name, spelled(names)]))),
    '  }',
    '  $wordsOf = @{',
    ...table(wordsOf),
    '  }',
    '  $verbsOf = @{',
    ...table(verbsOf),
    '  }',
    '  $paramsOf = @{',
    ...table(paramsOf),
    '  }',
    `  $taking = ${list(taking)}`,
    "  $command = ''; $first = ''; $flag = ''; $skip = 0",
    '  foreach ($element in ($ast.CommandElements | Select-Object -Skip 1)) {',
    '    if ($element.Extent.EndOffset -ge $cursor) { break }',
    '    $text = $element.Extent.Text',
    '    if ($skip -gt 0) { $skip-- }',
    "    elseif ($text -eq '--csl-delimiters') { $skip = 2; $flag = $text }",
    '    elseif ($taking -contains $text) { $skip = 1; $flag = $text }',
    "    elseif ($text.StartsWith('-')) { }",
    "    elseif ($command -eq '') { $command = $text }",
    "    elseif ($first -eq '') { $first = $text }",
    '  }',
    "  $owner = if ($flagsOf.ContainsKey($command)) { $command } else { 'run' }",
    '  $found = if ($skip -gt 0) { $valuesOf[$flag] }',
    "    elseif ($word.StartsWith('-')) { $flagsOf[$owner] }",
    `    elseif ($command -eq '') { ${list(commands.map(({ name }) => name))} }`,
    "    elseif ($command -eq 'do' -and $first -ne '') { $paramsOf[$first] }",
    "    elseif ($first -eq '' -and $verbsOf.ContainsKey($command)) { $verbsOf[$command] }",
    '    else { $wordsOf[$command] }',
    '  $found | Where-Object { $_ -and $_.StartsWith($word) } | ForEach-Object {',
    '    $tip = if ($about.ContainsKey($_)) { $about[$_] } else { $_ }',
    "    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $tip)",
    '  }',
    '}',
  ].join('\n')
}

const psQuoted = (text: string): string => `'${text.replace(/['’‘]/g, '$&$&')}'`

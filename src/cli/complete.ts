import { actions } from '../actions/registry.ts'
import { syntaxNames } from '../core/block.ts'
import { keyNames } from '../config/keys.ts'
import { type Flag, flags } from './flags.ts'
import { type CommandHelp, commands } from './help.ts'

/** What may follow, for any shell. */
export interface Completion {
  readonly commands: readonly { readonly name: string; readonly summary: string }[]
  readonly flags: readonly CompletedFlag[]
  /** The flags of each command. */
  readonly flagsOf: Readonly<Record<string, readonly string[]>>
  /** The words that may follow each command; where there are none, files may. */
  readonly wordsOf: Readonly<Record<string, readonly string[]>>
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

export function completion(): Completion {
  const help = { name: 'help', summary: 'flags and examples of a command' }
  return {
    commands: [...commands, help].map(({ name, summary }) => ({ name, summary })),
    flags: flags.map((flag) => completed(flag)),
    flagsOf: Object.fromEntries(commands.map(({ name, flags: own }) => [name, own])),
    wordsOf: Object.fromEntries([...commands.map((one) => [one.name, wordsFor(one)]), ['help', commandNames()]]),
    paramsOf: Object.fromEntries(
      actions.flatMap((spec) =>
        [spec.name, ...spec.aliases].map((name) => [name, Object.keys(spec.params).map((param) => `${param}=`)]),
      ),
    ),
  }
}

const commandNames = (): string[] => commands.map(({ name }) => name)

function wordsFor({ words }: CommandHelp): readonly string[] {
  switch (words) {
    case 'actions':
      return actions.map(({ name }) => name)
    case 'keys':
      return keyNames
    case undefined:
      return []
    default:
      return words
  }
}

function completed({ name, value, values, help }: Flag): CompletedFlag {
  const known = name === 'syntax' ? syntaxNames : (values ?? [])
  const takes =
    value === undefined
      ? 'none'
      : known.length > 0
        ? 'values'
        : value === 'DIR'
          ? 'directory'
          : value === 'FILE'
            ? 'file'
            : 'text'
  return { name, help, takes, values: known }
}

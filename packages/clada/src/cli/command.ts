import {
  editing,
  type FlagName,
  limits,
  type ParsedArgs,
  programs,
  reading,
  reporting,
  saving,
  UsageError,
} from './flags.ts'

/**
 * A command of the command line. Parsing, help, completion and docs are derived from this value; `commands/list.ts`
 * names the file it is in.
 */
export interface Command {
  readonly name: string
  readonly group: CommandGroup
  readonly usage: string
  readonly summary: string
  readonly about?: string
  readonly flags: readonly FlagName[]
  /** Set where a document is read or run: flags about running one are accepted, also those that change nothing here. */
  readonly documents?: true
  /** The arguments it takes, for completion; files where nothing is said, none where the list is empty. */
  readonly words?: 'actions' | 'keys' | 'commands' | readonly string[]
  /** The words of which the first argument is one; files may follow. */
  readonly verbs?: readonly string[]
  /** What to write instead of an argument, where it takes none. */
  readonly instead?: string
  readonly examples: readonly (readonly [command: string, what: string])[]
  run(args: CommandArgs): Promise<ExitCode>
}

/** The headings of `clada --help`, in their order. */
export const commandGroups = ['everyday', 'history', 'set-up', 'agents'] as const
export type CommandGroup = (typeof commandGroups)[number]

/** The exit codes of all commands. The page of exit codes is generated from it. */
export const exitCodes = {
  0: 'Everything succeeded. Warnings, or a text without blocks, are not failures.',
  1: 'Something failed, waits for approval, or could not be written to standard output. `check`: a block is invalid. `diff`: an action would fail. `doctor`: something that clada needs is missing.',
  2: 'The call or the config is wrong. Nothing was done.',
  129: 'Ended by SIGHUP: the terminal was closed.',
  130: 'Ended by Ctrl-C. Actions that were already applied are kept; the rest was skipped.',
  143: 'Ended by SIGTERM.',
} as const
export type ExitCode = keyof typeof exitCodes

export interface CommandArgs extends ParsedArgs {
  /** Every command, loaded: for help and completion. */
  all(): Promise<readonly Command[]>
}

/** Everything about how a document is run. */
const documentFlags: readonly FlagName[] = [
  ...reading,
  ...reporting,
  ...programs,
  ...saving,
  ...editing,
  ...limits,
  'atomic',
  'again',
]

/** Flags that every command accepts. */
const anywhere: readonly FlagName[] = ['root', 'no-config', 'quiet', 'no-color', 'help', 'version']

/**
 * The call as a command understands it. A flag that it does not have is never ignored: with --dry-run the user wants
 * nothing to be touched. @throws UsageError
 */
export function checkArgs({ name, flags: own, documents, words, instead }: Command, args: ParsedArgs): ParsedArgs {
  if (words?.length === 0 && args.words.length > 0)
    throw new UsageError(
      `clada ${name} takes no arguments (got '${args.words[0]}').${instead === undefined ? '' : ` ${instead}`}`,
    )
  const known = new Set<string>([...own, ...anywhere, ...(documents ? documentFlags : [])])
  // Where a report is either for people or for programs, --format only chooses between them.
  const { format: [format] = [], ...others } = args.flags
  const isPlain =
    own.includes('json') && !known.has('format') && ['json', 'auto', 'text', 'pretty'].includes(format ?? '')
  const understood = isPlain ? others : args.flags
  const unknown = Object.keys(understood).find((flag) => !known.has(flag))
  if (unknown === undefined) return { ...args, flags: understood }
  const shown = unknown === 'format' ? `${unknown} ${format}` : unknown
  throw new UsageError(`${name} has no flag --${shown}. Its flags: clada help ${name}`)
}

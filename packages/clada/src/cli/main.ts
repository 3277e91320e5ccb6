import { lookUp } from '@clada/reply/core/look-up.ts'
import { allCommands, commands } from './commands/list.ts'
import { checkArgs, type ExitCode } from './command.ts'
import { type ParsedArgs, parseArgs, UsageError } from './flags.ts'
import { forgetTerminals, isTerminal, OutputError, say } from './streams.ts'
import { isOsError, type OsError } from '../core/errors.ts'

/** Names that commands had before. */
const formerNames: Readonly<Record<string, string>> = { listener: 'watch', listen: 'watch' }

async function main(argv: readonly string[]): Promise<ExitCode> {
  const { flags, words: given } = parseArgs(argv)
  const words = given.map((word, at) =>
    at === 0 && Object.hasOwn(formerNames, word) ? (formerNames[word] ?? word) : word,
  )
  if (flags.version) return callCommand('version', { flags: {}, words: [] })
  const [first = '', ...rest] = words
  const named = Object.hasOwn(commands, first)
  // Help is given whatever else is asked for.
  if (flags.help || first === 'help') {
    const about = first === 'help' ? rest : named ? [first] : []
    return callCommand('help', { flags: {}, words: about })
  }
  if (named) return callCommand(first, { flags, words: rest })
  if (words.length === 0 && isTerminal(0)) return callCommand('help', { flags: {}, words: [] })
  return callCommand('run', { flags, words })
}

async function callCommand(name: string, args: ParsedArgs): Promise<ExitCode> {
  // A run that must not touch anything is a diff, which never does.
  if ((name === 'run' || name === 'diff') && args.flags['dry-run'] !== undefined) {
    const { 'dry-run': _, ...flags } = args.flags
    return callCommand('diff', { ...args, flags })
  }
  const load = lookUp(commands, name)
  if (load === undefined) throw new UsageError(`There is no command ${name}.`)
  const { command } = await load()
  return command.run({ ...checkArgs(command, args), all: allCommands })
}

/** A file that is not there may be the misspelt name of a command. */
async function suggestSpelling({ missing }: UsageError): Promise<string> {
  if (missing === undefined) return ''
  const { findClosestName } = await import('@clada/reply/text/closest-name.ts')
  const close = findClosestName(missing, Object.keys(commands))
  return close === undefined ? ' See clada --help for the commands.' : ` Did you mean clada ${close}?`
}

/** What the system refused to a command itself, such as to write to the project. */
async function systemRefusal({ code, syscall: op = '', path = '', message }: OsError): Promise<string> {
  if (op === 'uv_cwd') return 'The current directory does not exist any more. cd into another one.'
  const { explain } = await import('../report/explain.ts')
  const { userText } = await import('../report/failure.ts')
  const explained = explain({ kind: 'os', code, op, path, message }, '')
  const advice = explained.failure.user?.advice
  return `${userText(explained)} (${code}).${advice === undefined ? '' : ` ${advice}`}`
}

/** Runs a command line, and reports a wrong call, or what the system refused, on stderr. */
export async function runCommandLine(argv: readonly string[]): Promise<ExitCode> {
  forgetTerminals()
  try {
    return await main(argv)
  } catch (error) {
    // A path in a message may be named by a stranger's archive.
    const { spellOut } = await import('../report/words.ts')
    if (isOsError(error) && error.syscall !== undefined) {
      say(`clada: ${spellOut(await systemRefusal(error))}`, 2)
      return 1
    }
    const unwritten = error instanceof OutputError
    const known = unwritten || error instanceof UsageError || (error instanceof Error && error.name === 'SettingsError')
    if (!known) throw error
    say(`clada: ${spellOut(error.message)}${error instanceof UsageError ? await suggestSpelling(error) : ''}`, 2)
    return unwritten ? 1 : 2
  }
}

/** Runs the command line of this process. Loading this module does nothing: the library shares its bundle. */
export async function start(): Promise<void> {
  process.exitCode = await runCommandLine(process.argv.slice(2))
}

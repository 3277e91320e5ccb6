import type { Command } from './command.ts'
import { type ParsedArgs, parseArgs, UsageError } from './flags.ts'
import { ownFlags } from './own-flags.ts'
import { OutputError } from './print.ts'
import { isTerminal } from './terminal.ts'

/** Commands are loaded when they are called: a run should not wait for what it does not use. */
const commands: Record<string, () => Promise<{ command: Command }>> = {
  run: () => import('./run.ts'),
  check: () => import('./check.ts'),
  convert: () => import('./convert.ts'),
  diff: () => import('./diff.ts'),
  do: () => import('./do.ts'),
  watch: () => import('./watch.ts'),
  ui: () => import('./ui.ts'),
  tools: () => import('./tools.ts'),
  outline: () => import('./outline.ts'),
  context: () => import('./context.ts'),
  prompt: () => import('./prompt.ts'),
  history: () => import('./history.ts'),
  undo: () => import('./undo.ts'),
  redo: () => import('./redo.ts'),
  back: () => import('./back.ts'),
  forward: () => import('./forward.ts'),
  squash: () => import('./squash.ts'),
  approve: () => import('./approve.ts'),
  approvals: () => import('./approvals.ts'),
  trust: () => import('./trust.ts'),
  init: () => import('./init.ts'),
  config: () => import('./config.ts'),
  completion: () => import('./completion.ts'),
  doctor: () => import('./doctor.ts'),
  mcp: () => import('./mcp.ts'),
  version: () => import('./version.ts'),
  help: () => import('./help-command.ts'),
}

async function main(argv: readonly string[]): Promise<number> {
  const { flags, words } = parseArgs(argv)
  if (flags.version) return call('version', { flags, words: [] })
  const [first = '', ...rest] = words
  const named = Object.hasOwn(commands, first)
  if (flags.help) return call('help', { flags, words: named ? [first] : [] })
  if (named) return call(first, { flags, words: rest })
  if (words.length === 0 && isTerminal(0)) return call('help', { flags, words: [] })
  return call('run', { flags, words })
}

async function call(name: string, args: ParsedArgs): Promise<number> {
  // A run that must not touch anything is a diff.
  const load = commands[name === 'run' && args.flags['dry-run'] ? 'diff' : name]
  if (load === undefined) throw new UsageError(`There is no command ${name}.`)
  // Help is given whatever else is said.
  const flags = ['help', 'version'].includes(name) ? args.flags : ownFlags(name, args.flags)
  const { command } = await load()
  return command({ ...args, flags })
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    const unwritten = error instanceof OutputError
    const known = unwritten || error instanceof UsageError || (error instanceof Error && error.name === 'SettingsError')
    if (!known) throw error
    process.stderr.write(`clada: ${error.message}\n`)
    process.exitCode = unwritten ? 1 : 2
  },
)

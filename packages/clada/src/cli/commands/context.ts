import { Clada } from '../../api/clada.ts'
import { type ContextText, entryFrom } from '../../api/context-text.ts'
import { type CladaOptions, settingsOf } from '../../config/settings.ts'
import { type ActionResult, type ExecutionResult } from '../../core/result.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import { showOutput } from '../../report/parts.ts'
import { spellOut } from '../../report/words.ts'
import { didYouMean } from '@clada/reply/text/closest-name.ts'
import type { Command, ExitCode } from '../command.ts'
import { type FlagValues, readNumber, UsageError } from '../flags.ts'
import { giveText, type Giving, readGiving, print, printJson, say } from '../streams.ts'
import { loadConfigured, resolveTypedPath } from '../options.ts'
import { failureText } from '../print-step.ts'

const verbs = ['add', 'remove', 'list', 'prune', 'clear', 'print']

/** Each verb except print is one of the context_ actions. */
export const command: Command = {
  name: 'context',
  group: 'everyday',
  usage: `clada context [${verbs.join('|')}] [PATH…] [--session NAME]`,
  verbs,
  summary: 'keep a list of files in view, and print them as one text to paste',
  about:
    'A list of files, of lines of files as PATH:1-20, and of structures in files as PATH@@Class@@method, that is kept for\nthis project, or for a session of its own with --session. A directory or a\nglob in quotes adds the files below it that git does not ignore. print shows\ntheir current text, each after a line === path ===; sizes go to stderr. prune removes files that no longer exist, and\nthose that the last 20 executions neither changed nor named.',
  flags: [
    'root',
    'no-config',
    'allow',
    'allow-escape',
    'session',
    'numbered',
    'outline',
    'budget',
    'copy',
    'osc52',
    'json',
    'quiet',
    'help',
  ],
  examples: [
    ['clada context add src/cart.ts README.md', 'keep two files in view'],
    ["clada context add src 'test/*.ts'", 'a directory and a glob'],
    ['clada context add src/shop.ts@@Shop@@checkout', 'only one method'],
    ['clada context add src/shop.ts:1-20', 'only these lines'],
    ['clada context add src/shop.ts --session fix-tax', 'for one conversation'],
    ['clada context print', 'all of them as one text'],
    ['clada context print --budget 8000 --copy', 'to paste them to a model'],
  ],
  run: async ({ flags, words: [verb = 'list', ...paths] }) => {
    if (!verbs.includes(verb))
      throw new UsageError(`There is no context ${verb}. It is one of ${verbs.join(', ')}.${didYouMean(verb, verbs)}`)
    const { options, config } = await loadConfigured(flags)
    const clada = new Clada(options)
    const takesPaths = verb === 'add' || verb === 'remove'
    if (takesPaths && paths.length === 0)
      throw new UsageError(`context ${verb} needs a path: clada context ${verb} PATH…`)
    if (!takesPaths && paths.length > 0) throw new UsageError(`context ${verb} takes no path.`)
    if (verb === 'print') return printContext(options, flags, readGiving(flags, config.clipboard))

    const executions: ExecutionResult[] = []
    for (const params of takesPaths ? paths.map((file) => ({ path: resolveTypedPath(file, flags, options) })) : [{}])
      executions.push(await clada.perform(`context_${verb}`, params))
    if (flags.json !== undefined) {
      const results = executions.flatMap(({ results }) => results)
      printJson(results)
    } else if (flags.quiet === undefined) {
      const { root } = settingsOf(options)
      for (const execution of executions) tellChange(verb, execution, root, flags)
    }
    return executions.every(({ success }) => success) ? 0 : 1
  },
}

function tellChange(verb: string, execution: ExecutionResult, root: string, flags: FlagValues): void {
  const [result] = execution.results
  if (!execution.success || result === undefined) {
    process.stderr.write(`${failureText(execution, flags, 2)}\n`)
    return
  }
  const { params, data, warnings = [] } = forPeople(result, root)
  const facts: object = typeof data === 'object' && data !== null ? data : {}
  const sizes = 'size' in facts && 'tokens' in facts ? ` (${formatCount(Number(facts.tokens), 'token')})` : ''
  const already = 'added' in facts && facts.added === false ? 'is in the working set already' : undefined
  const files = 'files' in facts && Array.isArray(facts.files) ? facts.files : undefined
  const messages: Record<string, string> = {
    add: [
      `${params['path']}${sizes} ${already ?? (files === undefined ? 'added' : `added: ${formatCount(files.length, 'file')}`)}`,
      ...(files ?? []).map((file) => `  ${file}`),
    ].join('\n'),
    remove: `${params['path']} removed`,
    prune: showOutput({ ...result, data }, { limit: Infinity })?.body ?? 'Nothing to remove.',
    list:
      Array.isArray(data) && data.length === 0
        ? 'The working set is empty. Add files with: clada context add PATH…'
        : (showOutput({ ...result, data }, { limit: Infinity })?.body ?? ''),
    clear: 'The working set is empty now.',
  }
  print(spellOut([messages[verb], ...warnings.map((warning) => `! ${warning}`)].join('\n')))
}

/** Entries have absolute paths; people see them relative to the root. */
function forPeople(
  { params, data, warnings }: ActionResult,
  root: string,
): Pick<ActionResult, 'params' | 'data' | 'warnings'> {
  const relative = (entry: unknown): unknown => {
    if (typeof entry === 'string') return entryFrom(root, entry)
    if (typeof entry !== 'object' || entry === null) return entry
    const named = 'path' in entry ? { path: relative(entry.path) } : {}
    return 'removed' in entry && Array.isArray(entry.removed)
      ? { ...entry, ...named, removed: entry.removed.map(relative) }
      : { ...entry, ...named }
  }
  const shown = typeof params['path'] === 'string' ? { ...params, path: entryFrom(root, params['path']) } : params
  return {
    params: shown,
    data: Array.isArray(data) ? data.map(relative) : relative(data),
    warnings,
  }
}

async function printContext(options: CladaOptions, flags: FlagValues, giving: Giving): Promise<ExitCode> {
  const settings = settingsOf(options)
  const { root } = settings
  const { contextText } = await import('../../api/context-text.ts')
  const show = flags.outline !== undefined ? 'outline' : flags.numbered !== undefined ? 'numbered' : 'text'
  const context = await contextText(new Clada(options), settings, { show, budget: readNumber(flags, 'budget') })
  if ('error' in context) {
    say(`clada: ${spellOut(context.error)}`, 2)
    return 1
  }
  if (flags.quiet === undefined) tellContext(context, root)
  const given = context.text === '' ? 0 : await giveText(context.text, giving, root)
  return context.refused.length === 0 ? given : 1
}

/** Prints sizes and refusals to stderr, apart from the text. */
export function tellContext({ shown, left, refused }: ContextText, root: string): void {
  if (shown.length + left.length + refused.length === 0) {
    say('clada: the working set is empty. Add files with: clada context add PATH…', 2)
    return
  }
  const lines = [
    ...shown.map(({ path: entry, tokens }) => `${entryFrom(root, entry)}  ${formatCount(tokens, 'token')}`),
    ...left.map(
      ({ path: entry, tokens }) =>
        `left out, over the budget: ${entryFrom(root, entry)}  ${formatCount(tokens, 'token')}`,
    ),
    ...refused.map(({ path: entry, error }) => `refused: ${entryFrom(root, entry)}: ${error}`),
    `${formatCount(shown.length, 'file')}, ${formatCount(
      shown.reduce((sum, { tokens }) => sum + tokens, 0),
      'token',
    )}`,
  ]
  process.stderr.write(`${spellOut(lines.join('\n'))}\n`)
}

import { Clada } from '../clada.ts'
import type { ContextText } from '../context-text.ts'
import { counted } from '../core/counted.ts'
import type { ExecutionResult } from '../core/result.ts'
import { outputOf } from '../report/outputs.ts'
import { printable } from '../report/printable.ts'
import { type CladaOptions, settingsOf } from '../settings.ts'
import type { Command } from './command.ts'
import { type FlagValues, numberOf, UsageError } from './flags.ts'
import { giveText } from './give-text.ts'
import { cladaOptions } from './options.ts'
import { failureText } from './print-failure.ts'
import { print } from './print.ts'

/** The working set by hand: each verb is one of the context_ actions, except print. */
export const command: Command = async ({ flags, words: [verb = 'list', ...paths] }) => {
  const options = await cladaOptions(flags)
  const clada = new Clada(options)
  const takesPaths = verb === 'add' || verb === 'remove'
  if (takesPaths && paths.length === 0)
    throw new UsageError(`context ${verb} needs a path: clada context ${verb} PATH…`)
  if (!takesPaths && paths.length > 0) throw new UsageError(`context ${verb} takes no path.`)
  if (verb === 'print') return printContext(options, flags)
  if (!takesPaths && verb !== 'list' && verb !== 'prune' && verb !== 'clear')
    throw new UsageError(`There is no context ${verb}. It is one of add, remove, list, prune, clear, print.`)

  const executions: ExecutionResult[] = []
  for (const params of takesPaths ? paths.map((path) => ({ path })) : [{}])
    executions.push(await clada.perform(`context_${verb}`, params))
  if (flags.json !== undefined) {
    const results = executions.flatMap(({ results }) => results)
    print(JSON.stringify(results, null, 2))
  } else if (flags.quiet === undefined) for (const execution of executions) tell(verb, execution, flags)
  return executions.every(({ success }) => success) ? 0 : 1
}

function tell(verb: string, execution: ExecutionResult, flags: FlagValues): void {
  const [result] = execution.results
  if (!execution.success || result === undefined) {
    process.stderr.write(`${failureText(execution, flags, 2)}\n`)
    return
  }
  const { params, data, warnings = [] } = result
  const facts: object = typeof data === 'object' && data !== null ? data : {}
  const size = 'size' in facts ? ` (${counted(Number(facts.size), 'byte')})` : ''
  const already = 'added' in facts && facts.added === false ? 'is there already' : undefined
  const told: Record<string, string> = {
    add: `${params['path']}${size} ${already ?? 'added'}`,
    remove: `${params['path']} removed`,
    prune: outputOf(result, Infinity)?.body ?? 'nothing to remove',
    list: outputOf(result, Infinity)?.body ?? '',
    clear: 'the working set is empty',
  }
  print(printable([told[verb], ...warnings.map((warning) => `! ${warning}`)].join('\n')))
}

async function printContext(options: CladaOptions, flags: FlagValues): Promise<number> {
  const { root } = settingsOf(options)
  const { contextText } = await import('../context-text.ts')
  const show = flags.outline !== undefined ? 'outline' : flags.numbered !== undefined ? 'numbered' : 'text'
  const context = await contextText(new Clada(options), { show, budget: numberOf(flags, 'budget') })
  if ('error' in context) {
    process.stderr.write(`clada: ${printable(context.error)}\n`)
    return 1
  }
  if (flags.quiet === undefined) tellContext(context)
  const given = context.text === '' ? 0 : await giveText(context.text, flags, root)
  return context.refused.length === 0 ? given : 1
}

/** Sizes and refusals, beside the text and not in it. */
export function tellContext({ shown, left, refused }: ContextText): void {
  if (shown.length + left.length + refused.length === 0) {
    process.stderr.write('clada: the working set is empty. Add files with: clada context add PATH…\n')
    return
  }
  const lines = [
    ...shown.map(({ path, tokens }) => `${path}  ${counted(tokens, 'token')}`),
    ...left.map(({ path, tokens }) => `left out, over the budget: ${path}  ${counted(tokens, 'token')}`),
    ...refused.map(({ path, error }) => `refused: ${path}: ${error}`),
    `${counted(shown.length, 'file')}, ${counted(
      shown.reduce((sum, { tokens }) => sum + tokens, 0),
      'token',
    )}`,
  ]
  process.stderr.write(`${printable(lines.join('\n'))}\n`)
}

import { registry } from '../../actions/registry.ts'
import { SignalStop } from '../stop-signals.ts'
import { Clada } from '../../api/clada.ts'
import { type ParseError, withWarnings } from '../../core/result.ts'
import { formatReport } from '../../report/format.ts'
import { closestAction } from '../../actions/decode.ts'
import type { Ask } from '../../core/commands.ts'
import { makeAsk } from '../ask.ts'
import type { Command } from '../command.ts'
import { general, limits, programs, running, saving, UsageError } from '../flags.ts'
import { canAsk, print, readStdinText } from '../streams.ts'
import { ProgressLine, openShownChanges } from '../live-output.ts'
import {
  cladaOptions,
  configWarnings,
  isPretty,
  paintFor,
  reportFormat,
  resultSyntax,
  reportOptions,
  withConfig,
} from '../options.ts'

/** A call that a person typed has no line numbers. */
function withoutPlace(error: ParseError): ParseError {
  const { line: _, column: __, blockStartLine: ___, ...rest } = error
  return rest
}

export const command: Command = {
  name: 'do',
  group: 'everyday',
  usage: 'clada do ACTION name=value…',
  summary: 'run one action by hand',
  about: 'Calls one action by hand. Paths may be relative to the root.',
  words: 'actions',
  documents: true,
  flags: [
    ...running.filter((name) => name !== 'syntax' && name !== 'csl-delimiters'),
    ...programs,
    'session',
    'matching',
    'patches',
    'final-newline',
    'stdin',
    ...saving,
    ...limits,
    ...general,
  ],
  examples: [
    ['clada do file_read_numbered path=src/a.ts lines=10-20', 'read some lines'],
    ['clada do read_structure path=src/cart.ts target=total', 'read one function'],
    ['clada do file_write path=notes.md --stdin content < notes', 'take a parameter from stdin'],
  ],
  run: async ({ flags, words }) => {
    const [action, ...pairs] = words
    if (action === undefined) throw new UsageError('do needs an action: clada do ACTION name=value…')
    if (!registry.has(action)) {
      const close = closestAction(action, registry)
      throw new UsageError(
        `Unknown action: ${action}.${close === undefined ? ' See clada tools.' : ` Did you mean ${close}?`}`,
      )
    }
    const params: Record<string, string> = {}
    for (const pair of pairs) {
      const equals = pair.indexOf('=')
      if (equals < 1) throw new UsageError(`'${pair}' is not of the form name=value.`)
      params[pair.slice(0, equals)] = pair.slice(equals + 1)
    }
    const [fromStdin] = flags.stdin ?? []
    if (fromStdin !== undefined) params[fromStdin] = await readStdinText()

    const shown = await withConfig(flags)
    const changes = await openShownChanges(shown)
    const progress = flags.quiet === undefined ? new ProgressLine('programs') : undefined
    const { ask } = makeAsk(paintFor(flags, 2))
    const asking: Ask = (request) => progress?.asking(() => ask(request)) ?? ask(request)
    const clada = new Clada({ ...(await cladaOptions(flags)), ask: canAsk() ? asking : undefined })
    const stop = new SignalStop()
    const ignore = stop.listen()
    const { signal } = stop
    const result = await clada.perform(action, params, { ...changes.listen, signal, onProgram: progress?.program })
    ignore()
    progress?.end()
    const format = reportFormat(shown)(resultSyntax(result))
    const report = { ...reportOptions(shown), ...changes.shown }
    const reported = isPretty(shown)
      ? { ...result, parseErrors: result.parseErrors.map(withoutPlace) }
      : withWarnings(result, format === 'json' ? await configWarnings(flags) : [])
    if (flags.quiet === undefined) print(formatReport(reported, format, report))
    return stop.exitCode ?? (result.success ? 0 : 1)
  },
}

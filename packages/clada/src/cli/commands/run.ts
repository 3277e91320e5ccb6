import { Clada } from '../../api/clada.ts'
import { type ActionResult, type ExecutionResult, withWarnings } from '../../core/result.ts'
import type { ExecuteOptions } from '../../engine/options.ts'
import { withinTime } from '../../engine/run.ts'
import { formatReport } from '../../report/format.ts'
import { defaultOutputLimit } from '../../report/parts.ts'
import { asking, terminalReviewer } from '../ask.ts'
import type { Command } from '../command.ts'
import { editing, general, limits, programs, running, saving } from '../flags.ts'
import { canAsk, isLive, print, readInputs, stdinTexts } from '../streams.ts'
import { LiveOutput, Progress, shownChanges } from '../live-output.ts'
import {
  cladaOptions,
  configWarnings,
  reportFormat,
  reportOptions,
  streams,
  streamsToPipe,
  withConfig,
} from '../options.ts'
import type { Reviewed } from '../review.ts'

export const command: Command = {
  name: 'run',
  group: 'everyday',
  usage: 'clada [run] [FILE…|-]',
  summary: 'apply the blocks in FILE or stdin',
  about:
    'Finds the action blocks in a reply, applies them one after another, and prints a report.\nA failed block does not stop the others; with --atomic all are applied or none.\nThe hunks of a patch, and SEARCH/REPLACE blocks in a row for one file, are applied together: see --patches.',
  documents: true,
  flags: [
    ...running,
    ...programs,
    'atomic',
    'again',
    'review',
    ...editing,
    'dry-run',
    ...saving,
    ...limits,
    ...general,
  ],
  examples: [
    ['clada reply.md', 'apply a saved reply'],
    ['pbpaste | clada', 'apply the reply on the clipboard'],
    ['clada --review reply.md', 'decide about each change, as git add -p does'],
    ['clada --atomic --json < reply.md', 'apply all or nothing, with a report for a program'],
  ],
  run: async ({ flags: given, words }) => {
    // The time limit also ends the wait for standard input.
    const { totalTimeout, ...options } = { ...(await cladaOptions(given)), ...(canAsk() ? asking : {}) }
    const flags = await withConfig(given)
    const formatOf = reportFormat(flags)
    const shown = reportOptions(flags)
    const clada = new Clada(options)
    const unheard = await configWarnings(given)
    const review = flags.review === undefined ? undefined : await reviewing(shown.color ?? false)
    const inputs = isLive(words) && review === undefined ? [{ name: '-', text: undefined }] : await readInputs(words)
    const output = streams(flags) ? new LiveOutput() : undefined
    const piped = output === undefined && streamsToPipe(flags) ? new LiveOutput(print, defaultOutputLimit) : undefined
    const onOutput = (output ?? piped)?.add
    const live = onOutput === undefined ? {} : { onOutput }
    const results: ExecutionResult[] = []
    // Ctrl-C ends all inputs, not only the current one.
    const stop = new AbortController()
    for (const { name, text: given } of inputs) {
      const changes = await shownChanges(flags)
      const reviewed = given === undefined || stop.signal.aborted ? undefined : await review?.(clada, given)
      if (review !== undefined && reviewed === undefined) return 130
      const { text = given, choices } = reviewed ?? {}
      const heard = { ...live, ...changes.listen, ...(choices && { review: choices }) }
      const done = await watched({ quiet: flags.quiet !== undefined, totalTimeout, stop }, (watching) =>
        text === undefined
          ? clada.executeStream(stdinTexts(watching.signal), { ...watching, ...heard })
          : clada.execute(text, { ...watching, ...heard }),
      )
      output?.end()
      piped?.end()
      const format = formatOf(done)
      const result = format === 'json' ? withWarnings(done, unheard) : done
      results.push(result)
      if (flags.quiet !== undefined || flags.json !== undefined) continue
      if (inputs.length > 1) print(`${results.length > 1 ? '\n' : ''}--- ${name}`)
      // A person has already seen the output while it was written.
      const seen = output !== undefined && format === 'pretty'
      const inPipe = piped?.shown === 'all'
      const programs = seen ? ({ programs: 'hide' } as const) : inPipe ? ({ programs: 'seen' } as const) : {}
      print(formatReport(result, format, { ...shown, ...changes.shown, ...programs }))
    }
    if (flags.json !== undefined && flags.quiet === undefined) {
      const reports = results.map((result) => formatReport(result, 'json', shown))
      print(reports.length === 1 ? (reports[0] ?? '') : `[${reports.join(',\n')}]`)
    }
    if (stop.signal.aborted) return 130
    return results.every((result) => result.success) ? 0 : 1
  },
}

/** Loaded only with --review. @throws UsageError */
async function reviewing(color: boolean): Promise<(clada: Clada, text: string) => Promise<Reviewed | undefined>> {
  const { reviewWith } = await import('../review.ts')
  const reviewer = terminalReviewer()
  return (clada, text) => reviewWith(reviewer, { clada, text, color, editable: true })
}

/** Runs with a time limit, with Ctrl-C, and with progress on stderr. */
async function watched(
  { quiet, totalTimeout, stop }: { quiet: boolean; totalTimeout: number | undefined; stop: AbortController },
  work: (watching: ExecuteOptions & { signal: AbortSignal }) => Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  const onInterrupt = (): void => stop.abort(new Error('the user stopped the run'))
  process.once('SIGINT', onInterrupt)
  const progress = quiet ? undefined : new Progress()
  try {
    const watching = { signal: stop.signal, onAction: (result: ActionResult) => progress?.step(result) }
    return await withinTime(totalTimeout, watching, work)
  } finally {
    progress?.end()
    process.off('SIGINT', onInterrupt)
  }
}

import fs from 'node:fs'
import path from 'node:path'
import { SignalStop } from '../stop-signals.ts'
import { Clada } from '../../api/clada.ts'
import { type ActionResult, type ExecutionResult, withWarnings } from '../../core/result.ts'
import type { ExecuteOptions } from '../../engine/options.ts'
import { withinTime } from '../../engine/run.ts'
import { formatReport } from '../../report/format.ts'
import { shellWord, spellOutLine } from '../../report/words.ts'
import type { Ask } from '../../core/commands.ts'
import { makeAsk, terminalReviewer } from '../ask.ts'
import type { Command } from '../command.ts'
import { openEndNotice } from '../end-notice.ts'
import { editing, general, limits, programs, running, saving } from '../flags.ts'
import { canAsk, giveText, readGiving, isLive, isTerminal, print, readInputs, say, readStdinTexts } from '../streams.ts'
import { ProgressLine, openShownChanges } from '../live-output.ts'
import { LiveReport } from '../live-report.ts'
import { rootOf, settingsOf } from '../../config/settings.ts'
import { withSlashes } from '../../core/paths.ts'
import { platform } from '../../core/platform.ts'
import {
  cladaOptions,
  configWarnings,
  loadConfigured,
  isPretty,
  paintFor,
  programStream,
  reportFormat,
  reportOptions,
  withConfig,
} from '../options.ts'
import type { Reviewed } from '../review.ts'

export const command: Command = {
  name: 'run',
  group: 'everyday',
  usage: 'clada [run] [FILE…|-]',
  summary: 'apply the blocks in FILE or stdin',
  about:
    'Finds the action blocks in a reply, applies them one after another, and prints a report.\nA failed block does not stop the others; with --atomic all are applied or none.\nThe hunks that a patch has for one file are applied together: see --patches.',
  documents: true,
  flags: [
    ...running,
    ...programs,
    'session',
    'atomic',
    'again',
    'review',
    ...editing,
    'dry-run',
    'copy',
    'osc52',
    ...saving,
    ...limits,
    ...general,
  ],
  examples: [
    ['clada reply.md', 'apply a saved reply'],
    ['clada reply.md --copy', 'and copy the report to paste back to the model'],
    ['pbpaste | clada', 'apply the reply on the clipboard'],
    ['clada --review reply.md', 'decide about each change, as git add -p does'],
    ['clada --atomic --json < reply.md', 'apply all or nothing, with a report for a program'],
  ],
  run: async ({ flags: given, words }) => {
    // The time limit also ends the wait for standard input.
    let progress: ProgressLine | undefined
    const { ask } = makeAsk(paintFor(given, 2))
    const asking: Ask = (request) => progress?.asking(() => ask(request)) ?? ask(request)
    const { totalTimeout, ...options } = {
      ...(await cladaOptions(given)),
      replyFiles: [...words.filter((name) => name !== '-').map((name) => path.resolve(name)), ...listRedirected()],
      ask: canAsk() ? asking : undefined,
    }
    const flags = await withConfig(given)
    const formatFor = reportFormat(flags)
    const isJson = flags.json !== undefined || flags.format?.[0] === 'json'
    const shown = reportOptions(flags)
    const clada = new Clada(options)
    const unheard = await configWarnings(given)
    const review = flags.review === undefined ? undefined : await makeReviewer(shown.color ?? false)
    const inputs = isLive(words) && review === undefined ? [{ name: '-', text: undefined }] : await readInputs(words)
    const isPrinted = flags.quiet === undefined && flags.json === undefined
    const results: ExecutionResult[] = []
    const notice = await openEndNotice(given)
    // Ctrl-C ends all inputs, not only the current one.
    const stop = new SignalStop()
    for (const { name, text: given } of inputs) {
      const changes = await openShownChanges(flags)
      const report = { ...shown, ...changes.shown }
      // Where a person sees the lines of the report as they come, they need no count of actions.
      progress =
        flags.quiet === undefined ? new ProgressLine(isPrinted && isTerminal(1) ? 'programs' : 'counts') : undefined
      const root = withSlashes(rootOf(options.repoPath))
      const live = isPrinted
        ? new LiveReport({ formatFor, report, root, programs: programStream(flags), progress })
        : undefined
      const reviewed = given === undefined || stop.signal.aborted ? undefined : await review?.(clada, given)
      if (review !== undefined && reviewed === undefined) return 130
      const { text = given, choices } = reviewed ?? {}
      if (isPrinted && inputs.length > 1) print(`${results.length > 0 ? '\n' : ''}--- ${name}`)
      const alone = { onProgram: progress?.program, onAction: (one: ActionResult) => progress?.step(one) }
      const heard = { ...(live?.listen ?? alone), ...changes.listen, review: choices }
      const done = await runWatched({ progress, totalTimeout, stop }, (watching) =>
        text === undefined
          ? clada.executeStream(readStdinTexts(watching.signal), { ...watching, ...heard })
          : clada.execute(text, { ...watching, ...heard }),
      )
      const result = isJson ? withWarnings(done, unheard) : done
      results.push(result)
      live?.end(result)
    }
    if (flags.json !== undefined && flags.quiet === undefined) {
      const reports = results.map((result) => formatReport(result, 'json', shown))
      print(reports.length === 1 ? (reports[0] ?? '') : `[${reports.join(',\n')}]`)
    }
    if (stop.exitCode !== undefined) return stop.exitCode
    if (given.copy !== undefined || given.osc52 !== undefined) {
      const { config } = await loadConfigured(given)
      const report = results.map((result) => formatReport(result, 'llm', shown)).join('\n')
      await giveText(report, readGiving(flags, config.clipboard), settingsOf(options).root)
    } else if (isPrinted && isPretty(flags) && results.some(isForModel) && !words.includes('-') && words.length > 0)
      say(`The report for the model: clada ${words.map((word) => shellWord(spellOutLine(word))).join(' ')} --copy`)
    notice(`clada: ${results.every((result) => result.success) ? 'done' : 'something failed'}`)
    return results.every((result) => result.success) ? 0 : 1
  },
}

/** The files that the shell made for what this run prints: `clada reply.md > report.md`. */
function listRedirected(): string[] {
  if (!platform.proc) return []
  return ([1, 2] as const).flatMap((to) => {
    try {
      return fs.fstatSync(to).isFile() ? [fs.readlinkSync(`/proc/self/fd/${to}`)] : []
    } catch {
      return []
    }
  })
}

/** Whether a model can do something about it. */
const isForModel = ({ success, results, parseErrors, notExecuted = [] }: ExecutionResult): boolean =>
  !success && results.length + parseErrors.length + notExecuted.length > 0

/** Loaded only with --review. @throws UsageError */
async function makeReviewer(color: boolean): Promise<(clada: Clada, text: string) => Promise<Reviewed | undefined>> {
  const { reviewWith } = await import('../review.ts')
  const reviewer = terminalReviewer()
  return (clada, text) => reviewWith(reviewer, { clada, text, color, editable: true })
}

interface Watched {
  readonly progress: ProgressLine | undefined
  readonly totalTimeout: number | undefined
  readonly stop: SignalStop
}

/** Runs with a time limit, until a signal, and with progress on stderr. */
async function runWatched(
  { progress, totalTimeout, stop }: Watched,
  work: (watching: ExecuteOptions & { signal: AbortSignal }) => Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  const ignore = stop.listen()
  try {
    return await withinTime(totalTimeout, { signal: stop.signal }, work)
  } finally {
    progress?.end()
    ignore()
  }
}

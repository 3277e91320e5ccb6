import { Clada } from '../clada.ts'
import type { Preview } from '../core/result.ts'
import { withWarnings } from '../core/with-warnings.ts'
import { printable } from '../report/printable.ts'
import { formatReport } from '../report/format.ts'
import type { Command } from './command.ts'
import { readInputs } from './input.ts'
import { cladaOptions, configWarnings, reportOptions, useColor, withConfig } from './options.ts'
import { print } from './print.ts'

/** Shows what would change on stdout, and on stderr what would be run and what would fail. */
export const command: Command = async ({ flags: given, words }) => {
  const clada = new Clada(await cladaOptions(given))
  const flags = await withConfig(given)
  const previews: Preview[] = []
  for (const { text } of await readInputs(words)) previews.push(await clada.preview(text))
  const failed = previews.filter(({ result }) => !result.success)
  if (flags.quiet === undefined) {
    if (flags.json !== undefined) {
      const unheard = await configWarnings(given)
      const whole = previews.map((preview) => ({ ...preview, result: withWarnings(preview.result, unheard) }))
      print(JSON.stringify(whole.length === 1 ? whole[0] : whole, null, 2))
    } else for (const { diff } of previews) print(useColor(flags) ? colored(diff) : diff)
    if (flags.json === undefined) {
      for (const { result } of previews) {
        for (const line of [...warningLines(result), ...programLines(result)]) process.stderr.write(`${line}\n`)
      }
      for (const { result } of failed)
        process.stderr.write(`${formatReport(result, 'text', { ...reportOptions(flags), errorDetail: 'full' })}\n`)
    }
  }
  return failed.length > 0 ? 1 : 0
}

/** What was repaired, left out or taken otherwise than it was written. */
function warningLines({ warnings = [], results }: Preview['result']): string[] {
  const told = results.flatMap(({ task, seq, data, warnings: own = [] }) =>
    wouldRun(data) ? [] : own.map((warning) => `[task-${task ?? seq}] ${warning}`),
  )
  return [...warnings, ...told].map((warning) => printable(`! ${warning}`))
}

const wouldRun = (data: unknown): data is { would_run: unknown } =>
  typeof data === 'object' && data !== null && 'would_run' in data

/** What would be run: its effects are in no diff. */
function programLines({ results }: Preview['result']): string[] {
  return results.flatMap(({ task, seq, data, warnings = [] }) => {
    if (!wouldRun(data)) return []
    return [printable(`[task-${task ?? seq}] would run: ${String(data.would_run)} (${warnings.join('; ')})`)]
  })
}

function colored(diff: string): string {
  return diff
    .split('\n')
    .map((line) => {
      const code = /^(\+\+\+|---|diff |new |deleted |old |rename )/.test(line)
        ? 1
        : line.startsWith('@@')
          ? 36
          : line.startsWith('+')
            ? 32
            : line.startsWith('-')
              ? 31
              : 0
      return code === 0 ? printable(line) : `\u001b[${code}m${printable(line)}\u001b[0m`
    })
    .join('\n')
}

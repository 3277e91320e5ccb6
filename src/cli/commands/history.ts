import { Clada } from '../../api/clada.ts'
import { counted } from '../../core/counted.ts'
import type { ExecutionDetail, HistoryEntry } from '../../engine/history-run.ts'
import { settingsOf } from '../../config/settings.ts'
import { printable } from '../../report/printable.ts'
import { foreignStateNote, hasForeignState } from '../../state/vouched.ts'
import type { Command } from '../command.ts'
import { UsageError } from '../flags.ts'
import { cladaOptions } from '../options.ts'
import { print } from '../print.ts'

export const command: Command = {
  name: 'history',
  usage: 'clada history [N]',
  summary: 'what was executed; with a number, one execution and its diff',
  flags: ['root', 'json', 'help'],
  examples: [
    ['clada history', 'one line for each execution'],
    ['clada history 12', 'what execution 12 changed'],
  ],
  run: async ({ flags, words: [word, ...rest] }) => {
    if (rest.length > 0) throw new UsageError('history takes one number: clada history N.')
    const options = await cladaOptions(flags)
    const clada = new Clada(options)
    if (hasForeignState(settingsOf(options).root) && flags.quiet === undefined)
      process.stderr.write(`clada: ${foreignStateNote('they are not shown')}\n`)
    if (word === undefined) {
      const entries = await clada.history()
      print(flags.json === undefined ? table(entries) : JSON.stringify(entries, null, 2))
      return 0
    }
    const detail = await clada.execution(executionNumber(word))
    if (detail === undefined) throw new UsageError(`There is no execution ${word}. See clada history.`)
    print(flags.json === undefined ? described(detail) : JSON.stringify(detail, null, 2))
    return 0
  },
}

/** A number as `clada history` shows it. */
export function executionNumber(word: string): number {
  if (/^[1-9]\d{0,9}$/.test(word)) return Number(word)
  throw new UsageError(`'${word}' is not the number of an execution. See clada history.`)
}

function table(entries: readonly HistoryEntry[]): string {
  if (entries.length === 0) return 'Nothing was executed here yet.'
  const width = String(entries.at(-1)?.number ?? 0).length
  return entries.map((entry) => line(entry, width)).join('\n')
}

function line(entry: HistoryEntry, width: number): string {
  const { number, time, summary, failed, commit, paths } = entry
  const notes = [
    ...(entry.undone ? ['undone'] : []),
    // Its summary says that it was interrupted.
    ...(entry.interrupted ? [`${counted(paths.length, 'path')} changed`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(commit === undefined ? [] : [commit.slice(0, 8)]),
  ]
  const noted = notes.length === 0 ? '' : `  (${notes.join(', ')})`
  return printable(`${String(number).padStart(width)}  ${localTime(time)}  ${summary}${noted}`)
}

function described(detail: ExecutionDetail): string {
  const actions = detail.actions.map(
    ({ seq, action, target, success, error }) =>
      `  ${success ? '✓' : '✗'} ${seq}. ${action} ${target}`.trimEnd() +
      (error === undefined ? '' : `\n      ${error}`),
  )
  const diffs = detail.diffs.map(({ diff }) => diff.trimEnd())
  return [line(detail, 0), ...actions.map(printable), ...(diffs.length > 0 ? ['', ...diffs.map(printable)] : [])].join(
    '\n',
  )
}

function localTime(time: string): string {
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) return time
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

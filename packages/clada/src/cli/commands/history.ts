import { localTime } from '../../core/local-time.ts'
import { Clada } from '../../api/clada.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import { type Elsewhere, elsewhereOf } from '../../history/executions-elsewhere.ts'
import type { ExecutionDetail, HistoryEntry } from '../../engine/history-run.ts'
import { settingsOf } from '../../config/settings.ts'
import { spellOut } from '../../report/words.ts'
import { foreignStateNote } from '../../state/project-state.ts'
import type { Command } from '../command.ts'
import { UsageError } from '../flags.ts'
import { cladaOptions, paintFor } from '../options.ts'
import { type Paint, paintDiff, withoutColor } from '../../report/pretty.ts'
import { print, printJson, say } from '../streams.ts'

export const command: Command = {
  name: 'history',
  group: 'history',
  usage: 'clada history [N]',
  summary: 'list the last executions; with a number, show one and its diff',
  flags: ['root', 'all', 'json', 'no-color', 'help'],
  examples: [
    ['clada history', 'one line for each execution, and one for each MCP conversation or loop'],
    ['clada history 12', 'what execution 12 changed'],
  ],
  run: async ({ flags, words: [word, ...rest] }) => {
    if (rest.length > 0) throw new UsageError('history takes one number: clada history N.')
    const options = await cladaOptions(flags)
    const clada = new Clada(options)
    const { root } = settingsOf(options)
    const note = foreignStateNote(root)
    if (note !== undefined && flags.quiet === undefined) say(`clada: ${note}`, 2)
    const paint = paintFor(flags)
    if (word === undefined) {
      const entries = await clada.history(flags.all === undefined ? { limit: listed } : {})
      const older = flags.all === undefined && (entries[0]?.number ?? 1) > 1 && entries.length === listed
      if (flags.json === undefined) {
        const elsewhere = elsewhereOf(root).slice(-listedElsewhere)
        if (entries.length > 0 || elsewhere.length === 0)
          print(renderTable(flags.all === undefined ? collapseConversations(entries, older) : entries, paint))
        for (const note of elsewhere) print(elsewhereLine(note))
      } else printJson(entries)
      if (older && flags.quiet === undefined)
        say(`clada: the last ${listed} executions; all of them: clada history --all`, 2)
      return 0
    }
    const detail = await clada.execution(executionNumber(word))
    if (detail === undefined) throw new UsageError(`There is no execution ${word}. See clada history.`)
    if (flags.json === undefined) print(describeDetail(detail, paint))
    else printJson(detail)
    return 0
  },
}

/** An execution of another project that changed files here too. */
const elsewhereLine = ({ root, number, time }: Elsewhere): string =>
  `-  ${spellOut(localTime(time))}  execution ${number} of ${spellOut(root)}`

const listedElsewhere = 5

/** Reading more would make the list slow in a long history. */
const listed = 50

/** A number as `clada history` shows it. */
export function executionNumber(word: string): number {
  if (/^[1-9]\d{0,9}$/.test(word)) return Number(word)
  throw new UsageError(`'${word}' is not the number of an execution. See clada history.`)
}

type HistoryLine = Omit<HistoryEntry, 'number'> & { readonly number: number | string }

/** The executions of a conversation are one line, at the place of the last one. `older`: there are more before these. */
function collapseConversations(entries: readonly HistoryEntry[], older: boolean): HistoryLine[] {
  const byId = new Map<string | number, HistoryEntry[]>()
  for (const entry of entries) {
    const id = entry.conversation?.id ?? entry.number
    byId.set(id, [...(byId.get(id) ?? []), entry])
  }
  return entries.flatMap((entry): HistoryLine[] => {
    const group = byId.get(entry.conversation?.id ?? entry.number) ?? []
    const [first] = group
    if (group.length < 2 || first === undefined) return [entry]
    if (entry !== group.at(-1)) return []
    const what = { loop: 'loop', mcp: 'MCP conversation', session: 'session' }[entry.conversation?.kind ?? 'mcp']
    return [
      {
        ...entry,
        number: `${first.number}-${entry.number}`,
        summary: `${what} of ${older && first === entries[0] ? 'at least ' : ''}${group.length} executions, from: ${first.summary}`,
        failed: group.reduce((sum, { failed }) => sum + failed, 0),
        undone: group.every(({ undone }) => undone),
      },
    ]
  })
}

export function renderTable(entries: readonly HistoryLine[], paint: Paint = withoutColor): string {
  if (entries.length === 0) return 'Nothing was executed here yet.'
  const width = Math.max(...entries.map(({ number }) => String(number).length))
  return entries.map((entry) => historyLine(entry, width, paint)).join('\n')
}

function historyLine(entry: HistoryLine, width: number, paint: Paint): string {
  const { number, time, summary, failed, leftOut, commit, paths } = entry
  const notes = [
    ...(entry.undone ? ['undone'] : []),
    // Its summary says that it was interrupted.
    ...(entry.interrupted ? [`${formatCount(paths.length, 'path')} changed`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(leftOut === undefined ? [] : [`${leftOut} left out by the user`]),
    ...(commit === undefined ? [] : [commit.slice(0, 8)]),
  ]
  const noted = notes.length === 0 ? '' : `  (${notes.join(', ')})`
  const what = entry.undone ? paint.dim : failed > 0 || entry.interrupted ? paint.yellow : (text: string) => text
  const head = `${paint.bold(String(number).padStart(width))}  ${paint.dim(spellOut(localTime(time)))}`
  return `${head}  ${what(spellOut(summary))}${noted === '' ? '' : paint.dim(spellOut(noted))}`
}

function describeDetail(detail: ExecutionDetail, paint: Paint): string {
  const actions = detail.actions.map(({ seq, action, target, success, left, undone, error }) => {
    const mark = success ? paint.green('✓') : left ? paint.yellow('−') : paint.red('✗')
    const what = `${seq}. ${action} ${target}${undone ? '  (undone)' : ''}`.trimEnd()
    return `  ${mark} ${spellOut(what)}${error === undefined ? '' : `\n      ${spellOut(error)}`}`
  })
  const diffs = detail.diffs.flatMap(({ diff }) => spellOut(diff.trimEnd()).split('\n'))
  const shown = diffs.map((one) => paintDiff(one, paint))
  return [historyLine(detail, 0, paint), ...actions, ...(shown.length > 0 ? ['', ...shown] : [])].join('\n')
}

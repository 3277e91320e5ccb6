import { isEditMissing } from '@clada/reply/core/block.ts'
import { entryLines, reportEntries, type ReportStyle } from '../../report/entries.ts'
import { notExecutedText, type ReportOptions, withoutBlocksText } from '../../report/parts.ts'
import { Clada } from '../../api/clada.ts'
import { type ActionResult, type ExecutionResult, type Preview, withWarnings } from '../../core/result.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import { formatReport } from '../../report/format.ts'
import { paintDiff, prettyAction, prettyErrors, withColor, withoutColor } from '../../report/pretty.ts'
import { wrapLine } from '../../report/width.ts'
import { byBlock, oneLine, primaryOf, spellOut, warningForPerson, wholeWarning } from '../../report/words.ts'
import type { Command } from '../command.ts'
import { approving, editing, general, limits, reading, reporting } from '../flags.ts'
import { columnsOf, isTerminal, print, printJson, readInputs } from '../streams.ts'
import { cladaOptions, configWarnings, paintFor, reportOptions, useColor, withConfig } from '../options.ts'

/** Shows what would change on stdout, and on stderr what would be run and what would fail. */
export const command: Command = {
  name: 'diff',
  group: 'everyday',
  usage: 'clada diff [FILE…|-]',
  summary: 'show what would change, as a unified diff; change nothing',
  documents: true,
  flags: [...reading, 'json', ...reporting, 'atomic', ...editing, 'with-programs', ...approving, ...limits, ...general],
  examples: [
    ['clada diff reply.md', 'look first'],
    ['clada diff reply.md | git apply', 'and apply it yourself'],
    ['clada diff --with-programs reply.md', 'with what its code and approved commands would change'],
  ],
  run: async ({ flags: given, words }) => {
    const options = await cladaOptions(given)
    const clada = new Clada(options)
    const flags = await withConfig(given)
    const previews: Preview[] = []
    const failed: { readonly name: string; readonly result: ExecutionResult }[] = []
    const inputs = await readInputs(words)
    for (const { name, text } of inputs) {
      const preview = await clada.preview(text, { programs: given['with-programs'] === undefined ? 'name' : 'try' })
      previews.push(preview)
      if (!preview.result.success) failed.push({ name, result: preview.result })
    }
    if (flags.quiet === undefined) {
      if (flags.json !== undefined) {
        const unheard = await configWarnings(given)
        const whole = previews.map((preview) => ({ ...preview, result: withWarnings(preview.result, unheard) }))
        printJson(whole.length === 1 ? whole[0] : whole)
      } else for (const { diff } of previews) print(useColor(flags) ? paintDiffLines(diff) : diff)
      if (flags.json === undefined) {
        const paint = paintFor(flags, 2)
        const nameOf = isTerminal(2) ? namedForPerson : namedByTask
        // At a terminal the notes stand apart from the diff above them.
        let isApart = !isTerminal(1) || !isTerminal(2) || previews.every(({ diff }) => diff === '')
        const note = (line: string, ink = (text: string): string => text): void => {
          if (!isApart) process.stderr.write('\n')
          isApart = true
          sayInk(line, ink)
        }
        for (const [index, { result }] of previews.entries()) {
          const of = inputs.length > 1 ? `${spellOut(inputs[index]?.name ?? '')}: ` : ''
          if (isEmptyReview(result)) note(`${of}${withoutBlocksText(result)}`)
          for (const line of [
            ...(options.proposals === 'apply' ? [] : proposalLines(result)),
            ...warningLines(result, nameOf),
            ...programLines(result, nameOf),
            ...unknownLines(result, nameOf),
          ])
            note(line, paint.yellow)
        }
        const style = { ...reportOptions(flags), color: useColor(flags, 2), columns: columnsOf(2) }
        for (const { name, result } of failed)
          note(isTerminal(2) ? failures(name, result, style).join('\n') : failedTasks(result, style))
      }
    }
    return failed.length > 0 ? 1 : 0
  },
}

/** A sentence on stderr, each of its lines in a colour. What has lines of its own keeps them. */
function sayInk(text: string, ink: (line: string) => string): void {
  const lines = text.includes('\n') ? [text] : wrapLine(text, columnsOf(2))
  process.stderr.write(lines.map((line) => `${ink(line)}\n`).join(''))
}

const isEmptyReview = ({ results, parseErrors, fatalError, notExecuted = [] }: ExecutionResult): boolean =>
  results.length + parseErrors.length + notExecuted.length === 0 && fatalError === undefined

type Naming = (result: ActionResult) => string

const namedByTask: Naming = ({ task, seq }) => `[task-${task ?? seq}]`
const namedForPerson: Naming = (result) => `${result.action} ${primaryOf(result)}:`

/** Files of the diff that a run asks about first, or leaves alone where nobody can be asked. */
const proposalLines = ({ proposals = [] }: ExecutionResult): string[] =>
  proposals.map(({ path }) => spellOut(`! ${path} is a proposal: it is applied only after a yes`))

/** Lines about what was repaired, left out or interpreted. */
function warningLines({ warnings = [], results, notExecuted = [] }: ExecutionResult, nameOf: Naming): string[] {
  const unmeant = notExecuted.filter((one) => !isEditMissing(one)).map(notExecutedText)
  const ofActions = results.flatMap((result) =>
    isPreviewOnly(result.data) || result.unknown !== undefined
      ? []
      : (result.warnings ?? []).map(
          (warning) =>
            `${nameOf(result)} ${nameOf === namedForPerson ? warningForPerson(warning) : wholeWarning(warning)}`,
        ),
  )
  return [...unmeant, ...warnings, ...ofActions].map((warning) => spellOut(`! ${warning}`))
}

const isPreviewOnly = (data: unknown): data is { would_run: unknown } =>
  typeof data === 'object' && data !== null && 'would_run' in data

/** Programs that were not run: their effects are in no diff. */
function programLines({ results }: ExecutionResult, nameOf: Naming): string[] {
  return results.flatMap((result) => {
    const { data, warnings = [] } = result
    if (!isPreviewOnly(data)) return []
    const name = nameOf === namedByTask ? namedByTask(result) : '!'
    return [spellOut(`${name} would run: ${String(data.would_run)} (${warnings.join('; ')})`)]
  })
}

/** Blocks that depend on a program that was not run: they have not failed. */
const unknownLines = ({ results }: ExecutionResult, nameOf: Naming): string[] =>
  results.flatMap((result) =>
    result.unknown === undefined
      ? []
      : [
          spellOut(
            `${nameOf(result)} ${(result.warnings ?? []).join('; ')}. As things are: ${oneLine(result.unknown)}`,
          ),
        ],
  )

/** For a pipe: the lines of the blocks that would fail. Nothing was applied, so no success is reported. */
function failedTasks(result: ExecutionResult, options: ReportOptions): string {
  const results = result.results.filter(({ success }) => !success)
  const { warnings: _, notExecuted = [], ...whole } = result
  const rest = { ...whole, notExecuted: notExecuted.filter(isEditMissing) }
  return formatReport({ ...rest, results }, 'text', { ...options, errorDetail: options.errorDetail ?? 'full' })
}

/** For a person: which blocks would fail or need a yes, where they are, why, and what the diff is without them. */
function failures(name: string, result: ExecutionResult, options: ReportOptions): string[] {
  const paint = options.color ? withColor : withoutColor
  const of = name === '-' ? '' : ` of ${name}`
  const failed = (one: ActionResult): string[] => {
    if (one.success) return []
    const [head = '', ...rest] = prettyAction(one, options)
    const place = one.line === undefined ? '' : ` (block ${one.blockId}, line ${one.line}${of})`
    if (needsYes(one)) {
      const what = `${one.action} ${paint.bold(spellOut(primaryOf(one)))}`
      return [
        ...wrapLine(`${paint.yellow('?')} ${what} needs your approval${spellOut(place)}`, options.columns),
        ...rest.slice(1),
      ]
    }
    const fate = one.code === 'skipped' ? 'would be left out' : 'would fail'
    return [...wrapLine(`${head} ${fate}${spellOut(place)}`, options.columns), ...rest]
  }
  const style: ReportStyle = {
    action: (entry) => failed(entry.result),
    skipped: ({ results }) => results.flatMap(failed),
    unreadable: ({ errors }) => {
      const [head = '', ...rest] = prettyErrors(errors, options)
      return [
        ...wrapLine(`${head} cannot be read${spellOut(of === '' ? '' : `, in ${name}`)}`, options.columns),
        ...rest,
      ]
    },
    missed: ({ one }) => (isEditMissing(one) ? wrapLine(`✗ ${spellOut(notExecutedText(one))}`, options.columns) : []),
    'more-missed': ({ count }) => [`✗ ${formatCount(count, 'more block')} not executed`],
    fatal: ({ message }) => wrapLine(`✗ ${spellOut(message)}`, options.columns),
    reminder: () => [],
    warning: () => [],
    'edited-reply': () => [],
  }
  const unreadable = byBlock(result.parseErrors).length
  const asks = result.results.filter(needsYes).length
  const bad = result.results.filter(({ success }) => !success).length + unreadable - asks
  const total = result.results.length + unreadable
  const yes = `${asks === 1 ? 'needs' : 'need'} your approval`
  const all = `of ${formatCount(total, 'block')}`
  const [first, more] =
    bad === 0 ? [`${asks} ${all} ${yes}`, ''] : [`${bad} ${all} would fail`, asks === 0 ? '' : `, ${asks} ${yes}`]
  const sum = `${first}${more}${bad + asks === total ? '' : '; the diff shows the others'}.`
  const lines = reportEntries(result).flatMap((entry) => entryLines(entry, style))
  return [...lines, ...(total === 0 ? [] : [sum])]
}

/** It is asked about when the reply is applied: it has not failed. */
const needsYes = ({ code }: ActionResult): boolean => code === 'approval_required'

const paintDiffLines = (diff: string): string =>
  diff
    .split('\n')
    .map((line) => paintDiff(spellOut(line), withColor))
    .join('\n')

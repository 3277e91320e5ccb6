import { isEditMissing } from '@clada/reply/core/block.ts'
import { type ActionResult, type ExecutionResult, isLeftOut, type ParseError } from '../core/result.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import { type ReportEntry, entryLines, type LineFormat, reportEntries } from './entries.ts'
import { notExecutedText, showOutput, type ReportOptions, reviewLines, withoutBlocksText } from './parts.ts'
import { byBlock, entryText, oneLine, primaryOf, spellOut, warningForPerson } from './words.ts'
import { correctedForUser, isQuoted, parseRepairLines, repairLines, wouldHaveRun } from './repair.ts'
import { reasonOf, userText } from './failure.ts'
import { truncateToWidth, wrapLine } from './width.ts'

/** For a person: one line an action, failures with what helps, and a count at the end. */
export const prettyFormat: LineFormat = (options, root) => {
  const paint = options.color ? withColor : withoutColor
  const actionLines = (result: ActionResult): string[] => {
    const [head = '', ...rest] = prettyAction(result, options, root)
    // An action that was rolled back has changed nothing.
    const changes = result.code === 'skipped' ? [] : (options.changes?.get(result.seq) ?? [])
    return [head, ...prettyChanges(changes, options), ...rest].map(entryText)
  }
  const missed = (text: string, isError: boolean): string[] =>
    isError ? wrapSentence(`✗ ${text}`, options, paint.red) : wrapSentence(`! ${text}`, options, paint.yellow)
  return {
    style: {
      action: ({ result }) => actionLines(result),
      skipped: ({ results }) => results.flatMap(actionLines),
      unreadable: ({ errors }) => prettyErrors(errors, options).map(entryText),
      missed: ({ one }) => missed(notExecutedText(one), isEditMissing(one)).map(entryText),
      'more-missed': ({ count, isMissing: isError }) =>
        missed(`${formatCount(count, 'more block')} not executed`, isError),
      fatal: ({ message }) => wrapSentence(`✗ ${message}`, options, paint.red).map(entryText),
      // The count at the end has it in a few words.
      reminder: () => [],
      warning: ({ message }) => wrapSentence(`! ${message}`, options, paint.yellow).map(entryText),
      'edited-reply': ({ lines }) => lines.map((line) => entryText(diffColor(spellOut(line), paint))),
    },
    closing: (result) => {
      const corrected = options.errorDetail === 'minimal' ? [] : correctedForUser(result)
      const again = failedAgain(result).map((line) => paint.red(cutToWidth(spellOut(line), options)))
      return [
        ...corrected.flatMap(({ title, text }) => [
          ...wrapSentence(`! ${title}`, options, paint.yellow),
          ...spellOut(text)
            .split('\n')
            .map((line) => `    ${line}`),
        ]),
        ...(corrected.length + again.length > 0 ? [''] : []),
        ...again,
        ...prettySummary(result, paint)
          .split('\n')
          .flatMap((line) => wrapLine(line, options.columns)),
      ]
    },
  }
}

/** After a long run its failures are out of sight: they are named again, each on a line. */
function failedAgain({ results }: ExecutionResult): string[] {
  if (results.length <= inSight) return []
  const failed = results.filter((one) => !one.success && !isLeftOut(one) && one.code !== 'skipped')
  const more = failed.length - mostAgain
  return [
    ...failed
      .slice(0, mostAgain)
      .map((one) => `✗ ${one.action} ${primaryOf(one)} (block ${one.blockId}): ${reasonOf(one)}`),
    ...(more > 0 ? [`✗ and ${formatCount(more, 'more action')}`] : []),
  ]
}

const inSight = 20
const mostAgain = 20

const cutToWidth = (line: string, { columns }: ReportOptions): string =>
  columns === undefined ? line : truncateToWidth(line, columns)

/** The end of a report whose actions are shown already: everything else, and the count. */
export function prettyEnd(result: ExecutionResult, options: ReportOptions): string[] {
  const { style, closing } = prettyFormat(options, result.root)
  const isLeft = ({ kind }: ReportEntry): boolean => kind !== 'action' && kind !== 'skipped'
  return [
    ...reportEntries(result)
      .filter(isLeft)
      .flatMap((entry) => entryLines(entry, style)),
    ...closing(result),
  ]
}

/** A sentence as the lines that it takes, broken between words where the width of the terminal is known. */
function wrapSentence(text: string, options: ReportOptions, paint: (line: string) => string = asIs): string[] {
  return spellOut(text)
    .split('\n')
    .flatMap((line) => wrapLine(line, options.columns))
    .map(paint)
}

export function prettyAction(result: ActionResult, options: ReportOptions, root?: string): string[] {
  const paint = options.color ? withColor : withoutColor
  const about = spellOut(primaryOf(result))
  const what = about === '' ? result.action : `${result.action} ${paint.bold(about)}`
  const warnings = [
    ...(result.warnings ?? []).flatMap((warning) =>
      wrapSentence(`    ! ${warningForPerson(warning)}`, options, paint.yellow),
    ),
    ...reviewLines(result).map((line) => `    ${diffColor(spellOut(line), paint)}`),
  ]
  const output = showOutput(result, {
    limit: options.outputLimit ?? 4000,
    programs: options.programs,
    registry: options.registry,
    root,
  })
  const shown =
    output === undefined
      ? []
      : spellOut(output.body.replace(/\n$/, ''))
          .split('\n')
          .map((line) => paint.dim(`    ${line}`))
  const why =
    result.explanation === undefined ? [] : wrapSentence(`    ${oneLine(result.explanation)}`, options, paint.dim)
  if (result.success) return [`${paint.green('✓')} ${what}`, ...why, ...warnings, ...shown]
  if (isLeftOut(result)) return [`${paint.yellow('−')} ${what}`, ...wrapSentence(`    ${userText(result)}`, options)]
  const reader = options.errorDetail === undefined ? 'user' : 'user-with-codes'
  const detail =
    options.errorDetail === 'minimal'
      ? [userText(result)]
      : repairLines(result, { reader, errorDetail: options.errorDetail })
  return [
    `${result.code === 'skipped' ? paint.yellow('−') : paint.red('✗')} ${what}`,
    ...detail.flatMap((line) =>
      isQuoted(line) ? [`    ${diffColor(spellOut(line), paint)}`] : wrapSentence(`    ${line}`, options),
    ),
    ...warnings,
    ...shown,
  ]
}

export function prettyErrors(errors: readonly ParseError[], options: ReportOptions): string[] {
  const { color, errorDetail, lines } = options
  const paint = color ? withColor : withoutColor
  const [first] = errors
  const { action, blockId } = first ?? {}
  // A call without a document has no block.
  const isCall = first?.line === undefined && first?.blockStartLine === undefined
  const name = isCall && action !== undefined ? action : `block ${blockId}${action === undefined ? '' : ` (${action})`}`
  const head = `${paint.red('✗')} ${spellOut(name)}`
  const isBrief = errorDetail === undefined || errorDetail === 'minimal'
  const shown = isBrief ? errors.map(withoutCode) : errors
  // Without its code an error does not say that it was cut off.
  const unsaid = isBrief ? errors.flatMap(wouldHaveRun) : []
  return [
    head,
    ...[...parseRepairLines(shown, lines), ...unsaid].flatMap((line) => wrapSentence(`    ${line}`, options)),
  ]
}

function withoutCode(error: ParseError): ParseError {
  const { code: _, ...rest } = error
  return rest
}

/** How many were done and failed. */
export function prettySummary(result: ExecutionResult, paint: Paint = withoutColor): string {
  const { results, parseErrors, fatalError, emptyGroups = [] } = result
  const already = results.filter(({ details }) => details?.already_done !== undefined).length
  const done = results.filter((one) => one.success).length - already
  const left = results.filter(isLeftOut).length
  const skipped = results.filter(({ code }) => code === 'skipped').length
  const failed = results.length - done - already - left - skipped
  const broken = byBlock(parseErrors).length
  if (results.length + broken + emptyGroups.length === 0 && fatalError === undefined) return withoutBlocksText(result)
  const parts = [
    `${done} done`,
    ...(already > 0 ? [`${already} already applied (--again applies ${already === 1 ? 'it' : 'them'} again)`] : []),
    ...(left > 0 ? [paint.yellow(`${left} left out`)] : []),
    ...(failed > 0 ? [paint.red(`${failed} failed`)] : []),
    ...(broken > 0 ? [paint.red(`${broken} invalid`)] : []),
    ...(skipped > 0 ? [paint.yellow(`${skipped} skipped`)] : []),
  ]
  return parts.join(', ')
}

/** What an action did to files, below its line. */
export function prettyChanges(lines: readonly string[], { color }: ReportOptions): string[] {
  const paint = color ? withColor : withoutColor
  const inks: Readonly<Record<string, (text: string) => string>> = { '+': paint.green, '-': paint.red, ' ': asIs }
  return lines.map((line) => `    ${(inks[line.charAt(0)] ?? paint.dim)(spellOut(line))}`)
}

/** A line of a diff, in its colour. It may be indented by two; lines that both sides have are so by their mark. */
function diffColor(line: string, paint: Paint): string {
  if (/^(?: {2})?\+/.test(line)) return paint.green(line)
  return /^(?: {2})?-/.test(line) ? paint.red(line) : line
}

/** A line of a unified diff, in its colour. */
export function paintDiff(line: string, paint: Paint): string {
  if (headerOfDiff.test(line)) return paint.dim(line)
  return diffColor(line, paint)
}

const headerOfDiff =
  /^(?:(?:---|\+\+\+) (?:"?[ab]\/|\/dev\/null)|diff |index |@@|(?:new|deleted) file mode |(?:old|new) mode |(?:similarity index|rename from|rename to|copy from|copy to) |Binary files )/

export interface Paint {
  readonly green: (text: string) => string
  readonly red: (text: string) => string
  readonly yellow: (text: string) => string
  readonly dim: (text: string) => string
  readonly bold: (text: string) => string
}

const asIs = (text: string): string => text
export const withoutColor: Paint = { green: asIs, red: asIs, yellow: asIs, dim: asIs, bold: asIs }
const ansi = (code: number, text: string): string => `\u001b[${code}m${text}\u001b[0m`
export const withColor: Paint = {
  green: (text) => ansi(32, text),
  red: (text) => ansi(31, text),
  yellow: (text) => ansi(33, text),
  dim: (text) => ansi(2, text),
  bold: (text) => ansi(1, text),
}

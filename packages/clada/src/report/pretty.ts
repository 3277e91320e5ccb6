import { isMissing } from '@clada/reply/core/block.ts'
import { type ActionResult, type ExecutionResult, isLeftOut, type ParseError } from '../core/result.ts'
import { counted } from '@clada/reply/core/words.ts'
import { type Entry, entryLines, type LineFormat, reportEntries } from './entries.ts'
import { notExecutedText, showOutput, type ReportOptions, reviewLines, withoutBlocksText } from './parts.ts'
import { byBlock, entryText, oneLine, primaryOf, spellOut } from './words.ts'
import { correctedLines, parseRepairLines, repairLines, wouldHaveRun } from './repair.ts'
import { userText } from './failure.ts'

/** For a person: one line an action, failures with what helps, and a count at the end. */
export const prettyFormat: LineFormat = (options, root) => {
  const paint = options.color ? withColor : withoutColor
  const actionLines = (result: ActionResult): string[] => {
    const [head = '', ...rest] = prettyAction(result, options, root)
    // An action that was rolled back has changed nothing.
    const changes = result.code === 'skipped' ? [] : (options.changes?.get(result.seq) ?? [])
    return [head, ...prettyChanges(changes, options), ...rest].map(entryText)
  }
  const missed = (text: string, isError: boolean): string[] => [
    isError ? paint.red(`✗ ${spellOut(text)}`) : paint.yellow(`! ${spellOut(text)}`),
  ]
  return {
    style: {
      action: ({ result }) => actionLines(result),
      skipped: ({ results }) => results.flatMap(actionLines),
      unreadable: ({ errors }) => prettyErrors(errors, options).map(entryText),
      missed: ({ one }) => missed(notExecutedText(one), isMissing(one)).map(entryText),
      'more-missed': ({ count, isMissing: isError }) => missed(`${counted(count, 'more block')} not executed`, isError),
      fatal: ({ message }) => [paint.red(`✗ ${spellOut(message)}`)].map(entryText),
      // The count at the end has it in a few words.
      reminder: () => [],
      warning: ({ message }) => [paint.yellow(`! ${spellOut(message)}`)].map(entryText),
      'edited-reply': ({ lines }) => lines.map((line) => entryText(diffColor(spellOut(line), paint))),
    },
    closing: (result) => {
      const [, ...corrected] = options.errorDetail === 'minimal' ? [] : correctedLines(result).join('\n').split('\n')
      return [...corrected.map((line) => paint.dim(`    ${spellOut(line)}`)), prettySummary(result, paint)]
    },
  }
}

/** The end of a report whose actions are shown already: everything else, and the count. */
export function prettyEnd(result: ExecutionResult, options: ReportOptions): string[] {
  const { style, closing } = prettyFormat(options, result.root)
  const isLeft = ({ kind }: Entry): boolean => kind !== 'action' && kind !== 'skipped'
  return [
    ...reportEntries(result)
      .filter(isLeft)
      .flatMap((entry) => entryLines(entry, style)),
    ...closing(result),
  ]
}

export function prettyAction(result: ActionResult, options: ReportOptions, root?: string): string[] {
  const paint = options.color ? withColor : withoutColor
  const what = spellOut(`${result.action} ${primaryOf(result)}`.trimEnd())
  const warnings = [
    ...(result.warnings ?? []).map((warning) => paint.yellow(`    ! ${spellOut(warning)}`)),
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
      : spellOut(output.body)
          .split('\n')
          .map((line) => paint.dim(`    ${line}`))
  const why = result.explanation === undefined ? [] : [paint.dim(`    ${spellOut(oneLine(result.explanation))}`)]
  if (result.success) return [`${paint.green('✓')} ${what}`, ...why, ...warnings, ...shown]
  if (isLeftOut(result)) return [`${paint.yellow('−')} ${what}`, `    ${spellOut(userText(result))}`]
  const reader = options.errorDetail === undefined ? 'user' : 'user-with-codes'
  const detail =
    options.errorDetail === 'minimal'
      ? [userText(result)]
      : repairLines(result, { reader, errorDetail: options.errorDetail })
  return [
    `${paint.red('✗')} ${what}`,
    ...detail.map((line) => `    ${diffColor(spellOut(line), paint)}`),
    ...warnings,
    ...shown,
  ]
}

export function prettyErrors(errors: readonly ParseError[], { color, errorDetail, lines }: ReportOptions): string[] {
  const paint = color ? withColor : withoutColor
  const [first] = errors
  const { action, blockId } = first ?? {}
  // A call without a document has no block.
  const isCall = first?.line === undefined && first?.blockStartLine === undefined
  const name = isCall && action !== undefined ? action : `block ${blockId}${action === undefined ? '' : ` (${action})`}`
  const head = `${paint.red('✗')} ${spellOut(name)}`
  const shown = errorDetail === undefined ? errors.map(withoutCode) : errors
  // Without its code an error does not say that it was cut off.
  const unsaid = errorDetail === undefined ? errors.flatMap(wouldHaveRun) : []
  return [head, ...[...parseRepairLines(shown, lines), ...unsaid].map((line) => `    ${spellOut(line)}`)]
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
  const failed = results.length - done - already - left
  const broken = byBlock(parseErrors).length
  if (results.length + broken + emptyGroups.length === 0 && fatalError === undefined)
    return paint.dim(withoutBlocksText(result))
  const parts = [
    `${done} done`,
    ...(already > 0 ? [`${already} already applied (--again applies ${already === 1 ? 'it' : 'them'} again)`] : []),
    ...(left > 0 ? [paint.yellow(`${left} left out`)] : []),
    ...(failed > 0 ? [paint.red(`${failed} failed`)] : []),
    ...(broken > 0 ? [paint.red(`${broken} not readable`)] : []),
  ]
  return parts.join(', ')
}

/** What an action did to files, below its line. */
export function prettyChanges(lines: readonly string[], { color }: ReportOptions): string[] {
  const paint = color ? withColor : withoutColor
  const inks: Readonly<Record<string, (text: string) => string>> = { '+': paint.green, '-': paint.red, ' ': same }
  return lines.map((line) => `    ${(inks[line.charAt(0)] ?? paint.dim)(spellOut(line))}`)
}

/** A line of a diff, in its colour. It may be indented by two; lines that both sides have are so by their mark. */
function diffColor(line: string, paint: Paint): string {
  if (/^(?: {2})?\+/.test(line)) return paint.green(line)
  return /^(?: {2})?-/.test(line) ? paint.red(line) : line
}

/** A line of a unified diff, in its colour. */
export function paintDiff(line: string, paint: Paint): string {
  if (/^(?:---|\+\+\+|diff |index |@@)/.test(line)) return paint.dim(line)
  return diffColor(line, paint)
}

export interface Paint {
  readonly green: (text: string) => string
  readonly red: (text: string) => string
  readonly yellow: (text: string) => string
  readonly dim: (text: string) => string
  readonly bold: (text: string) => string
}

const same = (text: string): string => text
export const withoutColor: Paint = { green: same, red: same, yellow: same, dim: same, bold: same }
const ansi = (code: number, text: string): string => `\u001b[${code}m${text}\u001b[0m`
export const withColor: Paint = {
  green: (text) => ansi(32, text),
  red: (text) => ansi(31, text),
  yellow: (text) => ansi(33, text),
  dim: (text) => ansi(2, text),
  bold: (text) => ansi(1, text),
}

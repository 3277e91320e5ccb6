import { type ActionResult, type ExecutionResult, type ParseError } from '../core/result.ts'
import { formatCount, groupDigits } from '@clada/reply/core/words.ts'
import { endFrame } from '@clada/reply/core/report-frames.ts'
import { isEditMissing } from '@clada/reply/core/block.ts'
import { type ReportEntry, entryLines, reportEntries, type ReportStyle } from './entries.ts'
import { divideRoom, tokenLength } from '@clada/reply/text/lines.ts'
import {
  changedLines,
  defaultBudget,
  defaultOutputLimit,
  fileLimitOf,
  notExecutedText,
  showOutput,
  type ReportOptions,
  resendAdvice,
  reviewLines,
  shownPath,
  type ShownOutput,
} from './parts.ts'
import { capText, entryText, primaryOf, spellOut, wholeWarning } from './words.ts'
import { isPartial, reasonOf } from './failure.ts'
import { correctedLines, correctedResults, parseRepairLines, repairLines } from './repair.ts'

/**
 * What is pasted back to a model: a line for each action, what changed, then what they had to show, then how to repair
 * what failed. Results and repairs come first when it must be short; outputs share what is left, and cuts are marked.
 */
export function formatLlm(result: ExecutionResult, options: ReportOptions = {}): string {
  const { budget = defaultBudget } = options
  const entries = reportEntries(result)
  const changes = changesSection(result, options, budget / 4)
  const repair = options.errorDetail === 'minimal' ? '' : repairSection(entries, result, options)
  const plain = summarySection(entries, options, new Map()).length
  const outputs = outputsOf(result, options, budget - plain - changes.length - repair.length - roomForNotes)
  const sections = [summarySection(entries, options, outputs.shown), changes, outputs.section, repair]
  return capText(spellOut(sections.filter((section) => section !== '').join('\n\n')), budget)
}

const roomForNotes = 600

/** More cannot be repaired at once. */
const mostUnreadable = 200

function summarySection(entries: readonly ReportEntry[], options: ReportOptions, shown: Outputs['shown']): string {
  const { budget = defaultBudget } = options
  const lines = fittingLines(
    collectSummary(entries, options, shown).map((line) => ({ ...line, text: entryText(line.text) })),
    budget / 2,
  )
  return options.frames === 'none' ? lines.join('\n') : frameSection('CLADA RESULTS', lines, options)
}

/** A part of the report: in a chat between lines that tell it from the rest of the text. */
const frameSection = (title: string, lines: readonly string[], { frames }: ReportOptions): string =>
  (frames === 'none' ? [`${title.toLowerCase()}:`, ...lines] : [`=== ${title} ===`, ...lines, endFrame]).join('\n')

interface SummaryLine {
  readonly text: string
  /** Lines about successes are the first to be left out. */
  readonly isSuccess: boolean
}

function fittingLines(lines: readonly SummaryLine[], room: number): string[] {
  let spare = room
  let left = 0
  const kept = lines.filter(({ text, isSuccess }) => {
    spare -= text.length + 1
    if (spare >= 0 || !isSuccess) return true
    left++
    return false
  })
  const texts = kept.map(({ text }) => text)
  return left === 0 ? texts : [...texts, `… and ${formatCount(left, 'more success', 'more successes')}, not shown`]
}

/** The lines between its first and its last line. Text from a document or a program may contain line breaks. */
export const summaryLines = (result: ExecutionResult): string[] =>
  collectSummary(reportEntries(result), {}, new Map()).map(({ text }) => text)

function collectSummary(
  entries: readonly ReportEntry[],
  options: ReportOptions,
  shown: Outputs['shown'],
): SummaryLine[] {
  const style = llmStyle(options, shown)
  const unreadable = entries.filter(({ kind }) => kind === 'unreadable')
  const left = new Set(unreadable.slice(mostUnreadable))
  const lines = entries.flatMap((entry) =>
    left.has(entry)
      ? []
      : entryLines(entry, style).map((line, at) => ({
          text: line,
          isSuccess: at === 0 && entry.kind === 'action' && entry.result.success,
        })),
  )
  const more = `… and ${formatCount(left.size, 'more block')} that could not be read`
  return left.size === 0 ? lines : [...lines, { text: more, isSuccess: false }]
}

/** One line for each, and warnings below it. */
function llmStyle({ errorDetail }: ReportOptions, shown: Outputs['shown']): ReportStyle {
  // Where no repair section follows, the code is here.
  const coded = (code: string | undefined): string =>
    errorDetail === 'minimal' && code !== undefined ? ` [${code}]` : ''
  const mark = (isError: boolean): string => (isError ? '❌' : '⚠️ ')
  return {
    action: ({ result }) => modelLines(result, coded, shown.get(result)?.cut),
    skipped: ({ results }) => skippedModelLine(results),
    unreadable: ({ errors }) => unreadableLines(errors, coded),
    missed: ({ one }) => [`${mark(isEditMissing(one))} ${notExecutedText(one)}`],
    'more-missed': ({ count, isMissing: isError }) => [
      `${mark(isError)} ${formatCount(count, 'more block')} not executed`,
    ],
    fatal: ({ message }) => [`❌ ${message}`],
    reminder: ({ lines }) => lines,
    warning: ({ message }) => [`⚠️  ${message}`],
    'edited-reply': ({ lines }) => lines,
  }
}

type Coded = (code: string | undefined) => string

function modelLines(result: ActionResult, coded: Coded, cut: string | undefined): string[] {
  const what = `${result.action} ${primaryOf(result)}`.trimEnd()
  if (result.unknown !== undefined) return [`${result.blockId} ❔ ${what}`, ...warningLines(result)]
  if (result.success)
    return [`${result.blockId} ✅ ${what}${cut === undefined ? '' : ` (${cut})`}`, ...warningLines(result)]
  const mark = isPartial(result) ? '⚠️ ' : '❌'
  return [`${result.blockId} ${mark} ${what} - ${reasonOf(result)}${coded(result.code)}`, ...warningLines(result)]
}

/** The rest of a group after a failure, in one line. */
function skippedModelLine(results: readonly ActionResult[]): string[] {
  const [first] = results
  const last = results.at(-1)
  if (first === undefined || last === undefined) return []
  return [`${first.blockId}-${last.blockId} ❌ ${results.length} tasks - ${reasonOf(first)}`]
}

const warningLines = (result: ActionResult): string[] => [
  ...(result.warnings ?? []).map((warning) => `${' '.repeat(4)}⚠️  ${wholeWarning(warning)}`),
  ...reviewLines(result, ' '.repeat(4)),
]

function unreadableLines(errors: readonly ParseError[], coded: Coded): string[] {
  const [first] = errors
  if (first === undefined) return []
  const head = `${first.blockId} ❌ ${(first.action ?? '-').padEnd(10)} ERROR:`
  const line = first.blockStartLine ?? first.line
  const at = line === undefined ? '' : ` (line ${line})`
  if (errors.length === 1) return [`${head} ${first.message}${at}${coded(first.code)}`]
  const counts = new Map<string, number>()
  for (const { message } of errors) counts.set(message, (counts.get(message) ?? 0) + 1)
  const messages = [...counts].map(
    ([message, count]) => `${' '.repeat(20)}- ${message}${count > 1 ? ` (${count} occurrences)` : ''}`,
  )
  return [`${head} ${errors.length} syntax errors${at}`, ...messages]
}

/** How much changed in many files, and in which directories. */
function changesInAll({ changes = [] }: ActionResult): string {
  const [added, removed] = [
    changes.reduce((sum, one) => sum + one.added, 0),
    changes.reduce((sum, one) => sum + one.removed, 0),
  ]
  const counts = new Map<string, number>()
  for (const { path } of changes) {
    const dir = path.slice(0, path.lastIndexOf('/') + 1) || './'
    counts.set(dir, (counts.get(dir) ?? 0) + 1)
  }
  const dirs = [...counts].slice(0, mostDirectories).map(([dir, count]) => `${dir} (${count})`)
  const more = counts.size > dirs.length ? [`${counts.size - dirs.length} more directories`] : []
  return `${formatCount(changes.length, 'file')} (+${added} −${removed}): ${[...dirs, ...more].join(', ')}`
}

const mostDirectories = 20

/** Where files changed and how much. */
function changesSection({ results }: ExecutionResult, options: ReportOptions, room: number): string {
  const entries = results.flatMap((result) => {
    const lines = changedLines(result)
    // An action on very many files must not hide the others.
    const text = lines.join('\n').length > room / 2 ? changesInAll(result) : lines.join('\n')
    return lines.length === 0 ? [] : [text]
  })
  if (entries.length === 0) return ''
  let spare = room
  const shown = entries.filter((text) => (spare -= text.length + 1) >= 0)
  const left = entries.length - shown.length
  const more = left === 0 ? [] : [`… and ${formatCount(left, 'more action')}, not shown; git diff has them`]
  return frameSection('CHANGES', [...shown, ...more], options)
}

interface Outputs {
  readonly section: string
  readonly shown: ReadonlyMap<ActionResult, ShownOutput>
}

/** The outputs, each with its share of the room. */
export function outputsOf(
  { results, root }: Pick<ExecutionResult, 'results' | 'root'>,
  options: ReportOptions,
  room: number,
): Outputs {
  const { outputLimit = defaultOutputLimit, programs, registry, budget = defaultBudget } = options
  const shownAs = { fileLimit: fileLimitOf(options), programs, root, registry }
  const outputs = results.flatMap((result) => {
    const output = showOutput(result, { ...shownAs, limit: outputLimit })
    return output === undefined ? [] : [{ result, output }]
  })
  const lengths = outputs.map(({ output: { title, body } }) => title.length + body.length + 3)
  const shares = divideRoom(lengths, Math.max(0, room))
  const shown = outputs.map(({ result, output }, index) => {
    const share = shares[index] ?? 0
    if (share >= (lengths[index] ?? 0)) return { result, output }
    const limit = share - output.title.length - 3
    if (limit < leastOutput) return { result, output: { ...output, body: `[output truncated] ${alone}`, cut: alone } }
    return { result, output: showOutput(result, { ...shownAs, limit }) ?? output }
  })
  const isShort = shares.some((share, index) => share < (lengths[index] ?? 0))
  const items = shown.flatMap(({ output: { title, body } }) => ['', title, body])
  return {
    section:
      items.length === 0
        ? ''
        : frameSection('OUTPUTS', [...items, ...(isShort ? ['', limitNote(budget)] : [])], options),
    shown: new Map(shown.map(({ result, output }) => [result, output])),
  }
}

const limitNote = (budget: number): string =>
  `[this report is limited to ${groupDigits(Math.floor(budget / tokenLength))} tokens; ask for the parts that are left out]`

const leastOutput = 300
const alone = 'not shown, the report is full; ask for it alone'

/**
 * What was skipped was right; of a program that failed its output says more than its exit code; and of lines of which
 * some exist, those are shown.
 */
const needsNoRepair = ({ success, code, details, data, failure }: ActionResult): boolean =>
  success ||
  (details?.advice === undefined &&
    (code === 'skipped' || code === 'exec_failed' || (failure?.kind === 'lines-outside' && data !== undefined)))

/** Characters that all repairs together may take. */
const repairBudget = 30 * 1024

function repairSection(entries: readonly ReportEntry[], result: ExecutionResult, options: ReportOptions): string {
  const { budget = defaultBudget } = options
  const corrected = correctedResults(result)
  const items = entries.flatMap((entry) => {
    const lines = repairOf(entry, options, { root: result.root, corrected })
    return lines.length === 0 ? [] : [['', ...lines].join('\n')]
  })
  if (items.length === 0) return ''
  let spent = 0
  const shown = items.filter((item) => (spent += item.length) <= Math.min(repairBudget, budget * 0.7))
  if (shown.length < items.length) shown.push(`\n${items.length - shown.length} more failed; repair these first.`)
  return frameSection('REPAIR', [...shown.map(entryText), ...correctedLines(result)], options)
}

interface RepairContext {
  readonly root: string | undefined
  /** The results whose corrected block is shown below. */
  readonly corrected: ReadonlySet<ActionResult>
}

function repairOf(
  entry: ReportEntry,
  { lines, errorDetail }: ReportOptions,
  { root, corrected }: RepairContext,
): string[] {
  if (entry.kind === 'action') {
    const { result } = entry
    if (needsNoRepair(result)) return []
    const head = `[${result.blockId}] ${result.action} ${shownPath(primaryOf(result), root)}`.trimEnd()
    return [head, ...repairLines(result, { reader: 'model', root, errorDetail, isCorrected: corrected.has(result) })]
  }
  if (entry.kind === 'missed') {
    const advice = resendAdvice(entry.one)
    return advice === undefined ? [] : [`line ${entry.one.line}: ${entry.one.what}`, `→ ${advice}`]
  }
  if (entry.kind !== 'unreadable') return []
  const [first] = entry.errors
  const where = first?.blockStartLine === undefined || lines === 'block' ? '' : ` on line ${first.blockStartLine}`
  return [`[${first?.blockId}] ${first?.action ?? 'block'}${where}`, ...parseRepairLines(entry.errors, lines)]
}

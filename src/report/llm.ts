import { counted } from '../core/counted.ts'
import { type ActionResult, endFrame, type ExecutionResult, type ParseError } from '../core/result.ts'
import { accountLines, reminder, resendAdvice } from './account.ts'
import { entryText } from './content.ts'
import { isPartial, reasonOf } from './failure.ts'
import type { ReportOptions } from './options.ts'
import { defaultOutputLimit, outputOf } from './outputs.ts'
import { printable } from './printable.ts'
import { correctedLines, parseRepairLines, repairLines } from './repair.ts'
import { byBlock, capText, primaryOf } from './words.ts'

/** What is pasted back to a model: a line for each action, then what they had to show, then how to repair what failed. */
export function formatLlm(result: ExecutionResult, options: ReportOptions = {}): string {
  const sections = [summarySection(result, options), outputsSection(result, options)]
  if (options.errorDetail !== 'minimal') sections.push(repairSection(result, options))
  const report = printable(sections.filter((section) => section !== '').join('\n\n'))
  return options.budget === undefined ? report : capText(report, options.budget)
}

/** More cannot be repaired at once. */
const maxBroken = 200

function summarySection(result: ExecutionResult, options: ReportOptions): string {
  return ['=== CLADA RESULTS ===', ...summaryEntries(result, options).map(entryText), endFrame].join('\n')
}

/** The entries between its first and its last line. Text from a document or a program may contain line breaks. */
export function summaryEntries(result: ExecutionResult, { errorDetail }: ReportOptions = {}): string[] {
  const broken = byBlock(result.parseErrors)
  // Where no repair section follows, the code is here.
  const coded = (code: string | undefined): string =>
    errorDetail === 'minimal' && code !== undefined ? ` [${code}]` : ''
  const lines = [
    ...result.results.flatMap((one) => actionLines(one, coded)),
    ...broken.slice(0, maxBroken).flatMap((errors) => blockLines(errors, coded)),
  ]
  if (broken.length > maxBroken)
    lines.push(`… and ${counted(broken.length - maxBroken, 'more block')} that could not be read`)
  if (result.fatalError !== undefined) lines.push(`❌ ${result.fatalError}`)
  lines.push(...accountLines(result, (text, missing) => `${missing ? '❌' : '⚠️ '} ${text}`))
  if (lines.length === 0) lines.push(...reminder)
  for (const warning of result.warnings ?? []) lines.push(`⚠️  ${warning}`)
  return lines
}

type Coded = (code: string | undefined) => string

function actionLines(result: ActionResult, coded: Coded): string[] {
  const what = `${result.action} ${primaryOf(result)}`.trimEnd()
  if (result.success) return [`${result.blockId} ✅ ${what}`, ...warned(result)]
  const mark = isPartial(result) ? '⚠️ ' : '❌'
  return [`${result.blockId} ${mark} ${what} - ${reasonOf(result)}${coded(result.code)}`, ...warned(result)]
}

const warned = ({ warnings = [] }: ActionResult): string[] =>
  warnings.map((warning) => `${' '.repeat(4)}⚠️  ${warning}`)

function blockLines(errors: readonly ParseError[], coded: Coded): string[] {
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

export function outputsSection(
  { results }: ExecutionResult,
  { outputLimit = defaultOutputLimit, programs }: ReportOptions = {},
): string {
  const items = results.flatMap((result) => {
    const output = outputOf(result, outputLimit, programs)
    return output === undefined ? [] : ['', output.title, output.body]
  })
  return ['=== OUTPUTS ===', ...items, endFrame].join('\n')
}

/** Characters that all repairs together may take. */
const repairBudget = 30 * 1024

export function repairSection(
  { results, parseErrors, notExecuted = [] }: ExecutionResult,
  { lines }: ReportOptions = {},
): string {
  const items: string[] = []
  for (const result of results) {
    if (result.success) continue
    items.push(
      ['', `[${result.blockId}] ${result.action} ${primaryOf(result)}`.trimEnd(), ...repairLines(result)].join('\n'),
    )
  }
  for (const errors of byBlock(parseErrors)) {
    const [first] = errors
    const where = first?.blockStartLine === undefined || lines === 'block' ? '' : ` on line ${first.blockStartLine}`
    items.push(
      ['', `[${first?.blockId}] ${first?.action ?? 'block'}${where}`, ...parseRepairLines(errors, lines)].join('\n'),
    )
  }
  for (const one of notExecuted) {
    const advice = resendAdvice(one)
    if (advice !== undefined) items.push(['', `[line ${one.line}] ${one.what}`, `→ ${advice}`].join('\n'))
  }
  if (items.length === 0) return ''
  let spent = 0
  const shown = items.filter((item) => (spent += item.length) <= repairBudget)
  if (shown.length < items.length) shown.push(`\n${items.length - shown.length} more failed; repair these first.`)
  return ['=== REPAIR ===', ...shown.map(entryText), ...correctedLines(parseErrors), endFrame].join('\n')
}

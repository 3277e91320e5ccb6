import { fenceMarksFor } from '@clada/reply/regions/fences.ts'
import { structureHelp } from '../actions/structure-output.ts'
import { type ActionResult, type Details, type ExecutionResult, type ParseError } from '../core/result.ts'
import { endFrame, isFrame, isTaskLine } from '@clada/reply/core/report-frames.ts'
import { errorText, userText } from './failure.ts'
import { type CountedIn, type ReportOptions, shownPath } from './parts.ts'
import { capText, changerOf, spellOut, indentLines } from './words.ts'

export interface Repairing {
  /** Readers: a model, or the user, who sees codes only with `--error-detail`. */
  readonly reader: 'model' | 'user' | 'user-with-codes'
  /** The project, where paths are shown relative to it. */
  readonly root?: string | undefined
  /** With `debug` also where in clada's own code the problem was noticed. */
  readonly errorDetail?: ReportOptions['errorDetail']
  /** Whether the corrected block is shown: it has the lines of the file. */
  readonly isCorrected?: boolean
}

/**
 * What a failed action needs to succeed next time: the message, the places that help, and the advice. Lines of files and of
 * the edit are indented; for the user they are only what differs, because the file is at hand.
 */
export function repairLines(
  result: ActionResult,
  { reader, root, errorDetail, isCorrected = false }: Repairing = { reader: 'model' },
  limit = 10_000,
): string[] {
  const { code, details = {}, failure } = result
  const near = worthShowing(details)
  const message = reader === 'model' ? messageForModel(result, root) : reasonForPerson(result)
  const isCoded =
    code === undefined ||
    reader === 'user' ||
    (reader === 'model' && (failure?.tag === code || failure?.label === code))
  const lines = [isCoded ? message : `${message} [${code}]`]
  if (details.already_applied_at_line !== undefined) {
    lines.push(`The new text is already in the file, on line ${details.already_applied_at_line}.`)
  }
  if (details.changed_by !== undefined) {
    lines.push(`This text was there until ${changerOf(details.changed_by)} changed it.`)
  }
  const shownNear = reader !== 'model' ? nearDifference : isCorrected ? nearChange : nearLines
  for (const place of near) lines.push(...shownNear(place))
  const parts = [
    ...(details.hunks ?? []).map(({ hunk, ...one }) => ({ ...one, name: `hunk ${hunk}` })),
    ...(details.edits ?? []).map(({ edit, ...one }) => ({ ...one, name: `edit ${edit}` })),
  ]
  for (const { name, nearest, places } of parts) {
    if (nearest !== undefined) lines.push(`${name}:`, ...shownNear(nearest))
    if (places !== undefined) lines.push(`${name}:`, ...placeLines({ places }))
  }
  if (failure?.kind === 'structure') lines.push(...structureHelp({ ...details }))
  lines.push(...placeLines(details))
  if (details.expected !== undefined && typeof details.found === 'string') {
    lines.push('expected:', ...indentLines(String(details.expected)), 'found:', ...indentLines(details.found))
  }
  const advice = (reader === 'model' ? undefined : failure?.user?.advice) ?? details.advice ?? ''
  if (advice !== '' && !isSaid(details) && !isCorrected) lines.push(`→ ${advice}`)
  const stack = details.stack ?? failure?.stack
  if (errorDetail === 'debug' && stack !== undefined) lines.push(stack)
  return capText(lines.join('\n'), limit).split('\n')
}

/** The advice about a text that is already there repeats the line above it. */
const isSaid = (details: Details): boolean => details.already_applied_at_line !== undefined && !details.nearest

/** Others than the nearest only distract where they are not close, or where the edit was made already. */
const worthShowing = ({ nearest = [], already_applied_at_line: applied }: Details): readonly Near[] =>
  nearest.filter(({ similarity }, at) => at === 0 || (applied === undefined && similarity > 0.8))

type Near = NonNullable<Details['nearest']>[number]

/** Paths are shown relative to the project where it is given. */
function messageForModel({ action, error = '', failure }: ActionResult, root: string | undefined): string {
  const { subject, plain } = failure ?? {}
  if (failure === undefined || (subject === undefined && plain === undefined)) return error
  const shown = subject === undefined || root === undefined ? subject : shownPath(subject, root)
  if (plain !== undefined) return plain.replaceAll(`'${subject}'`, () => `'${shown}'`)
  return root === undefined ? error : errorText({ ...failure, subject: shown }, action)
}

/** Why it failed. The lines of a hunk that are not found are in the differences to the nearest place, where there is one. */
export function reasonForPerson(result: Pick<ActionResult, 'error' | 'failure' | 'details'>): string {
  const { failure, details = {} } = result
  if (failure?.kind !== 'hunk-failed' || worthShowing(details).length === 0) return userText(result)
  const { below: _, ...rest } = failure
  return userText({ failure: rest })
}

const nearDifference = (place: Near): string[] => [
  `nearest: ${nearHead(place)}; - asked for, + in the file:`,
  ...indentLines(place.diff),
]

function nearHead({ line, endLine, similarity, why }: Near): string {
  const where = line === endLine ? `line ${line}` : `lines ${line}-${endLine}`
  return `${where} (${why === undefined ? `${Math.round(similarity * 100)}% similar` : why})`
}

/** Whether a line of `repairLines` is one of a file or of the edit. */
export const isQuoted = (line: string): boolean => line.startsWith('  ')

/** What differs, where the lines of the file are in the corrected block. */
function nearChange(place: Near): string[] {
  const rows = place.why === undefined ? changedRows(place.diff) : ''
  const head = `nearest: ${nearHead(place)}`
  return rows.trim() === '' ? [head] : [`${head}; - asked for, + in the file:`, ...indentLines(rows)]
}

function nearLines(place: Near): string[] {
  const { diff, why, text } = place
  if (text === undefined) return nearDifference(place)
  const fence = fenceMarksFor(text)
  const rows = why === undefined ? changedRows(diff) : ''
  const differs = rows.trim() === '' ? [] : ['differs (- asked for, + in the file):', ...indentLines(rows)]
  return [`nearest: ${nearHead(place)}. The file has exactly:`, fence, ...text.split('\n'), fence, ...differs]
}

/** Rows that both have are in the text above. */
const changedRows = (diff: string): string =>
  diff
    .split('\n')
    .filter((row) => !row.startsWith(' '))
    .join('\n')

const maxPlaces = 10

function placeLines({ places = [], found }: Details): string[] {
  if (places.length === 0) return []
  const lines = places.slice(0, maxPlaces).flatMap((place) => {
    const around = [
      ...(place.before === undefined ? [] : [`  ${place.line - 1}: ${place.before}`]),
      `> ${place.line}: ${place.text}`,
      ...(place.after === undefined ? [] : [`     ${place.after}`]),
    ]
    return around.map((line) => `  ${line}`)
  })
  const more = (typeof found === 'number' ? found : places.length) - Math.min(places.length, maxPlaces)
  return ['found at:', ...lines, ...(more > 0 ? [`  and ${more} more`] : [])]
}

/** What a block that could not be read needs. */
export function parseRepairLines(errors: readonly ParseError[], counted?: CountedIn): string[] {
  return alikeInARow(errors.slice(0, 20)).flatMap(([error, ...others]) => {
    const { message, column, hint, code } = error
    const line = lineIn(error, counted)
    const where = line === undefined ? '' : `${line}${column === undefined ? '' : `, column ${column}`}: `
    const again = others.flatMap((one) => lineIn(one, counted) ?? [])
    return [
      `${where}${message}${code === undefined ? '' : ` [${code}]`}`,
      ...(again.length === 0 ? [] : [`Also on ${again.join(', ')}`]),
      ...(hint === undefined ? [] : [`→ ${hint}`]),
      ...wouldHaveRun(error),
    ]
  })
}

/** A heredoc that is not one makes every line of its text an error: the sentence is said once. */
function alikeInARow(errors: readonly ParseError[]): [ParseError, ...ParseError[]][] {
  const runs: [ParseError, ...ParseError[]][] = []
  for (const error of errors) {
    const last = runs.at(-1)
    const { message, hint, code, line, meant } = error
    const isAlike = last !== undefined && line !== undefined && meant === undefined && last[0].message === message
    if (isAlike && last[0].hint === hint && last[0].code === code) last.push(error)
    else runs.push([error])
  }
  return runs
}

/** What a text that was cut off has in it, as far as it is whole. */
export const wouldHaveRun = ({ code, meant }: Pick<ParseError, 'code' | 'meant'>): string[] =>
  code === 'truncated' && meant !== undefined ? [`It would have run: ${meant.join(', ')}`] : []

interface Correctable extends Partial<Pick<ExecutionResult, 'results'>> {
  readonly parseErrors: readonly Pick<ParseError, 'corrected'>[]
}

/** Blocks that were corrected, in one fence for each reason, ready to be sent again. */
export function correctedLines(result: Correctable): string[] {
  const { mistaken, misplaced } = correctedTexts(result)
  return [
    ...fenceSection(mistaken, (what) => `${what}, ready to be sent again if nothing is missing:`),
    ...fenceSection(
      misplaced,
      (what) => `${what}, with the lines of the file, ready to be sent again if that is what you mean:`,
    ),
  ]
}

/** The same for a person, who can save them as a file. */
export function correctedForUser(result: Correctable): { readonly title: string; readonly text: string }[] {
  const { mistaken, misplaced } = correctedTexts(result)
  const shown = (texts: readonly string[], note: string): { title: string; text: string }[] =>
    texts.length === 0
      ? []
      : [
          {
            title: `${correctedWords(texts)}${note}. Saved as a file, it can be applied:`,
            text: inFence(texts).join('\n'),
          },
        ]
  return [
    ...shown(mistaken, ', if nothing is missing'),
    ...shown(misplaced, ' with the lines of the file, if that is what the model means'),
  ]
}

function correctedTexts({ parseErrors, results = [] }: Correctable): Record<'mistaken' | 'misplaced', string[]> {
  return {
    mistaken: sendable(parseErrors.map(({ corrected }) => corrected)),
    misplaced: sendable(results.map(({ details }) => details?.corrected)),
  }
}

/** The results whose corrected block is shown. */
export function correctedResults({ results }: Pick<ExecutionResult, 'results'>): ReadonlySet<ActionResult> {
  const shown = new Set(sendable(results.map(({ details }) => details?.corrected)))
  return new Set(results.filter(({ details }) => details?.corrected !== undefined && shown.has(details.corrected)))
}

/** A line in them never reads as a frame of the report. */
function sendable(texts: readonly (string | undefined)[]): string[] {
  let spent = 0
  return texts.flatMap((text) =>
    text === undefined ||
    text.split('\n').some((line) => isFrame(line) || isTaskLine(line)) ||
    (spent += text.length) > mostCorrected
      ? []
      : [text],
  )
}

/** Characters of all of them. */
const mostCorrected = 12_000

function fenceSection(texts: readonly string[], title: (what: string) => string): string[] {
  return texts.length === 0 ? [] : ['', title(correctedWords(texts)), ...inFence(texts)]
}

function inFence(texts: readonly string[]): string[] {
  const text = texts.join('\n\n')
  const fence = fenceMarksFor(text)
  return [fence, text, fence]
}

const correctedWords = ({ length }: readonly string[]): string =>
  length === 1 ? 'The corrected block' : `The ${length} corrected blocks`

/** A section with them, for the reports that have no other. */
export function correctedSection(result: Correctable, { errorDetail }: Pick<ReportOptions, 'errorDetail'>): string[] {
  const lines = errorDetail === 'minimal' ? [] : correctedLines(result)
  return lines.length === 0 ? [] : ['', '=== REPAIR ===', ...lines.slice(1).map(spellOut), endFrame]
}

function lineIn({ line, blockStartLine }: ParseError, counted: CountedIn | undefined): string | undefined {
  if (line === undefined) return undefined
  if (counted === undefined) return `line ${line}`
  if (counted !== 'block') return `line ${line + counted.above} of ${counted.name}`
  return blockStartLine === undefined ? `line ${line}` : `line ${line - blockStartLine + 1} of the block`
}

import { isRecord } from '@clada/reply/core/is-record.ts'
import type { ContentKind } from '@clada/reply/syntax/content-kind.ts'
import { defaultSyntax, syntaxOf } from '@clada/reply/syntax/table.ts'
import path from 'node:path'
import { longFile } from '../actions/long-file-outlines.ts'
import { registry as builtIn } from '../actions/registry.ts'
import type { Registry } from '../core/action.ts'
import { isEditMissing, type NotExecuted, type NotExecutedReason } from '@clada/reply/core/block.ts'
import { pathFrom } from '../core/paths.ts'
import { type ActionResult, type Evidence, type ExecutionResult, type LeftHunk } from '../core/result.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import { type CutLines, cutLines, tokenLength } from '@clada/reply/text/lines.ts'
import { QuotedContent, cutMark, oneLine, primaryOf, withoutColors, indentLines } from './words.ts'

/** Why a task was skipped, after a word that says that it was. */
export const skippedFor = ({ failure, error = '' }: ActionResult): string =>
  (failure?.what ?? error).replace(/^skipped: /, '')

/** Where one file changed and how much, on one line, with the few lines of the difference below it. */
function changedFileRows(
  { path, change, to, added, removed, lines = [], binary, diff = [] }: Evidence,
  matched?: string,
): string[] {
  const name = change === 'move' ? `${path} → ${to ?? ''}` : path
  const state = change === 'create' ? ' new' : change === 'delete' ? ' deleted' : ''
  if (binary !== undefined) return [`${name}${state}, ${formatCount(binary, 'byte')}, binary`]
  const how = matched === undefined ? '' : `, matched by ${matched}`
  const many = lines.length > 1 ? ` in ${lines.length} places` : ''
  const count = [...(added > 0 ? [`+${added}`] : []), ...(removed > 0 ? [`−${removed}`] : [])].join(' ')
  const size = count === '' ? '' : ` (${count})`
  const hidden = diff.length > 0 && diff.length < added + removed ? `, ${diff.length} of these lines:` : ''
  return [`${name}${atLines(lines)}${state}${size}${many}${how}${hidden}`, ...diff.map((line) => `  ${line}`)]
}

function atLines(lines: readonly string[]): string {
  if (lines.length === 0) return ''
  return `:${lines.slice(0, mostPlaces).join(',')}${lines.length > mostPlaces ? ',…' : ''}`
}

const mostPlaces = 6

/** The same for every file of an action, each line after a mark. */
export const changedLines = (result: ActionResult, mark = ''): string[] =>
  (result.changes ?? []).flatMap((change) => changedFileRows(change, matchedBy(result))).map((line) => `${mark}${line}`)

/** How the edit found its place, if not exactly as written. */
function matchedBy({ data }: ActionResult): string | undefined {
  return isRecord(data) && typeof data['matched'] === 'string' ? data['matched'] : undefined
}

/** What the user left out of an action, or changed in it, each line after a mark. */
export function reviewLines({ review = {}, success }: ActionResult, mark = ''): string[] {
  const { hunks = [], edited = [], place, leftOut } = review
  if (leftOut === true) return []
  const shown = hunks.slice(0, mostHunks).flatMap(leftHunkLines)
  const more = hunks.length > mostHunks ? [`… and ${formatCount(hunks.length - mostHunks, 'more hunk')} left out`] : []
  const lines = place === undefined ? [] : [`the user chose the place: ${skippedLines(place)}`]
  const done = success ? 'applied with changes by the user' : 'changed by the user'
  const changes = edited.flatMap(({ what, diff }) => [`${done} (${what}):`, ...indentLines(diff)])
  return [...lines, ...shown, ...more, ...changes].map((line) => `${mark}${line}`)
}

/** More say no more about what the user wants. */
const mostHunks = 20

function leftHunkLines({ path, lines, diff, reason }: LeftHunk): string[] {
  const where = lines === undefined ? path : `${path}:${lines}`
  const why = reason === undefined ? '' : ` (${oneLine(reason)})`
  return [`left out by the user: ${where}${why}`, ...diff.map((line) => `  ${line}`)]
}

/** The changes of the user to the whole reply. */
export const editedReplyLines = ({ editedReply }: ExecutionResult): string[] =>
  editedReply === undefined ? [] : ['the user edited the reply before it was applied:', ...indentLines(editedReply)]

export interface ReportOptions {
  /** How much is said about failures: message and code, what helps to repair them, or also where clada's own code was. */
  readonly errorDetail?: 'minimal' | 'full' | 'debug' | undefined
  /** Characters of output shown for one action. */
  readonly outputLimit?: number | undefined
  /** Characters of the whole report. */
  readonly budget?: number | undefined
  /** Whether what programs wrote is shown. `seen`: it was shown while they ran, so only the files they changed are. */
  readonly programs?: 'show' | 'hide' | 'seen' | undefined
  /** The actions of the project, where it has some of its own. */
  readonly registry?: Registry | undefined
  readonly color?: boolean | undefined
  /** The width of the terminal at which sentences are broken, where a person reads at one. */
  readonly columns?: number | undefined
  /** The text in which lines are counted, where that is not the whole document. */
  readonly lines?: CountedIn | undefined
  /** `none`: no lines around the parts, for a program that passes the report on as the result of a call. */
  readonly frames?: 'chat' | 'none' | undefined
  /** What actions did to files, as lines, by their numbers: for a person. */
  readonly changes?: ReadonlyMap<number, readonly string[]> | undefined
}

/**
 * `block`: each in its own block, for a model whose reply is somewhere in a larger text. Otherwise in a text that a
 * person knows by name, with this many lines above the document.
 */
export type CountedIn = 'block' | { readonly name: string; readonly above: number }

/** What a report says of edits and actions that did not run, and of a reply without any. */

const reasons: Readonly<Record<NotExecutedReason, string>> = {
  quoted: 'it is a quotation',
  thought: "it is part of the model's reasoning",
  listing: 'it is a listing, or a part of a file',
  example: 'it is taken as an example; if it is meant, send it as a block',
  unreadable: 'it cannot be read as a block',
  'no-place':
    'it is a part of the file, and where it belongs is not sure. Send it as a block with the text that it replaces',
}

/** `lines 3-9: not executed: search-replace block, src/a.ts: it is a quotation` */
export const notExecutedText = (one: NotExecuted): string => `${skippedLines(one)}: ${notExecutedNote(one)}`

export function notExecutedNote({ what, path, reason, sign, nearest }: Omit<NotExecuted, 'line' | 'endLine'>): string {
  return `not executed: ${what}${path === undefined ? '' : `, ${path}`}: ${notExecutedReason({ reason, sign, nearest })}`
}

/** The reason alone, for readers who see the block. */
export function notExecutedReason({ reason, sign, nearest }: Pick<NotExecuted, 'reason' | 'sign' | 'nearest'>): string {
  const near = nearest === undefined ? '' : `. The nearest place: lines ${nearest[0]}-${nearest[1]}`
  return `${sign === undefined ? reasons[reason] : oneSpace}${near}`
}

const oneSpace =
  'its first line is indented by one space more than the text around it, as reports of clada show a block that a file quotes. If it is meant, remove that space'

const skippedLines = ({ line, endLine }: Pick<NotExecuted, 'line' | 'endLine'>): string =>
  line === endLine ? `line ${line}` : `lines ${line}-${endLine}`

/** How an edit that was meant can be sent, for each that is missing; nothing for the others. */
export function resendAdvice(one: NotExecuted): string | undefined {
  if (!isEditMissing(one)) return undefined
  return 'Send it again as a whole block whose markers start their lines.'
}

/** Why the run as a whole could not be done, unless the results of actions say it already. */
export function fatalIn({ results, fatalError }: Pick<ExecutionResult, 'results' | 'fatalError'>): string | undefined {
  const reason = fatalError?.replace(/^clada: /, '')
  return reason !== undefined && results.some(({ error }) => error?.endsWith(reason)) ? undefined : fatalError
}

/** Whether a reply has nothing that was meant, as far as known. */
export const needsReminder = ({
  results,
  parseErrors,
  fatalError,
  notExecuted = [],
  emptyGroups = [],
}: ExecutionResult): boolean =>
  results.length + parseErrors.length + emptyGroups.length === 0 &&
  fatalError === undefined &&
  notExecuted.every(({ reason }) => reason === 'example')

/** What was seen in a reply without blocks, and what a person can do about it. */
export const withoutBlocks: Readonly<Record<ContentKind, string>> = {
  nothing: 'The reply is empty. Paste or save the whole reply of the model, and try again.',
  prose:
    'No edits or commands found: the reply is only prose. If the model should change files, paste the text of clada prompt into the chat first.',
  code: 'No edits or commands found: the reply has code, but names no file for it. Ask the model which file it belongs to, or paste the text of clada prompt into the chat first.',
}

/** The same of a result, which lists code that names its file. */
export const withoutBlocksText = ({
  contentKind = 'prose',
  notExecuted = [],
}: Pick<ExecutionResult, 'contentKind' | 'notExecuted'>): string =>
  namesFile(notExecuted)
    ? 'No edits or commands found: the code that names a file is listed with the reason.'
    : withoutBlocks[contentKind]

const namesFile = (all: readonly Pick<NotExecuted, 'path'>[]): boolean => all.some(({ path }) => path !== undefined)

/** How to write a block, for a reply without any: five lines at most, and one below code that is listed with its file. */
export function reminderOf({
  taught = defaultSyntax,
  contentKind = 'prose',
  notExecuted = [],
}: Pick<ExecutionResult, 'taught' | 'contentKind' | 'notExecuted'>): string[] {
  if (contentKind === 'nothing') return ['The reply is empty, so nothing was executed.']
  const seen = contentKind === 'code' ? ['The code in the reply names no file, so it was not applied.'] : []
  const lines = syntaxOf(taught).reminder ?? syntaxOf(defaultSyntax).reminder ?? []
  const prompt = `clada prompt${taught === defaultSyntax ? '' : ` --syntax ${taught}`}`
  if (namesFile(notExecuted)) return [`No blocks found. Run \`${prompt}\` for how to write them.`]
  return [...seen, ...lines.slice(0, -1), `${lines.at(-1)} Run \`${prompt}\` for the full instructions.`]
}

export const defaultOutputLimit = 50 * 1024

/** Characters of a report for a model, by default. */
export const defaultBudget = 6000 * tokenLength

/** Of a long file a report for a model shows no more, unless the reply names the lines. */
export const fileLimitOf = ({ budget = defaultBudget }: ReportOptions): number => Math.max(longFile, budget / 4)

export interface OutputOptions {
  /** Characters for this one. */
  readonly limit: number
  /** Characters of a long file that was read whole. */
  readonly fileLimit?: number | undefined
  readonly programs?: 'show' | 'hide' | 'seen' | undefined
  readonly registry?: Registry | undefined
  /** The project; paths in it are shown relative to it. */
  readonly root?: string | undefined
  /** Shows content as it is, without a line around it. */
  readonly bare?: true
}

export interface ShownOutput {
  readonly title: string
  readonly body: string
  readonly by: 'exec' | 'output'
  /** The part that is left out, if there is one. */
  readonly cut?: string
}

/** The output of an action with a heading, or undefined when it has none. Writes have none: their line is enough. */
export function showOutput(done: ActionResult, options: OutputOptions): ShownOutput | undefined {
  const { limit, fileLimit, programs, root, bare, registry = builtIn } = options
  const { action } = done
  const meant = meantAction(done.data)
  const result = meant === undefined ? done : { ...done, action: meant.as, data: meant.result }
  const output = registry.get(result.action)?.output
  const isProgram = output?.by === 'program'
  const data = programs === 'seen' && isProgram ? withoutStreams(result.data) : result.data
  if (output === undefined || data === undefined || (programs === 'hide' && isProgram)) return undefined
  const content = new QuotedContent()
  const shown = output.text(
    { ...result, data },
    {
      room: limit,
      fileRoom: fileLimit,
      content: bare ? (text) => text : content.text,
      path: (given) => shownPath(given, root),
      bare,
    },
  )
  if (shown === undefined) return undefined
  const said = typeof shown === 'string' ? shown : shown.text
  const whole = isProgram ? withoutColors(said) : said
  const safe = output.framed || bare ? whole : content.text(whole)
  const cut = cutLines(safe, limit)
  const target =
    output.named && meant === undefined
      ? ''
      : ` ${shownPath(primaryOf(done), root)}${isProgram && !result.success ? ' (failed)' : ''}`
  const how = isProgram ? 'run less at a time to see them' : 'ask for less at a time'
  const mark = cut && cutMark(isProgram ? countedInAll(cut, safe) : cut, how)
  const body = cut === undefined ? safe : [cut.head, mark, cut.tail].join('\n')
  const left = mark?.replace(/^\[.*?\] /, '') ?? (typeof shown === 'string' ? undefined : shown.cut)
  return {
    title: `[${result.blockId}] ${action}${target.trimEnd()}:`,
    body: [body, ...content.note].join('\n'),
    by: isProgram ? 'exec' : 'output',
    cut: left,
  }
}

/**
 * Of a program that wrote more than is kept the middle was left out before. Its lines count too: a report said
 * "lines 14-16 of 26" of 2,000.
 */
function countedInAll(cut: CutLines, text: string): Pick<CutLines, 'first' | 'last' | 'total'> {
  const between = text.slice(cut.head.length, text.length - cut.tail.length)
  const [, first, last] = earlierCut.exec(between) ?? []
  // The mark is a line itself.
  const more = first === undefined ? 0 : Number(last) - Number(first)
  return { first: cut.first, last: cut.last + more, total: cut.total + more }
}

const earlierCut = /^\[output truncated\] lines (\d+)-(\d+) of \d+ not shown$/m

/** What a program wrote was shown while it ran. */
function withoutStreams(data: unknown): unknown {
  if (typeof data !== 'object' || data === null) return data
  const { output: _, stdout: _out, stderr: _err, ...rest }: Record<string, unknown> = { ...data }
  return rest
}

/** A command that was run as the action that does the same is shown as that one. */
function meantAction(data: unknown): { as: string; result: unknown } | undefined {
  if (typeof data !== 'object' || data === null || !('as' in data) || !('result' in data)) return undefined
  return typeof data.as === 'string' ? { as: data.as, result: data.result } : undefined
}

/** Relative to the project, or whole outside it. Names that are not absolute stay as they are. */
export function shownPath(given: string, root: string | undefined): string {
  if (root === undefined || !path.isAbsolute(given)) return given
  const [normal, base] = [path.normalize(given), path.normalize(root)]
  if (normal === base) return '.'
  const shown = pathFrom(base, normal)
  return path.isAbsolute(shown) ? given : shown
}

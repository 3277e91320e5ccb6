import type { NotExecuted } from '../core/block.ts'
import type { ActionResult, Evidence, ExecutionResult, LeftHunk, ParseError, PlaceChoice } from '../core/result.ts'
import { byBlock, oneLine } from './words.ts'
import { counted } from '../core/counted.ts'

/** A part of a report: an action, tasks of one group that were skipped for the same reason, or a block with mistakes. */
export type Item =
  | { readonly kind: 'done'; readonly line: number; readonly result: ActionResult }
  | { readonly kind: 'skipped'; readonly line: number; readonly results: readonly ActionResult[] }
  | { readonly kind: 'broken'; readonly line: number; readonly errors: readonly ParseError[] }
  /** What looks like an edit and did not run. */
  | { readonly kind: 'missed'; readonly line: number; readonly one: NotExecuted }

/** Everything that a report has a line about, in the order of the document. */
export function inOrder({ results, parseErrors, notExecuted = [] }: ExecutionResult): Item[] {
  const items: Item[] = runsOf(results).map((run): Item => {
    const [first] = run
    const line = first?.line ?? 0
    return first !== undefined && run.length === 1
      ? { kind: 'done', line, result: first }
      : { kind: 'skipped', line, results: run }
  })
  const broken = byBlock(parseErrors).map((errors): Item => ({
    kind: 'broken',
    line: errors[0]?.blockStartLine ?? errors[0]?.line ?? Infinity,
    errors,
  }))
  const missed = notExecuted.map((one): Item => ({ kind: 'missed', line: one.line, one }))
  // Actions never change places with each other: a call has no line.
  const isAction = ({ kind }: Item): boolean => kind === 'done' || kind === 'skipped'
  return [...items, ...broken, ...missed].sort((a, b) => (isAction(a) && isAction(b) ? 0 : a.line - b.line))
}

/** Tasks that were skipped together make one run; every other action is one by itself. */
function runsOf(results: readonly ActionResult[]): ActionResult[][] {
  const runs: ActionResult[][] = []
  for (const result of results) {
    const last = runs.at(-1)
    const before = last?.at(-1)
    const isSame =
      result.code === 'skipped' &&
      before?.code === 'skipped' &&
      result.group !== undefined &&
      result.group === before.group &&
      result.failure?.what === before.failure?.what
    if (isSame) last?.push(result)
    else runs.push([result])
  }
  return runs
}

/** Why a task was skipped, after a word that says that it was. */
export const skippedFor = ({ failure, error = '' }: ActionResult): string =>
  (failure?.what ?? error).replace(/^skipped: /, '')

/** Where one file changed and how much, on one line, with the few lines of the difference below it. */
function changeLines(
  { path, change, to, added, removed, lines = [], binary, diff = [] }: Evidence,
  matched?: string,
): string[] {
  const name = change === 'move' ? `${path} → ${to ?? ''}` : path
  const state = change === 'create' ? ' new' : change === 'delete' ? ' deleted' : ''
  if (binary !== undefined) return [`${name}${state}, ${counted(binary, 'byte')}, binary`]
  const how = matched === undefined ? '' : `, matched by ${matched}`
  const many = lines.length > 1 ? ` in ${lines.length} places` : ''
  const count = [...(added > 0 ? [`+${added}`] : []), ...(removed > 0 ? [`−${removed}`] : [])].join(' ')
  const size = count === '' ? '' : ` (${count})`
  const hidden = diff.length > 0 && diff.length < added + removed ? `, ${diff.length} of these lines:` : ''
  return [`${name}${at(lines)}${state}${size}${many}${how}${hidden}`, ...diff.map((line) => `  ${line}`)]
}

function at(lines: readonly string[]): string {
  if (lines.length === 0) return ''
  return `:${lines.slice(0, mostPlaces).join(',')}${lines.length > mostPlaces ? ',…' : ''}`
}

const mostPlaces = 6

/** The same for every file of an action, each line after a mark. */
export const changedLines = (result: ActionResult, mark = ''): string[] =>
  (result.changes ?? []).flatMap((change) => changeLines(change, matchedBy(result))).map((line) => `${mark}${line}`)

/** How the edit found its place, if not exactly as written. */
function matchedBy({ data }: ActionResult): string | undefined {
  if (typeof data !== 'object' || data === null || !('matched' in data)) return undefined
  return String(data.matched)
}

/** What the user left out of an action, or changed in it, each line after a mark. */
export function reviewLines({ review = {}, success }: ActionResult, mark = ''): string[] {
  const { hunks = [], edited = [], place, leftOut } = review
  if (leftOut === true) return []
  const shown = hunks.slice(0, mostHunks).flatMap(hunkLines)
  const more = hunks.length > mostHunks ? [`… and ${counted(hunks.length - mostHunks, 'more hunk')} left out`] : []
  const lines = place === undefined ? [] : [`the user chose the place: ${placeOf(place)}`]
  const done = success ? 'applied with changes by the user' : 'changed by the user'
  const changes = edited.flatMap(({ what, diff }) => [`${done} (${what}):`, ...indented(diff.split('\n'))])
  return [...lines, ...shown, ...more, ...changes].map((line) => `${mark}${line}`)
}

/** More say no more about what the user wants. */
const mostHunks = 20

function hunkLines({ path, lines, diff, reason }: LeftHunk): string[] {
  const where = lines === undefined ? path : `${path}:${lines}`
  const why = reason === undefined ? '' : ` (${oneLine(reason)})`
  return [`left out by the user: ${where}${why}`, ...indented(diff)]
}

const placeOf = ({ line, endLine }: PlaceChoice): string =>
  line === endLine ? `line ${line}` : `lines ${line}-${endLine}`

const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`)

/** The changes of the user to the whole reply. */
export const editedReplyLines = ({ editedReply }: ExecutionResult): string[] =>
  editedReply === undefined
    ? []
    : ['the user edited the reply before it was applied:', ...indented(editedReply.split('\n'))]

export interface ReportOptions {
  /** How much is said about failures: message and code, what helps to repair them, or also where clada's own code was. */
  readonly errorDetail?: 'minimal' | 'full' | 'debug' | undefined
  /** Characters of output shown for one action. */
  readonly outputLimit?: number | undefined
  /** Characters of the whole report. */
  readonly budget?: number | undefined
  /** Whether what programs wrote is shown. `seen`: it was shown while they ran, so only the files they changed are. */
  readonly programs?: 'show' | 'hide' | 'seen' | undefined
  readonly color?: boolean | undefined
  /** The text in which lines are counted, where that is not the whole document. */
  readonly lines?: CountedIn | undefined
  /** What actions did to files, as lines, by their numbers: for a person. */
  readonly changes?: ReadonlyMap<number, readonly string[]> | undefined
}

/**
 * `block`: each in its own block, for a model whose reply is somewhere in a larger text. Otherwise in a text that a
 * person knows by name, with so many lines above the document.
 */
export type CountedIn = 'block' | { readonly name: string; readonly above: number }

import {
  type ActionResult,
  type ExecutionResult,
  fatalResult,
  type FileChange,
  isLeftOut,
  type ParseError,
} from '../core/result.ts'
import type { BlockChoice, Review, ReviewChoices, ReviewedBlock } from '../core/review.ts'
import type { CheckedDocument } from '../engine/check.ts'
import { formatReport } from '../report/format.ts'
import type { ReportOptions } from '../report/parts.ts'
import { addChange, type DoneBlock, type Planned } from './plan.ts'
import type { BlockState, PlanBlock, ReplyEntry } from './protocol.ts'
import { isSameChange } from './same-change.ts'
import { RequestRefusal } from './guard.ts'
import type { Clada } from '../api/clada.ts'

/** A reply that was opened, with its results so far. */
export interface Reply {
  readonly id: number
  readonly text: string
  readonly name: string
  readonly opened: string
  /** How many blocks it has. */
  readonly count: number
  /** What the user decided about its blocks. */
  readonly choices: ReviewChoices
  readonly done: ReadonlyMap<string, DoneBlock>
  /** Blocks that could not be read, from the first look. */
  readonly broken: ParseError[] | undefined
  /** What the last run answered. */
  readonly last?: ExecutionResult
}

/** The reply that is shown. */
export interface OpenDocument extends Reply {
  readonly planned: Planned
}

export function replyEntry({ id, text, name, opened, count, done }: Reply): ReplyEntry {
  const failed = [...done.values()].filter(({ result }) => !result.success && !isLeftOut(result)).length
  const title = /^.*\p{L}.*$/mu.exec(text.slice(0, 5000))?.[0].trim().slice(0, 100) ?? ''
  return { id, name, title, opened, blocks: count, done: done.size - failed, failed }
}

/** All replies that were opened: one is shown, the others are in a list. */
export class Replies {
  #shown: OpenDocument | undefined
  /** Those that are not shown, newest first. */
  #others: readonly Reply[] = []

  get shown(): OpenDocument | undefined {
    return this.#shown
  }

  /** Newest first. */
  all(): Reply[] {
    const all = this.#shown === undefined ? [...this.#others] : [this.#shown, ...this.#others]
    return all.sort((a, b) => b.id - a.id)
  }

  show(document: OpenDocument): void {
    if (this.#shown?.id !== document.id) this.putAway()
    this.#others = this.#others.filter(({ id }) => id !== document.id)
    this.#shown = document
  }

  /** The reply that is shown stays in the list, without what can be computed again. A text without blocks does not. */
  putAway(): void {
    if (this.#shown === undefined) return
    const { planned: _, ...reply } = this.#shown
    this.#shown = undefined
    const same = ({ text, done }: Reply): boolean => text === reply.text && done.size === 0
    if (reply.count > 0) this.#others = [reply, ...this.#others.filter((one) => !same(one))].slice(0, mostReplies)
  }

  forget(id: number): void {
    if (this.#shown?.id === id) this.#shown = undefined
    this.#others = this.#others.filter((one) => one.id !== id)
  }
}

const mostReplies = 20

/** The decisions and results that still fit after the text was edited: those about blocks that are as before. */
export function carryOver(
  { text, done, choices }: Pick<Reply, 'text' | 'done' | 'choices'>,
  [before, after]: readonly [CheckedDocument, CheckedDocument],
  edited: string,
): Pick<Reply, 'text' | 'choices'> {
  const [old, fresh] = [rawsIn(before, text), rawsIn(after, edited)]
  const isKept = (task: string): boolean => old.get(task) === fresh.get(task)
  if (![...done.keys()].every(isKept))
    throw new RequestRefusal(409, 'Blocks that were already applied cannot be edited. Undo them first.')
  const original = choices.original ?? text
  const kept = Object.entries(choices.blocks ?? {}).filter(([task]) => isKept(task))
  const blocks: Record<string, BlockChoice> = Object.fromEntries(kept)
  return { text: edited, choices: { blocks, original: edited === original ? undefined : original } }
}

function rawsIn({ blocks }: CheckedDocument, text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n')
  return new Map(
    blocks.map(({ task = '', startLine, endLine }) => [
      task,
      lines.slice(startLine - 1, endLine ?? lines.length).join('\n'),
    ]),
  )
}

/** The text for the model. Before anything is applied it says so, and reports what would fail. */
export function answerOf({ planned, done, last, broken = [] }: OpenDocument, options: ReportOptions): string {
  if (last === undefined || done.size === 0) {
    if (planned.preview === undefined) throw new RequestRefusal(409, 'The effects are not known yet. Wait a moment.')
    const { result } = planned.preview
    return `Nothing was applied yet. This is what would happen:\n${formatReport(result, 'llm', options)}`
  }
  const { blocks } = planned.plan
  const foreseen = new Map(planned.preview?.result.results.map((result) => [result.task, result]))
  const reported = (block: PlanBlock): ActionResult | undefined =>
    done.get(block.task ?? '')?.result ?? (cannot.has(block.state) ? foreseen.get(block.task) : undefined)
  const results = blocks
    .flatMap((block) => reported(block) ?? [])
    .map((result, index) => ({ ...result, seq: index + 1 }))
  const left = blocks.filter((block) => block.task !== undefined && block.state !== 'broken' && !reported(block))
  const warnings = [
    ...(last.warnings ?? []),
    ...(left.length === 0 ? [] : [`left out by the user: ${left.map(({ id }) => id).join(', ')}`]),
  ]
  return formatReport({ ...last, results, parseErrors: broken, warnings }, 'llm', options)
}

/** The user can only leave these: the report says why they do not work. */
const cannot: ReadonlySet<BlockState> = new Set(['refused', 'fails'])

interface Chosen {
  /** How many blocks that can be read. */
  readonly count: number
  /** Their tasks; undefined for the document as it is. */
  readonly only: readonly string[] | undefined
}

/** The blocks to apply; all that are left when none are named. */
export function chooseTasks({ planned }: OpenDocument, tasks: readonly string[] | null): Chosen {
  if (planned.plan.isChecking) throw new RequestRefusal(409, 'The effects are not known yet. Wait a moment.')
  const sound = planned.plan.blocks.filter(({ task, state }) => task !== undefined && state !== 'broken')
  const pending = sound.filter(({ outcome }) => outcome === undefined)
  // What depends on a program is looked at again when that has run. A group that lands as one is not torn for it.
  const known = pending.filter(({ state, group }) => state !== 'unknown' || group?.atomic === true)
  const chosen =
    tasks !== null ? pending.filter(({ task = '' }) => tasks.includes(task)) : known.length === 0 ? pending : known
  if (chosen.length === 0) throw new RequestRefusal(409, 'Nothing is left to apply.')
  refuseTornGroups(pending, chosen)
  const count = chosen.length
  return { count, only: count === sound.length ? undefined : chosen.flatMap(({ task }) => task ?? []) }
}

/** The decisions for a run, each bound to what was shown: of a block that would fail, to the part that would land. */
function boundChoices({ choices, plan }: Planned, blocks: readonly ReviewedBlock[]): ReviewChoices {
  const withPart = plan.blocks.filter(
    ({ state, files }) => withChange.has(state) || (state === 'fails' && files.length > 0),
  )
  const shown = new Set(withPart.flatMap(({ task }) => task ?? []))
  const bound = blocks
    .filter(({ task }) => shown.has(task))
    .map(({ task, shown }) => [task, { ...choices.blocks?.[task], shown }] as const)
  return { ...choices, blocks: { ...choices.blocks, ...Object.fromEntries(bound) } }
}

const withChange: ReadonlySet<BlockState> = new Set(['ready', 'repaired', 'part', 'approval', 'left'])

/** Why some blocks cannot be applied without the others, or not any more. */
function reviewRefusal({ blocks, changesBy }: Review, planned: Planned): string | undefined {
  const totals = new Map<string, FileChange>()
  for (const { seq } of blocks) for (const change of changesBy(seq)) addChange(totals, change)
  const other = blocks.find((block) => !isSameChange(block, planned.reviewed(block.task)))
  // A file that only other blocks would have touched so far is no sign of a change on the disk.
  const isOutdated = [...totals].some(([path, { before }]) => before !== (planned.total(path) ?? { before }).before)
  if (isOutdated) return 'files have changed since they were shown. Look at it, and apply again.'
  return other && `block ${other.task} builds on another block that is not chosen. Choose both.`
}

/** What lands whole or not at all cannot be chosen in part. */
function refuseTornGroups(pending: readonly PlanBlock[], chosen: readonly PlanBlock[]): void {
  const lines = new Set(chosen.flatMap(({ group }) => (group?.atomic ? [group.line] : [])))
  for (const line of lines) {
    const members = pending.filter(({ group }) => group?.line === line)
    if (members.every((one) => chosen.includes(one))) continue
    const names = members.map(({ task }) => task).join(', ')
    throw new RequestRefusal(409, `Tasks ${names} land together or not at all: choose all of them or none.`)
  }
}

export interface Application {
  readonly clada: Clada
  /** Compares with what was shown. It says nothing about the syntax of files, which takes longer than the rest. */
  readonly comparing: Clada
  readonly only: readonly string[] | undefined
  readonly signal: AbortSignal
  readonly onAction: (result: ActionResult) => void
  readonly onOutput: (task: string, chunk: Buffer) => void
}

/** Applies what was shown, or nothing where it would now be something else. */
export async function applyReply(document: OpenDocument, how: Application): Promise<OpenDocument> {
  const { planned, text } = document
  const { clada, comparing, only, ...request } = how
  const { plan, choices } = planned
  const pending = plan.blocks.flatMap(({ task, outcome }) =>
    task === undefined || outcome !== undefined ? [] : [task],
  )
  const chosen = only === undefined ? {} : { only }
  let blocks = pending.flatMap((task) => planned.reviewed(task) ?? [])
  if (only !== undefined && only.length < pending.length) {
    // Without the others a block may do something else than was shown, and files may have changed since.
    const alone = await comparing.review(text, choices, chosen)
    const why = reviewRefusal(alone, planned)
    if (why !== undefined) return { ...document, last: fatalResult(`Nothing was applied: ${why}`) }
    blocks = alone.blocks
  }
  const review = boundChoices(planned, blocks)
  const before = (await clada.history()).at(-1)?.number ?? 0
  const result = await clada.execute(text, { ...request, review, ...chosen })
  const last = (await clada.history()).findLast(({ kind }) => kind === 'run')
  const execution = last !== undefined && last.number > before ? last.number : undefined
  const done = new Map(document.done)
  for (const one of result.results) {
    const { task = '' } = one
    done.set(task, { result: one, execution, changes: planned.changesOf(task), reviewed: planned.reviewed(task) })
  }
  return { ...document, done, last: result }
}

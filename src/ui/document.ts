import { type ExecutionResult, isLeftOut, type ParseError } from '../core/result.ts'
import type { BlockChoice, ReviewChoices } from '../core/review.ts'
import type { CheckedDocument } from '../engine/check.ts'
import { formatReport } from '../report/format.ts'
import type { ReportOptions } from '../report/parts.ts'
import type { DoneBlock, Planned } from './plan.ts'
import type { ReplyEntry } from './protocol.ts'
import { Refusal } from './refusal.ts'

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

export function entryOf({ id, text, name, opened, count, done }: Reply): ReplyEntry {
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
export function carriedOver(
  { text, done, choices }: Pick<Reply, 'text' | 'done' | 'choices'>,
  [before, after]: readonly [CheckedDocument, CheckedDocument],
  edited: string,
): Pick<Reply, 'text' | 'choices'> {
  const [old, fresh] = [rawsIn(before, text), rawsIn(after, edited)]
  const isKept = (task: string): boolean => old.get(task) === fresh.get(task)
  if (![...done.keys()].every(isKept))
    throw new Refusal(409, 'Blocks that were already applied cannot be edited. Undo them first.')
  const original = choices.original ?? text
  const kept = Object.entries(choices.blocks ?? {}).filter(([task]) => isKept(task))
  const blocks: Record<string, BlockChoice> = Object.fromEntries(kept)
  return { text: edited, choices: { blocks, ...(edited === original ? {} : { original }) } }
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
    if (planned.preview === undefined) throw new Refusal(409, 'The effects are not known yet. Wait a moment.')
    const { result } = planned.preview
    return `Nothing was applied yet. This is what would happen:\n${formatReport(result, 'llm', options)}`
  }
  const { blocks } = planned.plan
  const results = blocks
    .flatMap(({ task = '' }) => done.get(task)?.result ?? [])
    .map((result, index) => ({ ...result, seq: index + 1 }))
  const left = blocks.filter(({ state, outcome }) => state !== 'broken' && outcome === undefined)
  const warnings = [
    ...(last.warnings ?? []),
    ...(left.length === 0 ? [] : [`left out by the user: ${left.map(({ id }) => id).join(', ')}`]),
  ]
  return formatReport({ ...last, results, parseErrors: broken, warnings }, 'llm', options)
}

import { isEditMissing, type NotExecuted } from '@clada/reply/core/block.ts'
import type { ActionResult, ExecutionResult, ParseError } from '../core/result.ts'
import { editedReplyLines, fatalIn, needsReminder, reminderOf, type ReportOptions } from './parts.ts'
import { byBlock } from './words.ts'

/** One thing that a report has to say. A format is a style over entries. */
export type ReportEntry =
  /** `index` counts actions and unreadable blocks from 0. */
  | { readonly kind: 'action'; readonly index: number; readonly result: ActionResult }
  /** Tasks of one group that were skipped for the same reason. */
  | { readonly kind: 'skipped'; readonly index: number; readonly results: readonly ActionResult[] }
  /** `task`: its number, where it counts as a task. */
  | {
      readonly kind: 'unreadable'
      readonly index: number
      readonly errors: readonly ParseError[]
      readonly task: string | undefined
    }
  /** What looks like an edit and did not run. */
  | { readonly kind: 'missed'; readonly one: NotExecuted }
  | { readonly kind: 'more-missed'; readonly count: number; readonly isMissing: boolean }
  /** `task`: the number that the next task would have. */
  | { readonly kind: 'fatal'; readonly message: string; readonly task: string }
  | { readonly kind: 'reminder'; readonly lines: readonly string[] }
  | { readonly kind: 'warning'; readonly message: string }
  | { readonly kind: 'edited-reply'; readonly lines: readonly string[] }

/** How a format says each kind of entry, as lines. */
export type ReportStyle = { readonly [Kind in ReportEntry['kind']]: (entry: EntryOf<Kind>) => readonly string[] }
export type EntryOf<Kind extends ReportEntry['kind']> = Extract<ReportEntry, { kind: Kind }>

/** A format made of lines: those of each entry, then those about the whole. */
export type LineFormat = (
  options: ReportOptions,
  root: string | undefined,
) => {
  readonly style: ReportStyle
  readonly closing: (result: ExecutionResult) => readonly string[]
}

export function entryLines(entry: ReportEntry, style: ReportStyle): readonly string[] {
  switch (entry.kind) {
    case 'action':
      return style.action(entry)
    case 'skipped':
      return style.skipped(entry)
    case 'unreadable':
      return style.unreadable(entry)
    case 'missed':
      return style.missed(entry)
    case 'more-missed':
      return style['more-missed'](entry)
    case 'fatal':
      return style.fatal(entry)
    case 'reminder':
      return style.reminder(entry)
    case 'warning':
      return style.warning(entry)
    case 'edited-reply':
      return style['edited-reply'](entry)
  }
}

/** Everything that a report has to say about a result: blocks in the order of the document, then the run as a whole. */
export function reportEntries(result: ExecutionResult): ReportEntry[] {
  const order = new EntryOrder()
  order.addUnreadable(result.parseErrors)
  for (const one of result.notExecuted ?? []) order.addMissed(one)
  return [...result.results.flatMap((one) => order.addAction(one)), ...order.end(result)]
}

type Unread = (
  | { readonly kind: 'unreadable'; readonly errors: readonly ParseError[] }
  | { readonly kind: 'missed'; readonly one: NotExecuted }
) & { readonly line: number }

/** More missed edits are only counted. */
const mostMissed = 50

/**
 * Puts what is reported one by one into the order of the document. Blocks that did not run wait for the next action below
 * them; a call has no line and waits for nothing.
 */
export class EntryOrder {
  readonly #unread: Unread[] = []
  #skipped: ActionResult[] = []
  #index = 0
  #missed = 0
  #lastTask = 0

  /** Errors of the same block belong together. */
  addUnreadable(errors: readonly ParseError[]): void {
    for (const block of byBlock(errors)) {
      const line = block[0]?.blockStartLine ?? block[0]?.line ?? Infinity
      this.#wait({ kind: 'unreadable', line, errors: block })
    }
  }

  addMissed(one: NotExecuted): void {
    if (++this.#missed <= mostMissed) this.#wait({ kind: 'missed', line: one.line, one })
  }

  /** The entries that can be shown now that this action is done. */
  addAction(result: ActionResult): ReportEntry[] {
    const entries = this.#continuesSkipping(result) ? [] : [...this.#endSkipping(), ...this.before(result.line ?? 0)]
    if (result.code === 'skipped' && result.group !== undefined) this.#skipped.push(result)
    else entries.push(this.#actionEntry([result]))
    return entries
  }

  /** The entries that can be shown before anything about a task on this line is. */
  before(line: number): ReportEntry[] {
    const isBefore = this.#unread.findIndex((one) => one.line >= line)
    const count = isBefore === -1 ? this.#unread.length : isBefore
    return [...this.#endSkipping(), ...this.#unread.splice(0, count).map((one) => this.#unreadEntry(one))]
  }

  /** The index of the next action or unreadable block. */
  get nextIndex(): number {
    return this.#index
  }

  /** Everything that was not shown yet. */
  end(result: ExecutionResult): ReportEntry[] {
    const entries = this.before(Infinity)
    entries.push(...this.#unread.splice(0).map((one) => this.#unreadEntry(one)))
    const message = fatalIn(result)
    if (message !== undefined) entries.push({ kind: 'fatal', message, task: this.#nextTask() })
    const more = (result.notExecuted ?? []).slice(mostMissed)
    if (more.length > 0)
      entries.push({ kind: 'more-missed', count: more.length, isMissing: more.some((one) => isEditMissing(one)) })
    if (needsReminder(result)) entries.push({ kind: 'reminder', lines: reminderOf(result) })
    for (const warning of result.warnings ?? []) entries.push({ kind: 'warning', message: warning })
    const edited = editedReplyLines(result)
    if (edited.length > 0) entries.push({ kind: 'edited-reply', lines: edited })
    return entries
  }

  #wait(unread: Unread): void {
    this.#unread.splice(this.#unread.findLastIndex(({ line }) => line <= unread.line) + 1, 0, unread)
  }

  #continuesSkipping({ code, group, failure }: ActionResult): boolean {
    const before = this.#skipped.at(-1)
    return (
      code === 'skipped' && before !== undefined && before.group === group && before.failure?.what === failure?.what
    )
  }

  #endSkipping(): ReportEntry[] {
    const skipped = this.#skipped
    this.#skipped = []
    return skipped.length === 0 ? [] : [this.#actionEntry(skipped)]
  }

  #actionEntry(results: readonly ActionResult[]): ReportEntry {
    const index = this.#index
    this.#index += results.length
    for (const { task, seq } of results) this.#count(task ?? String(seq))
    const [first, second] = results
    return first !== undefined && second === undefined
      ? { kind: 'action', index, result: first }
      : { kind: 'skipped', index, results }
  }

  #unreadEntry(unread: Unread): ReportEntry {
    if (unread.kind === 'missed') return { kind: 'missed', one: unread.one }
    const [first] = unread.errors
    // An error in CSL stops all of it, and has the number of the task that it would have been.
    const task = first?.task ?? (first?.code === 'CSL_SYNTAX' ? this.#nextTask() : undefined)
    if (task !== undefined) this.#count(task)
    return { kind: 'unreadable', index: this.#index++, errors: unread.errors, task }
  }

  /** `3.2` is in the third task of the document. */
  #count(task: string): void {
    this.#lastTask = Math.max(this.#lastTask, Number.parseInt(task, 10) || 0)
  }

  #nextTask(): string {
    return String(this.#lastTask + 1)
  }
}

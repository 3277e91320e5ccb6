import { type ExecutionResult, isLeftOut, type ParseError } from '../core/result.ts'
import type { BlockChoice, ReviewChoices, ReviewedBlock } from '../core/review.ts'
import type { CheckedDocument } from '../engine/check.ts'
import { formatReport } from '../report/format.ts'
import type { ReportOptions } from '../report/options.ts'
import type { DoneBlock, Planned } from './plan.ts'
import type { PlanBlock, ReplyEntry } from './protocol.ts'
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

export interface Chosen {
  /** How many blocks that can be read. */
  readonly count: number
  /** Their tasks; undefined for the document as it is. */
  readonly only: readonly string[] | undefined
}

/** The blocks to apply; all that are left when none are named. */
export function chosenIn({ planned }: OpenDocument, tasks: readonly string[] | null): Chosen {
  if (planned.plan.looking) throw new Refusal(409, 'The effects are not known yet. Wait a moment.')
  const sound = planned.plan.blocks.filter(({ task, state }) => task !== undefined && state !== 'broken')
  const pending = sound.filter(({ outcome }) => outcome === undefined)
  const chosen = tasks === null ? pending : pending.filter(({ task = '' }) => tasks.includes(task))
  if (chosen.length === 0) throw new Refusal(409, 'Nothing is left to apply.')
  refuseTornGroups(pending, chosen)
  const count = chosen.length
  return { count, only: count === sound.length ? undefined : chosen.flatMap(({ task }) => task ?? []) }
}

/** The decisions for a run, each bound to what was shown. */
export function boundChoices(choices: ReviewChoices, blocks: readonly (ReviewedBlock | undefined)[]): ReviewChoices {
  const bound = blocks.flatMap((block) =>
    block === undefined ? [] : [[block.task, { ...choices.blocks?.[block.task], shown: block.shown }] as const],
  )
  return { ...choices, blocks: { ...choices.blocks, ...Object.fromEntries(bound) } }
}

/** A block that would do something else without those that are not chosen, if there is one. */
export const buildsOnOthers = (
  alone: readonly ReviewedBlock[],
  { planned }: Pick<OpenDocument, 'planned'>,
): ReviewedBlock | undefined =>
  alone.find(({ task, files }) => hunksIn(files) !== hunksIn(planned.reviewed(task)?.files ?? []))

const hunksIn = (files: ReviewedBlock['files']): string =>
  files.flatMap(({ hunks }) => hunks.map(({ id }) => id)).join()

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

/** What lands whole or not at all cannot be chosen in part. */
function refuseTornGroups(pending: readonly PlanBlock[], chosen: readonly PlanBlock[]): void {
  const lines = new Set(chosen.flatMap(({ group }) => (group?.atomic ? [group.line] : [])))
  for (const line of lines) {
    const members = pending.filter(({ group }) => group?.line === line)
    if (members.every((one) => chosen.includes(one))) continue
    const names = members.map(({ task }) => task).join(', ')
    throw new Refusal(409, `Tasks ${names} land together or not at all: choose all of them or none.`)
  }
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

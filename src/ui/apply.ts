import type { Clada } from '../api/clada.ts'
import { type ActionResult, fatalResult } from '../core/result.ts'
import type { ReviewChoices, ReviewedBlock } from '../core/review.ts'
import type { OpenDocument } from './document.ts'
import type { PlanBlock } from './protocol.ts'
import { Refusal } from './refusal.ts'

interface Chosen {
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
function boundChoices(choices: ReviewChoices, blocks: readonly (ReviewedBlock | undefined)[]): ReviewChoices {
  const bound = blocks.flatMap((block) =>
    block === undefined ? [] : [[block.task, { ...choices.blocks?.[block.task], shown: block.shown }] as const],
  )
  return { ...choices, blocks: { ...choices.blocks, ...Object.fromEntries(bound) } }
}

/** A block that would do something else without those that are not chosen, if there is one. */
const buildsOnOthers = (
  alone: readonly ReviewedBlock[],
  { planned }: Pick<OpenDocument, 'planned'>,
): ReviewedBlock | undefined =>
  alone.find(({ task, files }) => hunksIn(files) !== hunksIn(planned.reviewed(task)?.files ?? []))

const hunksIn = (files: ReviewedBlock['files']): string =>
  files.flatMap(({ hunks }) => hunks.map(({ id }) => id)).join()

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
export async function applied(document: OpenDocument, how: Application): Promise<OpenDocument> {
  const { planned, text } = document
  const { clada, comparing, only, ...request } = how
  const { plan, choices } = planned
  const pending = plan.blocks.flatMap(({ task, outcome }) =>
    task === undefined || outcome !== undefined ? [] : [task],
  )
  const isPart = only !== undefined && only.length < pending.length
  // Without the others a block may do something else than was shown, and files may have changed since.
  const chosen = only === undefined ? {} : { only }
  const { blocks: now } = await comparing.review(text, choices, chosen)
  const stray = isPart
    ? buildsOnOthers(now, document)
    : now.find(({ task, shown }) => shown !== planned.reviewed(task)?.shown)
  if (stray !== undefined) {
    const why = isPart
      ? `block ${stray.task} builds on another block that is not chosen. Choose both.`
      : 'files have changed since they were shown. Look at it, and apply again.'
    return { ...document, last: fatalResult(`Nothing was applied: ${why}`) }
  }
  // Each block on a stage of its own takes longer, so only where something was decided.
  const isDecided = Object.keys(choices.blocks ?? {}).length > 0 || choices.original !== undefined
  const review = isDecided ? { review: boundChoices(choices, now) } : {}
  const before = (await clada.history()).at(-1)?.number ?? 0
  const result = await clada.execute(text, { ...request, ...review, ...chosen })
  const last = (await clada.history()).findLast(({ kind }) => kind === 'run')
  const execution = last !== undefined && last.number > before ? last.number : undefined
  const done = new Map(document.done)
  for (const one of result.results) {
    const { task = '' } = one
    done.set(task, { result: one, execution, changes: planned.changesOf(task), reviewed: planned.reviewed(task) })
  }
  return { ...document, done, last: result }
}

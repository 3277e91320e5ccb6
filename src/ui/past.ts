import { below, type Project, touched } from './plan.ts'
import type { Execution, Timeline } from './protocol.ts'
import { Refusal } from './refusal.ts'

/** What was executed, and what others did to the same files. */
export async function timelineOf({ clada }: Project): Promise<Timeline> {
  const [entries, since] = await Promise.all([clada.history(), clada.changedSince()])
  return { entries, since: since.map(touched) }
}

export async function executionOf({ clada, root }: Project, number: number): Promise<Execution> {
  const [detail, changes] = await Promise.all([clada.execution(number), clada.changesOf(number)])
  if (detail === undefined || changes === undefined) throw new Refusal(404, `There is no execution ${number}.`)
  const { actions, diffs: _, ...entry } = detail
  return { entry, actions: actions.map((one) => ({ ...one, target: below(root, one.target) })), ...changes }
}

/** Which of some executions have been taken back, here or elsewhere. */
export async function undoneIn({ clada }: Project): Promise<ReadonlySet<number>> {
  const entries = await clada.history()
  return new Set(entries.flatMap(({ number, undone }) => (undone ? [number] : [])))
}

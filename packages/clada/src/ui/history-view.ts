import type { FileChange } from '../core/result.ts'
import { Transcript } from '../loop/transcript.ts'
import type { UndoResult } from '../timetravel/undo.ts'
import { addChange, relativeToRoot, type PageProject, toTouchedFile } from './plan.ts'
import type { ExecutionView, LoopEntry, TimelineData } from './protocol.ts'
import { RequestRefusal } from './guard.ts'

/** What was executed, and what others did to the same files. */
export async function timelineOf({ clada, root }: PageProject): Promise<TimelineData> {
  const [entries, since] = await Promise.all([clada.history(), clada.changedSince()])
  return { entries, since: since.map(toTouchedFile), loops: Object.fromEntries(loopsIn(root)) }
}

function* loopsIn(root: string): Generator<[string, LoopEntry]> {
  for (let number = Transcript.last(root) ?? 0; number > 0; number--) {
    const { id, task, ended } = Transcript.open(root, number)?.record ?? {}
    if (id !== undefined && task !== undefined) yield [id, { number, task, ended }]
  }
}

export async function describeExecution({ clada, root }: PageProject, number: number): Promise<ExecutionView> {
  const [detail, changes] = await Promise.all([clada.execution(number), clada.changesOf(number)])
  if (detail === undefined || changes === undefined) throw new RequestRefusal(404, `There is no execution ${number}.`)
  const { actions, diffs: _, ...entry } = detail
  return { entry, actions: actions.map((one) => ({ ...one, target: relativeToRoot(root, one.target) })), ...changes }
}

/** All that the executions of a conversation changed, as one difference. */
export async function conversationOf({ clada }: PageProject, id: string): Promise<readonly FileChange[]> {
  const entries = (await clada.history()).filter(({ kind, conversation }) => kind === 'run' && conversation?.id === id)
  if (entries.length === 0) throw new RequestRefusal(404, 'There is no such conversation.')
  const totals = new Map<string, FileChange>()
  for (const { number } of entries)
    for (const change of (await clada.changesOf(number))?.changes ?? []) addChange(totals, change)
  return [...totals.values()].filter(({ before, after, binary }) => binary || before !== after)
}

/** Undoes several executions, the newest first, or redoes them, the oldest first: all of them, or none. */
export async function turnAll(
  { clada }: PageProject,
  how: 'undo' | 'redo',
  numbers: readonly number[],
  force: boolean,
): Promise<UndoResult> {
  const done: UndoResult[] = []
  const sorted = [...new Set(numbers)].sort((a, b) => (how === 'undo' ? b - a : a - b))
  for (const number of sorted) {
    const result = await clada[how]({ number, force })
    if (!result.success) {
      const back = how === 'undo' ? 'redo' : 'undo'
      for (const { execution } of done.toReversed()) await clada[back]({ force: true, number: execution })
      return { ...result, executions: [], restored: [] }
    }
    done.push(result)
  }
  return {
    success: true,
    executions: done.flatMap(({ execution }) => execution ?? []),
    restored: [...new Set(done.flatMap(({ restored }) => restored))],
    conflicts: done.flatMap(({ conflicts }) => conflicts),
    warnings: done.flatMap(({ warnings = [] }) => warnings),
  }
}

/** Whether an execution, or one of its actions, was undone, here or elsewhere. */
export async function undoneIn({ clada }: PageProject): Promise<(execution: number, action?: number) => boolean> {
  const entries = new Map((await clada.history()).map((entry) => [entry.number, entry]))
  return (execution, action) => {
    const { undone = false, undoneActions = [] } = entries.get(execution) ?? {}
    return undone || (action !== undefined && undoneActions.includes(action))
  }
}

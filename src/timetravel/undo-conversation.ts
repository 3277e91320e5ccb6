import path from 'node:path'
import type { Conversation, HistorySettings, Settings } from '../core/settings.ts'
import { readTimeline } from '../history/recover.ts'
import type { ExecutionRecord } from '../journal/record.ts'
import { standings } from '../journal/timeline.ts'
import { openWorkspace } from '../workspace/open.ts'
import { makePathJudge, pathPolicyOf } from '../policy/paths.ts'
import { stateDirOf } from '../workspace/scratch.ts'
import { redo, refused, undo, type UndoOptions, type UndoResult } from './undo.ts'

/**
 * Undoes the executions of the last conversation, the newest first. If one cannot be undone, those that were are redone,
 * so that the conversation is undone whole or not at all.
 */
export async function undoConversation(
  settings: Settings,
  how: HistorySettings,
  kind: Conversation['kind'] | 'any',
  { force = false }: Pick<UndoOptions, 'force'>,
): Promise<UndoResult> {
  const records = await standingRuns(settings)
  const of = (record: ExecutionRecord): boolean =>
    record.conversation !== undefined && (kind === 'any' || record.conversation.kind === kind)
  const id = records.findLast(of)?.conversation?.id
  if (id === undefined) return refused(`There is no ${kind === 'loop' ? 'loop' : 'conversation'} to undo.`)
  const numbers = records.flatMap(({ number, conversation }) => (conversation?.id === id ? [number] : [])).reverse()
  const done: UndoResult[] = []
  for (const number of numbers) {
    const result = await undo(settings, how, { number, force })
    if (!result.success) {
      for (let left = done.length; left > 0; left--) await redo(settings, how, { force: true })
      return { ...result, executions: [], restored: [] }
    }
    done.push(result)
  }
  const warnings = done.flatMap((one) => one.warnings ?? [])
  const { gitCommit } = done.at(-1) ?? {}
  return {
    success: true,
    executions: numbers,
    summary: `${numbers.length} executions`,
    restored: [...new Set(done.flatMap(({ restored }) => restored))],
    conflicts: done.flatMap(({ conflicts }) => conflicts),
    ...(gitCommit === undefined ? {} : { gitCommit }),
    ...(warnings.length === 0 ? {} : { warnings }),
  }
}

/** The runs that are not undone, oldest first. */
async function standingRuns(settings: Settings): Promise<ExecutionRecord[]> {
  const stateDir = stateDirOf(settings.root)
  if (stateDir === undefined) return []
  const workspace = openWorkspace(settings, makePathJudge(pathPolicyOf(settings)), 'disk')
  try {
    const inspect = (absolute: string) => workspace.inspect(absolute)
    const records = readTimeline(path.join(stateDir, 'history'), settings.root, inspect)
    return standings(records).flatMap(({ record, undone }) => (undone ? [] : [record]))
  } finally {
    await workspace.close()
  }
}

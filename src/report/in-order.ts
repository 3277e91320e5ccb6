import type { NotExecuted } from '../core/block.ts'
import type { ActionResult, ExecutionResult, ParseError } from '../core/result.ts'
import { byBlock } from './words.ts'

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

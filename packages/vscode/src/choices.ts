import * as vscode from 'vscode'
import type { BlockChoice, ReviewedFile, ReviewHunk, ReviewPlace } from '../../clada/src/core/review.ts'
import type { BlockDetail, BlockState, PlanBlock } from '../../clada/src/ui/protocol.ts'

/** A row of the view: a block, a file that it changes, one of its changes, or a place where it could go. */
export type ChoiceRow =
  | { readonly kind: 'block'; readonly block: PlanBlock }
  | { readonly kind: 'file'; readonly block: PlanBlock; readonly file: ReviewedFile }
  | { readonly kind: 'hunk'; readonly block: PlanBlock; readonly file: ReviewedFile; readonly hunk: ReviewHunk }
  | { readonly kind: 'place'; readonly block: PlanBlock; readonly place: ReviewPlace }

export type BlockRow = Pick<ChoiceRow, 'block'>

/** The decision that takes a block or one of its changes, or leaves it out. */
export function takenChoice(row: ChoiceRow, choice: BlockChoice, isTaken: boolean): BlockChoice {
  if (row.kind === 'place') return choice
  if (row.kind === 'block') return { ...choice, leaveOut: !isTaken }
  const ids = row.kind === 'hunk' ? [row.hunk.id] : [...new Set(row.file.hunks.map(({ id }) => id))]
  const others = (choice.leave ?? []).filter(({ hunk }) => !ids.includes(hunk))
  return { ...choice, leaveOut: false, leave: isTaken ? others : [...others, ...ids.map((hunk) => ({ hunk }))] }
}

/** The same for a check mark. */
export const checkedChoice = (row: ChoiceRow, choice: BlockChoice, state: vscode.TreeItemCheckboxState): BlockChoice =>
  takenChoice(row, choice, state === vscode.TreeItemCheckboxState.Checked)

/** The decision for a place that the user has chosen. */
export function placeChoice({ line, endLine, hunk, params }: ReviewPlace, choice: BlockChoice): BlockChoice {
  return params === undefined
    ? { ...choice, place: { line, endLine, hunk } }
    : { ...choice, params: { ...choice.params, ...params } }
}

export const canDecide = (block: PlanBlock): boolean =>
  block.task !== undefined && block.outcome === undefined && (block.state === 'left' || canApply(block))

/** Whether applying it would do something. An edit of which a part fits nowhere lands with the others. */
export const canApply = ({ state, outcome, files }: PlanBlock): boolean =>
  outcome === undefined && (applicable.has(state) || (state === 'fails' && files.length > 0))

const applicable: ReadonlySet<BlockState> = new Set(['ready', 'repaired', 'part', 'approval', 'unknown'])

/** The files of a block, or the changes of its only one, and the places where it could go. */
export function partsOf(row: ChoiceRow, { files, places }: BlockDetail): ChoiceRow[] {
  const { block } = row
  if (block.outcome !== undefined) return []
  if (row.kind === 'file') return hunkRows(block, row.file)
  if (row.kind !== 'block') return []
  const [file, ...more] = files
  const parts =
    more.length > 0 ? files.map((one): ChoiceRow => ({ kind: 'file', block, file: one })) : hunkRows(block, file)
  return [...parts, ...places.map((place): ChoiceRow => ({ kind: 'place', block, place }))]
}

/** The only change of a file is taken or left out with it. */
const hunkRows = (block: PlanBlock, file: ReviewedFile | undefined): ChoiceRow[] =>
  file === undefined || file.hunks.length < 2 ? [] : file.hunks.map((hunk) => ({ kind: 'hunk', block, file, hunk }))

/** The first line of a change where the changes that are left out before it are not made. From 0. */
export function lineInResult({ hunks }: ReviewedFile, { newStart }: ReviewHunk): number {
  const before = hunks.filter((hunk) => !hunk.taken && hunk.newStart < newStart)
  return before.reduce(
    (line, { newStart: from, newEnd: to, oldStart, oldEnd }) => line - (to - from) + (oldEnd - oldStart),
    newStart,
  )
}

import type { BlockState, BlockOutcome, PlanBlock } from '../../clada/src/ui/protocol.ts'

/** How things are called on the page, in one place. */
export type BlockMark = BlockState | 'running' | 'waiting' | 'done' | 'failed'

const labels: Record<BlockMark, string> = {
  checking: 'Checking…',
  ready: 'Ready',
  repaired: 'Ready, repaired',
  part: 'Ready, a part of the file',
  approval: 'Needs an answer',
  unknown: 'Known after a program has run',
  refused: 'Refused',
  fails: 'Will fail',
  broken: 'Cannot be read',
  skipped: 'Skipped',
  left: 'Left out',
  running: 'Running',
  waiting: 'Waits for your answer',
  done: 'Done',
  failed: 'Failed',
}

/** Said to a key that came too early; gone when the check is over. */
export const stillChecking = 'Checking what each block would do. Apply it when that is known.'

export const labelOf = (mark: BlockMark): string => labels[mark]

export function markOf({ state }: PlanBlock, outcome: BlockOutcome | undefined): BlockMark {
  if (outcome === undefined) return state
  if (outcome.left) return 'left'
  return outcome.success ? 'done' : 'failed'
}

export function formatBytes(count: number): string {
  if (count < 1000) return `${count} B`
  return count < 1_000_000 ? `${(count / 1000).toFixed(0)} kB` : `${(count / 1_000_000).toFixed(1)} MB`
}

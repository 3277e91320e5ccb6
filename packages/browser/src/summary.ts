import { formatCount } from '@clada/reply/core/words.ts'
import type { Block, SkippedBlock } from '@clada/reply/core/block.ts'
import { Source } from '@clada/reply/core/source.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'

/** What a reply has to review in a few words, as clada reads it; undefined when there is nothing. */
export function readSummary(text: string): string | undefined {
  const { blocks: all, notExecuted } = findBlocks(new Source(text))
  const blocks = all.filter(({ diagnostics, endLine }) => diagnostics.length === 0 && endLine !== null)
  const proposals = blocks.filter(isProposed).length + notExecuted.filter(isFragment).length
  const own = blocks.filter((block) => !isProposed(block))
  if (own.length + proposals === 0) return undefined
  const edits = own.filter(isEditBlock)
  const files = new Set(edits.map(({ params }) => params['path'] ?? params['old_path']))
  const others = own.length - edits.length
  const parts = [
    ...(edits.length === 0 ? [] : [`${formatCount(edits.length, 'edit')} in ${formatCount(files.size, 'file')}`]),
    ...(others === 0 ? [] : [formatCount(others, edits.length === 0 ? 'action' : 'other action')]),
    ...(proposals === 0 ? [] : [formatCount(proposals, 'proposal')]),
    ...(all.length === blocks.length ? [] : [`${all.length - blocks.length} not readable`]),
  ]
  return parts.join(', ')
}

const isProposed = ({ proposed }: Block): boolean => proposed === true

/** Code that a sentence announces for a file. Whether it fits there is for clada to say, which sees the file. */
const isFragment = ({ path, reason, block }: SkippedBlock): boolean =>
  path !== undefined && path !== '' && block === undefined && (reason === 'example' || reason === 'unreadable')

/** Whether a block names a file and does more than read. */
const isEditBlock = ({ action, params }: Block): boolean =>
  (params['path'] ?? params['old_path']) !== undefined && !/read|list|^ls$|grep|glob|map|exec|^run|context/.test(action)

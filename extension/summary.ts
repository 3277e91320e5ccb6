import type { Block } from '../src/core/block.ts'
import { Source } from '../src/core/source.ts'
import { findBlocks } from '../src/syntax/find-blocks.ts'

/** The complete blocks of a reply in a few words, as clada reads them; undefined when there are none. */
export function summaryOf(text: string): string | undefined {
  const all = findBlocks(new Source(text)).blocks
  const blocks = all.filter(({ faults, endLine }) => faults.length === 0 && endLine !== null)
  if (blocks.length === 0) return undefined
  const edits = blocks.filter(isEdit)
  const files = new Set(edits.map(({ params }) => params['path'] ?? params['old_path']))
  const others = blocks.length - edits.length
  const parts = [
    ...(edits.length === 0 ? [] : [`${counted(edits.length, 'edit')} in ${counted(files.size, 'file')}`]),
    ...(others === 0 ? [] : [counted(others, edits.length === 0 ? 'action' : 'other action')]),
    ...(all.length === blocks.length ? [] : [`${all.length - blocks.length} not readable`]),
  ]
  return parts.join(', ')
}

/** Whether a block names a file and does more than read. */
const isEdit = ({ action, params }: Block): boolean =>
  (params['path'] ?? params['old_path']) !== undefined && !/read|list|^ls$|grep|glob|map|exec|^run|context/.test(action)

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

import type { Block } from '@clada/reply/core/block.ts'
import type { Source } from '@clada/reply/core/source.ts'
import { cml } from '@clada/reply/syntax/cml/cml.ts'
import { explained, readWith } from './read-alone.ts'

/** A whole text through the CML reader alone. */
export function readCml(text: string | Source): readonly Block[] {
  const { blocks, diagnostics } = readWith(cml.reader, text)
  if (diagnostics.length > 0) throw new Error('a diagnostic that belongs to no block')
  return blocks
}

/** Only these are ever carried out. */
export const runnable = (text: string): Block[] => readCml(text).filter((block) => block.diagnostics.length === 0)

/** A block as the cases beside the documents show it. */
export function shown(block: Block) {
  const { id, action, label, params, startLine, endLine, group, warnings } = block
  const diagnostics = explained(block).map(({ code, line, column, length, message, hint }) => {
    return { code, line, column, length, message, hint }
  })
  return {
    id,
    action,
    label,
    params: { ...params },
    lines: [startLine, endLine],
    ...(group === undefined ? {} : { group }),
    ...(warnings === undefined ? {} : { warnings }),
    ...(diagnostics.length === 0 ? {} : { diagnostics }),
  }
}

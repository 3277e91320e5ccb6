import { explainFault } from '../../packages/clada/src/report/mistakes.ts'
import type { Block, Fault } from '@clada/reply/core/block.ts'
import type { Source } from '@clada/reply/core/source.ts'
import { cml } from '@clada/reply/syntax/cml/cml.ts'
import { readWith } from './read-alone.ts'

/** A whole text through the CML reader alone. */
export function readCml(text: string | Source): readonly Block[] {
  const { blocks, faults } = readWith(cml.reader, text)
  if (faults.length > 0) throw new Error('a fault that belongs to no block')
  return blocks
}

/** Only these are ever carried out. */
export const runnable = (text: string): Block[] => readCml(text).filter((block) => block.faults.length === 0)

export function position(fault: Fault) {
  const { code, line, column, length, message, hint } = explainFault(fault)
  return { code, line, column, length, message, hint }
}

/** A block as the cases beside the documents show it. */
export const shown = ({ id, action, label, params, startLine, endLine, group, warnings, faults }: Block) => ({
  id,
  action,
  label,
  params: { ...params },
  lines: [startLine, endLine],
  ...(group === undefined ? {} : { group }),
  ...(warnings === undefined ? {} : { warnings }),
  ...(faults.length === 0 ? {} : { faults: faults.map(position) }),
})

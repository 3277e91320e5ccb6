import type { Block, Fault } from '../../src/core/block.ts'
import { Source } from '../../src/core/source.ts'
import { makeCmlReader } from '../../src/syntax/cml.ts'

/** A whole text through the CML reader alone. */
export function readCml(text: string | Source): Block[] {
  const source = typeof text === 'string' ? new Source(text) : text
  const reader = makeCmlReader(source)
  const blocks: Block[] = []
  let line = reader.seek(1)
  while (line <= source.lineCount) {
    const reading = reader.read(line)
    if (reading.next <= line) throw new Error(`no way on from line ${line}`)
    if (reading.faults.length > 0) throw new Error('a fault that belongs to no block')
    for (const block of reading.blocks) blocks.push(block)
    line = reader.seek(reading.next)
  }
  return blocks
}

/** Only these are ever carried out. */
export const runnable = (text: string): Block[] => readCml(text).filter((block) => block.faults.length === 0)

export const position = ({ code, line, column, length, message, hint }: Fault) => ({
  code,
  line,
  column,
  length,
  message,
  hint,
})

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

import { explainFault } from '../../packages/clada/src/report/mistakes.ts'
import type { Block, ExplainedFault, Fault } from '@clada/reply/core/block.ts'
import { Source } from '@clada/reply/core/source.ts'
import type { MakeReader } from '@clada/reply/syntax/reader.ts'

export interface WholeReading {
  readonly blocks: readonly Block[]
  readonly faults: readonly Fault[]
  readonly fatal: Fault | undefined
}

/** A whole text through one reader alone. */
export function readWith(make: MakeReader, text: string | Source): WholeReading {
  const source = typeof text === 'string' ? new Source(text) : text
  const reader = make(source)
  const blocks: Block[] = []
  const faults: Fault[] = []
  let line = reader.seek(1)
  while (line <= source.lineCount) {
    const reading = reader.read(line)
    if (!(reading.next > line)) throw new Error(`no way on from line ${line}`)
    for (const block of reading.blocks) blocks.push(block)
    for (const fault of reading.faults) faults.push(fault)
    line = reader.seek(reading.next)
    if (line < reading.next) throw new Error(`line ${line} comes before ${reading.next}`)
  }
  if (line !== Infinity) throw new Error(`seek gave line ${line} of ${source.lineCount}`)
  return { blocks, faults, fatal: reader.fatal?.() }
}

/** Where a mistake is, as the cases beside the tests hold it. */
export const position = (fault: Fault) => positionIn(explainFault(fault))

export const positionIn = ({ code, line, column, length, blockId, message, hint }: ExplainedFault) => ({
  code,
  line,
  column,
  length,
  blockId,
  message,
  hint,
})

import type { Block, Document, Fault } from '../../src/core/block.ts'
import { Source } from '../../src/core/source.ts'
import { makeShamReader } from '../../src/syntax/sham.ts'

/** A whole text through the SHAM reader alone. */
export function readSham(text: string | Source): Document {
  const source = typeof text === 'string' ? new Source(text) : text
  const reader = makeShamReader(source)
  const blocks: Block[] = []
  const faults: Fault[] = []
  let line = reader.seek(1)
  while (line <= source.lineCount) {
    const reading = reader.read(line)
    if (reading.next <= line) throw new Error(`no way on from line ${line}`)
    for (const block of reading.blocks) blocks.push(block)
    for (const fault of reading.faults) faults.push(fault)
    line = reader.seek(reading.next)
  }
  return { blocks, faults, warnings: [] }
}

/** Only these are ever carried out. */
export const runnable = (text: string): Block[] => readSham(text).blocks.filter((block) => block.faults.length === 0)

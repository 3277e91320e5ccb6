import type { Block, Document, Fault, SyntaxName } from '../core/block.ts'
import type { Source } from '../core/source.ts'
import type { MakeReader } from './reader.ts'
import { makeShamReader } from './sham.ts'

const readers: Partial<Record<SyntaxName, MakeReader>> = { sham: makeShamReader }

export const knownSyntaxes = Object.keys(readers) as readonly SyntaxName[]

/** Every block in a text, in order of appearance. Never throws: a broken block is there with its faults. */
export function findBlocks(source: Source, syntaxes: readonly SyntaxName[] = knownSyntaxes): Document {
  const open = syntaxes.flatMap((name) => readers[name]?.(source) ?? [])
  const blocks: Block[] = []
  const faults: Fault[] = []
  let line = 1
  for (;;) {
    let first = Infinity
    let reader = open[0]
    for (const candidate of open) {
      const at = candidate.seek(line)
      if (at < first) [first, reader] = [at, candidate]
    }
    if (reader === undefined || first === Infinity) return { blocks, faults }
    const reading = reader.read(first)
    for (const block of reading.blocks) blocks.push(block)
    for (const fault of reading.faults) faults.push(fault)
    line = reading.next
  }
}

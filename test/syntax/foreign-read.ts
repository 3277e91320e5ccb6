import type { Block, Document, Fault } from '../../src/core/block.ts'
import { Source } from '../../src/core/source.ts'
import { makeApplyPatchReader } from '../../src/syntax/apply-patch.ts'
import type { MakeReader } from '../../src/syntax/reader.ts'
import { makeSearchReplaceReader } from '../../src/syntax/search-replace.ts'
import { makeUdiffReader } from '../../src/syntax/udiff.ts'

export const readers = {
  'search-replace': makeSearchReplaceReader,
  'apply-patch': makeApplyPatchReader,
  udiff: makeUdiffReader,
}

export type Format = keyof typeof readers

/** A whole text through one reader alone. */
export function readForeign(format: Format, text: string | Source): Document {
  return readWith(readers[format], typeof text === 'string' ? new Source(text) : text)
}

function readWith(make: MakeReader, source: Source): Document {
  const reader = make(source)
  const blocks: Block[] = []
  const faults: Fault[] = []
  let line = reader.seek(1)
  while (line <= source.lineCount) {
    const reading = reader.read(line)
    if (reading.next <= line) throw new Error(`no way on from line ${line}`)
    for (const block of reading.blocks) blocks.push(block)
    for (const fault of reading.faults) faults.push(fault)
    const next = reader.seek(reading.next)
    if (next < reading.next) throw new Error(`line ${next} comes before ${reading.next}`)
    line = next
  }
  return { blocks, faults, warnings: [] }
}

/** Only these are ever carried out. */
export const runnable = (format: Format, text: string): Block[] =>
  readForeign(format, text).blocks.filter((block) => block.faults.length === 0 && block.endLine !== null)

import { explainDiagnostic } from '../../packages/clada/src/report/explain-diagnostic.ts'
import type { Block, ExplainedDiagnostic } from '@clada/reply/core/block.ts'
import type { Diagnostic } from '@clada/reply/core/diagnostic.ts'
import { Source } from '@clada/reply/core/source.ts'
import type { MakeReader } from '@clada/reply/syntax/reader.ts'

export interface WholeReading {
  readonly blocks: readonly Block[]
  readonly diagnostics: readonly Diagnostic[]
  readonly fatal: Diagnostic | undefined
}

/** A whole text through one reader alone. */
export function readWith(make: MakeReader, text: string | Source): WholeReading {
  const source = typeof text === 'string' ? new Source(text) : text
  const reader = make(source)
  const blocks: Block[] = []
  const diagnostics: Diagnostic[] = []
  let line = reader.seek(1)
  while (line <= source.lineCount) {
    const reading = reader.read(line)
    if (!(reading.next > line)) throw new Error(`no way on from line ${line}`)
    for (const block of reading.blocks) blocks.push(block)
    for (const diagnostic of reading.diagnostics) diagnostics.push(diagnostic)
    line = reader.seek(reading.next)
    if (line < reading.next) throw new Error(`line ${line} comes before ${reading.next}`)
  }
  if (line !== Infinity) throw new Error(`seek gave line ${line} of ${source.lineCount}`)
  return { blocks, diagnostics, fatal: reader.fatal?.() }
}

/** The diagnostics of a block in words. */
export const explained = ({ id, diagnostics }: Block): ExplainedDiagnostic[] =>
  diagnostics.map((one) => explainDiagnostic(one, id))

/** Those of a whole reading: first those that belong to no block. */
export const allExplained = ({
  blocks,
  diagnostics,
}: Pick<WholeReading, 'blocks' | 'diagnostics'>): ExplainedDiagnostic[] => [
  ...diagnostics.map((one) => explainDiagnostic(one, null)),
  ...blocks.flatMap(explained),
]

export const positionIn = ({ code, line, column, length, blockId, message, hint }: ExplainedDiagnostic) => ({
  code,
  line,
  column,
  length,
  blockId,
  message,
  hint,
})

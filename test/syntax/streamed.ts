import { explainDiagnostic } from '../../packages/clada/src/report/explain-diagnostic.ts'
import type { Block, Document } from '@clada/reply/core/block.ts'
import type { Diagnostic } from '@clada/reply/core/diagnostic.ts'
import { BlockStream } from '@clada/reply/syntax/stream-blocks.ts'
import { syntaxOf } from '@clada/reply/syntax/table.ts'

function diagnostic(found: Diagnostic) {
  const { code, line, column, length, message, hint, content } = explainDiagnostic(found, null)
  return { code, line, column, length, message, hint, content }
}
const comparable = ({ id, syntax, diagnostics, group, ...block }: Block) => ({
  ...block,
  syntax,
  // The others are numbered as they are found.
  ...(syntaxOf(syntax).ids === 'written' && { id }),
  params: { ...block.params },
  diagnostics: diagnostics.map(diagnostic),
  ...(group && { group: { ...group } }),
})
/** What can be compared: blocks with the same numbers may be different objects. */
export const documentOf = ({ blocks, diagnostics, warnings }: Document) => ({
  blocks: blocks.map(comparable),
  diagnostics: diagnostics.map(diagnostic),
  warnings,
})

/** A text in pieces, cut at these places. */
export function throughStream(text: string, cuts: readonly number[]): Document {
  const stream = new BlockStream({})
  const blocks: Block[] = []
  const places = [...cuts.map((at) => at % (text.length + 1)), 0, text.length].toSorted((a, b) => a - b)
  for (const [index, at] of places.entries()) {
    if (index > 0) blocks.push(...stream.push(text.slice(places[index - 1], at)).blocks)
  }
  const rest = stream.end()
  return { ...rest, blocks: [...blocks, ...rest.blocks] }
}

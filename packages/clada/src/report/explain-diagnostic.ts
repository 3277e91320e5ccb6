import type { Block, Document, ExplainedDiagnostic } from '@clada/reply/core/block.ts'
import type { Diagnostic, DiagnosticCode, FactOf } from '@clada/reply/core/diagnostic.ts'
import type { DiagnosticRow, ExplainInner, Sentence } from './diagnostics/row.ts'
import { diagnosticRows } from './diagnostics/table.ts'

/** A diagnostic in words. `blockId`: of the block that it costs. */
export function explainDiagnostic(diagnostic: Diagnostic, blockId: string | null): ExplainedDiagnostic {
  const { range, excerpt, syntax, raw } = diagnostic
  const [message, hint] = diagnosticSentence(diagnostic, range.line)
  const where = { ...range, blockId, content: excerpt.line, context: excerpt.around }
  return { code: reportCodeOf(diagnostic), ...where, message, hint, syntax, raw }
}

/** A document whose diagnostics are in words, for callers outside. */
export function explainDocument(document: Document): Document<ExplainedDiagnostic> {
  const inBlock = (block: Block): Block<ExplainedDiagnostic> => ({
    ...block,
    diagnostics: block.diagnostics.map((one) => explainDiagnostic(one, block.id)),
  })
  return {
    ...document,
    blocks: document.blocks.map(inBlock),
    diagnostics: document.diagnostics.map((one) => explainDiagnostic(one, null)),
    notExecuted: document.notExecuted.map(({ block, ...one }) =>
      block === undefined ? one : { ...one, block: inBlock(block) },
    ),
  }
}

/** The code that reports have for a diagnostic. */
export function reportCodeOf({ code, data }: FactOf<DiagnosticCode>): string {
  const row: DiagnosticRow<never> = diagnosticRows[code]
  const { code: given = 'malformed_block' } = row
  return typeof given === 'string' ? given : given(data as never, inner)
}

function diagnosticSentence({ code, data }: FactOf<DiagnosticCode>, line: number): Sentence {
  const row: DiagnosticRow<never> = diagnosticRows[code]
  return row.say(data as never, line, inner)
}

const inner: ExplainInner = { code: reportCodeOf, sentence: diagnosticSentence }

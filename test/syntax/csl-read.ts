import { explainDiagnostic } from '../../packages/clada/src/report/explain-diagnostic.ts'
import { explained, positionIn, type WholeReading } from './read-alone.ts'

/** A reading as the cases beside the tests hold it. */
export function told({ blocks, diagnostics, fatal }: WholeReading) {
  return {
    blocks: blocks.map((block) => {
      const { id, label, action, params, startLine, endLine, group, explanation, warnings } = block
      return {
        id,
        label,
        action,
        params: { ...params },
        lines: [startLine, endLine],
        group,
        explanation,
        warnings,
        ...(block.diagnostics.length > 0 && { diagnostics: explained(block).map(positionIn) }),
      }
    }),
    ...(diagnostics.length > 0 && {
      diagnostics: diagnostics.map((one) => positionIn(explainDiagnostic(one, null))),
    }),
    ...(fatal && { fatal: explainDiagnostic(fatal, null).message }),
  }
}

import { explainFault } from '../../packages/clada/src/report/mistakes.ts'
import { position, type WholeReading } from './read-alone.ts'

/** A reading as the cases beside the tests hold it. */
export function told({ blocks, faults, fatal }: WholeReading) {
  return {
    blocks: blocks.map(({ id, label, action, params, startLine, endLine, group, explanation, warnings, faults }) => ({
      id,
      label,
      action,
      params: { ...params },
      lines: [startLine, endLine],
      group,
      explanation,
      warnings,
      ...(faults.length > 0 && { faults: faults.map(position) }),
    })),
    ...(faults.length > 0 && { faults: faults.map(position) }),
    ...(fatal && { fatal: explainFault(fatal).message }),
  }
}

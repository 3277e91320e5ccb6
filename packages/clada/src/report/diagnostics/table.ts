import type { DiagnosticCode } from '@clada/reply/core/diagnostic.ts'
import { cmlDiagnostics } from './cml.ts'
import { cslDiagnostics } from './csl.ts'
import { foreignDiagnostics } from './foreign.ts'
import { generalDiagnostics } from './general.ts'
import { replacerDiagnostics } from './replacer.ts'
import type { DiagnosticRows } from './row.ts'
import { shamDiagnostics } from './sham.ts'

/** The code and the sentence of each diagnostic. */
export const diagnosticRows: DiagnosticRows<DiagnosticCode> = {
  ...generalDiagnostics,
  ...shamDiagnostics,
  ...cslDiagnostics,
  ...cmlDiagnostics,
  ...replacerDiagnostics,
  ...foreignDiagnostics,
}

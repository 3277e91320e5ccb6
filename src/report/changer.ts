import type { Details } from '../core/result.ts'

/** Who changed it, for a sentence. */
export function changerOf({ execution, action, kind, of }: NonNullable<Details['changed_by']>): string {
  const turn = kind === undefined || of === undefined ? '' : ` (${kind} of execution ${of})`
  const where = execution === undefined ? '' : `execution ${execution}${turn}`
  // An undo has no actions.
  if (action === 0) return where
  return where === '' ? `action ${action}` : `action ${action} of ${where}`
}

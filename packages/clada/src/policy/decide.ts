import type { ActionSpec } from '../core/action.ts'

/** Whether an action may run at all, before anything is looked at. Pure: facts in, decision out. */
export type PolicyDecision =
  | { readonly verdict: 'allow' }
  | { readonly verdict: 'deny'; readonly rule: 'user_only' | 'allowed_actions'; readonly reason: string }

export interface Caller {
  /** `document` is whatever a model wrote; `user` is the person at the keyboard. */
  readonly origin: 'document' | 'user'
  readonly allowedActions: readonly string[] | null
}

export function decide(spec: ActionSpec, spelled: string, caller: Caller): PolicyDecision {
  if (caller.origin === 'document' && !spec.access.includes('llm')) {
    const typed = spec.command === undefined ? '' : `; the user types: ${spec.command}`
    const reason = `Action '${spelled}' is for the user, not for model output${typed}`
    return { verdict: 'deny', rule: 'user_only', reason }
  }
  const { allowedActions } = caller
  if (allowedActions !== null && caller.origin === 'document') {
    const allowed = allowedActions.some((name) => name === spec.name || spec.aliases.includes(name))
    if (!allowed) {
      return {
        verdict: 'deny',
        rule: 'allowed_actions',
        reason: `Action '${spelled}' is not in allowed-actions list (${allowedActions.join(',')})`,
      }
    }
  }
  return { verdict: 'allow' }
}

import type { ActionSpec } from '../core/action.ts'
import { decide } from '../policy/decide.ts'

export interface Allowed {
  /** Null or missing allows every action that a model may call. */
  readonly allowedActions?: readonly string[] | null | undefined
  readonly exec?: 'sandbox' | 'unsandboxed' | 'off' | undefined
}

/** The actions that a model may call where this is allowed. */
export const callable = (specs: readonly ActionSpec[], { allowedActions = null, exec }: Allowed): ActionSpec[] =>
  specs.filter(
    (spec) =>
      decide(spec, spec.name, { origin: 'document', allowedActions }).verdict === 'allow' &&
      !(spec.name === 'exec' && exec === 'off'),
  )

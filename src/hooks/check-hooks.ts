import type { Hook, Hooks } from '../core/hooks.ts'
import { type Facts, unknownNames, type Values } from './substitute.ts'

/** What is wrong with hooks, before any of them runs. In the words that earlier tools used. */
export function faultIn({ before = [], after = [] }: Hooks, vars: Values, facts: Facts): string | undefined {
  return [
    ...before.map((hook) => faultOf(hook) ?? unknown(hook, vars, {})),
    ...after.map((hook) => faultOf(hook) ?? unknown(hook, vars, facts)),
  ].find((fault) => fault !== undefined)
}

/** Options of a library come from anywhere. */
function faultOf(hook: unknown): string | undefined {
  if (typeof hook !== 'object' || hook === null) return 'Command must be an object'
  if (!('run' in hook)) return "Command must have 'run' property"
  if (typeof hook.run !== 'string') return 'Command run must be a string'
  if (hook.run.trim() === '') return 'Command run string cannot be empty'
  if ('timeout' in hook && !(typeof hook.timeout === 'number' && hook.timeout > 0)) return 'Timeout must be positive'
  return undefined
}

function unknown({ run }: Hook, vars: Values, facts: Facts): string | undefined {
  const [name] = unknownNames(run, vars, facts)
  return name === undefined ? undefined : `Variable not found: ${name} (in the hook '${run}')`
}

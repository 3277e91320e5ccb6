import type { KeyName } from '../config/keys.ts'
import type { FlagValues } from './flags.ts'

/** What a flag makes of a key, as it was written; undefined when no flag says anything about it. */
export function flagSays(
  name: KeyName,
  names: readonly string[],
  below: unknown,
  flags: FlagValues,
): { readonly flag: string; readonly value: unknown } | undefined {
  const given = new Map(Object.entries(flags))
  const flag = names.find((one) => given.has(one))
  if (flag === undefined) return undefined
  const values = given.get(flag) ?? []
  // Switches say one value each.
  const switches: Readonly<Record<string, string>> = { 'no-git': 'off', json: 'json', 'no-color': 'never' }
  if (flag in switches) return { flag, value: switches[flag] }
  if (name === 'syntaxes') return { flag, value: values }
  // These flags add to what the files say.
  return { flag, value: Array.isArray(below) ? [...below, ...values] : values[0] }
}

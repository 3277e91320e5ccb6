import type { Attack } from '../attack.ts'

/** Attacks of one class, with an id each. What is not given is the same for all. */
export const numbered = (
  name: string,
  common: Pick<Attack, 'why'> & Partial<Attack>,
  attacks: readonly (Pick<Attack, 'description'> & Partial<Attack>)[],
): Attack[] =>
  attacks.map((attack, index) => ({
    id: `${name}-${String(index + 1).padStart(3, '0')}`,
    kind: 'action',
    expected: 'contained',
    ...common,
    ...attack,
  }))

export const steps = (
  ...all: readonly (readonly [string, Readonly<Record<string, string>>])[]
): Pick<Attack, 'action'> => ({
  action: { type: 'steps', steps: all },
})

/** A text in single quotes, for a shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

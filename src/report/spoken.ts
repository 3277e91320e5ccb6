import type { ActionResult } from '../core/result.ts'

/**
 * Reports are written to models: they name the action in every sentence, carry codes, and send to the user for what a
 * model cannot do. Where the user reads them, the same is said to them.
 */
export function spokenError({ error = '', action }: Pick<ActionResult, 'error' | 'action'>): string {
  const bare = error.startsWith(`${action}: `) ? error.slice(action.length + 2) : error
  return bare
    .replace(/^(?:E[A-Z]{3,}|[A-Z]+(?:_[A-Z]+)+|[a-z]+(?:_[a-z]+)+): /, '')
    .replace(/^The user refused /, 'You refused ')
    .replace(/ \((?:E[A-Z]+|path_\w+|TIMEOUT)\)$/, '')
}

/** Empty where nothing is left to say. */
export function spokenAdvice(advice: string): string {
  let said = advice
  for (const [written, spoken] of turns) said = said.replace(written, spoken)
  return said.replace(/\bAsk the user to (\w)/g, (_, first: string) => first.toUpperCase())
}

const turns: readonly (readonly [written: RegExp, spoken: string])[] = [
  [/^Do without it, or ask the user why\.$/, ''],
  [/^The user can approve it with: /, 'To approve it: '],
  [/ Until then, go on without it\.$/, ''],
  [/ with ls or glob\.$/, '.'],
  [/\bask the user for --timeout\b/, 'give it longer with --timeout'],
  [/\bAsk the user for a smaller root\b/, 'Choose a smaller root'],
  [/; ask the user for what you need from it\.$/, '.'],
  [/, or ask the user\.$/, '.'],
  // Whoever is asked has more than one thing to choose from.
  [/\b(ask the user to .*), or to /i, '$1, or '],
  [/\bask the user to /, ''],
]

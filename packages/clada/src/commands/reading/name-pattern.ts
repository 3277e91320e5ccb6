/**
 * Tests names by a pattern of the shell: `*`, `?`, `[…]`, and `\` before a character that means itself. An expression
 * could try one star against another for longer than the machine lives; here only the last star is ever tried again.
 */
export function namePattern(pattern: string, letterCase: 'as given' | 'any' = 'as given'): (name: string) => boolean {
  const parts = patternParts([...pattern], letterCase === 'any')
  return (name) => isMatch(parts, [...name])
}

type PatternPart = '*' | ((character: string) => boolean)

function isMatch(parts: readonly PatternPart[], name: readonly string[]): boolean {
  let [at, next] = [0, 0]
  let retry: { part: number; at: number } | undefined
  while (at < name.length) {
    const part = parts[next]
    if (part === '*') {
      retry = { part: ++next, at }
    } else if (part?.(name[at] ?? '') === true) {
      at++
      next++
    } else if (retry !== undefined) {
      next = retry.part
      at = ++retry.at
    } else return false
  }
  return parts.slice(next).every((part) => part === '*')
}

function patternParts(pattern: readonly string[], anyCase: boolean): PatternPart[] {
  const lastClose = pattern.lastIndexOf(']')
  const literal = (character: string): PatternPart => inRanges([[character, character]], anyCase)
  const parts: PatternPart[] = []
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] ?? ''
    const next = pattern[at + 1]
    if (character === '*') parts.push('*')
    else if (character === '?') parts.push(() => true)
    else if (character === '\\' && next !== undefined) {
      parts.push(literal(next))
      at++
    } else if (character === '[' && at < lastClose) {
      const isNegated = next === '!' || next === '^'
      const from = isNegated ? at + 2 : at + 1
      // A bracket that comes first is one of the characters.
      const end = pattern.indexOf(']', from + 1)
      if (end === -1) parts.push(literal('['))
      else {
        const isIn = inRanges(characterRanges(pattern.slice(from, end)), anyCase)
        parts.push(isNegated ? (one) => !isIn(one) : isIn)
        at = end
      }
    } else parts.push(literal(character))
  }
  return parts
}

type Range = readonly [first: string, last: string]

function characterRanges(characters: readonly string[]): Range[] {
  const ranges: Range[] = []
  for (let at = 0; at < characters.length; at++) {
    const first = characters[at] ?? ''
    const last = characters[at + 1] === '-' ? characters[at + 2] : undefined
    ranges.push([first, last ?? first])
    if (last !== undefined) at += 2
  }
  return ranges
}

function inRanges(ranges: readonly Range[], anyCase: boolean): (character: string) => boolean {
  const bounds = ranges.map(([first, last]) => [first.codePointAt(0) ?? 0, last.codePointAt(0) ?? 0] as const)
  const isIn = (character: string): boolean => {
    const code = character.codePointAt(0) ?? 0
    return bounds.some(([first, last]) => first <= code && code <= last)
  }
  return anyCase ? (one) => isIn(one) || isIn(one.toLowerCase()) || isIn(one.toUpperCase()) : isIn
}

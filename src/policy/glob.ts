/** What a pattern is compared with: one name, or a path of which a beginning may match, from its start or from any name on. */
export type GlobOn = 'component' | 'absolute' | 'relative'

/**
 * A test for a pattern with `?`, `*`, `**` and `**\/`. Patterns come with projects that nobody vouches for, so the time
 * it takes must not explode: where an expression could try one star against another, all ways are followed at once.
 */
export function globTest(pattern: string, on: GlobOn): { readonly test: (text: string) => boolean; source?: string } {
  const tokens = tokensOf(pattern)
  const stars = tokens.filter(isStar).length
  if (stars <= (on === 'component' ? 1 : 0)) {
    const source = sourceOf(tokens, on)
    const expression = new RegExp(source, 's')
    return { test: (text) => expression.test(text), source }
  }
  const steps = on === 'relative' ? ['**/', ...tokens] : tokens
  const shortest = steps.filter((token) => !isStar(token)).length
  return { test: (text) => text.length >= shortest && follows(steps, text, on !== 'component') }
}

/** Stars that stand side by side and mean no more than one of them are one. */
function tokensOf(pattern: string): string[] {
  const tokens: string[] = []
  for (const token of pattern.match(/\*\*\/|\*\*|[^]/g) ?? []) {
    const last = tokens.at(-1)
    if (isStar(token) && (last === token || last === '**')) continue
    while (token === '**' && isStar(tokens.at(-1))) tokens.pop()
    tokens.push(token)
  }
  return tokens
}

const isStar = (token: string | undefined): boolean => token === '*' || token === '**' || token === '**/'

function sourceOf(tokens: readonly string[], on: GlobOn): string {
  const body = tokens
    .map((token) => (token === '?' ? '[^/]' : isStar(token) ? '[^/]*' : token.replace(/[.+^${}()|[\]\\]/, '\\$&')))
    .join('')
  if (on === 'component') return `^${body}$`
  // Whatever lies below a matching directory is denied with it.
  return on === 'absolute' ? `^${body}(?:/|$)` : `^(?:.*/)?${body}(?:/|$)`
}

/** Keeps every place in the pattern that the text so far may have led to, each once. */
function follows(steps: readonly string[], text: string, below: boolean): boolean {
  const end = steps.length
  const reachedAt = new Int32Array(end + 1).fill(-1)
  let places: number[] = []
  const arrive = (place: number, at: number): void => {
    if (reachedAt[place] === at) return
    reachedAt[place] = at
    places.push(place)
  }
  // A star may stand for nothing, so whoever is before it is behind it, too.
  const enter = (first: number, at: number): void => {
    for (let place = first; ; place++) {
      arrive(place, at)
      if (!isStar(steps[place])) return
    }
  }
  enter(0, 0)
  for (let at = 0; at < text.length && places.length > 0; at++) {
    const char = text[at]
    if (below && char === '/' && reachedAt[end] === at) return true
    const before = places
    places = []
    for (const place of before) {
      const step = steps[place]
      if (step === '**/') {
        arrive(place, at + 1)
        if (char === '/') enter(place + 1, at + 1)
      } else if (step === '**' || (step === '*' && char !== '/')) enter(place, at + 1)
      else if (step === char || (step === '?' && char !== '/')) enter(place + 1, at + 1)
    }
  }
  return reachedAt[end] === text.length
}

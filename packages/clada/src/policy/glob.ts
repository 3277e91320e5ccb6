import { withSlashes } from '../core/paths.ts'

/** What a pattern is compared with: one name, or a path of which a beginning may match, from its start or from any name on. */
export type GlobOn = 'component' | 'absolute' | 'relative'

interface GlobTest {
  readonly test: (text: string) => boolean
  /** The only text that it matches. */
  readonly exact?: string
  /** The same test as the source of an expression. */
  readonly source?: string
}

/**
 * A test for a pattern with `?`, `*`, `**` and `**\/`. Patterns come with untrusted projects, so the time
 * it takes must not explode: where an expression could try one star against another, all ways are followed at once.
 */
export function globTest(pattern: string, on: GlobOn): GlobTest {
  if (on === 'component' && !pattern.includes('?')) {
    // In one name a star matches anything, so that the first place of each piece is as good as any later one.
    if (!pattern.includes('*')) return { test: (text) => text === pattern, exact: pattern }
    const pieces = pattern.split(/\*+/)
    const [first = '', last = '', more] = pieces
    if (more !== undefined) return { test: (text) => isMadeOf(pieces, text) }
    const shortest = first.length + last.length
    return { test: (text) => text.length >= shortest && text.startsWith(first) && text.endsWith(last) }
  }
  const tokens = globTokens(pattern)
  const stars = tokens.filter(isStar).length
  if (stars <= (on === 'component' ? 1 : 0)) {
    const source = globSource(tokens, on)
    // Few are ever asked one by one, and to compile all takes a start as long as to read a document.
    let expression: RegExp | undefined
    return { test: (text) => (expression ??= new RegExp(source, 's')).test(text), source }
  }
  const pieces = literalPieces(tokens)
  const parts = pattern.split('/')
  if (on !== 'component' && parts.every((part) => part === '**' || !part.includes('**')))
    return { test: byNames(on === 'relative' ? ['**', ...parts] : parts) }
  const steps = on === 'relative' ? ['**/', ...tokens] : tokens
  const shortest = steps.filter((token) => !isStar(token)).length
  // Most texts lack a piece, which is quickly seen.
  return {
    test: (text) => text.length >= shortest && areIn(pieces, text) && matchesSteps(steps, text, on !== 'component'),
  }
}

/**
 * Name by name: what is between two `**` is looked for from where the last was found, and the first place is as good
 * as any later one, because everything below a match is blocked with it.
 */
function byNames(parts: readonly string[]): (text: string) => boolean {
  const [first = [], ...others] = splitAtDoubleStars(parts)
  return (text) => {
    const names = alternativesIn(text)
    const fits = (run: readonly NameTest[], at: number): boolean =>
      at + run.length <= names.length && run.every((test, index) => test(names[at + index] ?? ''))
    if (!fits(first, 0)) return false
    let at = first.length
    for (const [index, run] of others.entries()) {
      // A `**` at the end matches at least one name.
      if (run.length === 0 && index === others.length - 1) return at < names.length
      const last = names.length - run.length
      while (at <= last && !fits(run, at)) at++
      if (at > last) return false
      at += run.length
    }
    return true
  }
}

type NameTest = (name: string) => boolean

/** The tests between one `**` and the next. */
function splitAtDoubleStars(parts: readonly string[]): NameTest[][] {
  const runs: NameTest[][] = [[]]
  for (const part of parts) {
    if (part === '**') runs.push([])
    else runs.at(-1)?.push(globTest(part, 'component').test)
  }
  // Two `**` side by side are one.
  return runs.filter((run, index) => run.length > 0 || index === 0 || index === runs.length - 1)
}

let split: { readonly text: string; readonly names: readonly string[] } = { text: '', names: [''] }

/** Many patterns are tried on one text. */
function alternativesIn(text: string): readonly string[] {
  if (split.text !== text) split = { text, names: text.split('/') }
  return split.names
}

/** The texts between wildcards, the first and the last of them perhaps empty. */
const literalPieces = (tokens: readonly string[]): string[] =>
  tokens
    .map((token) => (token === '?' || isStar(token) ? '\0' : token))
    .join('')
    .split('\0')

/** Whether a text contains pieces one after the other. */
function areIn(pieces: readonly string[], text: string, from = 0): boolean {
  let at = from
  for (const piece of pieces) {
    const found = text.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  return true
}

/** The same with the first at its beginning and the last at its end. */
function isMadeOf(pieces: readonly string[], text: string): boolean {
  const [first = '', ...others] = pieces
  const last = others.pop() ?? ''
  const end = text.length - last.length
  return (
    end >= first.length &&
    text.startsWith(first) &&
    text.endsWith(last) &&
    areIn(others, text.slice(0, end), first.length)
  )
}

/** Adjacent stars count as one. */
function globTokens(pattern: string): string[] {
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

function globSource(tokens: readonly string[], on: GlobOn): string {
  const body = tokens
    .map((token) => (token === '?' ? '[^/]' : isStar(token) ? '[^/]*' : token.replace(/[.+^${}()|[\]\\]/, '\\$&')))
    .join('')
  if (on === 'component') return `^${body}$`
  // Everything below a matching directory is denied with it.
  return on === 'absolute' ? `^${body}(?:/|$)` : `^(?:.*/)?${body}(?:/|$)`
}

/** Keeps every place in the pattern that the text so far may have led to, each once. */
function matchesSteps(steps: readonly string[], text: string, below: boolean): boolean {
  const end = steps.length
  const reachedAt = new Int32Array(end + 1).fill(-1)
  let places: number[] = []
  const arrive = (place: number, at: number): void => {
    if (reachedAt[place] === at) return
    reachedAt[place] = at
    places.push(place)
  }
  // A star may match nothing, so a state before it is also after it.
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

/**
 * A pattern such as `secrets/old` is looked for below a root. When `secrets` becomes the root, it must still be looked
 * for from where the root was: as `/base//secrets/old`, which `paths.ts` reads so.
 */
export function anchorPatterns(patterns: readonly string[], bases: readonly string[]): string[] {
  const below = patterns.filter((pattern) => /^!?[^/!]+\/+[^/]/.test(pattern))
  const moved = bases.flatMap((base) =>
    below.map((pattern) => pattern.replace(/^!?/, (not) => `${not}${withSlashes(base).replace(/\/$/, '')}//`)),
  )
  return [...patterns, ...moved]
}

/** Whether a pattern is about whole paths; those of Windows begin with a drive. */
export const isWholePath = (pattern: string): boolean =>
  pattern.startsWith('/') || (pattern.startsWith(':/', 1) && /^[A-Za-z]/.test(pattern))

/** The base of such a pattern, and the pattern for whole paths that it means; undefined for any other. */
export function anchorOf(pattern: string): { readonly base: string; readonly glob: string } | undefined {
  const end = pattern.indexOf('//')
  if (end === -1 || !isWholePath(pattern)) return undefined
  const base = pattern.slice(0, end)
  return { base, glob: `${base}/**/${pattern.slice(end).replace(/^\/+/, '')}` }
}

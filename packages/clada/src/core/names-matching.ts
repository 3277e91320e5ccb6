import { runBounded, withTimeLimit } from './time-limit.ts'

/** The names that match a glob, those with a leading dot included. */
export async function namesMatching(names: readonly string[], pattern: string): Promise<string[]> {
  // Loaded only here: most documents never list by pattern.
  const { default: picomatch } = await import('picomatch')
  // A pattern becomes an expression, and one with many stars can try them against each other for ever.
  return withTimeLimit(mostMs, () =>
    runBounded(() => {
      const matches = picomatch(pattern, { dot: true })
      return names.filter((name) => matches(name))
    }),
  )
}

const mostMs = 3000

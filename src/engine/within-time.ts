export interface Limits {
  readonly signal?: AbortSignal
  readonly timeLimit?: number
}

/** Gives a piece of work so many seconds, where a number is given: then its signal says so, and nothing begins later. */
export async function withinTime<T>(
  seconds: number | undefined,
  given: AbortSignal | undefined,
  work: (limits: Limits) => Promise<T>,
): Promise<T> {
  if (seconds === undefined) return work(given === undefined ? {} : { signal: given })
  const over = new AbortController()
  const end = (): void => over.abort(new Error(`the time limit of ${seconds} s is over`))
  const timer = setTimeout(end, Math.min(seconds * 1000, longestTimer))
  const signal = given === undefined ? over.signal : AbortSignal.any([given, over.signal])
  try {
    return await work({ signal, timeLimit: seconds * 1000 })
  } finally {
    clearTimeout(timer)
  }
}

/** A timer that is set for longer rings at once. */
const longestTimer = 2 ** 31 - 1

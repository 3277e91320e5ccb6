export interface Limits {
  readonly signal?: AbortSignal
  readonly timeLimit?: number
}

/** Limits work to a number of seconds, if given: its signal is then aborted, and no action begins later. */
export async function withinTime<T>(
  seconds: number | undefined,
  given: AbortSignal | undefined,
  work: (limits: Limits) => Promise<T>,
): Promise<T> {
  if (seconds === undefined) return work(given === undefined ? {} : { signal: given })
  const over = new AbortController()
  const end = (): void => over.abort(new Error(`the ${seconds} s time limit was reached`))
  const timer = setTimeout(end, Math.min(seconds * 1000, longestTimer))
  const signal = given === undefined ? over.signal : AbortSignal.any([given, over.signal])
  try {
    return await work({ signal, timeLimit: seconds * 1000 })
  } finally {
    clearTimeout(timer)
  }
}

/** A timer with a longer delay fires at once. */
const longestTimer = 2 ** 31 - 1

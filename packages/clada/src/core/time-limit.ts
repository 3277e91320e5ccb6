import { AsyncLocalStorage } from 'node:async_hooks'
import vm from 'node:vm'
import { setGuard } from '@clada/reply/core/guard.ts'
import { type StopCause, type Problem, ProblemError } from './problem.ts'

/** What one action may compute: the time it is given, and what it has used of it. Waiting is free. */
interface TimeBudget {
  readonly ms: number
  used: number
}

const budgets = new AsyncLocalStorage<TimeBudget>()

/** Gives a piece of work, with everything it awaits, so much time to compute; inside another limit, no more than is left. */
export function withTimeLimit<T>(ms: number, work: () => T): T {
  const outer = budgets.getStore()
  const left = outer === undefined ? Infinity : outer.ms - outer.used
  return budgets.run({ ms: Math.min(ms, left), used: 0 }, work)
}

const ends = new AsyncLocalStorage<number>()

/** Work that must end within some milliseconds, with everything it waits for. */
export const withEnd = <T>(ms: number, work: () => T): T =>
  ends.run(Math.min(now() + ms, ends.getStore() ?? Infinity), work)

/** How long the work may still wait. */
export const waitLeft = (): number => (ends.getStore() ?? Infinity) - now()

/**
 * For work that looks at the clock, on a machine that is busy with other things: a parser that was stopped costs the process all
 * structures.
 */
const graceMs = 5000

/** When the work that is running right now is to end; nothing else runs at the same time. */
let end = Infinity

/**
 * Runs work whose time depends on the input, and ends it when the time of this action is over. It must not wait for
 * anything. `whenStopped` cleans up after work that was stopped. Without a limit it just runs.
 *
 * @throws ProblemError when it took too long, or was nested too deeply
 */
export function runBounded<T>(work: () => T, whenStopped: () => void = () => undefined): T {
  const budget = budgets.getStore()
  if (budget === undefined || end !== Infinity) return runDeep(work)
  const begun = now()
  const left = budget.ms - budget.used
  if (left <= 0) throw new ProblemError({ kind: 'too-complex', over: 'time', ms: budget.ms })
  const made: { value: T }[] = []
  running = () => made.push({ value: runDeep(work) })
  end = begun + left
  try {
    // Work that looks at the clock itself ends by itself; only then is it stopped wherever it is.
    watched.runInThisContext({ timeout: Math.ceil(left + Math.max(left / 4, graceMs)) })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')) throw error
    whenStopped()
    throw new ProblemError({ kind: 'too-complex', over: 'time', ms: budget.ms })
  } finally {
    end = Infinity
    budget.used += now() - begun
  }
  for (const { value } of made) return value
  throw new Error('the work was not run')
}

setGuard((work) => runBounded(work))

/** What an action may still compute, for work in another thread. */
export function timeLeft(): { readonly ms: number; readonly left: number } {
  const { ms, used } = budgets.getStore() ?? { ms: Infinity, used: 0 }
  return { ms, left: ms - used }
}

/** Whether the work that is running right now is to end, for callbacks that can stop it. */
export const isLate = (): boolean => end !== Infinity && now() > end

/** For loops that are better left by themselves than stopped. @throws ProblemError */
export function checkTime(): void {
  if (!isLate()) return
  throw new ProblemError({ kind: 'too-complex', over: 'time', ms: budgets.getStore()?.ms ?? 0 })
}

function runDeep<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    const problem = tooComplex(error)
    throw problem === undefined ? error : new ProblemError(problem)
  }
}

/** The engine's own limits. */
export function tooComplex(error: unknown): Problem | undefined {
  if (!(error instanceof RangeError)) return undefined
  if (/call stack/.test(error.message)) return { kind: 'too-complex', over: 'depth' }
  return /Invalid (?:string|array) length/.test(error.message) ? { kind: 'too-complex', over: 'size' } : undefined
}

/** A script is the one thing in Node that another thread can stop; it finds its work by a unique name. */
const name = `clada running work ${Math.random()}`
let running: () => unknown = () => undefined
Object.defineProperty(globalThis, Symbol.for(name), { value: () => running() })
const watched = new vm.Script(`globalThis[Symbol.for(${JSON.stringify(name)})]()`)

/**
 * Milliseconds of a clock that is never set. The global `performance` would do, but what comes with it costs a start as
 * much as reading a small document.
 */
export const now = (): number => process.uptime() * 1000

/** Aborts an execution that has used up its time. */
export class TotalTimeoutError extends Error {
  constructor(ms: number) {
    super(`the ${ms / 1000} s time limit was reached`)
  }
}

/** From the reason given to `abort()`. */
export function stopCause(signal: AbortSignal | undefined): StopCause {
  const cause: unknown = signal?.reason
  const by = cause instanceof TotalTimeoutError ? 'time-limit' : 'caller'
  return { by, reason: cause instanceof Error ? cause.message : 'the run was stopped' }
}

/** Runs work to its end, or stops it. */
type Guard = <T>(work: () => T) => T

let guard: Guard = (work) => work()

/** Lets a program stop work on texts that takes too long. */
export function setGuard(given: Guard): void {
  guard = given
}

/** Runs work whose time depends on the input. It must not wait for anything. */
export const runGuarded: Guard = (work) => guard(work)

import type { ExitCode } from './command.ts'

/** What a command exits with that was ended by a signal. */
export const stopSignals: Readonly<Record<string, ExitCode>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }

/**
 * Aborts what runs when a signal comes. A process that just dies of SIGTERM, or of its terminal, leaves programs running that
 * it started outside of the sandbox. A second signal ends it at once.
 */
export class SignalStop {
  readonly #stop = new AbortController()
  readonly signal = this.#stop.signal
  /** Set when a signal has come. */
  exitCode: ExitCode | undefined

  /** Until the returned function is called. */
  listen(): () => void {
    const listeners = Object.entries(stopSignals).map(([name, exitCode]) => ({
      name,
      heard: (): void => {
        this.exitCode ??= exitCode
        this.#stop.abort(new Error('the user stopped the run'))
      },
    }))
    for (const { name, heard } of listeners) process.once(name, heard)
    return () => {
      for (const { name, heard } of listeners) process.off(name, heard)
    }
  }
}

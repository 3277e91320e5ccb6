/** Calls listeners in the order of the document, whichever files are written first. */
export class ReportQueue {
  readonly #onError: (error: unknown) => void
  #last: Promise<void> = Promise.resolve()
  /** Set while it is open whether what was done stays. */
  #held: (() => void)[] | undefined

  /** `onError`: a listener threw. */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  get isHeld(): boolean {
    return this.#held !== undefined
  }

  /** From now on reports wait until it is known whether what they are about was applied. */
  hold(): void {
    this.#held ??= []
  }

  release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const report of held) this.#call(report)
  }

  /** Reports something when it is ready, and after everything before it. */
  add(prepare: () => Promise<() => void>): void {
    this.#last = this.#last.then(async () => {
      const report = await prepare()
      if (this.#held === undefined) this.#call(report)
      else this.#held.push(report)
    })
  }

  /** Calls a listener after everything before, also while reports are held. */
  tell(call: () => void): void {
    this.#last = this.#last.then(() => this.#call(call))
  }

  /** Waits until everything so far is reported. */
  flush(): Promise<void> {
    return this.#last
  }

  /** A listener that throws stops the run, but not writes that have begun. */
  #call(listener: () => void): void {
    try {
      listener()
    } catch (error) {
      this.#onError(error)
    }
  }
}

/** One thing after another, in the order in which they were asked for. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  take<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work)
    this.#last = turn.catch(() => undefined)
    return turn
  }

  /** When everything that was asked for so far is over. */
  async idle(): Promise<void> {
    await this.#last
  }
}

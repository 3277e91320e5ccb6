/** Something that is appended to, and on the disk after a sync. */
export interface Durable {
  /** Whether everything that must be on the disk is there. */
  readonly isSynced: boolean
  sync(): Promise<void>
  /** The same at once, for callers that cannot wait. */
  syncNow(): void
}

/** Brings several files to the disk at the same time. Calls that wait at the same time share one sync. */
export class SharedSync {
  readonly #parts: readonly Durable[]
  readonly #isInMemory: boolean
  #running: Promise<void> = Promise.resolve()
  #waiting: Promise<void> | undefined

  constructor(parts: readonly Durable[], isInMemory: boolean) {
    this.#parts = parts
    this.#isInMemory = isInMemory
  }

  /** Undefined where nothing is to be waited for: to sync in memory takes less time than to ask another thread for it. */
  sync(): Promise<void> | undefined {
    if (this.#isInMemory) return void this.syncNow()
    if (this.#waiting === undefined && this.#parts.every(({ isSynced }) => isSynced)) return this.#running
    this.#waiting ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#waiting = undefined
        return (this.#running = this.#syncAll())
      })
    return this.#waiting
  }

  async #syncAll(): Promise<void> {
    await Promise.all(this.#parts.map((part) => part.sync()))
  }

  /** Also what is just being synced: the caller cannot wait for that. */
  syncNow(): void {
    for (const part of this.#parts) part.syncNow()
  }
}

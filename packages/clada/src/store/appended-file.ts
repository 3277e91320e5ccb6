import fs from 'node:fs'

/** The end of a file that is only ever appended to. What is added is in memory until `flush`, which writes it in one piece. */
export class AppendedFile {
  readonly #fd: number
  #buffer = Buffer.allocUnsafe(1 << 14)
  #size: number
  #written: number
  #synced = 0

  constructor(fd: number, size: number) {
    this.#fd = fd
    this.#size = size
    this.#written = size
  }

  /** With what is not written yet. */
  get size(): number {
    return this.#size
  }

  get written(): number {
    return this.#written
  }

  /** How much of it is on the disk. What was there before it was opened does not count. */
  get synced(): number {
    return this.#synced
  }

  /** Room at the end. What is put into it counts once `extend` is called. */
  room(length: number): Buffer {
    const used = this.#size - this.#written
    if (used + length > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(2 * (used + length))
      larger.set(this.#buffer.subarray(0, used))
      this.#buffer = larger
    }
    return this.#buffer.subarray(used)
  }

  extend(length: number): void {
    this.#size += length
  }

  /** Hands everything to the system. After a failure it is tried again at the same place. */
  flush(): void {
    const length = this.#size - this.#written
    for (let at = 0; at < length;) at += fs.writeSync(this.#fd, this.#buffer, at, length - at, this.#written + at)
    this.#written += length
  }

  /** Removes what was added since the file had this size, as far as it is not written yet. */
  backTo(size: number): void {
    this.#size = Math.max(size, this.#written)
  }

  /** Brings what is written to the disk, in another thread. */
  async sync(): Promise<void> {
    const size = this.#written
    await new Promise<void>((done, failed) =>
      fs.fdatasync(this.#fd, (error) => (error === null ? done() : failed(error))),
    )
    this.#synced = size
  }

  syncNow(): void {
    if (this.#synced < this.#written) fs.fdatasyncSync(this.#fd)
    this.#synced = this.#written
  }

  close(): void {
    fs.closeSync(this.#fd)
  }
}

/** So much is written without a `flush` by the caller. */
export const mostUnwritten = 1 << 20

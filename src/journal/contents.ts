import fs from 'node:fs'
import path from 'node:path'
import type { Inspected } from '../core/recorder.ts'
import { dirOf, keptFile, packFile, type Slice, type State } from './record.ts'

/** Reads the contents that an execution kept: files before and after its changes. */
export class Contents {
  readonly #dir: string

  constructor(history: string, number: number) {
    this.#dir = dirOf(history, number)
  }

  bytesOf(state: State): Buffer | undefined {
    if (state.type !== 'file') return undefined
    if (state.pack !== undefined) return this.slice(state.pack)
    if (state.kept !== undefined) return this.#slice(keptFile, state.kept)
    return state.image === undefined ? undefined : this.#read(state.image, (fd) => fs.readFileSync(fd))
  }

  /** The state, with its bytes if they were kept, for comparisons. */
  withBytes(state: State): State | Inspected {
    const bytes = this.bytesOf(state)
    return state.type === 'file' && bytes !== undefined ? { type: 'file', mode: state.mode, bytes } : state
  }

  slice(slice: Slice): Buffer | undefined {
    return this.#slice(packFile, slice)
  }

  #slice(file: string, [at, length]: Slice): Buffer | undefined {
    return this.#read(file, (fd) => {
      const bytes = Buffer.alloc(length)
      return fs.readSync(fd, bytes, 0, length, at) === length ? bytes : undefined
    })
  }

  #read(name: string, read: (fd: number) => Buffer | undefined): Buffer | undefined {
    try {
      const fd = fs.openSync(path.join(this.#dir, name), fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW)
      try {
        return read(fd)
      } finally {
        fs.closeSync(fd)
      }
    } catch {
      return undefined
    }
  }
}

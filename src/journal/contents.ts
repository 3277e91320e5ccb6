import fs from 'node:fs'
import path from 'node:path'
import { dirOf, keptFile, packFile, type Slice, type State } from './record.ts'

/** Reads what an execution kept: files as they were, and what it made of them. */
export class Contents {
  readonly #dir: string

  constructor(history: string, number: number) {
    this.#dir = dirOf(history, number)
  }

  bytesOf(state: State): Buffer | undefined {
    if (state.type !== 'file') return undefined
    if (state.pack !== undefined) return this.slice(state.pack)
    if (state.kept !== undefined) return this.#slice(keptFile, state.kept)
    return state.image === undefined ? undefined : readBytes(path.join(this.#dir, state.image))
  }

  slice(slice: Slice): Buffer | undefined {
    return this.#slice(packFile, slice)
  }

  #slice(file: string, [at, length]: Slice): Buffer | undefined {
    try {
      const fd = fs.openSync(path.join(this.#dir, file), fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW)
      try {
        const bytes = Buffer.alloc(length)
        return fs.readSync(fd, bytes, 0, length, at) === length ? bytes : undefined
      } finally {
        fs.closeSync(fd)
      }
    } catch {
      return undefined
    }
  }
}

function readBytes(file: string): Buffer | undefined {
  try {
    const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW)
    try {
      return fs.readFileSync(fd)
    } finally {
      fs.closeSync(fd)
    }
  } catch {
    return undefined
  }
}

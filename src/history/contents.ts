import fs from 'node:fs'
import path from 'node:path'
import { dirOf, packFile, type Slice, type State } from './record.ts'

/** Reads what an execution kept: files as they were, and what it made of them. */
export class Contents {
  readonly #dir: string

  constructor(history: string, number: number) {
    this.#dir = dirOf(history, number)
  }

  /** The file that holds a state's bytes as they were before, with mode and owner. */
  imageOf(state: State): string | undefined {
    return state.type === 'file' && state.image !== undefined ? path.join(this.#dir, state.image) : undefined
  }

  bytesOf(state: State): Buffer | undefined {
    if (state.type !== 'file') return undefined
    if (state.pack !== undefined) return this.slice(state.pack)
    const image = this.imageOf(state)
    return image === undefined ? undefined : readBytes(image)
  }

  slice([at, length]: Slice): Buffer | undefined {
    try {
      const fd = fs.openSync(path.join(this.#dir, packFile), fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW)
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

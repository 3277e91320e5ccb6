import fs from 'node:fs'
import path from 'node:path'
import { fingerprintOf } from '../core/hash.ts'
import type { Inspected } from '../core/recorder.ts'
import { compressed, inflated } from './images.ts'
import { contentIn, opened, type Slice } from './log.ts'
import { dirOf, journalFile, type State } from './record.ts'

/** Reads the contents that an execution kept: files before and after its changes. */
export class Contents {
  readonly #dir: string

  constructor(history: string, number: number) {
    this.#dir = dirOf(history, number)
  }

  /** Undefined where no content was kept, or it is not what was kept. */
  bytesOf(state: State): Buffer | undefined {
    if (state.type !== 'file') return undefined
    const { kept, image, print } = state
    const bytes = kept !== undefined ? this.slice(kept) : image === undefined ? undefined : this.image(image)
    return bytes === undefined || print === undefined || fingerprintOf(bytes) === print ? bytes : undefined
  }

  /** The state, with its bytes if they were kept, for comparisons. */
  withBytes(state: State): State | Inspected {
    const bytes = this.bytesOf(state)
    return state.type === 'file' && bytes !== undefined ? { type: 'file', mode: state.mode, bytes } : state
  }

  slice(slice: Slice): Buffer | undefined {
    const middle = contentIn(path.join(this.#dir, journalFile), slice)
    const [, , between] = slice
    if (between === undefined || middle === undefined) return middle
    const [name, beginning, end] = between
    const image = this.image(name)
    return image && Buffer.concat([image.subarray(0, beginning), middle, image.subarray(image.length - end)])
  }

  /** A file as it was. Its name is a number, so that a record cannot name one elsewhere. */
  image(name: string): Buffer | undefined {
    if (!/^\d+$/.test(name)) return undefined
    const file = path.join(this.#dir, name)
    return opened(file, (fd) => fs.readFileSync(fd)) ?? opened(`${file}${compressed}`, inflated)
  }
}

import fs from 'node:fs'
import path from 'node:path'
import { fingerprintOf } from '../core/hash.ts'
import type { Inspected } from '../core/recorder.ts'
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
    const bytes =
      kept !== undefined
        ? this.slice(kept)
        : image === undefined
          ? undefined
          : opened(path.join(this.#dir, image), (fd) => fs.readFileSync(fd))
    return bytes === undefined || print === undefined || fingerprintOf(bytes) === print ? bytes : undefined
  }

  /** The state, with its bytes if they were kept, for comparisons. */
  withBytes(state: State): State | Inspected {
    const bytes = this.bytesOf(state)
    return state.type === 'file' && bytes !== undefined ? { type: 'file', mode: state.mode, bytes } : state
  }

  slice(slice: Slice): Buffer | undefined {
    return contentIn(path.join(this.#dir, journalFile), slice)
  }
}

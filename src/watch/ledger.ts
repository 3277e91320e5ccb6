import fs from 'node:fs'
import path from 'node:path'
import { putFile } from '../state/own-files.ts'
import { rootName } from '../state/user-state.ts'
import type { Fate, Known } from './units.ts'

/** What is remembered of a watched file from one start to the next. */
export interface Memory {
  readonly known: Known
  /** What was being carried out. Set only while it is; found at a start, that run died. */
  readonly running: readonly string[]
}

/**
 * One file for each watched file, in a directory that no project can write to: a repository must not be able to say
 * that its own input file has been looked at.
 */
export class Ledger {
  readonly #file: string
  /** Where a lock for the same file may lie. */
  readonly lock: string

  constructor(dir: string, root: string, watched: string) {
    fs.mkdirSync(dir, { recursive: true, mode: 0o700 })
    const name = rootName(`${root}\0${watched}`).slice(0, 32)
    this.#file = path.join(dir, `${name}.json`)
    this.lock = path.join(dir, `${rootName(watched).slice(0, 32)}.lock`)
  }

  /** Undefined when this file was never watched. */
  read(): Memory | undefined {
    try {
      const { known, running }: { known: [string, Fate][]; running: string[] } = JSON.parse(
        fs.readFileSync(this.#file, 'utf8'),
      )
      return { known: new Map(known), running }
    } catch {
      return undefined
    }
  }

  write({ known, running }: Memory): void {
    putFile(this.#file, JSON.stringify({ known: [...known], running }))
  }
}

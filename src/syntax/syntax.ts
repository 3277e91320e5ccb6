import type { Block, Fault, SyntaxName } from '../core/block.ts'
import type { Source } from '../core/source.ts'

/**
 * One syntax over one text. `find-blocks.ts` asks every reader where its next block may open, lets the
 * first one read, and goes on behind what it read: so whatever lies inside a block is that block's content.
 */
export interface Reader {
  readonly syntax: SyntaxName
  /** The first line at or after `line` on which a block may open; Infinity when there is none. Called with growing lines only. */
  seek(line: number): number
  /** Reads what opens on `line`, which `seek` gave. */
  read(line: number): Reading
  /** After all is read: a fault that makes every block of this syntax fail. */
  fatal?(): Fault | undefined
}

export interface Reading {
  readonly blocks: readonly Block[]
  readonly faults: readonly Fault[]
  /** The line to go on from; greater than the line that was read. */
  readonly next: number
  /** The last line that cannot be understood without this reading, when that is not the one before `next`. */
  readonly reach?: number
}

/** `strict`: what a chat program did to markers is not undone. */
export type MakeReader = (source: Source, options?: { readonly strict?: boolean | undefined }) => Reader

import type { Block } from '@clada/reply/core/block.ts'
import type { Source } from '@clada/reply/core/source.ts'
import { sham } from '@clada/reply/syntax/sham/sham.ts'
import { readWith, type WholeReading } from './read-alone.ts'

/** A whole text through the SHAM reader alone. */
export const readSham = (text: string | Source): WholeReading => readWith(sham.reader, text)

/** Only these are ever carried out. */
export const runnable = (text: string): Block[] =>
  readSham(text).blocks.filter((block) => block.diagnostics.length === 0)

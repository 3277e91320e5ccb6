import type { Block } from '@clada/reply/core/block.ts'
import type { Source } from '@clada/reply/core/source.ts'
import { applyPatch } from '@clada/reply/syntax/apply-patch/apply-patch.ts'
import { searchReplace } from '@clada/reply/syntax/search-replace/search-replace.ts'
import { udiff } from '@clada/reply/syntax/udiff/udiff.ts'
import { readWith, type WholeReading } from './read-alone.ts'

export const readers = {
  'search-replace': searchReplace.reader,
  'apply-patch': applyPatch.reader,
  udiff: udiff.reader,
}

export type Format = keyof typeof readers

/** A whole text through one reader alone. */
export const readForeign = (format: Format, text: string | Source): WholeReading => readWith(readers[format], text)

/** Only these are ever carried out. */
export const runnable = (format: Format, text: string): Block[] =>
  readForeign(format, text).blocks.filter((block) => block.diagnostics.length === 0 && block.endLine !== null)

import { type CladaOptions, readingOf } from '../config/settings.ts'
import type { Document } from '../core/block.ts'
import { Source } from '../core/source.ts'
import { findBlocks } from '../syntax/find-blocks.ts'

/** How a text is read. */
export type ParseOptions = Pick<CladaOptions, 'syntaxes' | 'strict' | 'cslDelimiters'>

/** The blocks of a text in every syntax, with their lines and faults. Nothing is executed, and the disk is not read. */
export const parse = (text: string, options: ParseOptions = {}): Document =>
  findBlocks(new Source(text), readingOf(options))

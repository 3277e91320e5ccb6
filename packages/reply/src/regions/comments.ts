import { type Document, isComplete } from '../core/block.ts'
import { type LineRange, rangeFinder, type Source } from '../core/source.ts'
import type { QuotedPassages } from './outputs.ts'
import { Regions } from './regions.ts'

/** The markers of CSL end in the same characters: `<---END--->`. */
const edge = /^[ \t]*<!--(?!.*-->)|(?<!-)-->[ \t]*\r?$/gm

/** Whether it is worth looking. */
export const mayHoldComment = ({ text }: Source): boolean => text.includes('<!--')

/** Comments of HTML over several lines, outside blocks and fences: what a page does not show is not meant. One that does not end is text. */
export function commentsIn(source: Source, { blocks }: Document): QuotedPassages {
  const closed: LineRange[] = []
  const regions = Regions.of(source)
  const blockAt = rangeFinder(blocks.filter(isComplete), ({ startLine, endLine }) => ({
    first: startLine,
    last: endLine ?? startLine,
  }))
  let open: number | undefined
  for (const { index, 0: found } of source.text.matchAll(edge)) {
    const line = source.lineAt(index)
    if (blockAt(line) !== undefined || regions.fenceAround(line)?.isClosed) continue
    if (found.includes('<')) open ??= line
    else if (open !== undefined && !source.line(line).includes('<!--')) {
      closed.push({ first: open, last: line })
      open = undefined
    }
  }
  return { closed, open }
}

import { commaBefore, commentBehind } from './bounds.ts'
import { indentAt } from './indent.ts'
import { linesOf, type Outline, type Structure } from './structure.ts'

/** How a structure stands among the characters around it. */
export interface Layout {
  readonly first: number
  readonly last: number
  /** Of the line it starts on. */
  readonly indent: string
  /** Whether it shares none of its lines with anything else. */
  readonly ownLines: boolean
  /** Whether only `- ` stands before it. */
  readonly bullet: boolean
  /** Offset of the comma behind it, or null. */
  readonly comma: number | null
  /** Offset of the comma before it, or null. */
  readonly commaBefore: number | null
  /** Blanks behind it, and a comment behind its comma. */
  readonly suffix: string
}

export function layoutOf(outline: Outline, structure: Structure): Layout {
  const { source } = outline
  const { text } = source
  const { start, end, listed } = structure
  const [first, last] = linesOf(source, structure)
  const before = text.slice(source.startOf(first), start)
  const behind = listed ? /^\s*,/.exec(text.slice(end, end + 200)) : null
  const comma = behind === null ? null : end + behind[0].length - 1
  // A comma at the start of the next line belongs to a layout of its own; the structure then shares that line.
  const sameLine = comma !== null && comma < source.endOf(last)
  const tail = sameLine ? comma + 1 : end
  const rest = text.slice(tail, source.endOf(last))
  const comment = commentBehind(
    { source, comments: outline.comments, decorators: [], heredocs: [], offside: false },
    tail,
  )
  const alone = rest.trim() === '' || comment !== undefined
  return {
    first,
    last,
    indent: indentAt(source, start),
    ownLines: before.trim() === '' && alone && (comma === null || sameLine),
    bullet: /^[ \t]*(?:- +)+$/.test(before) && alone,
    comma,
    commaBefore: listed ? commaBefore(outline, start) : null,
    suffix: alone ? text.slice(tail, source.endOf(last)) : '',
  }
}

import type { Fault } from '../core/block.ts'
import type { Source } from '../core/source.ts'
import type { Mistake } from './sham-line.ts'

export function faultAt(source: Source, line: number, blockId: string | null, mistake: Mistake): Fault {
  const { code, column, length, message, hint } = mistake
  const content = line > source.lineCount ? '' : source.line(line)
  const context = contextAt(source, line)
  const fault = { code, line, column, length, blockId, content, context, message }
  return hint === undefined ? fault : { ...fault, hint }
}

/** Five lines with `line` in their middle, moved rather than cut at either end. Line breaks stay as they are written. */
function contextAt(source: Source, line: number): string {
  const first = Math.max(1, Math.min(line - 2, source.lineCount - 4))
  const behind = source.startOf(first + 5)
  return source.text.slice(source.startOf(first), first + 5 > source.lineCount ? behind : behind - 1)
}

import type { Source } from '../core/source.ts'
import type { Slip } from './foreign-block.ts'
import { damageWarning, dedented, plainMarker } from './foreign-text.ts'
import { type Mark, type SearchReplaceMarks, wordBehindHead } from './search-replace-marks.ts'

/** One head with what belongs to it. */
export interface Edit {
  readonly line: number
  readonly search: readonly string[]
  readonly replace: readonly string[]
  readonly endLine: number | null
  readonly lastLine: number
  readonly slips: readonly Slip[]
  readonly warnings: readonly string[]
  readonly next: number
}

/** Reads what opens on a line: a head, or a tail that nothing opened. */
export function readEdit(source: Source, marks: SearchReplaceMarks, line: number): Edit {
  let head: Mark | undefined
  let tail: Mark | undefined
  let other: Mark | undefined
  let behind = source.lineCount + 1
  const dividers: Mark[] = []
  for (const mark of marks.from(line)) {
    if (head === undefined) {
      if (mark.kind !== 'head') return broken(line, line, line + 1, stray(line))
      head = mark
    } else if (mark.kind === 'divider') {
      dividers.push(mark)
    } else if (mark.size === head.size) {
      if (mark.kind === 'tail') tail = mark
      else behind = mark.line
      break
    } else if (mark.kind === 'tail') {
      other ??= mark
    }
  }
  const end = tail ?? other
  if (head === undefined || end === undefined) return broken(line, null, behind, unclosed(line, behind, source))
  const divider = dividerOf(
    head,
    dividers.filter((mark) => mark.line < end.line),
  )
  if ('message' in divider) return broken(line, end.line, end.line + 1, divider)

  const indent = /^\s*/.exec(source.line(line))?.[0] ?? ''
  const [search, replace] = contents(source, [line, divider.line, end.line], indent)
  const word = wordBehindHead(source.line(line))
  return {
    line,
    search,
    replace,
    endLine: end.line,
    lastLine: end.line,
    slips: word === undefined ? [] : [behindHead(line, source.line(line).indexOf(word) + 1, word)],
    warnings: warningsOf(source, [line, divider.line, end.line], search, replace),
    next: end.line + 1,
  }
}

function contents(
  source: Source,
  [head, divider, tail]: Lines,
  indent: string,
): [readonly string[], readonly string[]] {
  const rows: string[] = []
  for (let line = head + 1; line < tail; line++) if (line !== divider) rows.push(source.line(line))
  const plain = dedented(rows, indent)
  return [plain.slice(0, divider - head - 1), plain.slice(divider - head - 1)]
}

type Lines = readonly [head: number, divider: number, tail: number]

function warningsOf(source: Source, lines: Lines, search: readonly string[], replace: readonly string[]): string[] {
  const damaged = lines.filter((line) => plainMarker(source.line(line)) !== source.line(line))
  const warnings = damaged.map(damageWarning)
  if (search.length > 0 && search.join('\n') === replace.join('\n')) {
    warnings.push(`SEARCH and REPLACE on line ${lines[0]} are the same; nothing changes there`)
  }
  return warnings
}

function dividerOf(head: Mark, dividers: readonly Mark[]): Mark | Slip {
  const own = dividers.filter(({ size }) => size === head.size)
  const [divider, second] = own.length > 0 ? own : dividers
  if (divider === undefined) {
    return {
      line: head.line,
      message: 'SEARCH without =======',
      hint: 'Put ======= on a line of its own between the old text and the new.',
    }
  }
  if (second === undefined) return divider
  return {
    line: second.line,
    message: `A second divider: the first is on line ${divider.line}, and either may be content`,
    hint: 'Write all three markers of the block with a number of marks, from 5 to 9, that no line of the content has.',
  }
}

function broken(line: number, endLine: number | null, next: number, slip: Slip): Edit {
  return { line, search: [], replace: [], endLine, lastLine: next - 1, slips: [slip], warnings: [], next }
}

const stray = (line: number): Slip => ({
  line,
  message: 'REPLACE without SEARCH',
  hint: 'Begin the block with <<<<<<< SEARCH, the old text and =======.',
})

const unclosed = (line: number, behind: number, source: Source): Slip => ({
  code: 'truncated',
  line,
  message:
    behind > source.lineCount
      ? 'Block not closed: the text ends before >>>>>>> REPLACE'
      : `Block not closed: another begins on line ${behind}`,
  hint: `End the block with >>>>>>> REPLACE. Nothing from line ${line} to ${behind - 1} was executed: send it again, whole.`,
})

const behindHead = (line: number, column: number, word: string): Slip => ({
  line,
  column,
  length: word.length,
  message: 'Text behind SEARCH',
  hint: 'The file name stands on the line before the marker, the old text on the lines below it.',
})

/**
 * Places that differ from an edit in blank lines only: a model adds or forgets them when it copies. All other lines are
 * there in a row, as written but for whitespace at their ends.
 */
import { hasText } from './lines.ts'
import { adaptNewLines } from './adapt.ts'
import { type FileLines, comparisonKey } from './file-lines.ts'
import { type Fit, makeSplices } from './fit.ts'
import type { HunkLine } from './hunks.ts'
import { numberSequence, overlappingMatches } from './search.ts'

const LEAST_LINES = 2

export function findBlankLineFits(lines: readonly HunkLine[], file: FileLines): Fit[] {
  const old = lines.flatMap(({ mark, text }) => (mark === '+' ? [] : [text]))
  const content = old.flatMap((text, nth) => (!hasText(text) ? [] : [nth]))
  if (content.length < LEAST_LINES) return []
  const { rows, ids, numbers } = contentLines(file)
  const pattern = content.map((nth) => numbers.get(comparisonKey(old[nth] ?? '', 'trailing-space')) ?? -1)
  return [...overlappingMatches(numberSequence(ids), numberSequence(pattern))].flatMap((match) => {
    const at = placeBlankLines(old, content, rows.slice(match, match + content.length), file)
    const first = rows[match] ?? 0
    const height = (rows[match + content.length - 1] ?? first) - first + 1
    return [
      { level: 'context', first, height, splices: splicesAt(lines, at, file), through: 'missing or extra blank lines' },
    ]
  })
}

/** The lines of a file that have content, and a number for each that equal ones share. */
function contentLines(file: FileLines): { rows: number[]; ids: number[]; numbers: Map<string, number> } {
  const rows: number[] = []
  const ids: number[] = []
  const numbers = new Map<string, number>()
  for (let row = 0; row < file.count; row++) {
    const key = comparisonKey(file.line(row), 'trailing-space')
    if (key.trim() === '') continue
    const id = numbers.get(key) ?? numbers.size
    numbers.set(key, id)
    rows.push(row)
    ids.push(id)
  }
  return { rows, ids, numbers }
}

/** The line of the file for each old line; undefined for blank ones that it does not have. */
function placeBlankLines(
  old: readonly string[],
  content: readonly number[],
  rows: readonly number[],
  file: FileLines,
): (number | undefined)[] {
  const at: (number | undefined)[] = old.map(() => undefined)
  for (const [nth, index] of content.entries()) at[index] = rows[nth]
  let row: number | undefined
  for (const nth of old.keys()) {
    const next = row === undefined ? undefined : row + 1
    if (at[nth] === undefined && next !== undefined && next < file.count && !hasText(file.line(next))) at[nth] = next
    row = at[nth] ?? row
  }
  return at
}

/**
 * Undefined where new lines go between two lines that the file has blank ones between: before or after them. Below a blank
 * line they go directly above the next line with content, as in the edit.
 */
function splicesAt(lines: readonly HunkLine[], at: readonly (number | undefined)[], file: FileLines): Fit['splices'] {
  let nth = 0
  const there = lines.filter(({ mark }) => mark === '+' || at[nth++] !== undefined)
  const rows = at.flatMap((row) => row ?? [])
  let before = 0
  for (const [index, { mark }] of there.entries()) {
    if (mark !== '+') before++
    else {
      const isAlone = there[index - 1]?.mark !== '-' && there[index + 1]?.mark !== '-' && there[index + 1]?.mark !== '+'
      const [above, below] = [rows[before - 1], rows[before]]
      if (!isAlone || above === undefined || below === undefined || below === above + 1) continue
      const isBelowBlank = !hasText(file.line(above)) && hasText(file.line(below))
      if (!isBelowBlank || there.findLast((line, at) => at < index && line.mark !== '+')?.mark !== ' ') return undefined
      rows[before - 1] = below - 1
    }
  }
  const added = adaptNewLines(
    there,
    rows.map((row) => file.line(row)),
    file.text,
  )
  return added && makeSplices(there, (index) => rows[index] ?? (rows.at(-1) ?? -1) + 1, added)
}

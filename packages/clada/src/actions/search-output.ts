import type { CutText, Output, Showing } from '../core/action.ts'
import type { SearchHit } from '../core/files.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import { oneLined } from './one-line.ts'

export const nothing = '[nothing found]'

/** The hits of a search, those of each file below its name. */
export const hitsOutput: Output<readonly SearchHit[]> = {
  text: ({ data }, show) => data && (data.length === 0 ? nothing : hitsByFile(data, show)),
}

/** Lines around a hit have a dash where the hit has a colon, as in the output of grep. */
export function hitsByFile(all: readonly SearchHit[], show: Showing): string | CutText {
  const files = new Map<string, string[]>()
  for (const { file, line_number: number, line, isContext } of all) {
    const hits = files.get(file) ?? []
    files.set(file, hits)
    hits.push(`  ${number}${isContext ? '-' : ':'} ${cutLongHit(line)}`)
  }
  const heads = [...files].map(([file, hits]) => ({ head: oneLined(show.path(file)), rows: hits }))
  // As of a long file: a search that finds so much is narrowed, or what it finds is replaced everywhere.
  const { lines, left } = fittingParts(heads, { ...show, room: Math.min(show.room, show.fileRoom ?? show.room) })
  const isOnlyHits = all.every(({ isContext }) => !isContext)
  const total = `${formatCount(all.length, isOnlyHits ? 'hit' : 'line')} in ${formatCount(files.size, 'file')}`
  if (left.length === 0) return all.length < someHits ? lines.join('\n') : [...lines, total].join('\n')
  const missing = left.reduce((sum, one) => sum + one.count, 0)
  const how = 'narrow path, include or pattern'
  const rest = left.length <= mostNamed ? left : countByDirectory(left)
  const named = rest.slice(0, mostNamed).map((one) => `  ${one.head} (${one.count})`)
  const others = rest.length - named.length
  const more = others > 0 ? [`  and ${formatCount(others, 'more directory', 'more directories')}`] : []
  const cut = `${missing} of ${total} not shown; ${how}`
  return { text: [...lines, `[output truncated] ${cut}. They are in:`, ...named, ...more].join('\n'), cut }
}

/** So many places of what is left out say where to look. */
const mostNamed = 20

interface UnshownRows {
  readonly head: string
  readonly count: number
}

/** Many files by the directory they are in. */
function countByDirectory(left: readonly UnshownRows[]): UnshownRows[] {
  const counts = new Map<string, number>()
  for (const { head, count } of left) {
    const dir = head.slice(0, head.lastIndexOf('/') + 1) || './'
    counts.set(dir, (counts.get(dir) ?? 0) + count)
  }
  return [...counts].map(([head, count]) => ({ head, count }))
}

/** So few are counted at a glance. */
const someHits = 10

interface OutputPart {
  readonly head: string
  readonly rows: readonly string[]
}

/** The first rows that there is room for, and how many are left of each part. */
export function fittingParts(
  parts: readonly OutputPart[],
  { room }: Showing,
): { lines: string[]; left: UnshownRows[] } {
  const lines: string[] = []
  const left: UnshownRows[] = []
  const whole = parts.reduce((sum, { head, rows }) => sum + countCharacters([head, ...rows]), 0)
  let spare = whole <= room ? room : room - roomForNote
  for (const { head, rows } of parts) {
    const shown: string[] = []
    spare -= head.length + 1
    for (const row of rows) {
      spare -= row.length + 1
      if (spare < 0) break
      shown.push(row)
    }
    if (shown.length > 0) lines.push(head, ...shown)
    if (shown.length < rows.length) left.push({ head, count: rows.length - shown.length })
  }
  return { lines, left }
}

/** With their line breaks. */
const countCharacters = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + 1, 0)

const roomForNote = 1000

/** The rest of a long line, as in minified files, is of no use. */
function cutLongHit(line: string): string {
  return line.length <= longestHit
    ? line
    : `${line.slice(0, longestHit)}… [${line.length - longestHit} more characters]`
}

const longestHit = 300

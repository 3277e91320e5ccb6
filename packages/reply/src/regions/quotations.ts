import type { Source } from '../core/source.ts'

/** Lines with `>` before them, as mail programs and Markdown quote a text. */

/** Whether a line is quoted. Five marks begin a marker of their own, as in `>>>>>>> REPLACE`. */
export const isQuotation = (line: string): boolean => /^>(?!>{4})/.test(line)

/** A quoted line without its marks. */
export const unquoteLine = (line: string): string => line.replace(/^(?:> ?)+/, '')

/** The line of a mail program above what it quotes. "You wrote:" is the model's, about what the user wrote. */
const NAMES_AUTHOR = /^(?!.*\byou wrote:$).*\bwrote:$/i

/** Whether every line of a text is quoted, except blank ones and those that say who wrote it. */
export function isQuotedWhole(source: Source): boolean {
  let before = true
  for (let n = 1; n <= source.lineCount; n++) {
    const line = source.line(n).trim()
    if (line === '') continue
    if (line.startsWith('>')) before = false
    else if (!before || !NAMES_AUTHOR.test(line)) return false
  }
  return true
}

/** A text without what quotes every line of it; undefined where one is not quoted. */
export function unquoteWhole(
  source: Source,
): { readonly rows: readonly string[]; readonly prefix: string } | undefined {
  const prefix = prefixOfAll(source)
  if (prefix === undefined) return undefined
  const rows: string[] = []
  for (let n = 1; n <= source.lineCount; n++) {
    const row = source.line(n)
    rows.push(row.startsWith(prefix) ? row.slice(prefix.length) : isEmptyQuotation(row) ? '' : row)
  }
  return { rows, prefix }
}

/** The prefix of every line of a text, except blank ones and one that says who wrote it. */
function prefixOfAll(source: Source): string | undefined {
  let first = 1
  while (first < source.lineCount && isAboveQuotation(source.line(first))) first++
  if (!source.line(first).startsWith('>')) return undefined
  let prefix = /^(?:> ?)+/.exec(source.line(first))?.[0] ?? '>'
  for (let n = first + 1; n <= source.lineCount; n++) {
    const row = source.line(n)
    if (row.trim() === '' || prefix.startsWith(row)) continue
    if (!row.startsWith('>')) return undefined
    while (!row.startsWith(prefix)) prefix = prefix.slice(0, -1)
  }
  return prefix
}

const isAboveQuotation = (row: string): boolean => isEmptyQuotation(row) || NAMES_AUTHOR.test(row.trim())

/** An empty line of what is quoted. */
const isEmptyQuotation = (row: string): boolean => /^[>\s]*$/.test(row)

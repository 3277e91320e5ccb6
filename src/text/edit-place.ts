import { adapted } from './adapt.ts'
import { editLoosely, type Tolerance } from './edit-text.ts'
import { findOccurrences, replaceSpans } from './edit.ts'
import type { HunkLine } from './hunks.ts'
import { dominantEol } from './lines.ts'
import { hunkOf } from './matcher.ts'
import { reindenter } from './reindent.ts'
import { linesOf } from './unified-diff.ts'

/**
 * A text with an edit made in lines that the user chose; undefined where the text has no such lines. What is like the old
 * text there is replaced, as anywhere else; where nothing is, the lines themselves are.
 */
export function editPlace(
  text: string,
  { line, endLine }: { readonly line: number; readonly endLine: number },
  old: string,
  fresh: string,
  tolerance: Tolerance,
): string | undefined {
  const lines = linesOf(text)
  const chosen = lines.slice(line - 1, endLine)
  if (line < 1 || chosen.length === 0) return undefined
  const part = chosen.join('')
  const around = (inside: string): string => lines.slice(0, line - 1).join('') + inside + lines.slice(endLine).join('')

  const [only, ...others] = findOccurrences(part, old)
  if (only !== undefined && others.length === 0) return around(replaceSpans(part, [only], old, fresh))
  const loose = editLoosely(part, old, fresh, 1, { ...tolerance, matching: 'tolerant' })
  if (loose.kind === 'done') return around(loose.text)

  const rows = placedLines(hunkOf(rowsOf(old), rowsOf(fresh)), rowsOf(part), text).filter(({ mark }) => mark !== '-')
  const eol = dominantEol(text)
  return around(rows.map((row) => row.text).join(eol) + (rows.length > 0 && part.endsWith('\n') ? eol : ''))
}

/**
 * The lines of an edit with those of the file as its old side. With as many lines as the edit has, the file keeps those
 * that the edit only has as context; otherwise all of them go.
 */
export function placedLines(lines: readonly HunkLine[], there: readonly string[], text: string): HunkLine[] {
  const old = lines.filter(({ mark }) => mark !== '+').map((row) => row.text)
  if (old.length === there.length) {
    const added = adapted(lines, there, text) ?? lines.filter(({ mark }) => mark === '+').map((row) => row.text)
    let [at, taken] = [0, 0]
    return lines.map(({ mark }) => ({ mark, text: (mark === '+' ? added[taken++] : there[at++]) ?? '' }))
  }
  const hasText = (row: string): boolean => row.trim() !== ''
  const shift = reindenter([[old.find(hasText) ?? '', there.find(hasText) ?? '']])
  const fresh = lines.filter(({ mark }) => mark !== '-').map((row) => row.text)
  return [
    ...there.map((row) => ({ mark: '-', text: row }) as const),
    ...fresh.map((row) => ({ mark: '+', text: shift(row) ?? row }) as const),
  ]
}

const rowsOf = (text: string): string[] =>
  text === '' ? [] : text.replaceAll('\r\n', '\n').replace(/\n$/, '').split('\n')

import type { Document } from '../core/block.ts'
import { Source } from '../core/source.ts'
import { isSound } from './mend.ts'

/**
 * What a text gives in which no block is sound and every line stands behind a `>`: what is quoted is read without it.
 * Blocks of our own are found by `mend.ts`, one by one; other formats have too few markers for that. `asItStands` is
 * what the text gives with it.
 */
export function throughQuotes(source: Source, asItStands: Document, read: (source: Source) => Document): Document {
  const prefix = quotedBy(source)
  if (prefix === undefined) return asItStands
  const rows: string[] = []
  for (let n = 1; n <= source.lineCount; n++) {
    const row = source.line(n)
    rows.push(row.startsWith(prefix) ? row.slice(prefix.length) : isMark(row) ? '' : row)
  }
  const { blocks, ...rest } = read(new Source(rows.join('\n')))
  const [first, ...others] = blocks
  if (first === undefined || (asItStands.blocks.length > 0 && !blocks.some(isSound))) return asItStands
  const warning = `the whole text was read without the "${prefix.trim()}" in front of every line`
  return { ...rest, blocks: [{ ...first, warnings: [warning, ...(first.warnings ?? [])] }, ...others] }
}

/** What every line of a text stands behind, but for blank ones and one that says who wrote it. */
function quotedBy(source: Source): string | undefined {
  let first = 1
  while (first < source.lineCount && isBefore(source.line(first))) first++
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

const isBefore = (row: string): boolean => isMark(row) || /\bwrote:$/.test(row.trim())

/** An empty line of what is quoted. */
const isMark = (row: string): boolean => /^[>\s]*$/.test(row)

import type { Block, Document } from '../core/block.ts'
import { Source } from '../core/source.ts'
import { isSound } from './damage.ts'

/** Lines that are not meant to be executed, both included. */
export interface Passage {
  readonly first: number
  readonly last: number
}

interface Thoughts {
  readonly closed: readonly Passage[]
  /** The line where one begins that does not end here. */
  readonly open: number | undefined
}

/** Whether it is worth looking: hardly any text has such a mark. */
export const mayThink = (text: string): boolean => text.includes('<') && /<\/?think/.test(text)

const mark = /^[ \t]*<(\/?)think(?:ing)?>|<(\/)think(?:ing)?>[ \t]*\r?$/gm

/**
 * Where a model thinks aloud: between `<think>` and `</think>`, or up to the first of these, for there are programs
 * that write the beginning themselves. A mark inside one of these blocks is content; but a reply that begins with a
 * thought has no block before the end of it.
 */
export function thoughtsIn(source: Source, blocks: readonly Block[], isReply: boolean): Thoughts {
  const closed: Passage[] = []
  const sound = blocks.filter(isSound)
  const start = source.lineAt(Math.max(0, source.text.search(/\S/)))
  let open: number | undefined
  let at = 0
  const isContent = (line: number): boolean => {
    while ((sound[at]?.endLine ?? Infinity) < line) at++
    return (sound[at]?.startLine ?? Infinity) <= line
  }
  let leads = false
  for (const { index, 1: ending, 2: endingBehind } of source.text.matchAll(mark)) {
    const line = source.lineAt(index)
    if (!leads && isContent(line)) continue
    if ((ending ?? endingBehind) !== '') {
      if (open !== undefined || closed.length === 0) closed.push({ first: open ?? 1, last: line })
      open = undefined
      leads = false
    } else if (open === undefined) {
      open = line
      leads = isReply && line === start
    }
  }
  // A reply that begins with a thought and has no end of it was cut off there. Elsewhere the mark is only a word.
  if (open !== undefined && leads) return { closed: [{ first: open, last: source.lineCount }], open }
  return { closed, open }
}

/** The text without some passages, every other character where it was. */
export function withoutPassages(source: Source, closed: readonly Passage[]): Source {
  if (closed.length === 0) return source
  let text = ''
  let end = 0
  for (const { first, last } of closed) {
    text += source.text.slice(end, source.startOf(first))
    end = source.endOf(last)
    text += source.text.slice(source.startOf(first), end).replace(/[^\r\n]/g, ' ')
  }
  return new Source(text + source.text.slice(end))
}

/** What has to be said of passages: only where something in them looked like a block. */
export function draftWarnings(
  closed: readonly Passage[],
  { blocks, faults }: Document,
  linesBefore = 0,
  why = 'inside a thought of the model (<think>)',
): string[] {
  const drafts = [...blocks.map(({ startLine }) => startLine), ...faults.map(({ line }) => line)].sort((a, b) => a - b)
  let at = 0
  const hasDraft = ({ first, last }: Passage): boolean => {
    while ((drafts[at] ?? Infinity) < first) at++
    return (drafts[at] ?? Infinity) <= last
  }
  return closed
    .filter(hasDraft)
    .map(({ first, last }) => `lines ${first + linesBefore}-${last + linesBefore}: not executed: ${why}`)
}

/**
 * What a text gives in which no block is sound and every line starts with `>`: what is quoted is read without it.
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
  const warning = `the whole text was read without the "${prefix.trim()}" before every line`
  return { ...rest, blocks: [{ ...first, warnings: [warning, ...(first.warnings ?? [])] }, ...others] }
}

/** The prefix of every line of a text, except blank ones and one that says who wrote it. */
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

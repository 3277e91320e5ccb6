import { partitionPoint } from '../text/lines.ts'
import type { Document } from '../core/block.ts'
import { Source } from '../core/source.ts'
import { isComplete } from './damage.ts'
import { openFence } from './fences.ts'

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

/** The tags that models think aloud in. Aider adds a hash to its own: `<thinking-content-7bbe…>`. */
const names =
  '(?:\\w+:)?(?:think(?:ing)?|thoughts?|reasoning|scratch_?pad|reflection|analysis|inner_monologue|antThinking)(?:[-_.:][\\w.:-]*)?'
const begin = `<${names}(?:\\s[^<>\\n]*)?(?<!/)>|\\[THINK\\]|◁think▷|<\\|begin_of_thought\\|>|<\\|channel\\|>analysis<\\|message\\|>`
const end = `</${names}\\s*>|\\[/THINK\\]|◁/think▷|<\\|end_of_thought\\|>|<\\|end\\|>|<\\|channel\\|>final<\\|message\\|>`
/** A heading after an arrow, as Aider shows thoughts and what follows them. */
const heading = (words: string): string => `[►▶▸] ?(?:\\*\\*|__)?(?:${words}):?(?:\\*\\*|__)?:?[ \\t]*\\r?$`
const beginHeading = heading('THINKING|[Tt]hinking|REASONING|[Rr]easoning|THOUGHTS?|[Tt]houghts?|ANALYSIS|[Aa]nalysis')
const endHeading = heading('(?:FINAL |[Ff]inal )?(?:ANSWER|[Aa]nswer|RESPONSE|[Rr]esponse|REPLY|[Rr]eply)')
/** Open WebUI folds thoughts: `<details type="reasoning">`; other programs write only what was done into the summary. */
const beginFolded =
  String.raw`<details(?:\s[^<>\n]*)?\stype=["']?reasoning\b[^<>\n]*>` +
  String.raw`|<details(?:\s[^<>\n]*)?>\s{0,9}<summary>[^\w\n]{0,9}(?:[Tt]hought|[Tt]hink(?:ing)?|[Rr]eason(?:ing|ed))\b`
const mark = new RegExp(
  `^[ \\t]*(?:(${begin})|(${beginHeading})|(${beginFolded})|(${endHeading})|(</details>)|(?:${end}))|(?:${end})[ \\t]*\\r?$`,
  'gm',
)
const markHere = new RegExp(`${begin}|${end}`, 'y')

/** Whether it is worth looking: hardly any text has such a mark. Jumps from `<` to `<`, which is faster than a pattern. */
export function mayThink(text: string): boolean {
  if (text.includes('THINK]') || text.includes('<details') || ARROWS.some((arrow) => text.includes(arrow))) return true
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at + 1)) {
    while (text.charCodeAt(at + 1) === LESS) at++
    const next = text.charCodeAt(at + 1)
    if (next === HYPHEN || next === SPACE) continue
    markHere.lastIndex = at
    if (markHere.test(text)) return true
  }
  return false
}

const ARROWS = ['◁', '►', '▶', '▸']
const HYPHEN = 45
const LESS = 60
const SPACE = 32

/**
 * Where a model thinks aloud: between two marks, or up to the first end, for there are programs that write the beginning
 * themselves. A mark inside one of these blocks is content; but a reply that begins with a thought has no block before
 * the end of it. One that has no end was cut off there; in a code fence it ends with the fence.
 */
export function thoughtsIn(source: Source, { blocks, diagnostics }: Document, isReply: boolean): Thoughts {
  const closed: Passage[] = []
  const sound = blocks.filter(isComplete)
  const start = source.lineAt(Math.max(0, source.text.search(/\S/)))
  let open: number | undefined
  let at = 0
  const isContent = (line: number): boolean => {
    while ((sound[at]?.endLine ?? Infinity) < line) at++
    return (sound[at]?.startLine ?? Infinity) <= line
  }
  let leads = false
  /** Below a heading only another one ends a thought, and what was folded ends where the fold does. */
  let kind: 'tag' | 'heading' | 'fold' = 'tag'
  for (const { index, 1: tag, 2: headed, 3: folded, 4: answered, 5: unfolded } of source.text.matchAll(mark)) {
    const line = source.lineAt(index)
    if (!leads && isContent(line)) continue
    if (open === undefined && (answered ?? unfolded) !== undefined) continue
    if (open !== undefined && kind === 'heading' && answered === undefined) continue
    if (open !== undefined && (kind === 'fold') !== (unfolded !== undefined)) continue
    if ((tag ?? headed ?? folded) === undefined) {
      const mayLead = closed.length === 0 && !source.text.slice(0, index).includes(COMMENTARY)
      if (open !== undefined || mayLead) closed.push({ first: open ?? 1, last: line })
      open = undefined
      leads = false
    } else if (open === undefined) {
      open = line
      kind = headed !== undefined ? 'heading' : folded !== undefined ? 'fold' : 'tag'
      leads = isReply && line === start
    }
  }
  if (open !== undefined) closed.push({ first: open, last: leads ? source.lineCount : fenceEnd(source, open) })
  // What a code fence shows of a tag is code, unless there is a draft in it.
  const within = finderIn(closed, (passage) => passage)
  const drafted = new Set(
    [...blocks.map(({ startLine }) => startLine), ...diagnostics.map(({ range }) => range.line)].map(within),
  )
  const isThought = (passage: Passage): boolean => {
    const end = fenceEnd(source, passage.first)
    return end < passage.last || end === source.lineCount || drafted.has(passage)
  }
  return { closed: closed.filter(isThought), open }
}

/** Where a model that names its channels calls a tool. */
const COMMENTARY = '<|channel|>commentary'

/** The text with spaces for the tokens before and after a message, unless it is a call in JSON, which they name. */
export function withoutTokens(source: Source): Source {
  // Short texts are found faster.
  if (!source.text.includes('<|') || !source.text.includes('<|message|>')) return source
  return new Source(source.text.replace(TOKENS, (tokens) => ' '.repeat(tokens.length)))
}

const TOKENS =
  /^[ \t]*(?:<\|start\|>)?[^<>{\n]{0,80}<\|channel\|>(?:commentary|final)[^{\n]{0,120}<\|message\|>(?!\s*[{[])|<\|(?:call|end|return)\|>(?=\s*$)/gm

/** Finds what a line is in, among things that are in order and do not overlap. */
export function finderIn<Item>(
  items: readonly Item[],
  linesOf: (item: Item) => Passage,
): (line: number) => Item | undefined {
  return (line) => {
    const found = items[partitionPoint(items, (item) => linesOf(item).last < line)]
    return found !== undefined && linesOf(found).first <= line ? found : undefined
  }
}

/** The line that closes the code fence that a line is in; the last of the text where it is in none. */
function fenceEnd(source: Source, line: number): number {
  return Math.min(openFence(source, line) ?? Infinity, source.lineCount)
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

/**
 * What a text gives in which no block is sound and every line starts with `>`: what is quoted is read without it.
 * Blocks of our own are found by `repair.ts`, one by one; other formats have too few markers for that. `verbatim` is
 * what the text gives with it.
 */
export function throughQuotes(source: Source, verbatim: Document, read: (source: Source) => Document): Document {
  const prefix = quotedBy(source)
  if (prefix === undefined) return verbatim
  const rows: string[] = []
  for (let n = 1; n <= source.lineCount; n++) {
    const row = source.line(n)
    rows.push(row.startsWith(prefix) ? row.slice(prefix.length) : isMark(row) ? '' : row)
  }
  const { blocks, ...rest } = read(new Source(rows.join('\n')))
  const [first, ...others] = blocks
  if (first === undefined || (verbatim.blocks.length > 0 && !blocks.some(isComplete))) return verbatim
  const warning = `the whole text was read without the "${prefix.trim()}" before every line`
  return { ...rest, blocks: [{ ...first, warnings: [warning, ...(first.warnings ?? [])] }, ...others] }
}

/** Whether every line of a text starts with `>`, except blank ones and those that say who wrote it. */
export function isQuoted(source: Source): boolean {
  let before = true
  for (let n = 1; n <= source.lineCount; n++) {
    const line = source.line(n).trim()
    if (line === '') continue
    if (line.startsWith('>')) before = false
    else if (!before || !/\bwrote:$/.test(line)) return false
  }
  return true
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

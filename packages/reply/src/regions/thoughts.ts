import { HASH, LESS, SPACE, TAB } from '../core/character-codes.ts'
import { type Document, isComplete } from '../core/block.ts'
import { type LineRange, mayBreakInside, rangeFinder, Source } from '../core/source.ts'
import { Regions } from './regions.ts'

interface Thoughts {
  readonly closed: readonly LineRange[]
  /** The line where one begins that does not end here. */
  readonly open: number | undefined
}

/** The tags that models think aloud in. Aider adds a hash to its own: `<thinking-content-7bbe…>`. */
const names =
  '(?:\\w+:)?(?:think(?:ing)?|thoughts?|reasoning|scratch_?pad|reflection|analysis|(?:inner|internal)_(?:monologue|thoughts?)|thought_process|chain_of_thought|antThinking)(?:[-_.:][\\w.:-]*)?'
const begin = `<${names}(?:\\s[^<>\\n]*)?(?<!/)>|\\[THINK\\]|◁think▷|<\\|begin_of_thought\\|>|<\\|channel\\|>analysis<\\|message\\|>`
const end = `</${names}\\s*>|\\[/THINK\\]|◁/think▷|<\\|end_of_thought\\|>|<\\|end\\|>|<\\|channel\\|>final<\\|message\\|>`
/** A heading after an arrow, as Aider shows thoughts and what follows them. */
const heading = (words: string, before = '[►▶▸] ?'): string =>
  `(?:${before})(?:\\*{1,2}|__?)?(?:${words}):?(?:\\*{1,2}|__?)?:?[ \\t]*\\r?$`
/** A heading of Markdown begins a thought only if one for the answer follows: replies also have sections of this name. */
const section = '(?:#{1,6} (?:[^\\w\\s*]{1,4} )?|(?=\\*))'
const beginHeading = heading('THINKING|[Tt]hinking|REASONING|[Rr]easoning|THOUGHTS?|[Tt]houghts?|ANALYSIS|[Aa]nalysis')
const beginSection = `(?:${heading(
  'THINKING|[Tt]hinking(?: [Pp]rocess)?|REASONING|[Rr]easoning|[Tt]houghts?(?: [Pp]rocess)?|[Cc]hain [Oo]f [Tt]hought',
  section,
)}|Thinking\\.\\.\\.[ \\t]*\\r?$)`
const answer = '(?:FINAL |[Ff]inal )?(?:ANSWER|[Aa]nswer|RESPONSE|[Rr]esponse|REPLY|[Rr]eply)'
const endHeading = heading(answer)
/** `ollama run` prints the thoughts of a model between "Thinking..." and this. */
const endSection = `(?:${heading(answer, section)}|\\.\\.\\.done thinking\\.[ \\t]*\\r?$)`
/** Open WebUI folds thoughts: `<details type="reasoning">`; other programs write only what was done into the summary. */
const beginFolded =
  String.raw`<details(?:\s[^<>\n]*)?\stype=["']?reasoning\b[^<>\n]*>` +
  String.raw`|<details(?:\s[^<>\n]*)?>\s{0,9}<summary>[^\w\n]{0,9}(?:(?:My|The|Model) )?(?:[Tt]hought|[Tt]hink(?:ing)?|[Rr]eason(?:ing|ed))\b`
const mark = new RegExp(
  `^[ \\t]*(?:(${begin})|(${beginHeading})|(${beginFolded})|(${endHeading})|(</details>)|(${beginSection})|(${endSection})|(?:${end}))|(?:${end})[ \\t]*\\r?$`,
  'gm',
)
const markHere = new RegExp(`${begin}|${end}|<details`, 'y')

/** Whether it is worth looking: hardly any text has such a mark. Jumps from `<` to `<`, which is faster than a pattern. */
export function mayThink(source: Source): boolean {
  const { text } = source
  if (text.includes('THINK]') || mayHaveSection(source) || ARROWS.some((arrow) => text.includes(arrow))) return true
  for (let at = text.indexOf('<'); at !== -1; at = text.indexOf('<', at + 1)) {
    while (text.charCodeAt(at + 1) === LESS) at++
    const next = text.charCodeAt(at + 1)
    if (next === HYPHEN || next === SPACE) continue
    markHere.lastIndex = at
    if (markHere.test(text)) return true
  }
  return false
}

/** Looks only at lines that begin like a heading of Markdown. */
function mayHaveSection(source: Source): boolean {
  if (mayBreakInside(source)) return SECTION.test(source.text)
  for (let line = 1; line <= source.lineCount; line++) {
    const c = source.initial(line)
    if (c !== HASH && c !== STAR && c !== CAPITAL_T && c !== SPACE && c !== TAB) continue
    const row = source.line(line)
    if (HEADING.test(row) && SECTION.test(row)) return true
  }
  return false
}

const HEADING = /^[ \t]*(?:#{1,6} |\*|Thinking\.)/
const SECTION = new RegExp(`^[ \\t]*${beginSection}`, 'm')
const ARROWS = ['◁', '►', '▶', '▸']
const HYPHEN = 45
const STAR = 42
const CAPITAL_T = 84

/**
 * Where a model thinks aloud: between two marks, or up to the first end, for there are programs that write the beginning
 * themselves. A mark inside one of these blocks is content; but a reply that begins with a thought has no block before
 * the end of it. One that has no end was cut off there; in a code fence it ends with the fence.
 */
export function thoughtsIn(source: Source, { blocks, diagnostics }: Document, isReply: boolean): Thoughts {
  const closed: LineRange[] = []
  const regions = Regions.of(source)
  /** The line that closes the fence that a line is in; the last of the text where it is in none. */
  const fenceEnd = (line: number): number => regions.fenceAround(line)?.last ?? source.lineCount
  const sound = blocks.filter(isComplete)
  const commentary = source.text.indexOf(COMMENTARY)
  const start = source.lineAt(Math.max(0, source.text.search(/\S/)))
  let open: number | undefined
  let at = 0
  const isContent = (line: number): boolean => {
    while ((sound[at]?.endLine ?? Infinity) < line) at++
    return (sound[at]?.startLine ?? Infinity) <= line
  }
  let leads = false
  /** Below a heading only another one ends a thought, and what was folded ends where the fold does. */
  let kind: 'tag' | 'heading' | 'fold' | 'section' = 'tag'
  for (const found of source.text.matchAll(mark)) {
    const { index, 1: tag, 2: headed, 3: folded, 4: answered, 5: unfolded, 6: section, 7: concluded } = found
    const line = source.lineAt(index)
    if (!leads && isContent(line)) continue
    if (open === undefined && (answered ?? unfolded ?? concluded) !== undefined) continue
    if (section !== undefined && regions.fenceAround(line) !== undefined) continue
    if (open !== undefined && kind === 'heading' && answered === undefined) continue
    if (open !== undefined && (kind === 'section') !== (concluded !== undefined)) continue
    if (open !== undefined && (kind === 'fold') !== (unfolded !== undefined)) continue
    if ((tag ?? headed ?? folded ?? section) === undefined) {
      const mayLead = closed.length === 0 && (index < commentary || commentary === -1)
      if (open !== undefined || mayLead) closed.push({ first: open ?? 1, last: line })
      open = undefined
      leads = false
    } else if (open === undefined) {
      open = line
      kind =
        headed !== undefined ? 'heading' : folded !== undefined ? 'fold' : section !== undefined ? 'section' : 'tag'
      leads = isReply && line === start
    }
  }
  if (open !== undefined && kind !== 'section')
    closed.push({ first: open, last: leads ? source.lineCount : fenceEnd(open) })
  // What a code fence shows of a tag is code, unless there is a draft in it.
  const within = rangeFinder(closed, (range) => range)
  const drafted = new Set(
    [...blocks.map(({ startLine }) => startLine), ...diagnostics.map(({ range }) => range.line)].map(within),
  )
  const isThought = (range: LineRange): boolean => {
    const end = fenceEnd(range.first)
    return end < range.last || end === source.lineCount || drafted.has(range)
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

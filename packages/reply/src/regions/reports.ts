import { TAB, LF, SPACE, EQUALS, GREATER } from '../core/character-codes.ts'
import { type Block, isComplete } from '../core/block.ts'
import { endFrame, isTaskLine, promptEnd, promptOpenings } from '../core/report-frames.ts'
import { type LineRange, mayBreakInside, type Source } from '../core/source.ts'
import { isMarker } from '../text/undamage.ts'

/**
 * Reports and prompts of clada's own in a text: what they quote from files and programs is never executed, also when a report is
 * piped back or pasted together with a reply. Their frames start a line, or follow the indentation or `> ` of the whole
 * paste; content in them never does. A report that is the content of a block stays content.
 */
export function reportsIn(source: Source, blocks: readonly Block[]): LineRange[] {
  const found: LineRange[] = []
  const sound = blocks.filter(isComplete)
  let next = 0
  for (let line = 1; line <= source.lineCount; line++) {
    while ((sound[next]?.startLine ?? Infinity) < line) next++
    const block = sound[next]
    if (block?.startLine === line) {
      line = block.endLine ?? line
      continue
    }
    const last = reportFrom(source, line)
    if (last === undefined) continue
    found.push({ first: line, last })
    line = last
  }
  return found
}

/**
 * Whether it is worth looking for a report, and the first line that may be a marker as reports show those of a quoted
 * block: with one more space before it. Seen in one pass over where lines begin, as neither is in most texts.
 */
export function reportSigns(source: Source): { mayReport: boolean; quoted: number } {
  const { text, lineCount } = source
  let mayReport = mayBreakInside(source) && begins.test(text)
  let quoted = Infinity
  for (let line = 1; line <= lineCount; line++) {
    let c = source.initial(line)
    const isPrefixed = c === SPACE || c === TAB || c === GREATER
    if (isPrefixed) c = text.charCodeAt(prefixEnd(text, source.startOf(line)))
    if (c === EQUALS || c === BRACKET || c === GREATER || c === Y || c === W || c > 126)
      mayReport ||= begins.test(source.line(line))
    if (isPrefixed && mayBegin(c) && quoted === Infinity && isSpaced(source, line)) quoted = line
  }
  return { mayReport, quoted }
}

const opening = `${promptOpenings.blocks}|${promptOpenings.changes}`
const begins = new RegExp(
  `^[ \\t>]*(?:=== (?:CLADA RESULTS|OUTPUTS|REPAIR|CHANGES|END|START FILE: [^\\n]*) ===|\\[task-\\d|[✓✗−] [a-z]|${opening})`,
  'm',
)
const section = /^([ \t>]*)=== (?:CLADA RESULTS|OUTPUTS|REPAIR|CHANGES) ===\s*$/
/** The heading of one output; prose may look like it. */
const heading = /^([ \t>]*)\[[^\]\s]+\] [a-z]+(?:_[a-z]+)*(?: .*)?:\s*$/
const prompt = new RegExp(`^([ \\t>]*)(?:${opening})`)
const file = /^([ \t>]*)=== START (FILE: .*) ===\s*$/

/** The last line of the report that begins on a line; undefined where none does. */
function reportFrom(source: Source, line: number): number | undefined {
  const text = source.line(line)
  const [, before = ''] = section.exec(text) ?? []
  if (section.test(text)) return sectionsEnd(source, line, before)
  const [, prefix = '', name] = file.exec(text) ?? []
  if (name !== undefined) return reportEnd(source, line, `${prefix}=== END ${name} ===`)
  const [, quoted] = prompt.exec(text) ?? []
  if (quoted !== undefined) return reportEnd(source, line, `${quoted}${promptEnd}`)
  const [, indent] = heading.exec(text) ?? []
  if (indent !== undefined) return unframedEnd(source, line, indent)
  if (isTaskLine(text))
    return runEnd(source, line, (one) => isTaskLine(one) || /^(?: {4}|WARNING: |Warning: )/.test(one))
  // A sentence that a terminal was too narrow for goes on below its first word.
  if (/^[✓✗−] [a-z]/.test(text)) return runEnd(source, line, (one) => /^(?:[✓✗−!] | {2})/.test(one))
  return undefined
}

/** Sections follow each other, with empty lines between them. */
function sectionsEnd(source: Source, line: number, prefix: string): number {
  let last = reportEnd(source, line, `${prefix}${endFrame}`)
  for (let at = last + 1; at <= source.lineCount; at++) {
    const text = source.line(at)
    if (section.exec(text)?.[1] === prefix) at = last = reportEnd(source, at, `${prefix}${endFrame}`)
    else if (text.replace(/[\s>]/g, '') !== '') break
  }
  return last
}

/** A report that was cut off continues to the end of the text. */
function reportEnd(source: Source, line: number, frame: string): number {
  for (let at = line + 1; at <= source.lineCount; at++) if (source.line(at).trimEnd() === frame) return at
  return source.lineCount
}

/** Where a section ends whose beginning was left out; undefined where none does. */
function unframedEnd(source: Source, line: number, prefix: string): number | undefined {
  for (let at = line + 1; at <= source.lineCount; at++) {
    const text = source.line(at).trimEnd()
    if (text === `${prefix}${endFrame}`) return at
    if (section.exec(text)?.[1] === prefix) return undefined
  }
  return undefined
}

function runEnd(source: Source, line: number, isPart: (text: string) => boolean): number {
  let last = line
  while (last < source.lineCount && isPart(source.line(last + 1))) last++
  return last
}

function isSpaced(source: Source, line: number): boolean {
  const start = source.startOf(line)
  const end = prefixEnd(source.text, start)
  if (end === start || source.text.charCodeAt(end - 1) !== SPACE) return false
  return isMarker(source.line(line), source.line(line + 1))
}

/** Whether a marker may begin with a character, damaged or not. */
const mayBegin = (c: number): boolean =>
  (c !== LF && c <= SPACE) || c > 126 || '#<>*dD&\\-'.includes(String.fromCharCode(c))

const linePrefix = (text: string): string => text.slice(0, prefixEnd(text, 0))

/** Where indentation and quotation marks end. Five of these begin a marker of their own, as in `>>>>>>> REPLACE`. */
function prefixEnd(text: string, start: number): number {
  for (let at = start; ; at++) {
    const c = text.charCodeAt(at)
    if (c !== SPACE && c !== TAB && (c !== GREATER || text.startsWith('>>>>>', at))) return at
  }
}

const [W, Y, BRACKET] = [87, 89, 91]
const isQuotedBlank = (text: string): boolean => /^[\s>]*$/.test(text)

/**
 * Blocks in a piece of a report without its frames. There the first line and the last are indented by one space more
 * than the text around them, or than the lines between them, unlike a block that was indented as a whole. `before`:
 * whether blocks precede this text, which are not indented then.
 */
export function quotationsIn(source: Source, blocks: readonly Block[], before: boolean): LineRange[] {
  const around = before ? '' : prefixAround(source, blocks)
  const found = blocks.filter((block) => isQuotedBlock(source, block, around))
  let end = 0
  return found.map(({ startLine, endLine }, at) => {
    const next = found[at + 1]?.startLine ?? source.lineCount + 1
    let [first, last] = [startLine, endLine ?? startLine]
    // The markers of a group or a patch are outside its blocks.
    while (first - 1 > end && isSpaced(source, first - 1)) first--
    while (last + 1 < next && isSpaced(source, last + 1)) last++
    end = last
    return { first, last }
  })
}

function isQuotedBlock(source: Source, { startLine, endLine }: Block, around: string | undefined): boolean {
  if (endLine === null) return false
  let first = startLine
  while (first <= endLine && !isMarker(source.line(first), source.line(first + 1))) first++
  const last = source.line(endLine)
  const closes = endLine > first && isMarker(last, undefined)
  if (first > endLine || !isSpaced(source, first) || (closes && linePrefix(last) === '')) return false
  const expected = linePrefix(source.line(first)).slice(0, -1)
  return around === expected || prefixInside(source, first, endLine) === expected
}

/** What every line has before it that belongs to no block; undefined where there is no such line. */
function prefixAround(source: Source, blocks: readonly Block[]): string | undefined {
  let prefix: string | undefined
  let next = 0
  for (let line = 1; line <= source.lineCount; line++) {
    while ((blocks[next]?.endLine ?? Infinity) < line) next++
    if ((blocks[next]?.startLine ?? Infinity) <= line) continue
    const text = source.line(line)
    if (isQuotedBlank(text) || isMarker(text, source.line(line + 1))) continue
    const own = linePrefix(text)
    prefix ??= own
    while (!own.startsWith(prefix)) prefix = prefix.slice(0, -1)
  }
  return prefix
}

/** What the first line of a block has before it that is not a marker. */
function prefixInside(source: Source, first: number, last: number): string | undefined {
  for (let line = first + 1; line <= last; line++) {
    const text = source.line(line)
    if (!isQuotedBlank(text) && !isMarker(text, source.line(line + 1))) return linePrefix(text)
  }
  return undefined
}

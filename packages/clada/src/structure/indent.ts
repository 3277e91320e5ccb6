import type { Source } from '@clada/reply/core/source.ts'
import type { Span } from '@clada/reply/text/edit.ts'
import { indentOf } from '@clada/reply/text/reindent.ts'
import type { Kind, Language } from './language.ts'
import { withOutline } from './outline.ts'

/** The spaces that lines below a place start with. What follows `- ` is as far in as the dash makes it. */
export function indentAt(source: Source, offset: number): string {
  const line = source.lineAt(offset)
  const before = source.text.slice(source.startOf(line), offset)
  return /^[ \t]*(?:- +)+$/.test(before) ? before.replaceAll('-', ' ') : indentOf(source.line(line))
}

const isBlankLine = (line: string): boolean => line.trim() === ''

/**
 * A span of a file as it is read: at zero indent, with LF. Lines inside strings stay as they are, and so do lines of
 * spaces only, so that what was read can be put back to the letter. The strings are asked for where there is an indent.
 */
export function withoutIndentOf(source: Source, span: Span, strings: () => readonly Span[]): string {
  const first = source.lineAt(span.start)
  const last = source.lineAt(Math.max(span.start, span.end - 1))
  const lead = indentAt(source, span.start)
  const lines = [lead + source.text.slice(span.start, Math.min(span.end, source.endOf(first)))]
  const verbatim = indentOf(lines[0] ?? '') === '' ? [] : strings()
  const fixed = new Set<number>()
  for (let line = first + 1; line <= last; line++) {
    lines.push(source.text.slice(source.startOf(line), Math.min(span.end, source.endOf(line))))
    if (startsInSpan(verbatim, source.startOf(line))) fixed.add(line - first)
  }
  const common = commonIndent(lines, fixed)
  return `${lines.map((line, at) => (fixed.has(at) || isBlankLine(line) ? line : line.slice(common.length))).join('\n')}\n`
}

/** Whether a line that starts at an offset starts inside one of the spans. */
export const startsInSpan = (spans: readonly Span[], offset: number): boolean =>
  spans.some(({ start, end }) => start < offset && offset < end)

function commonIndent(lines: readonly string[], fixed: ReadonlySet<number>): string {
  let common = indentOf(lines[0] ?? '')
  for (const [at, line] of lines.entries()) {
    if (fixed.has(at) || isBlankLine(line)) continue
    while (!line.startsWith(common)) common = common.slice(0, -1)
  }
  return common
}

export interface Fitting {
  /** The indentation of the place. */
  readonly indent: string
  /** Steps of indentation that the file has, most frequent first; empty when they must not be changed. */
  readonly steps: readonly string[]
  /** Whether the first line may have lost the indentation that the others still have. */
  readonly firstLine: 'as-given' | 'lost-indent'
}

/** Lines of content, the first included, indented for their place. `fixed` are the indices of lines inside strings. */
export function indentForPlace(given: readonly string[], fixed: ReadonlySet<number>, place: Fitting): string[] {
  const lines = place.firstLine === 'lost-indent' ? withFirstLineLevel(given, fixed, place.indent) : given
  const base = indentOf(lines[0] ?? '')
  const unit = stepToChange(lines, fixed, place.steps)
  return lines.map((line, at) => {
    if (fixed.has(at) || isBlankLine(line)) return line
    if (!line.startsWith(base)) return shiftLine(line, base, place.indent)
    const inner = line.slice(base.length)
    return place.indent + (unit === undefined ? inner : changeStep(inner, unit.from, unit.to))
  })
}

/** A line that is further out than the first one stays as far out. */
function shiftLine(line: string, base: string, indent: string): string {
  // What was taken from all lines when they were read comes back to all of them.
  if (indent.endsWith(base)) return indent.slice(0, indent.length - base.length) + line
  const own = indentOf(line)
  const less = Math.max(0, base.length - indent.length)
  return own.slice(Math.min(own.length, less)) + line.slice(own.length)
}

/** Content copied from the middle of a line on. */
function withFirstLineLevel(lines: readonly string[], fixed: ReadonlySet<number>, indent: string): readonly string[] {
  const [first = ''] = lines
  if (indent === '' || indentOf(first) !== '' || !opens.test(first)) return lines
  const rest = lines.filter((line, at) => at > 0 && !fixed.has(at) && !isBlankLine(line))
  const last = rest.at(-1)
  const closed = last !== undefined && indentOf(last) === indent && /^\s*(?:[)\]}]|end\b)/.test(last)
  // A brace on a line of its own is further in than its header in some styles.
  const hangs = /^\s*\{/.test(rest[0] ?? '')
  if (!closed || hangs || !rest.every((line) => line.startsWith(indent))) return lines
  return lines.map((line, at) => (at === 0 ? indent + line : line))
}

const opens = /(?:[{([:>]|=>|\b(?:do|then|else|begin))\s*$/

/** How far lines go in after a line that opens something, most frequent first. */
export function indentSteps(lines: readonly string[], fixed: ReadonlySet<number> = new Set()): string[] {
  const counts = new Map<string, number>()
  let before: string | undefined
  for (const [at, line] of lines.entries()) {
    if (fixed.has(at) || isBlankLine(line)) continue
    const own = indentOf(line)
    if (before !== undefined && opens.test(before)) {
      const outer = indentOf(before)
      if (own.length > outer.length && own.startsWith(outer)) {
        const step = own.slice(outer.length)
        counts.set(step, (counts.get(step) ?? 0) + 1)
      }
    }
    before = line
  }
  return [...counts].toSorted((a, b) => b[1] - a[1]).map(([step]) => step)
}

/** Only content with one step of its own that the file never has is changed: anything else may be meant. */
function stepToChange(lines: readonly string[], fixed: ReadonlySet<number>, steps: readonly string[]) {
  const [to] = steps
  const own = indentSteps(lines, fixed)
  const [from] = own
  if (to === undefined || from === undefined || own.length > 1 || steps.includes(from)) return undefined
  const base = indentOf(lines[0] ?? '').length
  const less = (line: string, at: number): boolean => {
    const depth = indentOf(line).length - base
    return !fixed.has(at) && !isBlankLine(line) && !/^\s*\*/.test(line) && depth > 0 && depth < from.length
  }
  return lines.some(less) ? undefined : { from, to }
}

function changeStep(line: string, from: string, to: string): string {
  let count = 0
  while (line.startsWith(from, count * from.length)) count++
  return to.repeat(count) + line.slice(count * from.length)
}

/** Content at zero indent, to be put into a file. */
export interface Piece {
  readonly lines: readonly string[]
  /** Indices of lines that start inside a string and are never indented. */
  readonly fixed: ReadonlySet<number>
  /** What it is, as far as known. */
  readonly kind: Kind | null
  /** Whether the grammar makes sense of all of it. */
  readonly isSound: boolean
  /** Blank lines that were written around it; zero means nothing. */
  readonly blankBefore: number
  readonly blankAfter: number
  /** Spaces after the last line, and a comment that follows the comma after a member. */
  readonly suffix: string
}

/** Takes content to pieces. `language` is that of the place it goes to. */
export async function pieceOf(content: string, language: Language): Promise<Piece> {
  const all = content.replaceAll('\r\n', '\n').split('\n')
  const first = all.findIndex((line) => line.trim() !== '')
  const last = all.findLastIndex((line) => line.trim() !== '')
  const lines = first === -1 ? [] : all.slice(first, last + 1)
  // The last line end is no blank line; the last of several is the end of a blank one.
  const blankAfter = Math.max(0, all.length - last - 2)
  return { lines, ...(await parsePiece(lines, language)), blankBefore: Math.max(0, first), blankAfter, suffix: '' }
}

type ParsedPiece = Pick<Piece, 'fixed' | 'kind'> & { readonly errors: number }

/** Parses the lines alone, then inside what the language needs around them, and believes the reading with the fewest errors. */
async function parsePiece(
  lines: readonly string[],
  language: Language,
): Promise<Pick<Piece, 'fixed' | 'kind' | 'isSound'>> {
  const { parser } = language
  const alone: readonly (readonly [string, string])[] = [['', '']]
  const frames = parser.kind === 'tree-sitter' ? (parser.fragments ?? alone) : alone
  let best: ParsedPiece | undefined
  for (const [before, after] of frames) {
    const found = await lookInside(lines, language, before, after)
    if (best === undefined || found.errors < best.errors) best = found
    if (best.errors === 0) break
  }
  return { fixed: best?.fixed ?? new Set(), kind: best?.kind ?? null, isSound: best?.errors === 0 }
}

function lookInside(lines: readonly string[], language: Language, before: string, after: string): Promise<ParsedPiece> {
  return withOutline(`${before}${lines.join('\n')}${after}`, language, (outline) => {
    const { source } = outline
    const end = source.text.length - after.length
    const strings = lines.length > 1 ? outline.verbatim({ start: before.length, end }) : []
    const above = before.split('\n').length
    const fixed = new Set<number>()
    for (let at = 1; at < lines.length; at++) if (startsInSpan(strings, source.startOf(at + above))) fixed.add(at)
    let [inner] = outline.structures
    while (inner !== undefined && inner.start < before.length) [inner] = inner.children
    return { fixed, kind: inner?.kind ?? null, errors: outline.errors().length }
  })
}

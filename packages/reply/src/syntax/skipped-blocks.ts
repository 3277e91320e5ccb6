import type { Block, Document, NotExecutedReason, SkippedBlock } from '../core/block.ts'
import { stripDisguise, toPlainMarker } from '../text/undamage.ts'
import { type LineRange, rangeFinder, type Source } from '../core/source.ts'
import { lineWithoutBom } from '../regions/fences.ts'
import { Regions } from '../regions/regions.ts'
import { findLineAbove, readFileName } from './foreign/name.ts'
import type { Quotations } from './quoted-blocks.ts'
import type { Syntax } from './syntax.ts'

/** Every marker of a text is part of a block that runs, of a mistake that is reported, or of one of these entries. */

export type Marking = Pick<Syntax, 'title' | 'marks'>

export function asSkippedBlock(block: Block, title: string, reason: NotExecutedReason): SkippedBlock {
  const { startLine, endLine, raw, params } = block
  const path = params['path'] ?? params['old_path']
  return {
    line: startLine,
    endLine: endLine ?? startLine + raw.split('\n').length - 1,
    what: block.syntax === 'proposal' ? 'whole file' : `${title} block`,
    path,
    reason,
    block,
  }
}

/** What is in passages that are not meant: blocks, mistakes and other markers. */
export function listInPassages(
  passages: readonly LineRange[],
  { blocks, diagnostics, notExecuted }: Document,
  reason: NotExecutedReason,
  titleOf: (syntax: string) => string,
): SkippedBlock[] {
  const all: SkippedBlock[] = [
    ...blocks.map((block) => asSkippedBlock(block, titleOf(block.syntax), reason)),
    ...diagnostics.map(({ range: { line }, syntax = 'sham' }) => ({
      line,
      endLine: line,
      what: `${titleOf(syntax)} block`,
      reason,
    })),
    ...notExecuted.map((one) => ({ ...one, reason })),
  ]
  const within = rangeFinder(passages, (passage) => passage)
  return sortByLine(all.filter(({ line }) => within(line) !== undefined))
}

export const sortByLine = (all: readonly SkippedBlock[]): SkippedBlock[] => all.toSorted((a, b) => a.line - b.line)

/** The markers outside what was read, those of one block as one entry. `read` is in line order. */
export function findUnreadMarkers(
  source: Source,
  read: readonly LineRange[],
  syntaxes: readonly Marking[],
  quotations: Quotations,
): SkippedBlock[] {
  const found: { line: number; endLine: number; title: string; reason: NotExecutedReason }[] = []
  let at = 0
  for (let line = 1; line <= source.lineCount; line++) {
    while ((read[at]?.last ?? Infinity) < line) at++
    const passage = read[at]
    if (passage !== undefined && passage.first <= line) {
      line = passage.last
      continue
    }
    const mark = markOn(source, line, syntaxes)
    if (mark === undefined || (passage !== undefined && isFrameOf(source, line, passage.first))) continue
    const { title, prefix } = mark
    const last = found.at(-1)
    // Markers close to each other are one block, as far as known.
    if (last?.title === title && prefix.includes('>') === (last.reason === 'quoted') && line - last.endLine <= NEAR) {
      last.endLine = line
    } else found.push({ line, endLine: line, title, reason: markerReason(source, line, mark, quotations) })
  }
  return found.map(({ title, ...rest }) => ({ ...rest, what: `${title} marker` }))
}

/** Lines between two markers of one block. */
const NEAR = 60

/**
 * Whether a line and those from it to a block are the frame of a call around it: `&lt;replace_in_file&gt;` is no call, but the
 * edit in it was read. A reply was said to fail whose only edit was applied.
 */
function isFrameOf(source: Source, line: number, block: number): boolean {
  if (block - line > MOST_TAGS || !OPENING.test(toPlainMarker(source.line(line)))) return false
  for (let at = line + 1; at < block; at++) if (!FRAME.test(toPlainMarker(source.line(at)))) return false
  return true
}

const MOST_TAGS = 8
const OPENING = /^<[a-z][\w-]*>$/i
/** Such as `<path>src/a.ts</path>` and `<diff>`. */
const FRAME = /^(?:<[a-z][\w-]*>|<((?:file_?)?(?:path|name)|file)>[^<>]+<\/\1>)?$/i

/** Whether a line has a marker of any of these syntaxes, whatever precedes it. */
export const hasMark = (source: Source, line: number, syntaxes: readonly Marking[]): boolean =>
  markOn(source, line, syntaxes) !== undefined

interface MarkerKind {
  readonly title: string
  /** What precedes it on its line. */
  readonly prefix: string
}

function markOn(source: Source, line: number, syntaxes: readonly Marking[]): MarkerKind | undefined {
  const written = stripDisguise(source.line(line))
  if (!LIKELY.test(written) || !MAYBE.test(written)) return undefined
  const whole = toPlainMarker(written)
  const below = line < source.lineCount ? withoutMarkerPrefixes(stripDisguise(source.line(line + 1))) : ''
  for (let rest = whole, steps = 0; steps < MOST; steps++) {
    const lines = `${rest}\n${below}`
    const found = syntaxes.find(({ marks }) => marks.test(lines))
    if (found !== undefined) {
      const prefix = whole.slice(0, whole.length - rest.length)
      return isInlineCode(prefix, rest) ? undefined : { title: found.title, prefix }
    }
    const shorter = rest.replace(PREFIX, '')
    if (shorter === rest) return undefined
    rest = shorter
  }
  return undefined
}

/** A marker that a sentence is about: "- `<---WRITE--->`: creates files". Alone in backticks, bold or not, it may be a block. */
const isInlineCode = (prefix: string, rest: string): boolean =>
  /(?:^|[^`])`$/.test(prefix) && /^[^`]+`[^`]*[^\s`*_\\]/.test(rest)

/** How many prefixes a line may have. */
const MOST = 12

function withoutMarkerPrefixes(line: string): string {
  let rest = line
  for (let steps = 0; steps < MOST && PREFIX.test(rest); steps++) rest = rest.replace(PREFIX, '')
  return rest
}

/** Whether a text may have a marker. Says yes too often, and costs little. */
export const mayMark = (text: string): boolean => MAYBE.test(text)

/** One of these characters is in all markers; most prose has none of them. */
const LIKELY = /[#<>*@&\\\xab`{:-]/
/** What all markers have at least. None of it begins with a letter: that would make every word worth a look. */
const MAYBE = /#!|[<>*-]{3}|--|@@|<\w|&lt;|\\<|\xab|`{3}[sa]|\d:\d|\{\s*(?:"|$)/

/** Indentation, quotation marks, bullets, numbers, headings, backticks. */
const PREFIX = /^(?:\s+|>|[-*+] +|[•‣◦] *|#{1,6} +|\(?\d{1,6}[.):|]? +|\d{1,6}[:|]|[a-zA-Z][.)] +|\| ?|`|\*\*)/

function markerReason(
  source: Source,
  line: number,
  { title, prefix }: MarkerKind,
  quotations: Quotations,
): NotExecutedReason {
  if (prefix.includes('>')) return 'quoted'
  const regions = Regions.of(source)
  if (regions.isListing(line)) return 'listing'
  if (OWN_OUTPUT.test(source.line(line)) || quotations.isQuoted(line, line)) return 'quoted'
  if (title === 'udiff' && regions.followsGitCommand(line)) return 'quoted'
  if (BULLET.test(prefix) && isListOfMarkers(source, line)) return 'example'
  return 'unreadable'
}

/** Whether the items of a list have the markers of an edit, which has nothing but items between them. */
function isListOfMarkers(source: Source, first: number): boolean {
  const above = findLineAbove(source, first, 1)
  if (above !== undefined && readFileName(lineWithoutBom(source, above)) !== undefined) return false
  for (let line = first + 1; line <= Math.min(first + MOST_ITEMS, source.lineCount); line++) {
    const row = source.line(line)
    if (row.trim() === '') continue
    if (!BULLET.test(row)) return false
    if (DIVIDER.test(row)) return true
  }
  return false
}

const BULLET = /^\s*(?:[-*+•]|\d{1,3}[.)])\s/
const DIVIDER = /^\s*\S+\s+[`*_]*={5,9}(?![^`*_:\s])/
const MOST_ITEMS = 12

/** What only git writes. */
const OWN_OUTPUT = /^\s*(?:diff --(?:cc|combined) |@@@|<{7} HEAD)/

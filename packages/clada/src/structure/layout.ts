import type { Source } from '@clada/reply/core/source.ts'
import { commaBefore, commentAfter } from './bounds.ts'
import { indentAt } from './indent.ts'
import { type Kind, methodHolders } from './language.ts'
import { type Outline, type Structure, everyStructure, lineRangeOf } from './structure.ts'

/** The position of a structure among the characters around it. */
export interface Layout {
  readonly first: number
  readonly last: number
  /** Of the line it starts on. */
  readonly indent: string
  /** Whether it shares none of its lines with anything else. */
  readonly ownLines: boolean
  /** Whether nothing precedes it on its first line. */
  readonly ownStart: boolean
  /** Whether only `- ` precedes it. */
  readonly bullet: boolean
  /** Offset of the comma after it, or null. */
  readonly comma: number | null
  /** Offset of the comma before it, or null. */
  readonly commaBefore: number | null
  /** Spaces after it, and a comment after its comma. */
  readonly suffix: string
}

export function layoutOf(outline: Outline, structure: Structure): Layout {
  const { source } = outline
  const { text } = source
  const { start, end, listed } = structure
  const [first, last] = lineRangeOf(source, structure)
  const before = text.slice(source.startOf(first), start)
  const after = listed ? /^\s*,/.exec(text.slice(end, end + 200)) : null
  const comma = after === null ? null : end + after[0].length - 1
  // A comma at the start of the next line belongs to a layout of its own; the structure then shares that line.
  const sameLine = comma !== null && comma < source.endOf(last)
  const tail = sameLine ? comma + 1 : end
  const rest = text.slice(tail, source.endOf(last))
  const comment = commentAfter(outline, tail)
  const alone = rest.trim() === '' || comment !== undefined
  return {
    first,
    last,
    indent: indentAt(source, start),
    ownStart: before.trim() === '',
    ownLines: before.trim() === '' && alone && (comma === null || sameLine),
    bullet: /^[ \t]*(?:- +)+$/.test(before) && alone,
    comma,
    commaBefore: listed ? commaBefore(outline, start) : null,
    suffix: alone ? text.slice(tail, source.endOf(last)) : '',
  }
}

/** What blank lines between two neighbours depend on. */
export interface SpacingShape {
  readonly kind: Kind | null
  readonly lines: number
}

export function shapeOf(outline: Outline, structure: Structure): SpacingShape {
  const [first, last] = lineRangeOf(outline.source, structure)
  return { kind: structure.kind, lines: last - first + 1 }
}

/**
 * Blank lines between two neighbours inside `parent`, as the file has them: between two of the same kinds if there are
 * such, else between two of the same length, among the siblings if there are such, else in the whole file; else as the
 * language has them.
 */
export function blankLinesBetween(
  outline: Outline,
  parent: Structure | null,
  a: SpacingShape,
  b: SpacingShape,
): number {
  const siblings = pairsOf(outline, parent)
  const anywhere = [...siblings]
  const holders = parent === null ? [] : everyStructure(outline.structures)
  for (const holder of holders) if (holder !== parent) anywhere.push(...pairsOf(outline, holder))
  // What is in a code block, or in `<script>`, is as in a file of its own language.
  const language = parent?.children[0]?.language ?? outline.language
  const { top, inner, single } = language.blankLines
  const isTop = parent === null || parent.language !== language
  const short = a.lines === 1 && b.lines === 1 && isDefinition(a) === isDefinition(b)
  const apart = isApart(parent, a) && isApart(parent, b)
  const tight = (short && !apart) || (isListEntry(a) && isListEntry(b))
  const usual = tight ? single : isTop ? top : inner
  const sized = (pair: NeighbourPair): boolean => isLike(pair.a, a) && isLike(pair.b, b)
  const alike = (pair: NeighbourPair): boolean => sized(pair) && a.kind === pair.a.kind && b.kind === pair.b.kind
  const fields = (pair: NeighbourPair): boolean =>
    [a, b, pair.a, pair.b].every(({ kind }) => kind !== null && compactKinds.has(kind))
  const entries = (pair: NeighbourPair): boolean => [a, b, pair.a, pair.b].every(isListEntry)
  const examples = [siblings.filter(alike), siblings.filter(entries), anywhere.filter(alike)]
  // Of two short ones of a kind the language knows better than a file that has no such two.
  if (!(short && a.kind === b.kind)) {
    examples.push(
      siblings.filter(sized),
      parent !== null && methodHolders.has(parent.kind) ? siblings.filter(fields) : [],
      // Statements are as far apart as the others of their body, whatever they are.
      !short && parent !== null && !declaring.has(parent.kind) ? siblings : [],
      anywhere.filter(sized),
    )
  }
  for (const known of examples) {
    const most = mostFrequent(known, usual)
    if (most !== undefined) return apart ? Math.max(1, most) : most
  }
  return usual
}

/** Functions and types are apart, short or long; what an interface only names may be close together. */
const isApart = (parent: Structure | null, shape: SpacingShape): boolean =>
  isDefinition(shape) && (parent === null || !naming.has(parent.kind))

const naming: ReadonlySet<Kind> = new Set<Kind>(['interface', 'trait', 'enum'])

interface NeighbourPair {
  readonly a: SpacingShape
  readonly b: SpacingShape
  readonly blankLines: number
}

/** Short things are closer than what has a body, whatever the number of lines. */
const isLike = (a: SpacingShape, b: SpacingShape): boolean =>
  a.lines > 1 === b.lines > 1 &&
  a.kind !== null &&
  b.kind !== null &&
  compactKinds.has(a.kind) === compactKinds.has(b.kind) &&
  isDefinition(a) === isDefinition(b)

/** The members of a value are close, however long they are. */
const isListEntry = ({ kind }: SpacingShape): boolean => kind === 'key' || kind === 'member' || kind === 'item'

/** Even one of a single line is apart from the variables around it. */
const isDefinition = ({ kind }: SpacingShape): boolean =>
  kind === 'function' || kind === 'method' || (kind !== null && methodHolders.has(kind))

/** Kinds that are close together, short or long. */
export const compactKinds: ReadonlySet<Kind> = new Set<Kind>([
  'field',
  'member',
  'variable',
  'key',
  'declaration',
  'item',
  'group',
])

/** Inside these the end of a run of one kind is an end: the gap after it separates the kinds. */
export const declaring: ReadonlySet<Kind> = new Set<Kind>([...methodHolders, 'module', 'section', 'item'])

function pairsOf(outline: Outline, parent: Structure | null): NeighbourPair[] {
  const siblings = parent === null ? outline.structures : parent.children
  const { source } = outline
  const pairs: NeighbourPair[] = []
  for (const [index, structure] of siblings.entries()) {
    const next = siblings[index + 1]
    if (next === undefined) break
    const [, last] = lineRangeOf(source, structure)
    const [first] = lineRangeOf(source, next)
    const between = source.lines(last + 1, first - 1)
    if (first <= last || between.trim() !== '') continue
    if (!layoutOf(outline, structure).ownLines || !layoutOf(outline, next).ownLines) continue
    if (first === last + 1 && isSignatureOf(structure, next, source)) continue
    pairs.push({ a: shapeOf(outline, structure), b: shapeOf(outline, next), blankLines: first - last - 1 })
  }
  return pairs
}

/** A signature above its implementation is closer than neighbours are. */
function isSignatureOf(signature: Structure, next: Structure, source: Source): boolean {
  const isShort = ([first, last]: readonly [number, number]): boolean => first === last
  if (!isShort(lineRangeOf(source, signature)) || isShort(lineRangeOf(source, next))) return false
  return signature.name !== null && signature.name === next.name
}

function mostFrequent(pairs: readonly NeighbourPair[], usual: number): number | undefined {
  const counts = new Map<number, number>()
  for (const { blankLines } of pairs) counts.set(blankLines, (counts.get(blankLines) ?? 0) + 1)
  return [...counts].toSorted(
    (a, b) => b[1] - a[1] || Math.abs(a[0] - usual) - Math.abs(b[0] - usual) || a[0] - b[0],
  )[0]?.[0]
}

/** The sibling that starts or ends on a line: the neighbour, when there is nothing else between. */
export function siblingOn(outline: Outline, { parent }: Structure, line: number | null): Structure | undefined {
  if (line === null) return undefined
  const siblings = parent === null ? outline.structures : parent.children
  return siblings.find((one) => lineRangeOf(outline.source, one).includes(line))
}

/** Blank lines above and below a range of lines, and what is beyond them. */
export interface Gap {
  readonly blankLines: number
  /** The line that is not empty, or null at the end of the file. */
  readonly line: number | null
}

export function gapAbove(source: Source, first: number): Gap {
  let line = first - 1
  while (line >= 1 && source.line(line).trim() === '') line--
  return { blankLines: first - 1 - line, line: line >= 1 ? line : null }
}

export function gapBelow(source: Source, last: number): Gap {
  let line = last + 1
  while (line <= source.lineCount && source.line(line).trim() === '') line++
  if (line <= source.lineCount) return { blankLines: line - last - 1, line }
  // After the last line end there is no line, though it is counted as an empty one.
  const open = source.text.endsWith('\n') ? 1 : 0
  return { blankLines: Math.max(0, source.lineCount - last - open), line: null }
}

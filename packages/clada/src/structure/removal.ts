import { indentOf } from '@clada/reply/text/reindent.ts'
import type { Side } from './insertion.ts'
import { branches } from './language.ts'
import {
  type Gap,
  type Layout,
  blankLinesBetween,
  declaring,
  gapAbove,
  gapBelow,
  layoutOf,
  compactKinds,
  shapeOf,
  siblingOn,
} from './layout.ts'
import type { TextChange, Outline, Structure } from './structure.ts'

/** Takes a structure out, with its lines or its comma, and with the blank lines that were there for it. */
export function removal(outline: Outline, structure: Structure, keep?: KeptGap): TextChange[] {
  const layout = layoutOf(outline, structure)
  const changes = layout.ownLines
    ? removeLines(outline, structure, layout, keep)
    : removeInline(outline, structure, layout)
  // The last member takes along the comma before it, unless members all end in one.
  const dangling = layout.comma === null ? layout.commaBefore : null
  if (dangling !== null && !changes.some(({ start, end }) => start <= dangling && dangling < end)) {
    changes.unshift({ start: dangling, end: dangling + 1, text: '' })
  }
  return changes
}

/** Which of the two gaps around a structure stays when it goes. */
export type KeptGap = 'above' | 'below'

function removeLines(
  outline: Outline,
  structure: Structure,
  { first, last, indent }: Layout,
  keep?: KeptGap,
): TextChange[] {
  const { source } = outline
  const above = gapAbove(source, first)
  const below = gapBelow(source, last)
  const [from, to] =
    (keep ?? keptGap(outline, structure, above, below, indent)) === 'above'
      ? [first, last + (below.line === null ? 0 : below.blankLines)]
      : [first - above.blankLines, last]
  const start = source.startOf(from)
  const end = source.startOf(to + 1)
  // At the end of a file without a last line end, the line before loses its own.
  const open = end === source.text.length && !source.text.endsWith('\n') && start > 0
  return [{ start: open ? source.endOf(from - 1) : start, end, text: '' }]
}

/** The gap that fits what then are neighbours. */
function keptGap(outline: Outline, structure: Structure, above: Gap, below: Gap, indent: string): KeptGap {
  if (above.line === null) return 'above'
  if (below.line === null) return 'below'
  const { source } = outline
  const smaller = above.blankLines <= below.blankLines ? 'above' : 'below'
  const next = source.line(below.line)
  const isLast = indentOf(next).length < indent.length
  // Where indentation alone ends a body, the gap below is between what is around.
  if (isLast && !closer.test(next)) return 'below'
  const isFirst = indentOf(source.line(above.line)).length < indent.length
  if (above.blankLines === below.blankLines || isFirst || isLast) return smaller
  const before = siblingOn(outline, structure, above.line)
  const after = siblingOn(outline, structure, below.line)
  const larger = smaller === 'above' ? 'below' : 'above'
  if (before === undefined || after === undefined) return larger
  const usual = blankLinesBetween(outline, structure.parent, shapeOf(outline, before), shapeOf(outline, after))
  return Math.abs(usual - above.blankLines) < Math.abs(usual - below.blankLines)
    ? 'above'
    : Math.abs(usual - above.blankLines) > Math.abs(usual - below.blankLines)
      ? 'below'
      : larger
}

/** What ends the body around. */
const closer = /^\s*(?:[)\]}]|end\b|<\/|fi\b|done\b|esac\b)/

function removeInline(outline: Outline, structure: Structure, layout: Layout): TextChange[] {
  const { text } = outline.source
  const { start, end } = structure
  // The next one comes up after the dash.
  const next = layout.bullet ? siblingOn(outline, structure, gapBelow(outline.source, layout.last).line) : undefined
  if (next !== undefined) return [{ start, end: next.start, text: '' }]
  if (layout.comma !== null) {
    const spaces = /^\s*/.exec(text.slice(layout.comma + 1))?.[0].length ?? 0
    return [{ start, end: layout.comma + 1 + spaces, text: '' }]
  }
  if (layout.commaBefore !== null) return [{ start: layout.commaBefore, end, text: '' }]
  const before = text.slice(0, start)
  const spaces = start - before.replace(/[ \t]+$/, '').length
  // What precedes it on an indented line is the indentation of what follows.
  if (spaces > 0 && !layout.ownStart) return [{ start: start - spaces, end, text: '' }]
  const rest = /^[ \t]*/.exec(text.slice(end, end + 100))?.[0].length ?? 0
  return [{ start, end: end + rest, text: '' }]
}

/** Where a structure goes among its siblings, and which blank lines go with it. */
export interface Carried {
  readonly beside: Structure
  readonly at: Side
  readonly indent: string
  readonly blank_lines: number
  /** Of the two gaps it leaves. */
  readonly keep: KeptGap
}

/**
 * Among siblings that are alike, and among the statements of a body, blank lines are groups that someone made: the gap
 * below a structure goes with it, so that moving it back restores every line. Elsewhere they are the style of the file.
 */
export function carriedGap(
  outline: Outline,
  structure: Structure,
  anchor: Structure | null,
  at: Side | 'file-start' | 'file-end',
): Carried | null {
  if (anchor === null || anchor.parent !== structure.parent || at === 'file-start' || at === 'file-end') return null
  const own = layoutOf(outline, structure)
  const other = layoutOf(outline, anchor)
  if (!own.ownLines || !other.ownLines) return null
  const { indent } = other
  const even = evenGap(outline, structure, own, anchor, at === 'before' ? other.first : other.last, at)
  if (even !== null) return { beside: anchor, at, indent, ...even }
  const { parent } = structure
  const inBody = parent !== null && !declaring.has(parent.kind)
  const sized = (own.first === own.last) === (other.first === other.last)
  const alike = structure.kind === anchor.kind && (sized || compactKinds.has(structure.kind))
  if (!inBody && !alike) return null
  const { source } = outline
  const below = gapBelow(source, own.last)
  // A branch ends what precedes it, as the end of a body does.
  const goesOn = (next: Structure | undefined): boolean =>
    next !== undefined && !branches.has(next.kind) && (inBody || next.kind === structure.kind)
  const isLast = !goesOn(siblingOn(outline, structure, below.line))
  const blank_lines = isLast ? gapAbove(source, own.first).blankLines : below.blankLines
  const keep: KeptGap = isLast ? 'below' : 'above'
  const next = at === 'after' ? siblingOn(outline, anchor, gapBelow(source, other.last).line) : undefined
  // After a structure means before its next sibling: the gap between them stays where it is.
  return next === undefined || !goesOn(next) || next === structure || !layoutOf(outline, next).ownLines
    ? { beside: anchor, at, indent, blank_lines, keep }
    : { beside: next, at: 'before' as const, indent, blank_lines, keep }
}

/** Where siblings are apart by one number of blank lines, here and there, they continue to do so. */
function evenGap(outline: Outline, structure: Structure, own: Layout, anchor: Structure, line: number, at: Side) {
  const { source } = outline
  const above = gapAbove(source, own.first)
  const below = gapBelow(source, own.last)
  const there = at === 'before' ? gapAbove(source, line) : gapBelow(source, line)
  const isBetween = (gap: Gap, one: Structure): boolean => siblingOn(outline, one, gap.line) !== undefined
  const gaps = [
    ...[above, below].filter((gap) => isBetween(gap, structure)),
    ...[there].filter((gap) => isBetween(gap, anchor)),
  ]
  const [blank_lines, ...others] = new Set(gaps.map(({ blankLines }) => blankLines))
  if (blank_lines === undefined || others.length > 0) return null
  const keep: KeptGap = isBetween(above, structure) && !isBetween(below, structure) ? 'below' : 'above'
  return { blank_lines, keep }
}

import type { Side } from './insertion.ts'
import { branches } from './language.ts'
import { layoutOf, type Layout } from './layout.ts'
import type { Kept } from './removal.ts'
import { declaring, gapAbove, gapBelow, plain, siblingOn, type Gap } from './spacing.ts'
import type { Outline, Structure } from './structure.ts'

/** Where a structure goes among its siblings, and which blank lines go with it. */
export interface Carried {
  readonly beside: Structure
  readonly at: Side
  readonly indent: string
  readonly blank_lines: number
  /** Of the two gaps it leaves. */
  readonly keep: Kept
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
  const alike = structure.kind === anchor.kind && (sized || plain.has(structure.kind))
  if (!inBody && !alike) return null
  const { source } = outline
  const below = gapBelow(source, own.last)
  // A branch ends what stands before it, as the end of a body does.
  const goesOn = (next: Structure | undefined): boolean =>
    next !== undefined && !branches.has(next.kind) && (inBody || next.kind === structure.kind)
  const isLast = !goesOn(siblingOn(outline, structure, below.line))
  const blank_lines = isLast ? gapAbove(source, own.first).blank : below.blank
  const keep: Kept = isLast ? 'below' : 'above'
  const next = at === 'after' ? siblingOn(outline, anchor, gapBelow(source, other.last).line) : undefined
  // Behind a structure that another follows is in front of the other: the gap between them stays where it is.
  return next === undefined || !goesOn(next) || next === structure || !layoutOf(outline, next).ownLines
    ? { beside: anchor, at, indent, blank_lines, keep }
    : { beside: next, at: 'before' as const, indent, blank_lines, keep }
}

/** Where siblings stand apart by one number of blank lines, here and there, they go on to do so. */
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
  const [blank_lines, ...others] = new Set(gaps.map(({ blank }) => blank))
  if (blank_lines === undefined || others.length > 0) return null
  const keep: Kept = isBetween(above, structure) && !isBetween(below, structure) ? 'below' : 'above'
  return { blank_lines, keep }
}

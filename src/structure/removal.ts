import type { Change } from './change.ts'
import { layoutOf, type Layout } from './layout.ts'
import { blankLinesBetween, gapAbove, gapBelow, shapeOf, siblingOn } from './spacing.ts'
import { indentOf } from './indent.ts'
import type { Outline, Structure } from './structure.ts'

/** Takes a structure out, with its lines or its comma, and with the blank lines that were there for it. */
export function removal(outline: Outline, structure: Structure, keep?: Kept): Change[] {
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
export type Kept = 'above' | 'below'

function removeLines(outline: Outline, structure: Structure, { first, last, indent }: Layout, keep?: Kept): Change[] {
  const { source } = outline
  const above = gapAbove(source, first)
  const below = gapBelow(source, last)
  const [from, to] =
    (keep ?? keptGap(outline, structure, above, below, indent)) === 'above'
      ? [first, last + (below.line === null ? 0 : below.blank)]
      : [first - above.blank, last]
  const start = source.startOf(from)
  const end = source.startOf(to + 1)
  // At the end of a file without a last line end, the line before loses its own.
  const open = end === source.text.length && !source.text.endsWith('\n') && start > 0
  return [{ start: open ? source.endOf(from - 1) : start, end, text: '' }]
}

type Gap = ReturnType<typeof gapAbove>

/** The gap that fits what then are neighbours. */
function keptGap(outline: Outline, structure: Structure, above: Gap, below: Gap, indent: string): Kept {
  if (above.line === null) return 'above'
  if (below.line === null) return 'below'
  const { source } = outline
  const smaller = above.blank <= below.blank ? 'above' : 'below'
  const next = source.line(below.line)
  const isLast = indentOf(next).length < indent.length
  // Where indentation alone ends a body, the gap below is between what is around.
  if (isLast && !closer.test(next)) return 'below'
  const isFirst = indentOf(source.line(above.line)).length < indent.length
  if (above.blank === below.blank || isFirst || isLast) return smaller
  const before = siblingOn(outline, structure, above.line)
  const after = siblingOn(outline, structure, below.line)
  const larger = smaller === 'above' ? 'below' : 'above'
  if (before === undefined || after === undefined) return larger
  const usual = blankLinesBetween(outline, structure.parent, shapeOf(outline, before), shapeOf(outline, after))
  return Math.abs(usual - above.blank) < Math.abs(usual - below.blank)
    ? 'above'
    : Math.abs(usual - above.blank) > Math.abs(usual - below.blank)
      ? 'below'
      : larger
}

/** What ends the body around. */
const closer = /^\s*(?:[)\]}]|end\b|<\/|fi\b|done\b|esac\b)/

function removeInline(outline: Outline, structure: Structure, layout: Layout): Change[] {
  const { text } = outline.source
  const { start, end } = structure
  // The next one comes up behind the dash.
  const next = layout.bullet ? siblingOn(outline, structure, gapBelow(outline.source, layout.last).line) : undefined
  if (next !== undefined) return [{ start, end: next.start, text: '' }]
  if (layout.comma !== null) {
    const blanks = /^\s*/.exec(text.slice(layout.comma + 1))?.[0].length ?? 0
    return [{ start, end: layout.comma + 1 + blanks, text: '' }]
  }
  if (layout.commaBefore !== null) return [{ start: layout.commaBefore, end, text: '' }]
  const before = text.slice(0, start)
  const blanks = start - before.replace(/[ \t]+$/, '').length
  if (blanks > 0) return [{ start: start - blanks, end, text: '' }]
  const behind = /^[ \t]*/.exec(text.slice(end, end + 100))?.[0].length ?? 0
  return [{ start, end: end + behind, text: '' }]
}

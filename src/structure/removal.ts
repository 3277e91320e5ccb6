import type { Change } from './change.ts'
import { layoutOf, type Layout } from './layout.ts'
import { blankLinesBetween, gapAbove, gapBelow, shapeOf } from './spacing.ts'
import { indentOf } from './indent.ts'
import type { Outline, Structure } from './structure.ts'

/** Takes a structure out, with its lines or its comma, and with the blank lines that were there for it. */
export function removal(outline: Outline, structure: Structure): Change[] {
  const layout = layoutOf(outline, structure)
  const changes = layout.ownLines ? removeLines(outline, structure, layout) : removeInline(outline, structure, layout)
  // The last member takes along the comma before it, unless members all end in one.
  const dangling = layout.comma === null ? layout.commaBefore : null
  if (dangling !== null && !changes.some(({ start, end }) => start <= dangling && dangling < end)) {
    changes.unshift({ start: dangling, end: dangling + 1, text: '' })
  }
  return changes
}

function removeLines(outline: Outline, structure: Structure, { first, last, indent }: Layout): Change[] {
  const { source } = outline
  const above = gapAbove(source, first)
  const below = gapBelow(source, last)
  const [from, to] =
    keptGap(outline, structure, above, below, indent) === 'above'
      ? [first, last + (below.line === null ? 0 : below.blank)]
      : [first - above.blank, last]
  const start = source.startOf(from)
  const end = source.startOf(to + 1)
  // At the end of a file without a last line end, the line before loses its own.
  const open = end === source.text.length && !source.text.endsWith('\n') && start > 0
  return [{ start: open ? source.endOf(from - 1) : start, end, text: '' }]
}

type Gap = ReturnType<typeof gapAbove>

/** Which of the two gaps stays between what then are neighbours. */
function keptGap(outline: Outline, structure: Structure, above: Gap, below: Gap, indent: string): 'above' | 'below' {
  if (above.line === null) return 'above'
  if (below.line === null) return 'below'
  const smaller = above.blank <= below.blank ? 'above' : 'below'
  const atEdge = [above.line, below.line].some((line) => indentOf(outline.source.line(line)).length < indent.length)
  if (above.blank === below.blank || atEdge) return smaller
  const siblings = structure.parent === null ? outline.structures : structure.parent.children
  const index = siblings.indexOf(structure)
  const before = siblings[index - 1]
  const after = siblings[index + 1]
  const larger = smaller === 'above' ? 'below' : 'above'
  if (before === undefined || after === undefined) return larger
  const usual = blankLinesBetween(outline, structure.parent, shapeOf(outline, before), shapeOf(outline, after))
  return Math.abs(usual - above.blank) < Math.abs(usual - below.blank)
    ? 'above'
    : Math.abs(usual - above.blank) > Math.abs(usual - below.blank)
      ? 'below'
      : larger
}

function removeInline({ source: { text } }: Outline, { start, end }: Structure, layout: Layout): Change[] {
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

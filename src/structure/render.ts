import { linesOf, type Outline, type Structure } from './structure.ts'

/** A structure as `list_structures` gives it. */
export interface OutlineEntry {
  readonly header: string
  readonly kind: string
  readonly name?: string
  /** From 1, both included. */
  readonly lines: [number, number]
  readonly children?: OutlineEntry[]
}

/** `depth` 1 gives the outermost structures only. */
export function outlineEntries(outline: Outline, depth = Infinity): OutlineEntry[] {
  const entries = (structures: readonly Structure[], left: number): OutlineEntry[] =>
    structures.map((one) => {
      const { header, kind, name, children } = one
      return {
        header,
        kind,
        ...(name === null ? {} : { name }),
        lines: linesOf(outline.source, one),
        ...(left > 1 && children.length > 0 ? { children: entries(children, left - 1) } : {}),
      }
    })
  return depth < 1 ? [] : entries(outline.structures, depth)
}

const WIDTH = 100

/** One line a structure: its lines, its header as deep as it lies, its kind. */
export function renderOutline(entries: readonly OutlineEntry[]): string {
  const rows = [...flat(entries, 0)]
  const width = Math.max(0, ...rows.map(({ range }) => range.length))
  return rows
    .map(({ range, depth, entry }) => {
      const header = entry.header.length > WIDTH ? `${entry.header.slice(0, WIDTH - 1)}…` : entry.header
      return `${range.padStart(width)}  ${'  '.repeat(depth)}${header}  (${entry.kind})\n`
    })
    .join('')
}

function* flat(
  entries: readonly OutlineEntry[],
  depth: number,
): Generator<{ range: string; depth: number; entry: OutlineEntry }> {
  for (const entry of entries) {
    yield { range: entry.lines.join('-'), depth, entry }
    yield* flat(entry.children ?? [], depth + 1)
  }
}

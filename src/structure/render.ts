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

import { type Document, withDocument } from './document.ts'
import { outdented } from './indent.ts'
import { type Failed, failed } from './problem.ts'
import { type Outline, type Structure, linesOf } from './structure.ts'
import type { StructureMatch } from '../core/problem.ts'
import { findTarget, parentFound, suggestionsFor } from './target.ts'

export interface Result_for_read_structure {
  matches: { text: string; line_range_inclusive: [number, number] }[]
  /** What may have been meant, when nothing matches. */
  suggestions?: StructureMatch[]
}

/** Every structure that a target means, each at zero indent. None is an answer too. */
export function readIn(document: Document, target: string): Promise<Result_for_read_structure | Failed> {
  return withDocument(document, (outline) => {
    const found = findTarget(outline, target)
    if (found.length === 0 && outline.structures.length === 0 && outline.faults().length > 0) {
      const parse_errors = outline.faults().map(({ line, column, message }) => ({ line, column, message }))
      const message = `No structure was found in ${document.path}: it has syntax errors.`
      return failed('PARSER_FAILED', message, { parse_errors })
    }
    if (found.length === 0) {
      return { matches: [], suggestions: suggestionsFor(outline, target, parentFound(outline, target)) }
    }
    return {
      matches: found.map((structure) => ({
        text: textOf(outline, structure),
        line_range_inclusive: linesOf(outline.source, structure),
      })),
    }
  })
}

export const textOf = (outline: Outline, structure: Structure): string =>
  outdented(outline.source, structure, outline.verbatim(structure))

export function listIn(document: Document, depth?: number): Promise<{ structures: OutlineEntry[] } | Failed> {
  return withDocument(document, (outline) => ({ structures: outlineEntries(outline, depth) }))
}

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

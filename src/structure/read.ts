import { withDocument, type Document } from './document.ts'
import { outdented } from './indent.ts'
import { failed, type Failed } from './problem.ts'
import { outlineEntries, type OutlineEntry } from './render.ts'
import { linesOf, type Outline, type Structure } from './structure.ts'
import { parentFound, suggestionsFor, type Match } from './suggest.ts'
import { findTarget } from './target.ts'

export interface Result_for_read_structure {
  matches: { text: string; line_range_inclusive: [number, number] }[]
  /** What may have been meant, when nothing matches. */
  suggestions?: Match[]
}

/** Every structure that a target means, each at zero indent. None is an answer too. */
export function readIn(document: Document, target: string): Promise<Result_for_read_structure | Failed> {
  return withDocument(document, (outline) => {
    const found = findTarget(outline, target)
    if (found.length === 0 && outline.structures.length === 0 && outline.faults().length > 0) {
      const parse_errors = outline.faults().map(({ line, column, message }) => ({ line, column, message }))
      const message = `No structure can be made out in ${document.path}: it has syntax errors.`
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

import type { Tree } from 'web-tree-sitter'
import type { Span } from '../text/edit.ts'
import type { Grammar } from './grammar.ts'

/**
 * Strings of several lines that touch a span of the file; `part` is the part of the file that the tree is of.
 * A string that stands alone as a statement is documentation and moves with the code.
 */
export function verbatimIn(grammar: Grammar, tree: Tree, part: { base: number; end: number }, span: Span): Span[] {
  if (grammar.verbatim === null || span.end <= part.base || span.start >= part.end) return []
  const from = Math.max(0, span.start - part.base)
  const to = Math.min(part.end, span.end) - part.base
  const found = new Map<number, Span>()
  const documentation = new Set<number>()
  for (const { name, node } of grammar.verbatim.captures(tree.rootNode, { startIndex: from, endIndex: to })) {
    if (name === 'documentation') documentation.add(node.id)
    else if (node.startPosition.row !== node.endPosition.row) {
      found.set(node.id, { start: node.startIndex + part.base, end: node.endIndex + part.base })
    }
  }
  for (const id of documentation) found.delete(id)
  return [...found.values()]
}

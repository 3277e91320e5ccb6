import type { Tree } from 'web-tree-sitter'
import type { Source } from '../core/source.ts'
import type { Span } from '../text/edit.ts'
import type { Grammar } from './grammar.ts'

export interface ParsedPart {
  readonly tree: Tree
  readonly grammar: Grammar
  /** The part of the file that the tree is of. */
  readonly base: number
  readonly end: number
}

/**
 * Strings of several lines that touch a span of the file.
 * A string that stands alone as a statement is documentation and moves with the code.
 */
export function verbatimIn(source: Source, { grammar, tree, base, end }: ParsedPart, span: Span): Span[] {
  if (grammar.verbatim === null || span.end <= base || span.start >= end) return []
  // By rows: offsets in a query count bytes of a text that is not ours.
  const above = source.lineAt(base)
  const range = {
    startPosition: { row: Math.max(0, source.lineAt(span.start) - above), column: 0 },
    endPosition: { row: source.lineAt(Math.min(span.end, end)) - above + 1, column: 0 },
  }
  const found = new Map<number, Span>()
  const documentation = new Set<number>()
  for (const { name, node } of grammar.verbatim.captures(tree.rootNode, range)) {
    const string = { start: node.startIndex + base, end: node.endIndex + base }
    if (name === 'documentation') documentation.add(node.id)
    // A line that starts with such a node is inside it, too.
    else if (name === 'heredoc') found.set(node.id, { start: string.start - 1, end: string.end + 1 })
    else if (name === 'verbatim' && node.startPosition.row !== node.endPosition.row) found.set(node.id, string)
  }
  for (const id of documentation) found.delete(id)
  return [...found.values()]
}

import type { Node, Tree } from 'web-tree-sitter'
import type { Span } from '@clada/reply/text/edit.ts'
import { type TreeSitterRow, words } from './language.ts'
import { type TextChange, type Neighbour, placeAfter } from './structure.ts'

/** A tree of a file or of a part of it. */
export interface PlacedTree {
  readonly tree: Tree
  readonly row: TreeSitterRow
  /** The part of the file that the tree is of. */
  readonly base: number
  readonly end: number
}

/**
 * The nodes next to some spans on every level around them. Where line breaks end statements an edit may join them with
 * what it puts there: `const a = 1` above `(function () {})()` calls 1.
 */
export function neighboursOf(
  trees: readonly PlacedTree[],
  changes: readonly TextChange[],
  how: 'put' | 'removed',
): Neighbour[] {
  const found = new Map<number, Neighbour>()
  for (const span of changes) {
    // Parts of a file come after the whole of it.
    const within = trees.findLast(({ base, end }) => base <= span.start && span.end <= end)
    if (within?.row.separator === undefined) continue
    const { base, row } = within
    const comments = new Set(words(row.comments))
    const blocks = new Set(words(row.offside))
    // A block by indentation begins and ends with what is in it.
    const inBlock = (node: Node | undefined, side: 'first' | 'last'): Node | undefined => {
      if (node === undefined || !blocks.has(node.type)) return node
      const nodes = node.namedChildren.filter(({ type }) => !comments.has(type))
      return inBlock(side === 'first' ? nodes[0] : nodes.at(-1), side)
    }
    const lastBlock = (node: Node): Node | undefined => {
      const last = node.namedChildren.findLast(({ type }) => !comments.has(type))
      return last === undefined || blocks.has(last.type) ? last : lastBlock(last)
    }
    // A class that ends by indentation grows by a method that is put after its last one: then that one is the neighbour.
    const column = blocks.size > 0 ? columnOfCode(span, within) : 0
    const beside = (node: Node | undefined): Node | undefined => {
      const body = node === undefined || node.startPosition.column >= column ? undefined : lastBlock(node)
      return body === undefined ? inBlock(node, 'last') : beside(inBlock(body, 'last'))
    }
    const codeOf = (node: Node): Span => ({ start: node.startIndex + base, end: codeEnd(node, comments) + base })
    for (let around: Node | undefined = within.tree.rootNode; around !== undefined;) {
      const nodes: Node[] = around.namedChildren.filter(({ type }) => !comments.has(type))
      const before = nodes.findLast((node) => node.startIndex + base < span.start && codeOf(node).end <= span.start)
      const after = nodes.find((node) => node.startIndex + base >= span.end)
      for (const node of [beside(before), inBlock(after, 'first')]) {
        if (node === undefined || changes.some((one) => areOver(codeOf(node), one))) continue
        const parent = node.parent?.type
        found.set(node.id, { type: node.type, ...codeOf(node), parent: how === 'put' ? parent : undefined })
      }
      around = nodes.find((node) => liesInside(span, codeOf(node)))
    }
  }
  return [...found.values()]
}

/** The column at which the code of a change starts; 0 if it has none. */
function columnOfCode({ start, text }: TextChange, { tree, base }: PlacedTree): number {
  const code = text.search(/\S/)
  if (code === -1) return 0
  const above = tree.rootNode.text.slice(0, start - base) + text.slice(0, code)
  return above.length - (above.lastIndexOf('\n') + 1)
}

const areOver = (one: Span, other: Span): boolean => one.start < other.end && one.end > other.start

const liesInside = (inner: Span, outer: Span): boolean =>
  outer.start <= inner.start && outer.end >= inner.end && areOver(inner, outer)

/** Whether a text still has nodes as they were before some changes. */
export function hasNeighbours(
  trees: readonly PlacedTree[],
  neighbours: readonly Neighbour[],
  changes: readonly TextChange[],
): boolean {
  return neighbours.every(({ type, parent, start, end }) => {
    const moved = placeAfter(changes, start)
    const within = trees.findLast((one) => one.base <= moved && moved < one.end)
    if (within === undefined) return false
    const comments = new Set(words(within.row.comments))
    const [first, last] = [moved - within.base, moved + end - start - within.base]
    let node = within.tree.rootNode.descendantForIndex(first, Math.max(first, last - 1))
    for (; node !== null && node.startIndex === first; node = node.parent) {
      const isSame = node.type === type && codeEnd(node, comments) === last
      if (isSame && (parent === undefined || node.parent?.type === parent))
        return !continuesExpression(node, within.row)
    }
    return false
  })
}

/** `get` above `a () {}` in a class, which is one member although it is two for the grammar. */
function continuesExpression(node: Node, { goingOn }: TreeSitterRow): boolean {
  if (goingOn === undefined) return false
  const isOpen = (one: Node, next: Node | null): boolean =>
    one.isNamed && goingOn.test(one.text) && next !== null && next.type !== ';' && next.type !== '}'
  const before = node.previousSibling
  return isOpen(node, node.nextSibling) || (before !== null && isOpen(before, node))
}

/** A semicolon at its end is not its code, nor is a comment. */
function codeEnd(node: Node, comments: ReadonlySet<string>): number {
  let last = node.lastChild
  while (last !== null && (comments.has(last.type) || last.type === ';' || last.startIndex === last.endIndex))
    last = last.previousSibling
  return last === null ? node.endIndex : codeEnd(last, comments)
}

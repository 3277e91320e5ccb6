import type { Node, Tree } from 'web-tree-sitter'
import type { Source } from '../core/source.ts'
import { words, type TreeSitterRow } from './language.ts'
import type { Fault } from './structure.ts'

const MOST = 100

/** Where a grammar lost its way. */
export function faultsOf(tree: Tree, source: Source, row: TreeSitterRow): Fault[] {
  const faults: Fault[] = []
  if (tree.rootNode.hasError) collect(tree.rootNode, source, faults)
  if (row.offside !== undefined) layoutFaults(tree, source, row, faults)
  return faults
}

function collect(node: Node, source: Source, faults: Fault[]): boolean {
  if (faults.length >= MOST) return true
  if (node.isMissing) {
    faults.push(faultAt(node, source, `${node.type} is missing`))
    return true
  }
  if (node.isError) {
    faults.push(faultAt(node, source, `unexpected ${excerpt(node.text)}`))
    return true
  }
  let told = false
  for (const child of node.children) if (child.hasError && collect(child, source, faults)) told = true
  // A token can be missing without a node that says so; the innermost node that knows is the place.
  if (!told) faults.push(faultAt(node, source, `error in ${node.type.replaceAll('_', ' ')}`))
  return true
}

/** Blocks by indentation: the grammar takes empty ones, and statements that are not aligned. */
function layoutFaults(tree: Tree, source: Source, row: TreeSitterRow, faults: Fault[]): void {
  const comments = new Set(words(row.comments))
  for (const block of [tree.rootNode, ...tree.rootNode.descendantsOfType(words(row.offside))]) {
    if (faults.length >= MOST) return
    const statements = block.namedChildren.filter(({ type }) => !comments.has(type))
    const [first] = statements
    if (first === undefined) {
      if (block.parent === null) continue
      const holder = block.parent
      faults.push(faultAt(holder, source, `${excerpt(holder.text)} has no body`))
      continue
    }
    const rows = new Set<number>()
    for (const { startPosition, text } of statements) {
      // Several statements on one line are one row.
      if (rows.has(startPosition.row)) continue
      rows.add(startPosition.row)
      const own = source.line(startPosition.row + 1).slice(0, startPosition.column)
      if (/\S/.test(own) || startPosition.column === first.startPosition.column) continue
      const { row: line, column } = startPosition
      const message = `${excerpt(text)} is not aligned with line ${first.startPosition.row + 1}`
      faults.push({ line: line + 1, column: column + 1, message, key: `unaligned ${excerpt(text)}` })
    }
  }
}

function faultAt(node: Node, source: Source, message: string): Fault {
  const { row, column } = node.startPosition
  const around = source.line(row + 1).trim()
  return { line: row + 1, column: column + 1, message, key: `${message} | ${around}` }
}

const excerpt = (text: string): string => {
  const line = text.trim().split(/\r?\n/, 1)[0] ?? ''
  return line.length > 40 ? `${line.slice(0, 40)}…` : line
}

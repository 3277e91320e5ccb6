import { Source } from '@clada/reply/core/source.ts'
import { runBounded } from '../core/time-limit.ts'
import { abandonParsers, type Grammar, loadGrammar } from './grammar.ts'
import { type Language, type OutlinedRow, type TreeSitterRow, words } from './language.ts'
import { languageNamed, languageOfFence } from './languages.ts'
import { cellsOutline } from './cells-outline.ts'
import { markdownOutline } from './markdown-outline.ts'
import { hasNeighbours, neighboursOf } from './neighbours.ts'
import type { SourceError, OpenStructure, Outline, Structure } from './structure.ts'
import { treeOutline } from './tree-outline.ts'
import type { Span } from '@clada/reply/text/edit.ts'
import type { Node, Tree } from 'web-tree-sitter'

/** Hands the outline of a text to `use`, and frees the trees after it when that is done. */
export async function withOutline<T>(
  text: string,
  language: Language,
  use: (outline: Outline) => T | Promise<T>,
): Promise<T> {
  const trees: ParsedFile[] = []
  try {
    const outline = await buildOutline(new Source(text), language, trees)
    return await runBounded(() => use(outline), abandonParsers)
  } finally {
    for (const { tree } of trees) tree.delete()
  }
}

/** The errors of a text, without an outline of it. */
export async function errorsOfTree(text: string, language: Language): Promise<readonly SourceError[]> {
  const { parser: row } = language
  if (row.kind !== 'tree-sitter') return []
  const grammar = await loadGrammar(language, row)
  return runBounded(() => {
    const tree = grammar.parse(text)
    try {
      return errorsOf(tree, new Source(text), row)
    } finally {
      tree.delete()
    }
  }, abandonParsers)
}

interface ParsedFile extends ParsedPart {
  readonly row: TreeSitterRow
}

async function buildOutline(source: Source, language: Language, trees: ParsedFile[]): Promise<Outline> {
  const made =
    language.parser.kind === 'tree-sitter'
      ? await ofTree(source, { start: 0, end: source.text.length }, language, language.parser, null, trees)
      : await ofParts(source, language, language.parser, trees)
  const [whole] = trees
  return {
    source,
    language,
    structures: made.structures,
    comments: made.comments,
    preambleEnd: made.preambleEnd,
    verbatim: (span) => trees.flatMap((part) => verbatimIn(source, part, span)),
    neighbours: (changes, how) => neighboursOf(trees, changes, how),
    keeps: (neighbours, changes) => hasNeighbours(trees, neighbours, changes),
    errors: () =>
      whole === undefined || language.parser.kind !== 'tree-sitter' ? [] : errorsOf(whole.tree, source, whole.row),
    errorsIn: (span) => trees.flatMap((part) => errorsTouching(source, part, span)),
  }
}

interface Made {
  readonly structures: OpenStructure[]
  readonly comments: readonly Span[]
  readonly preambleEnd: number
}

async function ofParts(source: Source, language: Language, { kind }: OutlinedRow, trees: ParsedFile[]): Promise<Made> {
  const { structures, fences, preambleEnd } = await (kind === 'cells' ? cellsOutline : markdownOutline)(
    source,
    language,
  )
  for (const { holder, info, code } of fences) {
    const inner = languageOfFence(info)
    if (inner?.parser.kind !== 'tree-sitter') continue
    const made = await ofTree(source, code, inner, inner.parser, holder, trees)
    holder.children.push(...made.structures)
  }
  return { structures, comments: [], preambleEnd }
}

async function ofTree(
  source: Source,
  part: Span,
  language: Language,
  row: TreeSitterRow,
  parent: Structure | null,
  trees: ParsedFile[],
): Promise<Made> {
  const grammar = await loadGrammar(language, row)
  const made = runBounded(() => {
    const tree = grammar.parse(source.text.slice(part.start, part.end))
    trees.push({ tree, grammar, row, base: part.start, end: part.end })
    return treeOutline({ source, base: part.start, language, row, grammar, tree, parent })
  }, abandonParsers)
  for (const { language: name, start, end } of made.embedded) {
    const inner = languageNamed(name)
    const holder = innermost(made.structures, start, end)
    if (inner?.parser.kind !== 'tree-sitter' || holder === null) continue
    const within = await ofTree(source, { start, end }, inner, inner.parser, holder, trees)
    holder.children.push(...within.structures)
  }
  return { ...made, preambleEnd: preambleEnd(source, made.structures, made.preamble, made.comments) }
}

function innermost(structures: readonly OpenStructure[], start: number, end: number): OpenStructure | null {
  const found = structures.find((one) => one.start <= start && one.end >= end)
  return found === undefined ? null : (innermost(found.children, start, end) ?? found)
}

/** After imports and the like before the first structure, or after a comment of its own. */
function preambleEnd(
  { text }: Source,
  [first]: readonly Structure[],
  preamble: readonly Span[],
  comments: readonly Span[],
): number {
  const limit = first?.start ?? text.length
  const fixed = preamble.findLast(({ start }) => start < limit)
  // A comment that the grammar counts to an import may be that of the first structure.
  if (fixed !== undefined) return text.slice(0, Math.min(fixed.end, limit)).trimEnd().length
  let end = 0
  for (const comment of comments) {
    if (comment.end > limit || text.slice(end, comment.start).trim() !== '') break
    end = comment.end
  }
  return end
}

export interface ParsedPart {
  readonly tree: Tree
  readonly grammar: Grammar
  /** The part of the file that the tree is of. */
  readonly base: number
  readonly end: number
}

/**
 * Strings of several lines that touch a span of the file.
 * A string that is alone as a statement is documentation and moves with the code.
 */
export function verbatimIn(source: Source, { grammar, tree, base, end }: ParsedPart, span: Span): Span[] {
  if (grammar.verbatim === null || span.end <= base || span.start >= end) return []
  // By rows: offsets in a tree count bytes of a text that is not ours.
  const above = source.lineAt(base)
  const from = Math.max(0, source.lineAt(span.start) - above)
  const rows = { from, to: source.lineAt(Math.min(span.end, end)) - above + 1 }
  const found = new Map<number, Span>()
  const documentation = new Set<number>()
  for (const { name, node } of grammar.verbatim(tree, rows)) {
    const string = { start: node.startIndex + base, end: node.endIndex + base }
    if (name === 'documentation') documentation.add(node.id)
    // A line that starts with such a node is inside it, too.
    else if (name === 'heredoc') found.set(node.id, { start: string.start - 1, end: string.end + 1 })
    else if (name === 'verbatim' && node.startPosition.row !== node.endPosition.row) found.set(node.id, string)
  }
  for (const id of documentation) found.delete(id)
  return [...found.values()]
}

const MOST = 100

/** Where a grammar lost its way. */
export function errorsOf(tree: Tree, source: Source, row: TreeSitterRow): SourceError[] {
  const errors: SourceError[] = []
  if (tree.rootNode.hasError) collectErrors(tree.rootNode, source, errors)
  if (row.offside !== undefined) layoutErrors(tree, source, row, errors)
  return errors
}

/** Where a grammar lost its way in a span of the file. */
function errorsTouching(source: Source, { tree, base, end }: ParsedPart, span: Span): SourceError[] {
  if (!tree.rootNode.hasError || span.end < base || span.start > end) return []
  const errors: SourceError[] = []
  const above = source.lineAt(base) - 1
  const own = new Source(source.text.slice(base, end))
  const visit = (node: Node): void => {
    if (node.startIndex + base > span.end || node.endIndex + base < span.start || errors.length >= MOST) return
    if (node.isError || node.isMissing) collectErrors(node, own, errors)
    else for (const child of node.children) if (child.hasError || child.isMissing) visit(child)
  }
  visit(tree.rootNode)
  return errors.map((error) => ({ ...error, line: error.line + above }))
}

function collectErrors(node: Node, source: Source, errors: SourceError[]): boolean {
  if (errors.length >= MOST) return true
  if (node.isMissing) {
    errors.push(errorAt(node, source, `${node.type} is missing`))
    return true
  }
  if (node.isError) {
    errors.push(errorAt(node, source, `unexpected ${excerptOf(node.text)}`))
    return true
  }
  let reported = false
  for (const child of node.children) if (child.hasError && collectErrors(child, source, errors)) reported = true
  // A token can be missing without a node that says so; the innermost node that knows is the place.
  if (!reported) errors.push(errorAt(node, source, `error in ${node.type.replaceAll('_', ' ')}`))
  return true
}

/** Blocks by indentation: the grammar takes empty ones, and statements that are not aligned. */
function layoutErrors(tree: Tree, source: Source, row: TreeSitterRow, errors: SourceError[]): void {
  const comments = new Set(words(row.comments))
  for (const block of [tree.rootNode, ...tree.rootNode.descendantsOfType(words(row.offside))]) {
    if (errors.length >= MOST) return
    const statements = block.namedChildren.filter(({ type }) => !comments.has(type))
    const [first] = statements
    if (first === undefined) {
      if (block.parent === null) continue
      const holder = block.parent
      errors.push(errorAt(holder, source, `${excerptOf(holder.text)} has no body`))
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
      const message = `${excerptOf(text)} is not aligned with line ${first.startPosition.row + 1}`
      errors.push({ line: line + 1, column: column + 1, message, key: `unaligned ${excerptOf(text)}` })
    }
  }
}

function errorAt(node: Node, source: Source, message: string): SourceError {
  const { row, column } = node.startPosition
  const around = source.line(row + 1).trim()
  return { line: row + 1, column: column + 1, message, key: `${message} | ${around}` }
}

const excerptOf = (text: string): string => {
  const line = text.trim().split(/\r?\n/, 1)[0] ?? ''
  return line.length > 40 ? `${line.slice(0, 40)}…` : line
}

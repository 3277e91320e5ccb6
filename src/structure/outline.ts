import { Source } from '../core/source.ts'
import type { Span } from '../text/edit.ts'
import { faultsOf } from './faults.ts'
import { grammarFor } from './grammar.ts'
import type { Language, MarkdownRow, TreeSitterRow } from './language.ts'
import { languageNamed, languageOfFence } from './languages.ts'
import { markdownOutline } from './markdown-outline.ts'
import type { OpenStructure, Outline, Structure } from './structure.ts'
import { treeOutline } from './tree-outline.ts'
import { verbatimIn, type ParsedPart } from './verbatim.ts'

/** Hands the outline of a text to `use`, and frees the trees behind it when that is done. */
export async function withOutline<T>(
  text: string,
  language: Language,
  use: (outline: Outline) => T | Promise<T>,
): Promise<T> {
  const trees: Parsed[] = []
  try {
    return await use(await outlineOf(new Source(text), language, trees))
  } finally {
    for (const { tree } of trees) tree.delete()
  }
}

interface Parsed extends ParsedPart {
  readonly row: TreeSitterRow
}

async function outlineOf(source: Source, language: Language, trees: Parsed[]): Promise<Outline> {
  const made =
    language.parser.kind === 'markdown'
      ? await ofMarkdown(source, language, language.parser, trees)
      : await ofTree(source, { start: 0, end: source.text.length }, language, language.parser, null, trees)
  const [whole] = trees
  return {
    source,
    language,
    structures: made.structures,
    comments: made.comments,
    preambleEnd: made.preambleEnd,
    verbatim: (span) => trees.flatMap((part) => verbatimIn(source, part, span)),
    faults: () =>
      whole === undefined || language.parser.kind === 'markdown' ? [] : faultsOf(whole.tree, source, whole.row),
  }
}

interface Made {
  readonly structures: OpenStructure[]
  readonly comments: readonly Span[]
  readonly preambleEnd: number
}

async function ofMarkdown(source: Source, language: Language, _: MarkdownRow, trees: Parsed[]): Promise<Made> {
  const { structures, fences, preambleEnd } = await markdownOutline(source, language)
  for (const { holder, info, code } of fences) {
    const inner = languageOfFence(info)
    if (inner === undefined || inner.parser.kind === 'markdown') continue
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
  trees: Parsed[],
): Promise<Made> {
  const grammar = await grammarFor(language, row)
  const tree = grammar.parse(source.text.slice(part.start, part.end))
  trees.push({ tree, grammar, row, base: part.start, end: part.end })
  const made = treeOutline({ source, base: part.start, language, row, grammar, tree, parent })
  for (const { language: name, start, end } of made.embedded) {
    const inner = languageNamed(name)
    const holder = innermost(made.structures, start, end)
    if (inner === undefined || inner.parser.kind === 'markdown' || holder === null) continue
    const within = await ofTree(source, { start, end }, inner, inner.parser, holder, trees)
    holder.children.push(...within.structures)
  }
  return { ...made, preambleEnd: preambleEnd(source, made.structures, made.preamble, made.comments) }
}

function innermost(structures: readonly OpenStructure[], start: number, end: number): OpenStructure | null {
  const found = structures.find((one) => one.start <= start && one.end >= end)
  return found === undefined ? null : (innermost(found.children, start, end) ?? found)
}

/** Behind imports and the like before the first structure, or behind a comment that is nobody's. */
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

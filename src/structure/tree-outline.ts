import type { Tree } from 'web-tree-sitter'
import type { Source } from '../core/source.ts'
import { endWithTail, startWithLead, type Surroundings } from './bounds.ts'
import { Drafting, type Draft } from './draft.ts'
import type { Grammar } from './grammar.ts'
import { headerStart, headerText } from './header.ts'
import { methodHolders, nameless, words, type Kind, type Language, type TreeSitterRow } from './language.ts'
import { fixedName, nameNode } from './naming.ts'
import { partsOf, type Part } from './parts.ts'
import type { OpenStructure as Open, Structure } from './structure.ts'
import type { Span } from '../text/edit.ts'

export interface TreeInput {
  readonly source: Source
  /** Where the text of the tree starts in the source. */
  readonly base: number
  readonly language: Language
  readonly row: TreeSitterRow
  readonly grammar: Grammar
  readonly tree: Tree
  readonly parent: Structure | null
}

export interface TreeOutline {
  readonly structures: Open[]
  readonly comments: readonly Span[]
  readonly preamble: readonly Span[]
  readonly embedded: readonly Part[]
}

export function treeOutline(input: TreeInput): TreeOutline {
  const { source, base, row, language } = input
  const parts = partsOf(input.grammar, input.tree, base)
  const around: Surroundings = {
    source,
    comments: parts.comments,
    decorators: parts.decorators,
    heredocs: parts.heredocs,
    offside: row.offside !== undefined,
  }
  const drafts = new Drafting(row, source.text, base).all(parts.roots)
  const finishing = new Finishing(around, row, language, base)
  return { ...parts, structures: finishing.all(drafts, input.parent) }
}

class Finishing {
  readonly #around: Surroundings
  readonly #row: TreeSitterRow
  readonly #language: Language
  readonly #base: number
  readonly #secondary: ReadonlySet<string>
  readonly #comments: ReadonlySet<string>

  constructor(around: Surroundings, row: TreeSitterRow, language: Language, base: number) {
    this.#around = around
    this.#row = row
    this.#language = language
    this.#base = base
    this.#secondary = new Set(words(row.secondary))
    this.#comments = new Set(words(row.comments))
  }

  all(drafts: readonly Draft[], parent: Structure | null): Open[] {
    const siblings = drafts.map((draft) => this.#finish(draft, parent))
    // A comment above a structure may lie inside the node of the one before.
    for (const [index, { start }] of siblings.entries()) {
      const before = siblings[index - 1]
      if (before !== undefined && before.end > start && before.start < start) this.#cut(before, start)
    }
    return siblings
  }

  #finish(draft: Draft, parent: Structure | null): Open {
    const { node } = draft
    const { text } = this.#around.source
    const inner = headerStart(this.#around, draft.start, draft.end)
    const kind: Kind =
      draft.kind === 'function' && parent !== null && methodHolders.has(parent.kind) ? 'method' : draft.kind
    const name = nameless.has(kind) ? null : this.#name(draft)
    let header: string | undefined
    const makeHeader = (): string => this.#header(draft, inner)
    const structure: Open = {
      kind,
      name,
      get header() {
        header ??= makeHeader()
        return header
      },
      otherHeaders: kind === 'lambda' ? [this.#line(inner)] : [],
      start: startWithLead(this.#around, draft.start),
      end: endWithTail(this.#around, draft.start, draft.end, draft.listed ? 'of the list' : 'of the structure'),
      headerStart: inner,
      language: this.#language,
      parent,
      children: [],
      optional: kind === 'group' || kind === 'item',
      // A constructor has the name of its class, which is what is meant by it.
      secondary: this.#secondary.has(node.type) || (kind === 'method' && name !== null && name === parent?.name),
      listed: draft.listed || (/^[ \t]*,/.test(text.slice(draft.end, draft.end + 20)) && !nameless.has(kind)),
      isEmpty: () => {
        const body = draft.bodyNode
        return body === null ? null : !body.namedChildren.some((child) => !this.#comments.has(child.type))
      },
    }
    structure.children = this.all(draft.children, structure)
    structure.end = Math.max(structure.end, structure.children.at(-1)?.end ?? 0)
    return structure
  }

  #header({ node, end, body }: Draft, start: number): string {
    const type = this.#row.headers?.[node.type]
    const own = type === undefined ? undefined : node.namedChildren.find((child) => words(type).includes(child.type))
    if (own === undefined) return headerText(this.#around, start, end, body)
    return headerText(this.#around, start, end, own.endIndex + this.#base)
  }

  #name({ node }: Draft): string | null {
    const fixed = fixedName(node.type, this.#row)
    if (fixed !== undefined) return fixed
    const at = nameNode(node, this.#row) ?? (node.namedChildCount === 0 ? node : null)
    if (at === null) return null
    const text = this.#around.source.text.slice(at.startIndex + this.#base, at.endIndex + this.#base)
    return unquoted(text.replace(/\s+/g, ' ').trim())
  }

  #line(offset: number): string {
    const { source } = this.#around
    return headerText(this.#around, source.startOf(source.lineAt(offset)), source.text.length, null)
  }

  #cut(structure: Open, end: number): void {
    const { text } = this.#around.source
    let to = end
    while (to > structure.start && /\s/.test(text.charAt(to - 1))) to--
    structure.end = to
    const last = structure.children.at(-1)
    if (last !== undefined && last.end > to) this.#cut(last, end)
  }
}

/** The key `"a"` is called a. */
export function unquoted(name: string): string {
  const inner = /^(["'`])(.+)\1$/s.exec(name)?.[2]
  return inner ?? name
}

import type { Node, Tree } from 'web-tree-sitter'
import { checkTime } from '../core/time-limit.ts'
import type { Source } from '@clada/reply/core/source.ts'
import { commaBefore, endWithTail, startWithLead, type Surroundings } from './bounds.ts'
import { type Draft, Drafting } from './draft.ts'
import type { Grammar } from './grammar.ts'
import { headerStart, headerText, mayHaveOthers, otherHeadersOf } from './header.ts'
import { type Kind, type Language, methodHolders, nameless, type TreeSitterRow, words } from './language.ts'
import { fixedName, nameNode, ownerOf, type Part, syntaxParts } from './parts.ts'
import type { OpenStructure as Open, Structure } from './structure.ts'
import type { Span } from '@clada/reply/text/edit.ts'

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
  const parts = syntaxParts(input.grammar, input.tree, base)
  const around: Surroundings = {
    source,
    comments: parts.comments,
    decorators: parts.decorators,
    heredocs: parts.heredocs,
    offside: row.offside !== undefined,
    leads: row.leads === true,
  }
  const drafts = new Drafting(row, source.text, base, parts.comments).all(parts.roots)
  const finishing = new OutlineFinisher({
    around,
    row,
    language,
    base,
    secondary: new Set(words(row.secondary)),
    unnamed: new Set(words(row.unnamed)),
    comments: new Set(words(row.comments)),
  })
  return { ...parts, structures: finishing.all(drafts, input.parent) }
}

/** What structures of one tree have in common. */
interface Making {
  readonly around: Surroundings
  readonly row: TreeSitterRow
  readonly language: Language
  readonly base: number
  readonly secondary: ReadonlySet<string>
  readonly unnamed: ReadonlySet<string>
  readonly comments: ReadonlySet<string>
}

class OutlineFinisher {
  readonly #making: Making
  readonly #around: Surroundings

  constructor(making: Making) {
    this.#making = making
    this.#around = making.around
  }

  all(drafts: readonly Draft[], parent: Structure | null): Open[] {
    const siblings = drafts.map((draft) => this.#finish(draft, parent))
    // A comment above a structure may be inside the node of the one before.
    for (const [index, { start }] of siblings.entries()) {
      const before = siblings[index - 1]
      if (before !== undefined && before.end > start && before.start < start) this.#cut(before, start)
    }
    return siblings
  }

  #finish(draft: Draft, parent: Structure | null): Open {
    checkTime()
    const { kind, end, listed } = draft
    const { text } = this.#around.source
    // Where a grammar lost its way a node may start with the line before.
    let { start } = draft
    while (start < end && /\s/.test(text.charAt(start))) start++
    draft.start = start
    const own: Kind = kind === 'function' && parent !== null && methodHolders.has(parent.kind) ? 'method' : kind
    const structure = new TreeStructure(this.#making, draft, own, parent)
    structure.start = startWithLead(this.#around, start)
    structure.end = endWithTail(this.#around, start, end, listed ? 'of the list' : 'of the structure')
    structure.children = this.all(draft.children, structure)
    structure.end = Math.max(structure.end, structure.children.at(-1)?.end ?? 0)
    return structure
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

/** Asks the parser for names and headers only when they are needed, which is rare. */
class TreeStructure implements Open {
  readonly kind: Kind
  readonly headerStart: number
  readonly language: Language
  readonly parent: Structure | null
  readonly optional: boolean
  start = 0
  end = 0
  children: Open[] = []
  readonly #making: Making
  readonly #draft: Draft
  #name: string | null | undefined
  #header: string | undefined
  #otherHeaders: readonly string[] | undefined

  constructor(making: Making, draft: Draft, kind: Kind, parent: Structure | null) {
    this.kind = kind
    this.language = making.language
    this.parent = parent
    this.optional =
      kind === 'group' ||
      kind === 'item' ||
      making.unnamed.has(draft.node.type) ||
      (parent?.kind === 'type' && methodHolders.has(kind))
    this.headerStart = headerStart(making.around, draft.start, draft.end)
    this.#making = making
    this.#draft = draft
  }

  get name(): string | null {
    if (this.#name === undefined) this.#name = nameless.has(this.kind) ? null : nodeName(this.#draft.node, this.#making)
    return this.#name
  }

  get header(): string {
    return (this.#header ??= nodeHeader(this.#draft, this.headerStart, this.#making))
  }

  get otherHeaders(): readonly string[] {
    this.#otherHeaders ??= mayHaveOthers(this)
      ? otherHeadersOf({
          kind: this.kind,
          header: this.header,
          line: lineAround(this.headerStart, this.#making.around),
          shared: this.parent?.kind === 'group' ? sharedBy(this.parent, this.#making.around) : null,
          plain: this.children.length === 0,
        })
      : []
    return this.#otherHeaders
  }

  get secondary(): boolean {
    const { secondary } = this.#making
    if (secondary.size > 0 && secondary.has(this.#draft.node.type)) return true
    // A constructor has the name of its class, which is what is meant by it.
    if (this.name === null) return false
    return (this.kind === 'method' && this.name === this.parent?.name) || this.name === this.owner
  }

  get owner(): string | null {
    const { row } = this.#making
    return row.owners === undefined ? null : ownerOf(this.#draft.node, row)
  }

  get listed(): boolean {
    const { listed, end } = this.#draft
    const { around } = this.#making
    if (listed || nameless.has(this.kind) || this.kind === 'element') return listed
    return /^[ \t]*,/.test(around.source.text.slice(end, end + 20)) || commaBefore(around, this.start) !== null
  }

  isEmpty(): boolean | null {
    const body = this.#draft.bodyNode
    return body === null ? null : !body.namedChildren.some((child) => !this.#making.comments.has(child.type))
  }
}

function nodeHeader({ node, end, body }: Draft, start: number, { around, row, base }: Making): string {
  const type = row.headers?.[node.type]
  const own = type === undefined ? undefined : node.namedChildren.find((child) => words(type).includes(child.type))
  if (own !== undefined) return headerText(around, start, end, own.endIndex + base)
  if (body !== null) return headerText(around, start, end, body)
  // A header without a body ends with its line, or with the line of its name.
  const { source } = around
  const name = nameNode(node, row)
  const nameEnd = name === null ? start : name.endIndex + base
  const goesOn = nameEnd > source.endOf(source.lineAt(start))
  return headerText(around, start, end, goesOn ? Math.min(end, source.endOf(source.lineAt(nameEnd))) : null)
}

function nodeName(node: Node, { around, row, base }: Making): string | null {
  const fixed = fixedName(node.type, row)
  if (fixed !== undefined) return fixed
  const at = nameNode(node, row) ?? (node.namedChildCount === 0 ? node : null)
  if (at === null) return null
  const text = around.source.text.slice(at.startIndex + base, at.endIndex + base)
  const name = keyName(text.replace(/\s+/g, ' ').trim())
  // Where the grammar lost its way a name may be a node without a text.
  return name === '' ? null : name
}

/** The line that something starts on after something else; null where it is the first of its line. */
function lineAround(offset: number, around: Surroundings): string | null {
  const { source } = around
  const lineStart = source.startOf(source.lineAt(offset))
  if (source.text.slice(lineStart, offset).trim() === '') return null
  return headerText(around, lineStart, source.text.length, null)
}

/** `const` of `const a = 1, b = 2`. */
function sharedBy({ headerStart, children }: Structure, { source }: Surroundings): string {
  return source.text.slice(headerStart, children[0]?.start ?? headerStart).replace(/[\s(]+$/, '')
}

/** The key `"a"` is called a; one with spaces at its ends keeps its quotes. */
export function keyName(name: string): string {
  const inner = /^(["'`])(\S|\S.*\S)\1$/s.exec(name)?.[2]
  return inner ?? name
}

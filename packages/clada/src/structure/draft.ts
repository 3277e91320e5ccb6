import type { Node } from 'web-tree-sitter'
import { checkTime } from '../core/time-limit.ts'
import type { Span } from '@clada/reply/text/edit.ts'
import { firstFrom } from './bounds.ts'
import { type Kind, type TreeSitterRow, words } from './language.ts'
import { bodyOf, nameNode, type Part } from './parts.ts'

/** A structure whose nodes are known, but not yet its bounds and texts. */
export class Draft {
  kind: Kind
  readonly node: Node
  /** With the nodes wrapped around it. */
  start: number
  end: number
  listed = false
  children: Draft[] = []
  readonly #base: number
  readonly #find: () => Node | null
  #bodyNode: Node | null | undefined
  #body: number | null | undefined

  constructor(kind: Kind, node: Node, span: Span, base: number, find: () => Node | null) {
    this.kind = kind
    this.node = node
    this.start = span.start
    this.end = span.end
    this.#base = base
    this.#find = find
  }

  /** Looked for only when it is asked for: most structures of a large file are never asked for. */
  get bodyNode(): Node | null {
    if (this.#bodyNode === undefined) this.#bodyNode = this.#find()
    return this.#bodyNode
  }

  /** Where its body starts, in the file. */
  get body(): number | null {
    if (this.#body === undefined) this.#body = this.bodyNode === null ? null : this.bodyNode.startIndex + this.#base
    return this.#body
  }

  set body(offset: number | null) {
    this.#body = offset
  }
}

/** How many characters of a node's text are tested against `hollow`. */
const LONGEST_NAME = 20

/** Kinds that are the name of the function they hold. */
const binding: ReadonlySet<Kind> = new Set<Kind>(['variable', 'key', 'field', 'member', 'export', 'call', 'type'])

const control: ReadonlySet<Kind> = new Set<Kind>(['if', 'else', 'for', 'while'])

/** Turns the parts of a tree into structures: merges what belongs together, leaves out what has no name. */
export class Drafting {
  readonly #row: TreeSitterRow
  readonly #text: string
  readonly #base: number
  readonly #comments: readonly Span[]
  readonly #groups: ReadonlySet<string>
  readonly #statements: ReadonlySet<string>
  readonly #chains: ReadonlySet<string>
  readonly #tails: ReadonlySet<string>
  readonly #offside: ReadonlySet<string>
  readonly #whole: ReadonlySet<string>
  readonly #spread: ReadonlySet<string>

  constructor(row: TreeSitterRow, text: string, base: number, comments: readonly Span[]) {
    this.#row = row
    this.#text = text
    this.#base = base
    this.#comments = comments
    this.#groups = new Set(words(row.groups))
    this.#statements = new Set(words(row.statements))
    this.#chains = new Set(words(row.chains))
    this.#tails = new Set(words(row.tails))
    this.#offside = new Set(words(row.offside))
    this.#whole = new Set(words(row.whole))
    this.#spread = new Set(words(row.spread))
  }

  all(parts: readonly Part[]): Draft[] {
    const drafts: Draft[] = []
    for (const part of parts) {
      const made = this.#visit(part)
      const before = drafts.at(-1)
      if (before === undefined || this.#tails.size === 0 || !this.#tails.has(part.type)) drafts.push(...made)
      else {
        before.children.push(...made)
        before.end = Math.max(before.end, part.end)
      }
    }
    return drafts
  }

  #visit(part: Part): Draft[] {
    checkTime()
    if (part.kind === null) return this.#around(part, this.all(part.children))
    const draft = this.#start(part.kind, part.node, part.start, this.#endOf(part))
    const mayBranch = part.kind === 'if' || part.kind === 'else'
    if (mayBranch && this.#chains.has(part.type)) this.#fillChain(draft, part)
    else this.#fill(draft, this.all(part.children))
    if (part.roles.includes('list') || part.kind === 'group') markListed(draft.children)
    return [this.#withoutEmptyDeclaration(draft)]
  }

  #endOf({ kind, node, start, end }: Part): number {
    if (kind === 'field' && this.#spread.has(node.parent?.type ?? '')) {
      let last = node
      for (let next = node.nextSibling; next !== null && !/^[,;]$/.test(next.type); next = next.nextSibling) last = next
      return last.endIndex + this.#base
    }
    if (this.#row.hollow?.test(this.#text.slice(start, start + LONGEST_NAME)) !== true) return end
    return (node.firstChild?.endIndex ?? node.endIndex) + this.#base
  }

  /** `enum E { … };` in C++ is a declaration of nothing but a type: the type is the structure. */
  #withoutEmptyDeclaration(draft: Draft): Draft {
    const [only] = draft.children
    const holder = draft.kind === 'field' || draft.kind === 'variable'
    if (!holder || only === undefined || draft.children.length > 1 || nameNode(draft.node, this.#row) !== null)
      return draft
    if (!/^[\s;]*$/.test(this.#text.slice(only.end, draft.end))) return draft
    only.start = draft.start
    only.end = draft.end
    return only
  }

  #start(kind: Kind, node: Node, start: number, end: number): Draft {
    return new Draft(kind, node, { start, end }, this.#base, () => bodyOf(node, this.#row))
  }

  #fill(draft: Draft, inside: readonly Draft[]): void {
    for (const child of inside) {
      // `if (a) b = 1`: without its one statement the header would take the next; they are one structure.
      if (this.#isBareBody(draft, child)) {
        draft.children.push(...child.children)
        continue
      }
      const curried = draft.kind === 'lambda' && child.kind === 'lambda' && child.start === draft.body
      if (curried || (binding.has(draft.kind) && isAnonymous(child))) {
        // `const f = () => { … }` is one structure, whose header ends where the function's does.
        draft.body = curried ? child.body : (draft.body ?? child.body)
        draft.children.push(...child.children)
      } else if (binding.has(draft.kind) || draft.body === null || child.start >= draft.body) draft.children.push(child)
      // What precedes the body is part of the header: `for (let i = 0; …)`.
    }
  }

  #isBareBody(draft: Draft, { start, end }: Draft): boolean {
    const bodyNode = control.has(draft.kind) ? draft.bodyNode : null
    if (bodyNode === null) return false
    // A block by indentation has the bounds of what is in it, and is a block anyway.
    const offside = this.#offside.has(bodyNode.type)
    if (offside && bodyNode.startPosition.row > draft.node.startPosition.row) return false
    if (start !== bodyNode.startIndex + this.#base) return false
    return /^[\s;]*$/.test(this.#text.slice(end, bodyNode.endIndex + this.#base))
  }

  /** Wraps and lists. */
  #around(part: Part, inside: Draft[]): Draft[] {
    if (part.roles.includes('list')) markListed(inside)
    const [only] = inside
    if (!part.roles.includes('wrap') || only === undefined) return inside
    if (this.#statements.has(part.type) && inside.every(isAnonymous)) {
      const call = this.#start('call', part.node, part.start, part.end)
      this.#fill(call, inside)
      return [call]
    }
    const after = this.#withoutComments(only.end, part.end)
    if (inside.length === 1 && this.#whole.has(part.type)) {
      only.start = part.start
      only.end = part.end
      return inside
    }
    if (inside.length === 1 && /^[\s;]*$/.test(after)) {
      only.start = part.start
      // `const a = 1 // one`: where no semicolon ends it, the grammar counts the comment to the statement.
      if (after.includes(';') || after.length === part.end - only.end) only.end = part.end
      only.listed = false
      return inside
    }
    if (!this.#groups.has(part.type) || inside.length === 1) return inside
    const group = this.#start('group', part.node, part.start, part.end)
    group.children = inside
    return [group]
  }

  #withoutComments(start: number, end: number): string {
    let text = ''
    let at = start
    for (let next = firstFrom(this.#comments, at); next !== undefined && next.start < end;) {
      text += this.#text.slice(at, next.start)
      at = Math.max(next.end, at + 1)
      next = firstFrom(this.#comments, at)
    }
    return at < end ? text + this.#text.slice(at, end) : text
  }

  /** `if … else if … else`: however deep the grammar nests them, the branches are children of the first. */
  #fillChain(first: Draft, part: Part): void {
    let owner = first
    let node = part.node
    let inside = part.children
    const branches: Draft[] = []
    for (;;) {
      const other = node.childForFieldName('alternative')
      const from = other === null ? Infinity : other.startIndex + this.#base
      const after = inside.filter(({ start }) => start >= from)
      this.#fill(owner, this.all(inside.filter(({ start }) => start < from)))
      if (other === null) break

      const clause = after.find((one) => one.node.id === other.id)
      inside = clause === undefined ? after : clause.children
      const next = this.#chains.has(other.type) ? other : this.#directChain(other, inside)
      if (next !== null && next !== other) inside = inside.find((one) => one.node.id === next.id)?.children ?? inside
      owner = this.#branch(other, next, clause)
      branches.push(owner)
      if (next === null) {
        this.#fill(owner, this.all(inside))
        break
      }
      node = next
    }
    first.children.push(...branches)
    first.children.sort((a, b) => a.start - b.start)
  }

  #directChain(clause: Node, inside: readonly Part[]): Node | null {
    const found = inside.find(({ type }) => this.#chains.has(type))?.node
    if (found === undefined || !clause.namedChildren.some((child) => child.id === found.id)) return null
    // On a line of its own it is what is in the branch.
    return found.startPosition.row === clause.startPosition.row ? found : null
  }

  #branch(other: Node, next: Node | null, clause: Part | undefined): Draft {
    const keyword = other.previousSibling
    // Where the grammar has no node for the branch, it starts at the word before the block.
    const bare = clause === undefined || clause.kind !== 'else'
    const from = bare && keyword !== null && !keyword.isNamed ? keyword : other
    const body = next === null ? bodyOf(other, this.#row) : bodyOf(next, this.#row)
    const end = next === null || body === null ? other.endIndex : body.endIndex
    const span = { start: from.startIndex + this.#base, end: end + this.#base }
    // `else x = 1`: without its one statement the branch would take the next.
    const statement = body ?? (bare ? other : other.lastNamedChild)
    const draft = new Draft('else', other, span, this.#base, () => statement)
    draft.body = this.#base + (body ?? other).startIndex
    return draft
  }
}

/** After the members of an enum there may be methods, which have no commas. */
function markListed(drafts: readonly Draft[]): void {
  const members = drafts.filter(({ kind }) => kind === 'member')
  for (const draft of members.length > 0 ? members : drafts) if (!isAnonymous(draft)) draft.listed = true
}

const isAnonymous = ({ kind, node }: Draft): boolean =>
  kind === 'lambda' || (nameable.has(kind) && node.childForFieldName('name') === null)

const nameable: ReadonlySet<Kind> = new Set<Kind>(['class', 'struct', 'enum'])

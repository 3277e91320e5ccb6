import type { Grammar, CaptureName } from './grammar.ts'
import { type Kind, type TreeSitterRow, kinds } from './language.ts'
import type { Span } from '@clada/reply/text/edit.ts'
import type { Node, Tree } from 'web-tree-sitter'

const none: readonly CaptureName[] = []
/** What most parts with a role have; made once, because there are many. */
const alone: Readonly<Record<CaptureName, readonly CaptureName[]>> = {
  wrap: ['wrap'],
  comment: ['comment'],
  decorator: ['decorator'],
  list: ['list'],
  preamble: ['preamble'],
  embedded: ['embedded'],
  heredoc: ['heredoc'],
}

/** A node that the outline is made of, and those inside it. Nodes between them are left out. */
export class Part {
  readonly node: Node
  readonly start: number
  readonly end: number
  kind: Kind | null = null
  roles: readonly CaptureName[] = none
  /** Of the text of an embedded part. */
  language = ''
  readonly children: Part[] = []
  #type: string | undefined

  constructor(node: Node, start: number, end: number) {
    this.node = node
    this.start = start
    this.end = end
  }

  take(role: CaptureName): void {
    this.roles = this.roles === none ? alone[role] : [...this.roles, role]
  }

  /** Asking the parser for it costs more than most parts are worth. */
  get type(): string {
    return (this.#type ??= this.node.type)
  }
}

export interface Parts {
  readonly roots: Part[]
  /** Sorted, as are the others. */
  readonly comments: Span[]
  readonly decorators: Span[]
  readonly preamble: Span[]
  readonly embedded: Part[]
  readonly heredocs: Span[]
}

/** `base` is where the parsed text starts in the file; offsets of parts are those of the file. */
export function syntaxParts(grammar: Grammar, tree: Tree, base: number): Parts {
  const byId = new Map<number, Part>()
  for (const { name, node } of grammar.parts(tree)) {
    let part = byId.get(node.id)
    if (part === undefined) {
      const { startIndex } = node
      // Some comments take in the end of their line.
      const end = name === 'comment' ? startIndex + node.text.trimEnd().length : node.endIndex
      part = new Part(node, startIndex + base, end + base)
      byId.set(node.id, part)
    }
    if (name.startsWith(EMBEDDED)) {
      part.take('embedded')
      part.language = name.slice(EMBEDDED.length)
    } else if (isRole(name)) part.take(name)
    else part.kind ??= kindNamed(name)
  }
  const all = [...byId.values()].sort((a, b) => a.start - b.start || b.end - a.end)
  const byRole: Record<CaptureName, Part[]> = {
    wrap: [],
    comment: [],
    decorator: [],
    list: [],
    preamble: [],
    embedded: [],
    heredoc: [],
  }
  for (const part of all) for (const role of part.roles) byRole[role].push(part)
  return {
    roots: nestParts(
      all.filter(({ kind, roles }) => kind !== null || roles.includes('wrap') || roles.includes('list')),
    ),
    comments: byRole.comment,
    decorators: byRole.decorator,
    preamble: byRole.preamble,
    embedded: byRole.embedded,
    heredocs: byRole.heredoc,
  }
}

function nestParts(sorted: readonly Part[]): Part[] {
  const roots: Part[] = []
  const open: Part[] = []
  for (const part of sorted) {
    for (let top = open.at(-1); top !== undefined && top.end <= part.start && top.end < part.end; top = open.at(-1)) {
      open.pop()
    }
    const holder = open.at(-1)
    if (holder === undefined) roots.push(part)
    else holder.children.push(part)
    open.push(part)
  }
  return roots
}

const EMBEDDED = 'embedded.'

const isRole = (name: string): name is CaptureName => Object.hasOwn(alone, name)

const kindsByName = new Map<string, Kind>(kinds.map((kind) => [kind, kind]))

const kindNamed = (name: string): Kind | null => kindsByName.get(name) ?? null

const bodyFields = ['body', 'consequence', 'block', 'accessors']
const bodyType = /(?:^|_)(?:block|body|suite|do_group|declaration_list)$|^compound_statement$/
const nameFields = ['name', 'declarator', 'key', 'left', 'pattern']

/** The part of a node after its header. */
export function bodyOf(node: Node, row: TreeSitterRow): Node | null {
  const given = row.bodies?.[node.type]
  if (given !== undefined) return given === '' ? null : followFields(node, given)
  for (const field of bodyFields) {
    const body = node.childForFieldName(field)
    if (body !== null) return body
  }
  const last = node.lastNamedChild
  return last !== null && bodyType.test(last.type) ? last : null
}

/** The node of a name: through declarators to the innermost. */
export function nameNode(node: Node, row: TreeSitterRow): Node | null {
  const given = row.names?.[node.type]
  if (given !== undefined) return given === '' ? null : followFields(node, given)
  let found: Node | null = null
  for (let at: Node | null = node; at !== null;) {
    const path: string | undefined = at === node ? undefined : row.names?.[at.type]
    const inner: Node | null =
      path === undefined ? firstField(at, nameFields) : path === '' ? null : followFields(at, path)
    if (inner !== null) found = inner
    // Names are leaves as a rule; then there is nothing more to ask.
    at = inner === null || inner.namedChildCount === 0 ? null : inner
  }
  return found
}

/** A name that the row gives in quotes, for nodes that are called by a word of the language. */
export function fixedName(type: string, row: TreeSitterRow): string | undefined {
  return /^'(.*)'$/.exec(row.names?.[type] ?? '')?.[1]
}

/** The type that a node belongs to: Store for `*Store`, Cache for `Cache[K]`, Shape for `ns::Shape::draw`. */
export function ownerOf(node: Node, row: TreeSitterRow): string | null {
  const given = row.owners?.[node.type]
  if (given === undefined) return null
  if (given === 'name') return /(\w+)(?:<[^:]*>)?::\W*\w+$/.exec(nameNode(node, row)?.parent?.text ?? '')?.[1] ?? null
  return /\w+/.exec(followFields(node, given)?.text ?? '')?.[0] ?? null
}

function firstField(node: Node, fields: readonly string[]): Node | null {
  for (const field of fields) {
    const child = node.childForFieldName(field)
    if (child !== null) return child
  }
  return null
}

const firstOfType = (node: Node, types: readonly string[]): Node | null =>
  node.namedChildren.find(({ type }) => types.includes(type)) ?? null

/**
 * `a.b`: the field or the node type b in a; `a|b`: whichever there is; `a?`: a if it is there; a number: that child. A
 * `*` at the end continues through declarators.
 */
function followFields(node: Node, path: string): Node | null {
  let at: Node | null = node
  for (const step of path.split('.')) {
    if (at === null) return null
    if (step === '*') {
      for (let inner = firstField(at, nameFields); inner !== null; inner = firstField(at, nameFields)) at = inner
      continue
    }
    const here: Node = at
    if (/^\d+$/.test(step)) at = here.namedChild(Number(step))
    else {
      const wanted = step.replace('?', '').split('|')
      at = firstField(here, wanted) ?? firstOfType(here, wanted) ?? (step.endsWith('?') ? here : null)
    }
  }
  return at
}

import type { Node, Tree } from 'web-tree-sitter'
import type { Span } from '../text/edit.ts'
import type { Grammar, PartName } from './grammar.ts'
import { kinds, type Kind } from './language.ts'

const none: readonly PartName[] = []
/** What most parts with a role have; made once, because there are many. */
const alone: Readonly<Record<PartName, readonly PartName[]>> = {
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
  roles: readonly PartName[] = none
  /** Of the text of an embedded part. */
  language = ''
  readonly children: Part[] = []
  #type: string | undefined

  constructor(node: Node, start: number, end: number) {
    this.node = node
    this.start = start
    this.end = end
  }

  take(role: PartName): void {
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
export function partsOf(grammar: Grammar, tree: Tree, base: number): Parts {
  const byId = new Map<number, Part>()
  for (const { name, node } of grammar.parts.captures(tree.rootNode)) {
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
  const byRole: Record<PartName, Part[]> = {
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
    roots: nested(all.filter(({ kind, roles }) => kind !== null || roles.includes('wrap') || roles.includes('list'))),
    comments: byRole.comment,
    decorators: byRole.decorator,
    preamble: byRole.preamble,
    embedded: byRole.embedded,
    heredocs: byRole.heredoc,
  }
}

function nested(sorted: readonly Part[]): Part[] {
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

const isRole = (name: string): name is PartName => Object.hasOwn(alone, name)

const kindsByName = new Map<string, Kind>(kinds.map((kind) => [kind, kind]))

const kindNamed = (name: string): Kind | null => kindsByName.get(name) ?? null

import type { Node, Tree } from 'web-tree-sitter'
import type { Span } from '../text/edit.ts'
import type { Grammar, PartName } from './grammar.ts'
import { kinds, type Kind } from './language.ts'

/** A node that the outline is made of, and those inside it. Nodes between them are left out. */
export interface Part {
  readonly node: Node
  readonly type: string
  readonly start: number
  readonly end: number
  kind: Kind | null
  roles: readonly PartName[]
  /** Of the text of an embedded part. */
  language: string
  readonly children: Part[]
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
      part = {
        node,
        // Asking the parser for it costs more than most parts are worth.
        get type() {
          return node.type
        },
        start: startIndex + base,
        end: end + base,
        kind: null,
        roles: none,
        language: '',
        children: [],
      }
      byId.set(node.id, part)
    }
    if (name.startsWith(EMBEDDED)) {
      part.roles = [...part.roles, 'embedded']
      part.language = name.slice(EMBEDDED.length)
    } else if (isRole(name)) part.roles = [...part.roles, name]
    else part.kind ??= kindNamed(name)
  }
  const all = [...byId.values()].sort((a, b) => a.start - b.start || b.end - a.end)
  const withRole = (role: PartName): Part[] => all.filter(({ roles }) => roles.includes(role))
  return {
    roots: nested(all.filter(({ kind, roles }) => kind !== null || roles.includes('wrap') || roles.includes('list'))),
    comments: withRole('comment'),
    decorators: withRole('decorator'),
    preamble: withRole('preamble'),
    embedded: withRole('embedded'),
    heredocs: withRole('heredoc'),
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

const none: readonly PartName[] = []

const EMBEDDED = 'embedded.'

const roles: Readonly<Record<PartName, true>> = {
  wrap: true,
  comment: true,
  decorator: true,
  list: true,
  preamble: true,
  embedded: true,
  heredoc: true,
}

const isRole = (name: string): name is PartName => Object.hasOwn(roles, name)

const kindNamed = (name: string): Kind | null => kinds.find((kind) => kind === name) ?? null

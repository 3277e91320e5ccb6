import type { Node } from 'web-tree-sitter'
import type { TreeSitterRow } from './language.ts'

const bodyFields = ['body', 'consequence', 'block', 'accessors']
const bodyType = /(?:^|_)(?:block|body|suite|do_group|declaration_list)$|^compound_statement$/
const nameFields = ['name', 'declarator', 'key', 'left', 'pattern']

/** The part of a node behind its header. */
export function bodyOf(node: Node, row: TreeSitterRow): Node | null {
  const told = row.bodies?.[node.type]
  if (told !== undefined) return told === '' ? null : follow(node, told)
  for (const field of bodyFields) {
    const body = node.childForFieldName(field)
    if (body !== null) return body
  }
  const last = node.lastNamedChild
  return last !== null && bodyType.test(last.type) ? last : null
}

/** Where the name of a node stands: through declarators to the innermost. */
export function nameNode(node: Node, row: TreeSitterRow): Node | null {
  const told = row.names?.[node.type]
  if (told !== undefined) return told === '' ? null : follow(node, told)
  let found: Node | null = null
  for (let at: Node | null = node; at !== null;) {
    const path: string | undefined = at === node ? undefined : row.names?.[at.type]
    const inner: Node | null = path === undefined ? firstField(at, nameFields) : path === '' ? null : follow(at, path)
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
  const told = row.owners?.[node.type]
  if (told === undefined) return null
  if (told === 'name') return /(\w+)(?:<[^:]*>)?::\W*\w+$/.exec(nameNode(node, row)?.parent?.text ?? '')?.[1] ?? null
  return /\w+/.exec(follow(node, told)?.text ?? '')?.[0] ?? null
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
 * `*` at the end goes on through declarators.
 */
function follow(node: Node, path: string): Node | null {
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

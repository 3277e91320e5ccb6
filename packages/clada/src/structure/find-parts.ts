import type { Language, Node, Tree } from 'web-tree-sitter'
import { checkTime } from '../core/time-limit.ts'
import { words, type TreeSitterRow } from './language.ts'

/** A node that was looked for. */
export interface FoundNode {
  readonly name: string
  readonly node: Node
}

export interface RowRange {
  readonly from: number
  /** Before this one. */
  readonly to: number
}

/** Finds nodes: what is around before what is inside, and of several names for a node the one that decides first. */
export type Finder = (tree: Tree, rows?: RowRange) => Iterable<FoundNode>

/** A pattern or a type of nodes, after the name that it gives to what it finds. */
type NamedPattern = readonly [name: string, text: string]

const namedTypes = (name: string, types: string | undefined) => words(types).map((type): NamedPattern => [name, type])
const namedPatterns = (name: string, list: readonly string[] = []) =>
  list.map((pattern): NamedPattern => [name, pattern])

/** Everything the outline is made of, by kinds of structures, names of parts, or `embedded.` and a language. */
export function partsFinder(language: Language, row: TreeSitterRow): Finder {
  const { wraps: wrap, comments: comment, decorators: decorator, lists: list, heredocs: heredoc, preamble } = row
  const types = { ...row.structures, wrap, comment, decorator, list, heredoc, preamble }
  return finder(
    language,
    [
      ...Object.entries(row.patterns ?? {}).flatMap(([kind, patterns]) => namedPatterns(kind, patterns)),
      ...namedPatterns('wrap', row.wrapPatterns),
      ...namedPatterns('preamble', row.preamblePatterns),
      ...Object.entries(row.embedded ?? {}).map(([inner, pattern]): NamedPattern => [`embedded.${inner}`, pattern]),
    ],
    Object.entries(types).flatMap(([name, each]) => namedTypes(name, each)),
  )
}

/** Strings that may have several lines; null where the language has none. */
export function verbatimFinder(language: Language, row: TreeSitterRow): Finder | null {
  const types = [...namedTypes('verbatim', row.verbatim), ...namedTypes('heredoc', row.heredocs)]
  const patterns = [
    ...namedPatterns('verbatim', row.verbatimPatterns),
    ...words(row.documentation).flatMap((parent) =>
      words(row.verbatim).map((type): NamedPattern => ['documentation', `(${parent} . (${type}) @it .)`]),
    ),
  ]
  return types.length + patterns.length === 0 ? null : finder(language, patterns, types)
}

/**
 * Patterns are before types, because a node that is found twice is what the first says. They are not asked of a query of
 * tree-sitter, which takes 10 ms to make even if it is a single word, and for Ruby half a second: it goes through all
 * states of the grammar.
 */
function finder(language: Language, patterns: readonly NamedPattern[], types: readonly NamedPattern[]): Finder {
  const byId = new Map<number, { readonly names: string[]; readonly patterns: [string, Pattern][] }>()
  const wanted = new Set<string>()
  const entry = (type: string) => {
    wanted.add(type)
    // A keyword may be called like a node, but has another number.
    const id = language.idForNodeType(type, true)
    if (id === null) throw new Error(`no ${type} in the grammar ${language.name}`)
    const known = byId.get(id) ?? { names: [], patterns: [] }
    byId.set(id, known)
    return known
  }
  for (const [name, text] of patterns) {
    const pattern = parsePattern(text)
    entry(pattern.type).patterns.push([name, pattern])
    const { type } = innerPattern(pattern)
    if (type !== '_') entry(type)
  }
  for (const [name, type] of types) entry(type).names.push(name)
  const list = [...wanted]
  return function* ({ rootNode }, rows = { from: 0, to: 0 }) {
    const inside = new Map<number, string[]>()
    const range = [rows.from, rows.to].map((row) => ({ row, column: 0 }))
    for (const [at, node] of rootNode.descendantsOfType(list, ...range).entries()) {
      if (at % 1000 === 0) checkTime()
      const known = byId.get(node.typeId)
      if (known === undefined) continue
      for (const name of inside.get(node.id) ?? []) yield { name, node }
      const ofAnyType: FoundNode[] = []
      const fields: ChildFields = new Map()
      for (const [name, pattern] of known.patterns) {
        for (const found of partsIn(node, pattern, fields) ?? []) {
          if (found === node) yield { name, node }
          else if (innerPattern(pattern).type === '_') ofAnyType.push({ name, node: found })
          else inside.set(found.id, [...(inside.get(found.id) ?? []), name])
        }
      }
      for (const name of known.names) yield { name, node }
      yield* ofAnyType
    }
    checkTime()
  }
}

/**
 * What a query of tree-sitter can say, as far as languages need it: `(type field: (child) "token" !field)`, `_` for any
 * type, `.` where nothing named is between, `@it` after the part, and `@name (#match? @name "text")`.
 */
interface Pattern {
  readonly field: string | undefined
  readonly type: string
  readonly isToken: boolean
  /** Nothing named is before it. */
  readonly isNext: boolean
  isLast: boolean
  isPart: boolean
  text: RegExp | undefined
  readonly children: Pattern[]
  readonly absent: string[]
}

const wordsOfPattern = /\(#match\? @name "([^"]*)"\)|(?:(\w+): )?(?:\((\w+)|"([^"]*)")|[).]|@it|!(\w+)/g

function parsePattern(text: string): Pattern {
  const top: Pattern[] = []
  const open: Pattern[] = []
  let last: Pattern | undefined
  let isNext = false
  for (const [word, match, field, type, token, absent] of text.matchAll(wordsOfPattern)) {
    const holder = open.at(-1)
    if (match !== undefined) {
      if (last !== undefined) last.text = new RegExp(match)
    } else if (absent !== undefined) holder?.absent.push(absent)
    else if (word === '@it') {
      if (last !== undefined) last.isPart = true
    } else if (word === '.') isNext = true
    else if (word === ')') {
      last = open.pop()
      if (isNext) {
        const end = last?.children.at(-1)
        if (end !== undefined) end.isLast = true
        isNext = false
      }
    } else {
      const isToken = token !== undefined
      last = {
        field,
        type: token ?? type ?? '_',
        isToken,
        isNext,
        isLast: false,
        isPart: false,
        text: undefined,
        children: [],
        absent: [],
      }
      isNext = false
      ;(holder?.children ?? top).push(last)
      if (!isToken) open.push(last)
    }
  }
  const [pattern] = top
  if (pattern === undefined) throw new Error(`not a pattern: ${text}`)
  return pattern
}

const holdsPart = (pattern: Pattern): boolean => pattern.isPart || pattern.children.some(holdsPart)

function innerPattern(pattern: Pattern): Pattern {
  const inside = pattern.children.find(holdsPart)
  return pattern.isPart || inside === undefined ? pattern : innerPattern(inside)
}

/** The parts in a node by every way in which it fits a pattern; undefined where it does not. */
function partsIn(node: Node, pattern: Pattern, fields: ChildFields = new Map()): Node[] | undefined {
  const { type, isToken, text, absent, children } = pattern
  if (type === '_' ? !node.isNamed : node.type !== type || node.isNamed === isToken) return undefined
  if (text !== undefined && !text.test(node.text)) return undefined
  if (absent.some((field) => node.childForFieldName(field) !== null)) return undefined
  const inside = children.length === 0 ? [] : partsAmong(patternCandidates(node, children, fields), 0, 0)
  return inside === undefined || !pattern.isPart ? inside : [node]
}

/** The children of a node in its fields, by their ids. */
type ChildFields = Map<string, ReadonlySet<number>>

interface NodeCandidates {
  readonly nodes: readonly Node[]
  readonly lastNamed: number
  /** Each with the nodes of its field. */
  readonly patterns: readonly (Pattern & { readonly ids: ReadonlySet<number> | undefined })[]
}

function patternCandidates(node: Node, patterns: readonly Pattern[], fields: ChildFields): NodeCandidates {
  const nodes = patterns.some(({ isToken }) => isToken) ? node.children : node.namedChildren
  const idsIn = (field: string): ReadonlySet<number> => {
    const ids = fields.get(field) ?? new Set(node.childrenForFieldName(field).map(({ id }) => id))
    fields.set(field, ids)
    return ids
  }
  return {
    nodes,
    lastNamed: patterns.some(({ isLast }) => isLast) ? nodes.findLastIndex(({ isNamed }) => isNamed) : -1,
    patterns: patterns.map((pattern) => ({
      ...pattern,
      ids: pattern.field === undefined ? undefined : idsIn(pattern.field),
    })),
  }
}

/** Takes time by the number of nodes: what holds no part is looked for only once. */
function partsAmong(among: NodeCandidates, nth: number, from: number): Node[] | undefined {
  const { nodes, lastNamed, patterns } = among
  const pattern = patterns[nth]
  if (pattern === undefined) return []
  const once = !holdsPart(pattern) && patterns[nth + 1]?.isNext !== true
  let all: Node[] | undefined
  for (let at = from; at < nodes.length; at++) {
    const node = nodes[at]
    if (node === undefined) break
    const fits = (pattern.ids?.has(node.id) ?? true) && (!pattern.isLast || at >= lastNamed)
    const own = fits ? partsIn(node, pattern) : undefined
    const others = own === undefined ? undefined : partsAmong(among, nth + 1, at + 1)
    if (own !== undefined && others !== undefined) {
      all ??= []
      for (const part of own) all.push(part)
      for (const part of others) all.push(part)
      if (once) break
    }
    if (pattern.isNext && node.isNamed) break
  }
  return all
}

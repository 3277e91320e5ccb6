import type { Language, Node, Query, Tree } from 'web-tree-sitter'
import { checkTime, isLate } from '../core/time-limit.ts'
import { words, type TreeSitterRow } from './language.ts'

/** A node that the outline is made of. */
export interface Found {
  /** A kind of structure, the name of a part, or `embedded.` and a language. */
  readonly name: string
  readonly node: Node
}

/** Finds all of them: what is around before what is inside, and of several names for a node the one that decides first. */
export type FindParts = (tree: Tree) => Iterable<Found>

/**
 * By the types of nodes, as far as the patterns of a language are simple. The rest asks a query, which takes 10 ms to make
 * even if it is a single word: tree-sitter goes through all states of the grammar.
 */
export function partsFinder(language: Language, row: TreeSitterRow, makeQuery: (text: string) => Query): FindParts {
  const patterns = patternsOf(row)
  const chains = patterns.flatMap(([name, pattern]) => chainOf(name, pattern) ?? [])
  if (chains.length === patterns.length) return byType(language, row, chains)
  const query = makeQuery(
    [
      ...patterns.map(([name, pattern]) => pattern.replaceAll('@it', `@${name}`)),
      ...typesOf(row).map(([name, type]) => `(${type}) @${name}`),
    ].join('\n'),
  )
  return ({ rootNode }) => {
    const found = query.captures(rootNode, { progressCallback: isLate })
    // Late, it has found only some of them.
    checkTime()
    return found
  }
}

type Named = readonly [name: string, text: string]

/** Before the types, because a node that is found twice is what the first says. */
function patternsOf(row: TreeSitterRow): Named[] {
  const named = (name: string, list: readonly string[] = []) => list.map((pattern): Named => [name, pattern])
  return [
    ...Object.entries(row.patterns ?? {}).flatMap(([kind, list]) => named(kind, list)),
    ...named('wrap', row.wrapPatterns),
    ...named('preamble', row.preamblePatterns),
    ...Object.entries(row.embedded ?? {}).map(([language, pattern]): Named => [`embedded.${language}`, pattern]),
  ]
}

function typesOf(row: TreeSitterRow): Named[] {
  const { wraps: wrap, comments: comment, decorators: decorator, lists: list, heredocs: heredoc, preamble } = row
  const lists = { ...row.structures, wrap, comment, decorator, list, heredoc, preamble }
  return Object.entries(lists).flatMap(([name, types]) => words(types).map((type): Named => [name, type]))
}

/** A pattern in which each node names at most one child: `(object (pair value: (_)) @it)`. */
interface Chain {
  readonly name: string
  readonly steps: readonly Step[]
  /** Which of them is the part. */
  readonly at: number
}

interface Step {
  /** Of the node before it; undefined for any child. */
  readonly field: string | undefined
  /** `_` for any. */
  readonly type: string
}

function chainOf(name: string, pattern: string): Chain | undefined {
  const [, nodes, , above] = /^((?:(?:\w+: )?\(\w+ ?)+)(\)+) @it(\)*)$/.exec(pattern) ?? []
  if (nodes === undefined || above === undefined) return undefined
  const steps = [...nodes.matchAll(/(?:(\w+): )?\((\w+)/g)].map(([, field, type = '_']) => ({ field, type }))
  return { name, steps, at: above.length }
}

function byType(language: Language, row: TreeSitterRow, chains: readonly Chain[]): FindParts {
  const namesOf = new Map<number, { names: string[]; chains: Chain[] }>()
  const types = new Set<string>()
  const entry = (type: string) => {
    types.add(type)
    // A keyword may have the name of a node, but has another number.
    const id = language.idForNodeType(type, true)
    if (id === null) throw new Error(`no ${type} in the grammar ${row.grammar}`)
    const known = namesOf.get(id) ?? { names: [], chains: [] }
    namesOf.set(id, known)
    return known
  }
  for (const chain of chains) {
    entry(chain.steps[0]?.type ?? '').chains.push(chain)
    const type = chain.steps[chain.at]?.type ?? '_'
    if (type !== '_') entry(type)
  }
  for (const [name, type] of typesOf(row)) entry(type).names.push(name)
  const wanted = [...types]
  return function* ({ rootNode }) {
    const byChain = new Map<number, string[]>()
    for (const node of rootNode.descendantsOfType(wanted)) {
      const known = namesOf.get(node.typeId)
      if (known === undefined) continue
      for (const name of byChain.get(node.id) ?? []) yield { name, node }
      const further: Found[] = []
      for (const { name, steps, at } of known.chains) {
        for (const found of foundBy(node, steps, at, 0)) {
          if (found === node) yield { name, node }
          else if (steps[at]?.type === '_') further.push({ name, node: found })
          else byChain.set(found.id, [...(byChain.get(found.id) ?? []), name])
        }
      }
      for (const name of known.names) yield { name, node }
      yield* further
    }
    checkTime()
  }
}

function foundBy(node: Node, steps: readonly Step[], at: number, step: number): Node[] {
  if (step === at) return reaches(node, steps, step + 1) ? [node] : []
  return childrenOf(node, steps[step + 1]).flatMap((child) => foundBy(child, steps, at, step + 1))
}

const reaches = (node: Node, steps: readonly Step[], step: number): boolean =>
  step === steps.length || childrenOf(node, steps[step]).some((child) => reaches(child, steps, step + 1))

function childrenOf(node: Node, step: Step | undefined): Node[] {
  if (step === undefined) return []
  const children = step.field === undefined ? node.namedChildren : node.childrenForFieldName(step.field)
  return children.filter((child) => child.isNamed && (step.type === '_' || child.type === step.type))
}

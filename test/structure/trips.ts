import type { Node } from 'web-tree-sitter'
import { replacement } from '../../packages/clada/src/structure/edit.ts'
import { loadGrammar } from '../../packages/clada/src/structure/grammar.ts'
import { type Language, type TreeSitterRow, words } from '../../packages/clada/src/structure/language.ts'
import { indentSteps } from '../../packages/clada/src/structure/indent.ts'
import { insertion } from '../../packages/clada/src/structure/insertion.ts'
import { gapAbove, gapBelow, layoutOf } from '../../packages/clada/src/structure/layout.ts'
import { moveIn, pieceFrom, relocation } from '../../packages/clada/src/structure/move.ts'
import { withOutline } from '../../packages/clada/src/structure/outline.ts'
import { structureText } from '../../packages/clada/src/structure/document.ts'
import { removal } from '../../packages/clada/src/structure/removal.ts'
import {
  applyChanges,
  type TextChange,
  everyStructure,
  lineRangeOf,
  offsetAfter,
  type Outline,
  type Structure,
} from '../../packages/clada/src/structure/structure.ts'
import type { Span } from '@clada/reply/text/edit.ts'

/** A structure of a file, on its way there and back. */
export interface Traveller {
  readonly path: string
  readonly outline: Outline
  readonly structure: Structure
}

/** What became of it. Only what is `wrong` is a fault of ours; `how` names the way, or the reason. */
export interface Outcome {
  readonly verdict: 'exact' | 'blank lines' | 'by nature' | 'wrong'
  readonly how: string
  /** Where the texts part, for a person. */
  readonly difference?: string | undefined
}

/** Puts a copy after a structure and deletes the copy again. Null for branches, of which there are no two. */
export async function insertedAndDeleted({ outline, structure }: Traveller): Promise<Outcome | null> {
  if (isClause(structure)) return null
  const { text } = outline.source
  const made = insertion(outline, structure, 'after', await pieceFrom(outline, structure))
  const more = applyChanges(text, made.changes)
  return withOutline(more, outline.language, async (other): Promise<Outcome> => {
    const at = offsetAfter(made.changes, made.main) + made.from
    const copy = [...everyStructure(other.structures)].find(
      ({ kind, start }) => kind === structure.kind && start >= at && more.slice(at, start).trim() === '',
    )
    if (copy === undefined || structureText(other, copy) !== structureText(outline, structure)) {
      return { verdict: 'by nature', how: outline.errors().length > 0 ? broken : 'a copy of it is something else' }
    }
    const result = applyChanges(more, removal(other, copy))
    if (result === text) return exact('after itself')
    const difference = differenceOf(text, result)
    if (sameButBlankLines(result, text)) {
      return { verdict: 'blank lines', how: 'the gaps above and below it differ, and only one stayed', difference }
    }
    if (!layoutOf(outline, structure).ownLines && sameButBlanks(result, text))
      return { verdict: 'by nature', how: 'it shares a line with other code', difference }
    if (sameButLineEnds(result, text)) return { verdict: 'by nature', how: twoLineEnds, difference }
    if (outline.errors().length > 0) return { verdict: 'by nature', how: broken, difference }
    return { verdict: 'wrong', how: 'came back otherwise', difference }
  })
}

/** Whether the syntax tree stays as it was outside of a structure that is deleted, put in twice, or moved. */
export async function* treesAround({ outline, structure }: Traveller): AsyncGenerator<Outcome> {
  const { text } = outline.source
  const { parser } = outline.language
  if (parser.kind === 'tree-sitter' && whole.text !== text) {
    whole.tree?.free()
    whole = { text: '', tree: null }
    whole = { text, tree: await solidTree(text, outline.language, parser) }
  }
  const siblings = structure.parent === null ? outline.structures : structure.parent.children
  const before = siblings[siblings.indexOf(structure) - 1]
  yield around(outline, 'deleted', removal(outline, structure))
  if (isClause(structure)) return
  const piece = await pieceFrom(outline, structure)
  yield around(outline, 'inserted after', insertion(outline, structure, 'after', piece).changes)
  yield around(outline, 'inserted before', insertion(outline, structure, 'before', piece).changes)
  if (before === undefined || isClause(before) || !areNeighbours(outline, before, structure)) return
  const there = await relocation(outline, structure, { anchor: before, at: 'before' })
  if (there !== null) yield around(outline, 'moved', there.changes)
}

async function around(outline: Outline, what: string, changes: readonly TextChange[]): Promise<Outcome> {
  const { text } = outline.source
  const result = applyChanges(text, changes)
  const start = Math.min(...changes.map((change) => change.start))
  const end = Math.max(...changes.map((change) => change.end))
  const was = await nodesOutside(outline, text, { start, end })
  const is = await nodesOutside(outline, result, { start, end: end + result.length - text.length })
  const at = was.findIndex((node, index) => node !== is[index])
  if (at === -1 && was.length === is.length) return exact(what)
  const difference = `expected ${was[at]?.slice(0, 200)}, got ${is[at === -1 ? was.length : at]?.slice(0, 200)}`
  const broke = await withOutline(result, outline.language, (other) => other.errors().length > outline.errors().length)
  // An operation that does this warns of it: SYNTAX_BROKEN.
  if (broke)
    return { verdict: 'by nature', how: `${what}: the file does not parse then, which is a warning`, difference }
  if (outline.errors().length > 0) return { verdict: 'by nature', how: `${what}: ${broken}`, difference }
  if (outline.language.name === 'kotlin' && /annotation|constructor_invocation/.test(difference)) {
    return {
      verdict: 'by nature',
      how: `${what}: the grammar takes '@A(…) inline fun' for an expression, or not`,
      difference,
    }
  }
  if (/[|&\\=(,]\s*$/.test(text.slice(0, start))) {
    return { verdict: 'by nature', how: `${what}: it goes on from the line before`, difference }
  }
  return { verdict: 'wrong', how: `${what}: another tree outside of it`, difference }
}

/** Every node clear of a span, with what is in it, and the types of those around it, in order; without comments. */
async function nodesOutside({ language }: Outline, text: string, span: Span): Promise<string[]> {
  const found: string[] = []
  if (language.parser.kind !== 'tree-sitter') {
    await withOutline(text, language, ({ structures }) => {
      const from = text.slice(0, span.start).trimEnd().length
      const to = text.length - text.slice(span.end).trimStart().length
      for (const one of everyStructure(structures)) {
        if (one.end < from || one.start > to) found.push(`${one.kind} ${one.header}`)
      }
    })
    return found
  }
  const { root, solid, bare, free } = await solidTree(text, language, language.parser)
  const endBefore = (offset: number): number => {
    let at = offset
    while (at > 0 && solid.charAt(at - 1).trim() === '') at--
    return at
  }
  const startFrom = (offset: number): number => {
    let at = offset
    while (at < solid.length && solid.charAt(at).trim() === '') at++
    return at
  }
  const [from, to] = [endBefore(span.start), startFrom(span.end)]
  const visit = (node: Node): void => {
    const [start, end] = [startFrom(node.startIndex), endBefore(node.endIndex)]
    if (start >= end) return
    if (end < from || start > to) found.push(node.toString().replace(bare, ''))
    else if (start < span.start || end > span.end) {
      // Of those that touch it only those all around it are known to stay what they are: `f { … }` without its end is `f`.
      if (start < from && end > to && node.childCount > 0) found.push(`in ${node.type}`)
      for (const child of node.namedChildren) visit(child)
    }
  }
  visit(root)
  if (text !== whole.text) free()
  return found
}

interface SolidTree {
  readonly root: Node
  /** The text with spaces for comments: a grammar may count those at either end of a node to it, or not. */
  readonly solid: string
  /** Comments in a node as it is printed. */
  readonly bare: RegExp
  free(): void
}

/** The tree of the file that all is compared with. */
let whole: { readonly text: string; readonly tree: SolidTree | null } = { text: '', tree: null }

async function solidTree(text: string, language: Language, row: TreeSitterRow): Promise<SolidTree> {
  if (whole.text === text && whole.tree !== null) return whole.tree
  const tree = (await loadGrammar(language, row)).parse(text)
  const types = words(row.comments)
  let solid = ''
  let at = 0
  for (const { startIndex, endIndex } of tree.rootNode.descendantsOfType(types)) {
    if (startIndex < at) continue
    solid += text.slice(at, startIndex) + ' '.repeat(endIndex - startIndex)
    at = endIndex
  }
  const bare = new RegExp(` ?\\((?:${types.join('|')})(?: \\([a-z_]+\\))*\\)`, 'g')
  return { root: tree.rootNode, solid: solid + text.slice(at), bare, free: () => tree.delete() }
}

const broken = 'the file did not parse to begin with'

const exact = (how: string): Outcome => ({ verdict: 'exact', how })

/** Deletes a structure and puts it back: beside a neighbour, else with what is around it, else at an end of the file. */
export function putBack(one: Traveller): Promise<Outcome> {
  const { outline, structure } = one
  const { text } = outline.source
  const changes = removal(outline, structure)
  const without = applyChanges(text, changes)
  const shift = (offset: number): number =>
    changes.reduce(
      (at, { start, end }) => (end <= offset ? at - (end - start) : start < offset ? at - (offset - start) : at),
      offset,
    )
  return withOutline(without, outline.language, async (left): Promise<Outcome> => {
    const again = (wanted: Structure | undefined | null): Structure | undefined =>
      wanted === undefined || wanted === null
        ? undefined
        : [...everyStructure(left.structures)].find(
            ({ kind, headerStart }) => kind === wanted.kind && headerStart === shift(wanted.headerStart),
          )
    const results: string[] = []
    for await (const [how, result] of waysBack(one, left, without, again)) {
      if (result === text) return exact(how)
      results.push(result)
    }
    const difference = results[0] === undefined ? undefined : differenceOf(text, results[0])
    const byNature = (how: string): Outcome => ({ verdict: 'by nature', how, difference })
    if (results.some((result) => sameButBlankLines(result, text))) {
      return { verdict: 'blank lines', how: 'the gaps above and below it differ, and only one stayed', difference }
    }
    // An operation that does this warns of it: SYNTAX_BROKEN.
    if (left.errors().length > outline.errors().length) return byNature('the file does not parse without it')
    if (results.length === 0) return byNature('no structure is beside or around it')
    const holder = again(structure.parent)
    if (holder !== undefined && structure.parent !== null && holder.end !== shift(structure.parent.end)) {
      return byNature('without it, what is around it takes in what follows')
    }
    if (results.some((result) => sameButIndent(result, text)) && isIndentedUniquely(one, without)) {
      return byNature('nothing else in the file has its step of indentation')
    }
    if (!layoutOf(outline, structure).ownLines && results.some((result) => sameButBlanks(result, text))) {
      return byNature('it shares a line with other code')
    }
    if (results.some((result) => sameButLineEnds(result, text))) return byNature(twoLineEnds)
    if (!without.includes('\n') && results.some((result) => withLineFeeds(text) === result)) {
      return byNature('no line end is left that tells which kind the file has')
    }
    if (results.some((result) => sameButIndent(result, text)) && hangsBack(outline, structure)) {
      return byNature('lines of it are further left than its first')
    }
    if (outline.errors().length > 0) return byNature(broken)
    return { verdict: 'wrong', how: 'put back elsewhere', difference }
  })
}

/** Where each line of a text is indented against the first, text further left is lost. */
function hangsBack({ source }: Outline, structure: Structure): boolean {
  const [first, last] = lineRangeOf(source, structure)
  const indentOf = (line: number): string => /^[ \t]*/.exec(source.line(line))?.[0] ?? ''
  for (let line = first + 1; line <= last; line++) {
    if (source.line(line).trim() !== '' && !indentOf(line).startsWith(indentOf(first))) return true
  }
  return false
}

/** What has a step of indentation that the file does not know is given the file's. */
function isIndentedUniquely({ outline, structure }: Traveller, without: string): boolean {
  const known = indentSteps(without.split(/\r?\n/))
  return indentSteps(structureText(outline, structure.parent ?? structure).split('\n')).some(
    (step) => !known.includes(step),
  )
}

async function* waysBack(
  { path, outline, structure }: Traveller,
  left: Outline,
  without: string,
  again: (wanted: Structure | undefined | null) => Structure | undefined,
): AsyncGenerator<[how: string, result: string]> {
  const { source } = outline
  const siblings = structure.parent === null ? outline.structures : structure.parent.children
  const index = siblings.indexOf(structure)
  const [before, after] = [siblings[index - 1], siblings[index + 1]]
  // A branch goes with its statement, not beside the content of the branch before.
  const alone = isClause(structure)
  const above = alone || !areNeighbours(outline, before, structure) ? undefined : again(before)
  const below =
    alone || !areNeighbours(outline, structure, after) || (after !== undefined && isClause(after))
      ? undefined
      : again(after)
  const own = lineRangeOf(source, structure)
  const piece = await pieceFrom(outline, structure)
  for (const [how, given] of [
    ['beside its neighbour', false],
    ['beside its neighbour, blank lines given', true],
  ] as const) {
    const gaps = { above: gapAbove(source, own[0]).blankLines, below: gapBelow(source, own[1]).blankLines }
    if (above !== undefined) {
      const options = given ? { blank_lines: gaps.above } : {}
      yield [how, applyChanges(without, insertion(left, above, 'after', piece, options).changes)]
    }
    if (below !== undefined) {
      const options = given ? { blank_lines: gaps.below } : {}
      yield [how, applyChanges(without, insertion(left, below, 'before', piece, options).changes)]
    }
  }
  for (let { parent } = structure; parent !== null; { parent } = parent) {
    const holder = again(parent)
    if (holder === undefined) continue
    const { text } = await replacement(left, holder, structureText(outline, parent))
    yield ['with what is around it', applyChanges(without, [{ start: holder.start, end: holder.end, text }])]
  }
  if (structure.parent !== null) return
  const ends = {
    'file-end': source.text.slice(structure.end),
    'file-start': source.text.slice(outline.preambleEnd, structure.start),
  }
  for (const at of ['file-end', 'file-start'] as const) {
    if (ends[at].trim() !== '' || (at === 'file-start' && left.preambleEnd !== outline.preambleEnd)) continue
    const target = `${structure.header} [${own[0]}]`
    const moved = await moveIn({ path, text: source.text }, target, { path, text: without }, { at })
    if ('destination' in moved) yield ['at an end of the file', moved.destination]
  }
}

/** Moves a structure before its neighbour and back. Null where it has no neighbour that it could change places with. */
export async function thereAndBack({ outline, structure }: Traveller): Promise<Outcome | null> {
  const { text } = outline.source
  const siblings = structure.parent === null ? outline.structures : structure.parent.children
  const before = siblings[siblings.indexOf(structure) - 1]
  // What shares its line with other code has no neighbours that a line could be moved before.
  const own = layoutOf(outline, structure)
  if (!own.ownLines && !structure.listed) return null
  if (before === undefined || isClause(structure) || isClause(before)) return null
  if (!areNeighbours(outline, before, structure)) return null
  const near = layoutOf(outline, before)
  const there = await relocation(outline, structure, { anchor: before, at: 'before' })
  if (there === null) return { verdict: 'wrong', how: 'is before its neighbour already' }
  const moved = applyChanges(text, there.changes)
  return withOutline(moved, outline.language, async (other): Promise<Outcome> => {
    const landed = offsetAfter(there.changes, there.main) + there.from
    const again = [...everyStructure(other.structures)].find(
      ({ kind, start }) => kind === structure.kind && start >= landed && moved.slice(landed, start).trim() === '',
    )
    const list = again === undefined ? [] : again.parent === null ? other.structures : again.parent.children
    const neighbour = again === undefined ? undefined : list[list.indexOf(again) + 1]
    const isItself = again !== undefined && structureText(other, again) === structureText(outline, structure)
    // A part of a statement can be distinguished from another only in its place; a section takes in what follows it.
    if (!isItself || neighbour === undefined) {
      const difference = differenceOf(text, moved)
      const how = outline.errors().length > 0 ? broken : 'it is something else at its new place'
      return { verdict: 'by nature', how, difference }
    }
    const back = await relocation(other, again, { anchor: neighbour, at: 'after' })
    if (back === null) return { verdict: 'wrong', how: 'is after its neighbour already' }
    const result = applyChanges(moved, back.changes)
    if (result === text) return exact('before its neighbour')
    const difference = differenceOf(text, result)
    const byNature = (how: string): Outcome => ({ verdict: 'by nature', how, difference })
    if (withEmptyLines(result) === withEmptyLines(text)) {
      return { verdict: 'blank lines', how: 'a blank line with spaces in it became empty', difference }
    }
    if (sameButBlankLines(result, text)) {
      return near.ownLines && areEven(outline, near.first, own.first, own.last)
        ? { verdict: 'wrong', how: 'even gaps came back uneven', difference }
        : { verdict: 'blank lines', how: 'it came from one kind of gap into another', difference }
    }
    if (own.indent !== near.indent && sameButIndent(result, text))
      return byNature('its neighbour is indented otherwise')
    if (!(own.ownLines && near.ownLines) && sameButBlanks(result, text))
      return byNature('its neighbour shares a line with others')
    if (sameButLineEnds(result, text)) return byNature(twoLineEnds)
    if (structureText(other, neighbour) !== structureText(outline, before))
      return byNature('its neighbour takes in what follows')
    if (outline.errors().length > 0) return byNature(broken)
    return { verdict: 'wrong', how: 'came back elsewhere', difference }
  })
}

/** Whether there is one number of blank lines above the neighbour, between the two and below. */
function areEven({ source }: Outline, neighbour: number, first: number, last: number): boolean {
  const gaps = [gapAbove(source, neighbour), gapAbove(source, first), gapBelow(source, last)]
  return new Set(gaps.filter(({ line }) => line !== null).map(({ blankLines }) => blankLines)).size === 1
}

/** Only spaces, the comma and a comment after it are between neighbours. */
function areNeighbours(outline: Outline, before: Structure | undefined, after: Structure | undefined): boolean {
  if (before === undefined || after === undefined) return false
  const { suffix, comma } = layoutOf(outline, before)
  const text = outline.source.text.slice(before.end, after.start)
  const between = comma === null ? text : text.replace(suffix, '')
  return before.listed === after.listed && between.replace(before.listed ? ',' : '', '').trim() === ''
}

/** Branches of a statement have an order that is meaning. */
const isClause = ({ kind }: Structure): boolean => ['else', 'catch', 'finally', 'case'].includes(kind)

const twoLineEnds = 'the file has two kinds of line ends, and what is written gets the one that most lines have'

/** Only where the file itself has both. */
const sameButLineEnds = (result: string, text: string): boolean =>
  /[^\r]\n/.test(text) && text.includes('\r\n') && sameButBlankLines(withLineFeeds(result), withLineFeeds(text))

const withLineFeeds = (text: string): string => text.replaceAll('\r\n', '\n')

const sameButBlankLines = (a: string, b: string): boolean => withoutBlankLines(a) === withoutBlankLines(b)

const withoutBlankLines = (text: string): string =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .join('\n')

const withEmptyLines = (text: string): string => text.replace(/^[ \t]+$/gm, '')

const sameButIndent = (a: string, b: string): boolean => withoutIndent(a) === withoutIndent(b)

const withoutIndent = (text: string): string => withoutBlankLines(text).replace(/^[ \t]+/gm, '')

const sameButBlanks = (a: string, b: string): boolean => a.replace(/\s+/g, '') === b.replace(/\s+/g, '')

export function differenceOf(expected: string, actual: string): string {
  let at = 0
  while (at < expected.length && expected[at] === actual[at]) at++
  const show = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 60), at + 60))
  return `expected ${show(expected)}, got ${show(actual)}`
}

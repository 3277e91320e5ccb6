import { SLASH, UNDERSCORE } from '../../core/character-codes.ts'
import { type BlockName, blockNames, type Held, type TaskName, taskNames, tasks } from '../../core/cml-tasks.ts'
import type { Finding } from '../../core/diagnostic.ts'
import { endsLine, isSpace } from '../../core/source.ts'

/** Where an element of CML opens, and what only looks like it. The grammar is in `cml.ts`. */

/** What is in an element of this name. */
export const heldContent = (name: BlockName): Held | 'tasks' => (name === 'tasks' ? 'tasks' : tasks[name].holds)
export const namesHolding = (held: Held): readonly TaskName[] => taskNames.filter((name) => tasks[name].holds === held)

/** The elements in `<edit>`. */
export const partNames = ['search', 'search-start', 'search-end', 'replace'] as const
export type PartName = (typeof partNames)[number]

export const CDATA = '<![CDATA['

/**
 * The element of ours that opens at `at`, which is a `<`. Prose has words in angle brackets too, `<write about it>` or
 * `<run> starts a command`: what opens a block has an attribute, closes itself, or is followed by what it may hold.
 */
export function elementOpeningAt(text: string, at: number): BlockName | undefined {
  const name = nameAt(text, at)
  if (name === undefined) return undefined
  const after = at + 1 + name.length
  const next = skipSpaces(text, after)
  const c = text.charCodeAt(next)
  if (c === SLASH) return text.charCodeAt(next + 1) === GT ? name : undefined
  if (c === GT) return holdsOurs(text, name, next + 1) ? name : undefined
  attribute.lastIndex = next
  return next > after && attribute.test(text) ? name : undefined
}

export function skipSpaces(text: string, at: number): number {
  let i = at
  while (isSpace(text.charCodeAt(i))) i++
  return i
}

/** Whether `name` is at `at` as the whole name of a tag. */
export function isNamed(text: string, at: number, name: string): boolean {
  if (!text.startsWith(name, at)) return false
  const c = text.charCodeAt(at + name.length)
  return c === GT || c === SLASH || isSpace(c)
}

export const isNameStart = (c: number): boolean =>
  (c >= 97 && c <= 122) || (c >= 65 && c <= 90) || c === UNDERSCORE || c === COLON || c >= 0xc0

const attribute = /[A-Za-z_:][\w:.-]*\s*=/y

function nameAt(text: string, at: number): BlockName | undefined {
  return blockNames.find((name) => isNamed(text, at + 1, name))
}

/** Whether a tag without attributes is followed by what an element of this name holds. Looks no further than the next `<`. */
function holdsOurs(text: string, name: BlockName, at: number): boolean {
  const next = text.indexOf('<', at)
  if (next === -1) return false
  if (text.charCodeAt(next + 1) === SLASH && isNamed(text, next + 2, name)) return true
  const direct = skipSpaces(text, at) === next
  if (text.startsWith(CDATA, next)) return direct || heldContent(name) === 'text'
  // A tag with a line of its own is no part of a sentence, even where prose follows.
  if (name === 'tasks') return (direct || endsLine(text, at)) && beginsMember(text, next)
  if (!direct) return false
  if (text.startsWith('!--', next + 1)) return true
  return name === 'edit' && (text.startsWith('search', next + 1) || text.startsWith('replace', next + 1))
}

function beginsMember(text: string, at: number): boolean {
  const name = nameAt(text, at)
  if (name === undefined) return /[\p{L}_:!?]/u.test(text.charAt(at + 1))
  return name === 'tasks' || elementOpeningAt(text, at) !== undefined
}

const COLON = 58
const GT = 62

/**
 * Where one of our own elements opens its CDATA inside CDATA and `]]&gt;` does not follow; -1 when there is none.
 * Models document this very language and forget to escape: the first `]]>` is then that of the example, and what
 * follows it would be read as blocks.
 */
export function findInnerOpening(text: string, from: number, to: number): number {
  // From `<` to `<`, which is faster than a search for something longer.
  let first = text.indexOf('<', from)
  while (first !== -1 && first < to && !text.startsWith(CDATA, first)) first = text.indexOf('<', first + 1)
  if (first === -1 || first >= to) return -1
  const inner = text.lastIndexOf(CDATA, to)
  if (text.slice(inner, to).includes(ESCAPED)) return -1
  return ownTag.test(text.slice(Math.max(from, inner - 500), inner)) ? inner : -1
}

const ESCAPED = ']]&gt;'
const ownTag = new RegExp(String.raw`<(?:${[...namesHolding('text'), ...partNames].join('|')})(?:\s[^<>]*)?>\s*$`)

/** Where CDATA ends if every opening inside it is meant to have an end of its own; -1 when the text ends first. */
export function findBalancedEnd(text: string, from: number): number {
  const mark = /<!\[CDATA\[|\]\](?:>|&gt;)/g
  mark.lastIndex = from
  let level = 1
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    if (found[0] === CDATA) level++
    else if (found[0] !== ESCAPED || level > 1) level--
    if (level === 0) return found.index
  }
  return -1
}

/** A finding at an offset of the text. */
export type CmlFinding = Finding & { readonly at: number }

/** The text between `<![CDATA[` and `]]>`. */
export interface CdataSection {
  readonly from: number
  readonly to: number
}

/** A tag, CDATA or stray text of an element. */
export interface ElementPart {
  readonly at: number
  /** After a tag; of stray text only the beginning counts. */
  readonly end: number
  readonly section?: CdataSection
}

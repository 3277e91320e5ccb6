import type { DamageKind } from '../core/diagnostic.ts'
import { blockNames } from '../core/cml-tasks.ts'
import { type CharacterKind, characterClass, plainCharacter } from './characters.ts'

/**
 * What chat programs, browsers and word processors do to text, each as the token it leaves and what was
 * there before. Quotation marks and indentation before every line are undone in `syntax/repair.ts`.
 */
interface Damage {
  readonly kind: DamageKind
  /** To follow "read through". */
  readonly words: string
  readonly token: RegExp
  /** `dash` is how many hyphens a long dash replaces. */
  undo(token: string, dash: number): string
}

const anyOf = (...kinds: readonly CharacterKind[]): RegExp => new RegExp(`[${characterClass(...kinds)}]`, 'g')

/** In the order in which they are undone: the text of an entity may itself be damage. */
const damages: readonly Damage[] = [
  {
    kind: 'entities',
    words: 'HTML entities',
    token: /&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|lt|gt|amp|quot|apos|nbsp|[lr][sd]?quo|[mn]dash|hellip|shy);/g,
    undo: (token) => decodeEntity(token.slice(1, -1)),
  },
  { kind: 'escapes', words: 'backslashes of markdown', token: /\\[!-/:-@[-`{-~]/g, undo: (token) => token.slice(1) },
  {
    kind: 'punctuation',
    words: 'typographic punctuation',
    token: anyOf('quote', 'dash', 'dots', 'angle'),
    undo: typedCharacters,
  },
  {
    kind: 'spaces',
    words: 'no-break spaces',
    token: anyOf('space'),
    undo: () => ' ',
  },
  {
    kind: 'invisible',
    words: 'invisible characters',
    token: anyOf('invisible'),
    undo: () => '',
  },
  { kind: 'breaks', words: 'two spaces at the end of every line', token: / {2}$/gm, undo: () => '' },
]

/** A text without any of these is as it was written. */
const suspicious = new RegExp(`[${characterClass('space', 'quote', 'dash', 'dots', 'angle', 'invisible')}&\\\\]`)

/** Whether a text may show damage of any kind. */
export const mayShowDamage = (text: string): boolean => suspicious.test(text) || text.includes('  ')

export function findDamageKinds(text: string): DamageKind[] {
  if (!mayShowDamage(text)) return []
  return damages.filter(({ token }) => text.search(token) !== -1).map(({ kind }) => kind)
}

export const showsDamage = (text: string, kind: DamageKind): boolean => text.search(damageOf(kind).token) !== -1

export const tokensOfKind = (text: string, kind: DamageKind): readonly string[] =>
  text.match(damageOf(kind).token) ?? []

/** What a long dash may replace, the likeliest first. */
export const dashes: readonly number[] = [3, 2, 1]

export function removeDamage(text: string, kinds: readonly DamageKind[], dash = 3): string {
  let plain = text
  for (const { kind, token, undo } of damages) {
    if (kinds.includes(kind)) plain = plain.replace(token, (found) => undo(found, dash))
  }
  return plain
}

/** Whether a text has typographic quotes, dashes or dots of which another one has none: perhaps they are meant. */
export const hasOtherMarks = (text: string, old: string): boolean =>
  marks.some((mark) => mark.test(text) && !mark.test(old))

const marks: readonly RegExp[] = ([['quote', 'angle'], ['dash'], ['dots']] as const).map(
  (kinds) => new RegExp(`[${characterClass(...kinds)}]`),
)

/** A line as it reads when it is a marker, without the whitespace around it. */
export function toPlainMarker(line: string): string {
  return (suspicious.test(line) ? removeDamage(line, markerKinds) : line).trim()
}

/**
 * A line without the colours of a terminal, and with plain characters for the full-width ones of Chinese and Japanese keyboards.
 * Only to find markers: whether a content with the same was meant so cannot be told, and nothing is executed by it.
 */
export const stripDisguise = (line: string): string =>
  line.replace(COLOUR, '').replace(FULL_WIDTH, (char) => String.fromCharCode(char.charCodeAt(0) - 0xfee0))

/** Text fields leave the control character out. */
const COLOUR = /\p{Cc}\[[\d;:]*[mK]|\[\d{1,3}(?:;\d{1,3})*m/gu
const FULL_WIDTH = /[\uff01-\uff5e]/g

/** Whitespace of any kind, and invisible characters. Not by one pattern, which would take quadratic time on a long run. */
export function withoutOuterSpaces(text: string): string {
  let from = 0
  let to = text.length
  while (from < to && outerBlank.test(text.charAt(from))) from++
  while (to > from && outerBlank.test(text.charAt(to - 1))) to--
  return text.slice(from, to)
}

const outerBlank = new RegExp(`[\\s${characterClass('invisible')}]`)

const markerKinds: readonly DamageKind[] = ['invisible', 'entities', 'escapes', 'punctuation', 'spaces']

export const damageWords = (kinds: readonly DamageKind[]): string =>
  damages
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ words }) => words)
    .join(' and ')

/**
 * The characters that a text has as entities or after a backslash, and those that it has as they are. A
 * program that escapes a character escapes it everywhere.
 */
export function findEscaped(
  text: string,
  kinds: readonly DamageKind[] = ['entities', 'escapes'],
): { escaped: ReadonlySet<string>; plain: ReadonlySet<string> } {
  const escaped = new Set<string>()
  let rest = text
  for (const kind of kinds) {
    const { token, undo } = damageOf(kind)
    rest = rest.replace(token, (found) => {
      escaped.add(undo(found, 1))
      return ' '
    })
  }
  return { escaped, plain: new Set(rest.match(/[!-/:-@[-`{-~]/g)) }
}

function damageOf(kind: DamageKind): Damage {
  const damage = damages.find((one) => one.kind === kind)
  if (damage === undefined) throw new Error(`no damage of the kind ${kind}`)
  return damage
}

function decodeEntity(name: string): string {
  if (!name.startsWith('#')) return named.get(name) ?? `&${name};`
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : `&${name};`
}

const named: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
  // A program that writes it had a space before.
  ['nbsp', ' '],
  ['shy', '\xad'],
  ['lsquo', '\u2018'],
  ['rsquo', '\u2019'],
  ['ldquo', '\u201c'],
  ['rdquo', '\u201d'],
  ['laquo', '\xab'],
  ['raquo', '\xbb'],
  ['ndash', '\u2013'],
  ['mdash', '\u2014'],
  ['hellip', '\u2026'],
])

/** The characters that were typed before a program made one of them. A long dash replaces two or three hyphens. */
function typedCharacters(char: string, dash: number): string {
  if (char === '\u2014' || char === '\u2015') return '-'.repeat(dash)
  return char === '\u2012' || char === '\u2013' ? '-'.repeat(Math.max(1, dash - 1)) : plainCharacter(char)
}

export const damageWarning = (what: string, kinds: readonly DamageKind[]): string =>
  `${what} matched only after undoing paste damage (${damageWords(kinds)}) [characters]; the same repair was applied to new_text`

/**
 * Whether a line seems to begin or end a block of any syntax, by fewer signs than a reader needs. Indentation, quotation marks
 * and damage do not hide a marker; but tags that are indented must look more like a block, for pages have tags too.
 */
export function isMarker(line: string, next: string | undefined): boolean {
  if (!mayMark.test(line)) return false
  if (markers.test(line) || tags.test(line)) return true
  const plain = toPlainMarker(line).replace(/^[\s>]+/, '')
  return markers.test(plain) || fullTags.test(plain) || (plain.startsWith('--- ') && /^[\s>]*\+\+\+ /.test(next ?? ''))
}

/** Whether it is worth looking: most lines have none of this before their first letter. */
const mayMark = /^[^A-Za-z]*[#<>&*\\\ufe64\uff03\uff1c\u2039\u276e]|--- |diff --git /

const markers = new RegExp(
  `^(?:${[
    '#!\\s*(?:END_)?(?:SHAM|NESL|end_)',
    '<-{2,3}\\s*/?[A-Z]',
    '<<<[A-Z]+>>>',
    '<{5,9} ?(?:SEARCH|ORIGINAL|HEAD)\\b',
    '>{5,9} ?(?:REPLACE|UPDATED)\\b',
    '\\*\\*\\* (?:Begin|End) Patch',
    '\\*\\*\\* (?:Add|Update|Delete) File:',
    'diff --git ',
    '<(?:write_to_file|replace_in_file|apply_diff|insert_content|str_replace_editor|create_file|edit_file)>',
  ].join('|')})`,
  'i',
)
const elements = blockNames.join('|')
const tags = new RegExp(String.raw`^</?(?:${elements})\b`, 'i')
const fullTags = new RegExp(String.raw`^<(?:${elements})(?:\s+[\w-]+\s*=|\s*>\s*(?:<!\[CDATA\[|$))`, 'i')

/**
 * The characters that programs put in the place of plain ones: what each is read as when texts are compared, when paste
 * damage is undone and when a difference is explained. Nothing else in the program lists such characters; what is spelled
 * out to people is in `spell-out.ts`.
 */
interface CharacterRow {
  readonly kind: CharacterKind
  /** What was typed, or what the character stands for. */
  readonly plain: string
  /** As in a character class. */
  readonly members: string
}

/** `angle`: a word processor makes guillemets of `<<`, but French text has them too, so only markers are read so. */
export type CharacterKind = 'space' | 'quote' | 'dash' | 'dots' | 'angle' | 'invisible'

const rows: readonly CharacterRow[] = [
  { kind: 'quote', plain: "'", members: '\\u2018-\\u201b\\u2032' },
  { kind: 'quote', plain: '"', members: '\\u201c-\\u201f\\u2033' },
  { kind: 'dash', plain: '-', members: '\\u2010-\\u2015\\u2212\\ufe58\\ufe63\\uff0d' },
  { kind: 'dots', plain: '...', members: '\\u2026' },
  { kind: 'space', plain: ' ', members: '\\xa0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000' },
  { kind: 'angle', plain: '<<', members: '\\xab' },
  { kind: 'angle', plain: '>>', members: '\\xbb' },
  {
    kind: 'invisible',
    plain: '',
    members: '\\xad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2064\\u2066-\\u2069\\ufeff',
  },
]

/** The characters of some kinds, as they are written in a character class of a regular expression. */
export const characterClass = (...kinds: readonly CharacterKind[]): string =>
  rows.flatMap(({ kind, members }) => (kinds.includes(kind) ? [members] : [])).join('')

const BEYOND_ASCII = /[\x80-\uffff]/
const patterns = rows.map((row) => ({ ...row, pattern: new RegExp(`[${row.members}]`) }))

/** The first kind of the table that a text has a character of. */
export const findCharacterKind = (text: string): CharacterKind | undefined =>
  BEYOND_ASCII.test(text) ? patterns.find(({ pattern }) => pattern.test(text))?.kind : undefined

/** What a character stands for; itself where it is in no row. */
export const plainCharacter = (char: string): string =>
  patterns.find(({ pattern }) => pattern.test(char))?.plain ?? char

const replacements = rows.flatMap(({ kind, plain, members }) =>
  kind === 'angle' ? [] : [{ kind, plain, pattern: new RegExp(`[${members}]`, 'g') }],
)

/** Plain punctuation and spaces for typographic ones, accents composed; what cannot be seen is left out. */
export const foldText = (text: string): string =>
  BEYOND_ASCII.test(text) ? foldKinds(text.normalize('NFC'), ['space', 'quote', 'dash', 'dots', 'invisible']) : text

/** The same for characters of some kinds only. */
export function foldKinds(text: string, kinds: readonly CharacterKind[]): string {
  if (!BEYOND_ASCII.test(text)) return text
  let folded = text
  for (const { kind, plain, pattern } of replacements) if (kinds.includes(kind)) folded = folded.replace(pattern, plain)
  return folded
}

/** Straight quotes and hyphens for typographic ones. */
export const straighten = (text: string): string => foldKinds(text, ['quote', 'dash'])

// Control characters are invisible as well.
const SPACES = new RegExp(`[\\x00-\\x20\\x7f\\u2028\\u2029${characterClass('space', 'invisible')}]+`, 'g')

/** A text without its whitespace, quotes and hyphens straight. */
export const squeeze = (text: string): string => straighten(text).replace(SPACES, '')

/** A text in one line: trimmed, and each run of whitespace as one space. */
export const collapse = (text: string): string => straighten(text).replace(SPACES, ' ').trim()

/** What `squeeze` makes of one UTF-16 code; 0 for whitespace. By a table, because whole files are read through it. */
export function plainCode(code: number): number {
  if (code <= 0x20 || code === 0x7f) return 0
  if (code < 0x80) return code
  plainCodes ??= foldedCodes()
  return plainCodes.get(code) ?? code
}

let plainCodes: ReadonlyMap<number, number> | undefined

function foldedCodes(): Map<number, number> {
  const folded = new Map<number, number>()
  for (let code = 0x80; code < 0x10000; code++) {
    const char = String.fromCharCode(code)
    if (!FOLDED.test(char)) continue
    folded.set(code, squeeze(char).charCodeAt(0) || 0)
  }
  return folded
}

const FOLDED = new RegExp(`[\\u2028\\u2029${characterClass('space', 'invisible', 'quote', 'dash')}]`)

/** The codes of a text without its whitespace. */
export function squeezedCodes(text: string): Uint16Array {
  const codes = new Uint16Array(text.length)
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const code = plainCode(text.charCodeAt(at))
    if (code !== 0) codes[count++] = code
  }
  return codes.subarray(0, count)
}

/** Whether a text is so short and simple that its letters may follow one another across whitespace by chance. */
export const isShortWord = (text: string): boolean => text.length < 16 && /^[\p{L}\p{N}_]+$/u.test(text)

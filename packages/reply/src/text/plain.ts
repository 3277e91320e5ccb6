/**
 * Characters as they count when two texts are compared loosely: 0 for whitespace and invisible characters,
 * straight quotes and hyphens for typographic ones, anything else as it is.
 */
export function plainCode(code: number): number {
  if (code <= 0x20 || code === 0x7f) return 0
  if (code < 0xa0) return code
  if (code < 0x2000) return code === 0xa0 || code === 0xad || code === 0x1680 ? 0 : code
  if (code > 0x2060) return code === 0x3000 || code === 0xfeff ? 0 : code
  if (code <= 0x200d || code === 0x2028 || code === 0x2029 || code === 0x202f || code >= 0x205f) return 0
  if (code >= 0x2010 && code <= 0x2015) return HYPHEN
  if (code >= 0x2018 && code <= 0x201b) return APOSTROPHE
  if (code >= 0x201c && code <= 0x201f) return QUOTE
  return code
}

const HYPHEN = 0x2d
const APOSTROPHE = 0x27
const QUOTE = 0x22

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

/** A text without its whitespace. */
export function squeezed(text: string): string {
  return straight(text).replace(SPACES, '')
}

/** A text in one line: trimmed, and each run of whitespace as one space. */
export function collapsed(text: string): string {
  return straight(text).replace(SPACES, ' ').trim()
}

/** Straight quotes and hyphens for typographic ones. */
export function straight(text: string): string {
  return ODD.test(text)
    ? text.replace(/[\u2010-\u2015\u2018-\u201f]/g, (char) => String.fromCharCode(plainCode(char.charCodeAt(0))))
    : text
}

/** Whether a text is so short and simple that its letters may follow one another across whitespace by chance. */
export function isShortWord(text: string): boolean {
  return text.length < 16 && /^[\p{L}\p{N}_]+$/u.test(text)
}

const ODD = /[\u2010-\u201f]/
// The whitespace of plainCode, with control characters, which are invisible.
// oxlint-disable-next-line no-control-regex
const SPACES = /[\x00-\x20\x7f\xa0\xad\u1680\u2000-\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]+/g

/**
 * Characters that make a text read otherwise than it is: those that turn the reading direction, and those that no one
 * sees. Joiners and marks are part of how some languages and emoji are written, so they count only beside ASCII letters.
 */
export interface Hidden {
  readonly line: number
  /** The character by its code and name. */
  readonly what: string
}

export function hiddenIn(text: string): Hidden[] {
  if (!hidden.test(text)) return []
  return text.split('\n').flatMap((line, index) =>
    [...line.matchAll(hiddenOnes)].flatMap((match) => {
      const [char] = match
      // A byte order mark at the very beginning is one.
      if (char === '\ufeff' && index === 0 && match.index === 0) return []
      return [{ line: index + 1, what: shown(char) }]
    }),
  )
}

/** One sentence about the characters in a text; undefined where there are none. */
export function hiddenWarning(name: string, text: string, known = ''): string | undefined {
  const found = hiddenIn(text).filter(({ what }) => !hiddenIn(known).some((one) => one.what === what))
  const [first] = found
  if (first === undefined) return undefined
  const more = found.length === 1 ? '' : ` and ${found.length - 1} more such characters`
  return `line ${first.line} of ${name} has ${first.what}${more}: the text is not what it looks like. Check it before you use it`
}

const always = '\\u202a-\\u202e\\u2066-\\u2069\\u200b\\u2060-\\u2064\\ufeff\\u00ad\\u180e\\u{e0000}-\\u{e007f}'
const besideAscii = '(?<=[\\w.])[\\u200c-\\u200f\\u061c]|[\\u200c-\\u200f\\u061c](?=[\\w.])'
const hidden = new RegExp(`[${always}]|${besideAscii}`, 'u')
const hiddenOnes = new RegExp(hidden.source, 'gu')

const shown = (char: string): string => {
  const code = char.codePointAt(0) ?? 0
  const kind = code >= 0xe0000 ? 'a tag character' : (names[code] ?? 'an invisible character')
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')} (${kind})`
}

const names: Readonly<Record<number, string>> = {
  0x00ad: 'soft hyphen',
  0x061c: 'Arabic letter mark',
  0x200b: 'zero-width space',
  0x200c: 'zero-width non-joiner',
  0x200d: 'zero-width joiner',
  0x200e: 'left-to-right mark',
  0x200f: 'right-to-left mark',
  0x202a: 'left-to-right embedding',
  0x202b: 'right-to-left embedding',
  0x202c: 'pop directional formatting',
  0x202d: 'left-to-right override',
  0x202e: 'right-to-left override',
  0x2060: 'word joiner',
  0x2066: 'left-to-right isolate',
  0x2067: 'right-to-left isolate',
  0x2068: 'first strong isolate',
  0x2069: 'pop directional isolate',
  0xfeff: 'zero-width no-break space',
}

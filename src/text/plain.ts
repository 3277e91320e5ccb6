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

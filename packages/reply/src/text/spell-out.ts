/**
 * The characters that make a text read otherwise than it is: control characters, those that turn the reading direction,
 * and those that nobody sees. People and models are shown them by their code, wherever text from a reply, a file or a
 * program is shown: reviews, questions, diffs, warnings, reports, the page, the extension. Terminals act on some of them:
 * U+009B begins an escape sequence as ESC [ does.
 */
const SUSPECT = /[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800\ufff9-\ufffb]/u
const EACH_SUSPECT = new RegExp(SUSPECT.source, 'gu')

/** Line breaks and tabs are seen by what they do; a lone CR lets a terminal overwrite the line. */
const LAYOUT = /[\t\n]|\r(?=\n)/uy

/** How writing systems and emoji use such characters; there they are text like any other. */
function ordinaryUses(): readonly RegExp[] {
  const joining =
    'Arabic Syriac Nko Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Tibetan'
      .split(' ')
      .map((script) => `\\p{Script=${script}}`)
      .join('')
  return [
    /(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier})[\ufe0e\ufe0f]/uy,
    /(?<=[0-9#*])\ufe0f(?=\u20e3)/uy,
    /(?<=(?:\p{Extended_Pictographic}|\p{Emoji_Modifier})\ufe0f?)\u200d(?=\p{Extended_Pictographic})/uy,
    // Flags of England, Scotland, Wales: a black flag, up to six tags, and the one that ends them.
    /(?<=\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{0,5})[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]/uy,
    /(?<=\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{2,6})\u{e007f}/uy,
    /(?<=\p{Script=Han})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]/uy,
    /(?<=\p{Script=Mongolian})[\u180b-\u180d\u180f]/uy,
    /(?<=[\u2801-\u28ff])\u2800|\u2800(?=[\u2801-\u28ff])/uy,
    new RegExp(`(?<=[${joining}])[\\u200c\\u200d]`, 'uy'),
    /(?<=[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}][^\w.]?)[\u200e\u200f\u061c](?![\w.])/uy,
    /(?<![\w.])[\u200e\u200f\u061c](?=[^\w.]?[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}])/uy,
  ]
}

/** Made when it is needed: the tables for \p{…} would cost every start a millisecond. */
let known: readonly RegExp[] | undefined

function isOrdinary(text: string, at: number): boolean {
  const isAt = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    return pattern.test(text)
  }
  return isAt(LAYOUT) || (known ??= ordinaryUses()).some(isAt)
}

/** A text with such characters by their code. */
export const spellOut = (text: string): string =>
  SUSPECT.test(text)
    ? text.replace(EACH_SUSPECT, (char, at: number) => (isOrdinary(text, at) ? char : byCode(char)))
    : text

/** The same with line breaks spelled out too, for what must not look like several lines. */
export const spellOutLine = (text: string): string =>
  spellOut(text.replace(/[\r\n]/g, (char) => (char === '\n' ? '\\n' : '\\r')))

function byCode(char: string): string {
  const code = (char.codePointAt(0) ?? 0).toString(16)
  if (code.length > 4) return `\\u{${code}}`
  return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`
}

/** A JSON text in which such characters are escaped: it means the same and does nothing to a terminal. */
export const escapeJson = (json: string): string =>
  json.replace(EACH_SUSPECT, (char, at: number) =>
    char === '\n' || isOrdinary(json, at)
      ? char
      : Array.from({ length: char.length }, (_, unit) => jsonEscape(char.charCodeAt(unit))).join(''),
  )

const jsonEscape = (code: number): string => `\\u${code.toString(16).padStart(4, '0')}`

export interface HiddenCharacter {
  readonly line: number
  /** The character by its code and name. */
  readonly what: string
}

/** What a text would hide from who reads it. A byte order mark at the very beginning is one, and form feeds divide pages. */
export function findHidden(text: string): HiddenCharacter[] {
  if (!SUSPECT.test(text)) return []
  return text.split('\n').flatMap((line, index) =>
    [...line.matchAll(EACH_SUSPECT)].flatMap(({ 0: char, index: at }) => {
      if ((char === '\ufeff' && index === 0 && at === 0) || '\r\f\v'.includes(char) || isOrdinary(line, at)) return []
      return [{ line: index + 1, what: describeCharacter(char) }]
    }),
  )
}

/** One sentence about the characters in a text; undefined where there are none but those of `known`. */
export function hiddenWarning(name: string, text: string, known = ''): string | undefined {
  const before = new Set(findHidden(known).map(({ what }) => what))
  const found = findHidden(text).filter(({ what }) => !before.has(what))
  const [first] = found
  if (first === undefined) return undefined
  const more = found.length === 1 ? '' : ` and ${found.length - 1} more such characters`
  return `line ${first.line} of ${name} has ${first.what}${more}: the text is not what it looks like. Check it before you use it`
}

/** `U+202E`. */
export const codePointName = (char: string): string =>
  `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`

/** The first character that a name or a command may not have, because who reads it would not see it. */
export function findFirstHidden(text: string): { readonly char: string; readonly at: number } | undefined {
  if (!SUSPECT.test(text)) return undefined
  const found = [...text.matchAll(EACH_SUSPECT)].find(({ index }) => !isOrdinary(text, index))
  return found && { char: found[0], at: found.index }
}

const describeCharacter = (char: string): string => `${codePointName(char)} (${kindName(char.codePointAt(0) ?? 0)})`

function kindName(code: number): string {
  const name = names[code]
  if (name !== undefined) return name
  if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return 'control character'
  if (code >= 0xd800 && code <= 0xdfff) return 'half of a character'
  if ((code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef)) return 'variation selector'
  return code >= 0xe0000 && code <= 0xe007f ? 'a tag character' : 'an invisible character'
}

const names: Readonly<Record<number, string>> = {
  0x001b: 'escape',
  0x009b: 'control sequence introducer',
  0x00ad: 'soft hyphen',
  0x034f: 'combining grapheme joiner',
  0x061c: 'Arabic letter mark',
  0x115f: 'Hangul choseong filler',
  0x1160: 'Hangul jungseong filler',
  0x17b4: 'Khmer inherent vowel',
  0x17b5: 'Khmer inherent vowel',
  0x180e: 'Mongolian vowel separator',
  0x200b: 'zero-width space',
  0x200c: 'zero-width non-joiner',
  0x200d: 'zero-width joiner',
  0x200e: 'left-to-right mark',
  0x200f: 'right-to-left mark',
  0x2028: 'line separator',
  0x2029: 'paragraph separator',
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
  0x2800: 'blank braille pattern',
  0x3164: 'Hangul filler',
  0xfeff: 'zero-width no-break space',
  0xffa0: 'halfwidth Hangul filler',
}

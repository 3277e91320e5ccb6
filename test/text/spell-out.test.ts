import { describe, expect, it } from 'vitest'
import { escapeJson, findHidden, findFirstHidden, spellOut, spellOutLine } from '@clada/reply/text/spell-out.ts'

/** Every one of these was once shown as itself in some place. */
const hidden: readonly (readonly [name: string, text: string, shown: string])[] = [
  ['Hangul filler', 'a\u3164b', 'a\\u3164b'],
  ['halfwidth Hangul filler', 'a\uffa0b', 'a\\uffa0b'],
  ['combining grapheme joiner', 'a\u034fb', 'a\\u034fb'],
  ['blank braille', 'a\u2800b', 'a\\u2800b'],
  ['Hangul choseong filler', 'a\u115fb', 'a\\u115fb'],
  ['Khmer inherent vowel', 'a\u17b4b', 'a\\u17b4b'],
  ['tag characters', 'a\u{e0041}b', 'a\\u{e0041}b'],
  ['a variation selector after a letter', 'a\ufe0fb', 'a\\ufe0fb'],
  ['a supplementary variation selector', 'a\u{e0101}b', 'a\\u{e0101}b'],
  ['right-to-left override', 'a\u202eb', 'a\\u202eb'],
  ['an isolate', 'a\u2066b\u2069', 'a\\u2066b\\u2069'],
  ['line separator', 'a\u2028b', 'a\\u2028b'],
  ['paragraph separator', 'a\u2029b', 'a\\u2029b'],
  ['control sequence introducer', 'a\u009b31mb', 'a\\x9b31mb'],
  ['next line', 'a\u0085b', 'a\\x85b'],
  ['escape', 'a\u001b[2Jb', 'a\\x1b[2Jb'],
  ['a lone carriage return', 'safe\revil', 'safe\\x0devil'],
  ['soft hyphen', 'us\u00ader', 'us\\xader'],
  ['a joiner in an ASCII name', 'ad\u200dmin', 'ad\\u200dmin'],
  ['half a character', 'a\ud83d', 'a\\ud83d'],
  [
    'a long text of tags after a flag',
    '\u{1f3f4}\u{e0067}'.concat('\u{e0062}'.repeat(9)),
    `🏴󠁧󠁢󠁢󠁢󠁢󠁢${'\\u{e0062}'.repeat(4)}`,
  ],
]

describe('characters that are spelled out', () => {
  it.each(hidden)('%s', (_, text, shown) => {
    expect(spellOut(text)).toBe(shown)
  })

  it.each(hidden)('%s is found in names, commands and content', (name, text) => {
    expect(findFirstHidden(text)).toBeDefined()
    if (name !== 'a lone carriage return') expect(findHidden(text)).not.toEqual([])
  })

  it.each(hidden)('%s is escaped in JSON, which still means the same', (_, text) => {
    const json = escapeJson(JSON.stringify({ text }, null, 2))
    expect(spellOut(json)).toBe(json)
    expect(JSON.parse(json)).toEqual({ text })
  })

  it.each([
    ['Persian', '\u0645\u06cc\u200c\u0634\u0648\u062f'],
    ['Hindi', '\u0915\u094d\u200d\u0937'],
    ['Hebrew with a mark', '\u05e9\u05dc\u05d5\u05dd!\u200f ok'],
    ['a family', '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}'],
    ['a heart in colour', 'I \u2764\ufe0f it'],
    ['a keycap', '1\ufe0f\u20e3'],
    ['the flag of Wales', '\u{1f3f4}\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}'],
    ['a Han variant', '\u8fbb\u{e0100}'],
    ['braille', '\u2801\u2800\u2803'],
    ['ordinary text', 'naïve – “quoted” …\n\tx\r\n'],
  ])('%s stays as it is written', (_, text) => {
    expect(spellOut(text)).toBe(text)
    expect(findHidden(text)).toEqual([])
  })

  it('line breaks are spelled out where a text must stay on one line', () => {
    expect(spellOutLine('a\r\nb\nc')).toBe('a\\r\\nb\\nc')
  })
})

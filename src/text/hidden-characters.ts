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
  return `line ${first.line} of ${name} has ${first.what}${more}: the text reads otherwise than it is. Look at it before you use it`
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

import { printable } from '../report/content.ts'

/** A command as a person must see it: nothing hidden, nothing that moves the cursor, no spaces that push text away. */
export function visible(command: string): string {
  const shown = printable(command.replace(/[\r\n]/g, (char) => (char === '\n' ? '\\n' : '\\r')))
    .replace(/\p{Default_Ignorable_Code_Point}|[\u2028\u2029\u200b-\u200f\ufeff]/gu, code)
    .replace(/ {4,}/g, (spaces) => ` (${spaces.length} spaces) `)
  // The arrow is ours: it leads from a link to its file.
  const foreign = [...new Set(command.match(/(?!→)\P{ASCII}/gu) ?? [])]
  return foreign.length === 0 ? shown : `${shown}  (not ASCII: ${foreign.slice(0, 8).map(code).join(' ')})`
}

const code = (char: string): string => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`

/** Shows characters that take no room and could hide what a line says. Emoji need some of them, and those stay. */
export const unhidden = (text: string): string => text.replace(hidden, code)

const hidden =
  /[\u00ad\u061c\u115f\u1160\u180e\u200b\u200c\u200e\u200f\u2028\u2029\u2060-\u2064\ufeff\u{e0000}-\u{e007f}]/gu

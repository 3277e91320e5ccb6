import { printable } from '../report/printable.ts'

/** A command as a person must see it: nothing hidden, nothing that moves the cursor, no blanks that push text away. */
export function visible(command: string): string {
  const shown = printable(command.replace(/[\r\n]/g, (char) => (char === '\n' ? '\\n' : '\\r')))
    .replace(/\p{Default_Ignorable_Code_Point}|[\u2028\u2029\u200b-\u200f\ufeff]/gu, code)
    .replace(/ {4,}/g, (blanks) => ` (${blanks.length} blanks) `)
  const foreign = [...new Set(command.match(/\P{ASCII}/gu) ?? [])]
  return foreign.length === 0 ? shown : `${shown}  (not ASCII: ${foreign.slice(0, 8).map(code).join(' ')})`
}

const code = (char: string): string => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`

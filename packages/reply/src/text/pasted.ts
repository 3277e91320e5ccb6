import { withoutBom } from '../core/source.ts'
import type { DamageKind } from '../core/diagnostic.ts'
import { dashes, findEscaped, removeDamage, showsDamage } from './undamage.ts'

/**
 * The damage of copying that a new version of a file seems to have: characters that the file has none of. New text may have
 * them too, such as a dash in a comment; so they must stand in lines of the file, at the beginning of lines, or in place of
 * every such character.
 */
export function findPasteDamage(file: string, given: string): DamageKind[] {
  const text = withoutBom(given)
  const kinds = copied.filter((kind) => showsDamage(text, kind) && !showsDamage(withoutBom(file), kind))
  if (kinds.length === 0) return []
  const lines = new Set(file.split(/\r?\n/).map((line) => line.trimEnd()))
  const rows = text.split(/\r?\n/)
  const isOfFile = (row: string): boolean => dashes.some((dash) => lines.has(removeDamage(row, kinds, dash).trimEnd()))
  return kinds.filter(
    (kind) => rows.some((row) => showsDamage(row, kind) && isOfFile(row)) || replaces(file, text, kind),
  )
}

/** Whether it is the indentation, or stands for characters that the file has and the text has nowhere. */
function replaces(file: string, text: string, kind: DamageKind): boolean {
  if (kind === 'invisible') return false
  if (kind === 'spaces') return /^[ \t]*[\xa0\u2000-\u200a\u202f\u3000]+[ \t\xa0]*\S/m.test(text)
  const { escaped, plain } = findEscaped(text, [kind])
  return [...escaped].some((char) => !plain.has(char) && file.includes(char))
}

const copied: readonly DamageKind[] = ['entities', 'punctuation', 'spaces', 'invisible']

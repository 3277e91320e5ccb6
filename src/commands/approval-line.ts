import path from 'node:path'
import { splitCommand } from '../policy/commands/words.ts'

/**
 * The one spelling under which a command is approved: its words, quoted where they need it, behind the directory
 * it runs in. So an approval for one directory does not hold in another.
 */
export function approvalLine(words: readonly string[], relative: string): string {
  const line = words.map(quoted).join(' ')
  return relative === '' ? line : `cd ${quoted(relative)} && ${line}`
}

const quoted = (word: string): string =>
  /^[\p{L}\p{N}_@%+=:,./^-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

/** The same for a line that a person wrote. */
export function approvalLineOf(
  command: string,
): { line: string; words: readonly string[]; cd: string } | { reason: string } {
  const split = splitCommand(command)
  if (!split.ok) return { reason: split.reason }
  const words = split.line.words.map(({ text }) => text)
  const cd = path.normalize(split.line.cd?.text ?? '.').replace(/\/+$/, '')
  return { line: approvalLine(words, cd === '.' ? '' : cd), words, cd }
}

import path from 'node:path'
import { readOwn, readStats } from './own-files.ts'

/**
 * The list of alternates by which git would read objects elsewhere, by way of other lists too. Git follows the list of every
 * directory that a list names. One that is no regular file is not followed here, so it counts as leading elsewhere, and so does
 * one that is too long. Each list is read once, however many others name its directory.
 */
export function foreignAlternates(objects: string, isElsewhere: (dir: string) => boolean): string | undefined {
  const dirs = new Set([objects])
  for (const dir of dirs) {
    const list = path.join(dir, 'info/alternates')
    const stat = readStats(list)
    if (stat === undefined) continue
    const text = stat.isFile() && stat.size <= mostBytes ? readOwn(list) : undefined
    if (text === undefined) return list
    for (const entry of entriesIn(text)) {
      const next = path.resolve(dir, entry)
      if (dirs.has(next)) continue
      if (dirs.size >= mostDirs || isUnreadable(entry) || isElsewhere(next)) return list
      dirs.add(next)
    }
  }
  return undefined
}

/** No repository has so many by far. */
const mostDirs = 1000
const mostBytes = 1_000_000

/** A path that is longer has no file on any system that git knows. */
export const longestGitPath = 4096

/** Bytes that are not UTF-8 may be the name of a link. */
const isUnreadable = (dir: string): boolean =>
  dir.length > longestGitPath || dir.includes('\ufffd') || dir.includes('\0')

/** As git reads them: one on each line, comments, and names in C quotes, after which the rest of the line is one more. */
export function entriesIn(text: string): string[] {
  const entries: string[] = []
  for (let at = 0; at < text.length;) {
    const quoted = text[at] === '"' ? unquoteEntry(text, at) : undefined
    const end = quoted?.end ?? (text.indexOf('\n', at) === -1 ? text.length : text.indexOf('\n', at))
    if (quoted !== undefined) entries.push(quoted.name)
    else if (text[at] !== '#') entries.push(text.slice(at, end))
    at = end + 1
  }
  return entries.filter((entry) => entry !== '')
}

/** Undefined for broken quoting, which git reads as it is. */
function unquoteEntry(text: string, from: number): { name: string; end: number } | undefined {
  const bytes: Buffer[] = []
  for (let at = from + 1; at < text.length;) {
    const character = text[at]
    if (character === '"') return { name: Buffer.concat(bytes).toString(), end: at + 1 }
    const [escape, octal = '', letter = ''] =
      character === '\\' ? (/^\\(?:([0-3][0-7]{2})|([abfnrtv"\\]))/.exec(text.slice(at, at + 4)) ?? ['']) : []
    if (escape === '') return undefined
    const plain = String.fromCodePoint(text.codePointAt(at) ?? 0)
    if (escape === undefined) bytes.push(Buffer.from(plain))
    else bytes.push(octal === '' ? Buffer.from(escapes[letter] ?? letter) : Buffer.of(Number.parseInt(octal, 8)))
    at += (escape ?? plain).length
  }
  return undefined
}

const escapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

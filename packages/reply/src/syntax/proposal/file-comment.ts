import { Rows } from '../foreign/foreign.ts'
import { readFileName } from '../foreign/name.ts'
import { isFile } from './title.ts'

/** Other files that comments name, each below a blank line, as the first comment names the first. */
export function commentedBelow(rows: Rows, first: string): string[] {
  const paths = new Set<string>()
  for (let line = rows.first + 1; line <= rows.last; line++) {
    if (rows.row(line - 1).trim() !== '') continue
    const path = fileInComment(rows.row(line))
    if (path !== undefined && path !== first && isFile(path)) paths.add(path)
  }
  return [...paths]
}

/** A comment that only names a file, on the first line or below `#!`. A label in it addresses the reader. */
export function firstComment(rows: Rows, language: string): { path: string; isLabel: boolean } | undefined {
  if (rows.first > rows.last) return undefined
  const isBelow = /^(?:#!|<\?php|<!doctype)/i.test(rows.row(rows.first))
  const row = isBelow && rows.first < rows.last ? rows.row(rows.first + 1) : rows.row(rows.first)
  if (/^(?:md|mdx|markdown)$/i.test(language) && row.startsWith('#')) return undefined
  const path = fileInComment(row)
  if (path === undefined || !isFile(path)) return undefined
  return { path, isLabel: !isBelow && /\bfile[ _-]?(?:path|name)?\s*:/i.test(row.replace(path, '')) }
}

/** Whether a line is a comment that names a file and says nothing else. */
export const isFileComment = (line: string, path: string): boolean => fileInComment(line) === path

function fileInComment(row: string): string | undefined {
  if (!COMMENT.test(row)) return undefined
  const comment = row
    .replace(/^\s*\{?\/\*+\s*(.*?)\s*\*\/\}?\s*$/, '// $1')
    .replace(/^\s*["']{3}(.*?)["']{3}\s*$/, '# $1')
  return readFileName(comment) ?? REMARKED.exec(comment)?.[1]
}

/** `// In src/a.ts`, `# src/a.py - the new method`. */
const REMARKED =
  /^\s*(?:\/\/|#|--|;|%|<!--)+\s*(?:in\s+)?`?((?:[\w@.+-]+\/)+[\w@.+-]+\.\w+)`?(?:\s+[-–—:]\s.*|\s*:)?(?:\s*-->)?$/i

const COMMENT = /^\s*(?:\/\/|#(?!!)|<!--|\{?\/\*|--|;|%|["']{3})/

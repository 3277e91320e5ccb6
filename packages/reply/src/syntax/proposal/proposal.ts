import type { Finding } from '../../core/diagnostic.ts'
import type { NotExecutedReason } from '../../core/block.ts'
import { Source } from '../../core/source.ts'
import { foreign, type Found, MarkList, Rows } from '../foreign/foreign.ts'
import { type Fence, fenceAt, fenceEnd, rowAt } from '../fences.ts'
import { lineAbove, nameIn, nameInFence, spokenAbove } from '../foreign/name.ts'
import { SPACE, TAB } from '../reader.ts'
import { hunkOf } from '../search-replace/search-replace.ts'
import type { Syntax } from '../syntax.ts'
import { type Heredoc, heredocsIn, labelledIn, type Pair, pairAt, textsOf } from './pair.ts'
import { isFile, type Title, titleIn } from './title.ts'

/*
 * Whole files in a reply of a model that was not taught a format:
 *
 *   proposal = [ title ] fence { line } fence | "<file path=" quoted ">" { line } "</file>"
 *   title    = the file, see `title.ts`, on the line above the fence, or in a heading a few lines above it
 *   fence    = "```" language [ path | ":" path | "title=" path ]
 *
 * Two fences are an edit where the words above them say which text is old and which is new, see `pair.ts`.
 *
 * A comment on the first line may name the file instead. In a fence of shell commands, `cat > path <<'EOF'` names and
 * holds one. Nothing here says that it is meant, so it is shown before it is written. Not proposed: numbered lines,
 * parts of a file, and what the words above call an example or the old text.
 */

export const proposal = {
  ...foreign({
    name: 'proposal',
    // A fence is a marker only together with a title.
    marks: /(?!)/,
    open(source) {
      const places = new MarkList(() => placesIn(source).filter(({ reason }) => reason === undefined))
      const from = (line: number): Place | undefined => places.marks[places.indexFrom(line)]
      return {
        seek: (line) => from(line)?.line ?? Infinity,
        read(line) {
          const place = from(line)
          return place === undefined ? { found: [], next: line + 1 } : { found: [place.found], next: place.last + 1 }
        },
      }
    },
  }),
  kind: 'proposal',
} as const satisfies Syntax

/** A file in a reply. */
export interface Place {
  readonly line: number
  readonly last: number
  readonly found: Found
  /** Why it is not proposed. */
  readonly reason?: NotExecutedReason
}

/** Every file that a text seems to hold, in order. */
export function placesIn(source: Source): Place[] {
  const places: Place[] = []
  /** Lines above belong to what was found before. */
  let floor = 1
  /** The end of a fence that is read as if it were none. */
  let open = Infinity
  for (let line = 1; line <= source.lineCount; line++) {
    if (source.text.charCodeAt(source.startOf(line)) === QUOTED) {
      const quoted = quotedFrom(source, line)
      places.push(...quoted.places)
      line = quoted.last
      continue
    }
    const fence = line === open ? undefined : fenceAt(source, line)
    const found = fence === undefined ? taggedAt(source, line) : fencedAt(source, line, fence, floor)
    if (found === undefined) continue
    places.push(...found.places)
    if (found.within) {
      open = found.last
      continue
    }
    line = found.last
    floor = line + 1
  }
  return places
}

const QUOTED = 62

/** What lines with `>` before them hold, without it. */
function quotedFrom(source: Source, first: number): Passed {
  const rows: string[] = []
  while (first + rows.length <= source.lineCount && source.line(first + rows.length).startsWith('>')) {
    rows.push(source.line(first + rows.length).replace(/^(?:> ?)+/, ''))
  }
  const shift = first - 1
  const places = rows.length < 3 ? [] : placesIn(new Source(rows.join('\n')))
  return {
    places: places.map(({ line, last, found }) => ({
      line: line + shift,
      last: last + shift,
      found,
      reason: 'quoted',
    })),
    last: shift + rows.length,
  }
}

interface Passed {
  readonly places: readonly Place[]
  readonly last: number
  /** It only holds files in tags. */
  readonly within?: true
}

/** `<file path="src/a.ts">` and its end, each on a line of its own. */
function taggedAt(source: Source, line: number): Passed | undefined {
  let at = source.startOf(line)
  while (source.text.charCodeAt(at) === SPACE || source.text.charCodeAt(at) === TAB) at++
  if (source.text.charCodeAt(at) !== TAG_OPEN) return undefined
  const [, indent = '', tag, attributes = ''] = TAG.exec(rowAt(source, line)) ?? []
  const names = [...attributes.matchAll(NAME)].map(([, name = '']) => name)
  // An artifact has a title, which may be that of its file.
  const isArtifact = tag !== undefined && /^antArtifact$/i.test(tag)
  const path = isArtifact
    ? (names.find(isFile) ?? firstComment(new Rows(source, line + 1, line + 1, ''), '')?.path)
    : names[0]
  if (path === undefined) return undefined
  let end = line + 1
  while (end <= source.lineCount && source.line(end).trim() !== `</${tag}>`) end++
  let [first, last] = [line + 1, end - 1]
  const inner = first <= last ? fenceAt(source, first) : undefined
  if (inner !== undefined && fenceAt(source, last)?.info === '') [first, last] = [first + 1, last - 1]
  else if (source.line(first).trim() === '<![CDATA[' && source.line(last).trim() === ']]>')
    [first, last] = [first + 1, last - 1]
  const place = placeOf(
    source,
    { path, said: 'whole' },
    { line, first, last, end, indent, closed: end <= source.lineCount },
  )
  return { places: [place], last: Math.min(end, source.lineCount) }
}

const TAG_OPEN = 60

/** Also as other tools have it: `<boltAction type="file" filePath="…">`, `<lov-write file_path="…">`. */
const TAG =
  /^([ \t]*)<(file|boltAction|[a-z]+-write|antArtifact|create|create_?file|new_?file|write_?file|code|codeblock|PlandexBlock|proposed_file_replace|augment_code_snippet)(\s[^<>]*[^<>/])>\s*$/i
const NAME = /\s(?:path|name|src|file|file_?path|file_?name|identifier|title)\s*=\s*["']([^"']+)["']/gi

function fencedAt(source: Source, opener: number, fence: Fence, floor: number): Passed {
  const above = titleAbove(source, opener, floor)
  const inInfo = infoTitle(fence)
  const [, language = ''] = /^\{?\.?([\w+#-]*)/.exec(fence.info) ?? []
  const named = inInfo ?? above
  const isMarkdown = /^(?:md|mdx|markdown)$/i.test(language) || /\.mdx?$/i.test(named?.path ?? '')
  const end = fenceEnd(source, opener, fence, isMarkdown)
  const closed = end <= source.lineCount
  const last = Math.min(end, source.lineCount)
  if (/^(?:u?diff|patch)$/i.test(language)) return { places: hunksIn(source, opener, { end, fence }), last }
  if (OTHER.test(language)) return { places: [], last }
  const rows = new Rows(source, opener + 1, end - 1, fence.indent)
  const pair = pairAt(source, opener, fence, floor)
  if (pair !== undefined) return { places: [pairOf(source, pair)], last: Math.min(pair.end, source.lineCount) }
  const labelled = labelledIn(textsOf(rows))
  if (labelled !== undefined) return { places: [pairOf(source, { ...labelled, line: opener, end })], last }
  if (SHELL.test(language) || language === '') {
    const docs = heredocsIn(textsOf(rows))
    if (docs.length > 0) return { places: docs.map((doc) => writtenBy(source, opener + 1, doc)), last }
  }
  if (named === undefined && firstOf(source, opener + 1, end) === '<file')
    return { places: [], last: end, within: true }
  const comment = firstComment(rows, language)
  const title = named ?? (comment && { path: comment.path, said: 'whole' as const })
  // The end of a fence that began above, in a part of the text that is not here.
  if (title === undefined) return { places: [], last: fence.info === '' && isEnd(source, opener, end) ? opener : last }
  const isSession = SHELL.test(language) && !/\.(?:\w*sh|bash|env|command)$|(?:^|\/)[^./]+$/.test(title.path)
  if (isSession || SESSION.test(language)) return { places: [], last }
  const first = comment?.isLabel ? opener + 2 : opener + 1
  const line = inInfo === undefined ? (above?.line ?? opener) : opener
  return { places: [placeOf(source, title, { line, first, last: end - 1, end, indent: fence.indent, closed })], last }
}

const isEnd = (source: Source, opener: number, end: number): boolean => {
  for (let line = opener + 1; line < end; line++) if ((fenceAt(source, line)?.info ?? '') !== '') return true
  return end > source.lineCount
}

const OTHER = /^(?:save|append|tool_code|tool_calls?|mermaid)$/i
const SHELL = /^(?:sh|bash|zsh|shell|fish|powershell|ps1|cmd|bat)$/i
const SESSION = /^(?:console|terminal|shell-?session|shellsession|output|log|tree)$/i

const firstOf = (source: Source, first: number, end: number): string => {
  for (let line = first; line < end; line++) {
    const text = source.line(line).trimStart()
    if (text !== '') return text.startsWith('<file ') ? '<file' : ''
  }
  return ''
}

/** The hunks of a diff that names no file, where the sentence above it does. */
function hunksIn(
  source: Source,
  opener: number,
  { end, fence }: { readonly end: number; readonly fence: Fence },
): Place[] {
  const named = spokenAbove(source, opener)
  const rows = textsOf(new Rows(source, opener + 1, end - 1, fence.indent))
  const isDiff =
    rows.some((row) => /^[-+]/.test(row)) && !rows.some((row) => /^(?:---|\+\+\+) \S|^diff --|^@@@|^[<>]{5}/.test(row))
  if (named === undefined || !isDiff || end > source.lineCount) return []
  const marked = rows.map((row) => (row === '' || /^[-+ @\\]/.test(row) ? row : ` ${row}`)).join('\n')
  const patch = marked.startsWith('@@') ? marked : `@@\n${marked}`
  const { path, line } = named
  const found = {
    ...foundOf(path, { action: 'file_patch', content: '' }, { line, until: end, findings: [] }),
    params: { path, patch },
  }
  const said = titleIn(rowAt(source, line))?.said ?? 'whole'
  return [{ line, last: end, found, ...(said === 'example' ? { reason: 'example' as const } : {}) }]
}

/** An old text that is empty is that of a new file. */
function pairOf(source: Source, { path, line, old, fresh, end }: Pair): Place {
  const until = Math.min(end, source.lineCount)
  const findings = end > source.lineCount ? [unclosed(line)] : []
  const isNew = old.join('').trim() === ''
  const content = fresh.map((row) => `${row}\n`).join('')
  const found = foundOf(path, { action: isNew ? 'file_write' : 'file_patch', content }, { line, until, findings })
  const search = old.map((row) => `${row}\n`).join('')
  const patch = { path, patch: hunkOf({ search, replace: content }) }
  return {
    line,
    last: until,
    found: isNew || findings.length > 0 ? found : { ...found, params: patch },
  }
}

/** `ts src/a.ts`, `ts:src/a.ts`, `ts title="src/a.ts"`; with lines, `12:40:src/a.ts`, it is a part. */
function infoTitle(fence: Fence): Title | undefined {
  // `{3-5}` says which lines a page highlights.
  const info = fence.info.replace(/\s*\{[\d,\s-]+\}$/, '')
  const stated = /(?:^|[\s{,])(?:title|file|filename|filepath|path|name)\s*[=:]\s*["']?([^"'\s}]+)/i.exec(info)?.[1]
  const part = /^(?:\w+:)?\d+:\d+:(\S+)$|^(?:[\w+#-]+[:\s])?(\S+\.\w+)(?::|#L| \()\d+(?:-L?\d+)?\)?$/.exec(info)
  if (part !== null) return { path: part[1] ?? part[2] ?? '', said: 'part' }
  const path = stated ?? nameInFence({ ...fence, info })
  return path !== undefined && isFile(path) ? { path, said: 'whole' } : undefined
}

/** The title of a fence, and the line it is on. */
export function titleAbove(source: Source, opener: number, floor: number): (Title & { line: number }) | undefined {
  const nearest = lineAbove(source, opener, floor)
  if (nearest === undefined) return undefined
  const title = titleIn(rowAt(source, nearest))
  if (title !== undefined) return { ...title, line: nearest }
  let said = 0
  for (let line = nearest; line >= floor && said <= MOST_BETWEEN; line--) {
    const row = rowAt(source, line)
    if (!/^#{1,6}\s/.test(row)) said += Number(row.trim() !== '')
    else {
      const path = nameIn(row)
      return path !== undefined && isFile(path) ? { ...(titleIn(row) ?? { path, said: 'whole' }), line } : undefined
    }
  }
  return undefined
}

/** Lines of text between a heading that names a file and its fence. */
const MOST_BETWEEN = 3

/** A comment that only names a file, on the first line or below `#!`. A label in it addresses the reader. */
function firstComment(rows: Rows, language: string): { path: string; isLabel: boolean } | undefined {
  if (rows.first > rows.last) return undefined
  const isBelow = /^(?:#!|<\?php|<!doctype)/i.test(rows.row(rows.first))
  const row = isBelow && rows.first < rows.last ? rows.row(rows.first + 1) : rows.row(rows.first)
  if (/^(?:md|mdx|markdown)$/i.test(language) && row.startsWith('#')) return undefined
  const path = commented(row)
  if (path === undefined || !isFile(path)) return undefined
  return { path, isLabel: !isBelow && /\bfile[ _-]?(?:path|name)?\s*:/i.test(row.replace(path, '')) }
}

/** Whether a line is a comment that names a file and says nothing else. */
export const namesOnly = (line: string, path: string): boolean => commented(line) === path

function commented(row: string): string | undefined {
  if (!COMMENT.test(row)) return undefined
  return nameIn(
    row.replace(/^\s*\{?\/\*+\s*(.*?)\s*\*\/\}?\s*$/, '// $1').replace(/^\s*["']{3}(.*?)["']{3}\s*$/, '# $1'),
  )
}

const COMMENT = /^\s*(?:\/\/|#(?!!)|<!--|\{?\/\*|--|;|%|["']{3})/

interface Lines {
  /** Where it begins: its title, its fence, its tag. */
  readonly line: number
  /** Its content. */
  readonly first: number
  readonly last: number
  /** The line that closes it. */
  readonly end: number
  readonly indent: string
  readonly closed: boolean
}

function placeOf(source: Source, { path, said }: Title, { line, first, last, end, indent, closed }: Lines): Place {
  const rows = new Rows(source, first, last, indent)
  const texts = textsOf(rows)
  const content = texts.map((text) => `${text}\n`).join('')
  const until = Math.min(end, source.lineCount)
  const reason =
    said === 'example'
      ? 'example'
      : said === 'old'
        ? 'quoted'
        : said === 'part' || isNumbered(texts) || isIndented(texts)
          ? 'listing'
          : undefined
  return {
    line,
    last: until,
    found: foundOf(path, { action: 'file_write', content }, { line, until, findings: closed ? [] : [unclosed(line)] }),
    ...(reason === undefined ? {} : { reason }),
  }
}

function writtenBy(source: Source, top: number, doc: Heredoc): Place {
  const line = top + doc.first
  const until = Math.min(top + doc.end, source.lineCount)
  const action = doc.append ? 'file_append' : 'file_write'
  const content = doc.rows.map((row) => `${row}\n`).join('')
  const findings: readonly Finding[] = doc.isClosed
    ? doc.trouble === undefined
      ? []
      : [{ line, code: 'file-by-shell', data: { unknown: doc.trouble } }]
    : [unclosed(line)]
  const found = foundOf(doc.path, { action, content }, { line, until, findings })
  return { line, last: until, found }
}

const foundOf = (
  path: string,
  { action, content }: { readonly action: string; readonly content: string },
  { line, until, findings }: { readonly line: number; readonly until: number; readonly findings: readonly Finding[] },
): Found => ({
  action,
  params: findings.length > 0 ? { path } : { path, content },
  label: 'proposal',
  startLine: line,
  endLine: findings.some(({ code }) => code === 'file-open') ? null : until,
  lastLine: until,
  findings,
})

/** Whether every line has its number before it, counting up. */
function isNumbered(texts: readonly string[]): boolean {
  let last: number | undefined
  let count = 0
  for (const text of texts) {
    if (text.trim() === '') continue
    const number = /^\s*(\d{1,7})(?:\s*[:|\u2502\u2192]|\t|\s|$)/.exec(text)?.[1]
    if (number === undefined || (last !== undefined && Number(number) <= last)) return false
    last = Number(number)
    count++
  }
  return count >= 2
}

/** Whether every line is indented, as only a part of a file is. */
const isIndented = (texts: readonly string[]): boolean =>
  texts.some((text) => text.trim() !== '') && texts.every((text) => /^\s|^$/.test(text))

const unclosed = (line: number): Finding => ({ code: 'file-open', data: { in: 'other' }, line })

import { TAB, SPACE } from '../../core/character-codes.ts'
import type { Finding } from '../../core/diagnostic.ts'
import type { NotExecutedReason } from '../../core/block.ts'
import { Source, textFrom } from '../../core/source.ts'
import { foreignSyntax, type ForeignBlock, MarkList, Rows } from '../foreign/foreign.ts'
import {
  lastContentLine,
  type Fence,
  fenceAt,
  type FenceRegion,
  isDiffFence,
  lineWithoutBom,
} from '../../regions/fences.ts'
import { isNumbered, Regions } from '../../regions/regions.ts'
import { isWrapper, unwrapWhole } from '../../regions/wrapper.ts'
import { isHeading, findLineAbove, readFileName, readFenceName, findFileInSection } from '../foreign/name.ts'
import { writeHunk } from '../search-replace/search-replace.ts'
import type { Syntax } from '../syntax.ts'
import { holdsEditMarkers, isProgramOutput } from './program-output.ts'
import {
  type Heredoc,
  findHeredocs,
  readFenceContent,
  readLabelledPair,
  type ProposedPair,
  readPair,
  rowTexts,
} from './pair.ts'
import { isFile, isSessionAbout, isShell, type Title, readTitle } from './title.ts'
import { isExplanation, readSentenceTitle } from './sentence-title.ts'

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
  ...foreignSyntax({
    name: 'proposal',
    // A fence is a marker only together with a title.
    marks: /(?!)/,
    open(source) {
      const places = new MarkList(() => findProposedFiles(source).filter(({ reason }) => reason === undefined))
      const from = (line: number): ProposedFile | undefined => places.marks[places.indexFrom(line)]
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
export interface ProposedFile {
  readonly line: number
  readonly last: number
  readonly found: ForeignBlock
  /** Why it is not proposed. */
  readonly reason?: NotExecutedReason
}

/** Every file that a text seems to hold, in order. */
export function findProposedFiles(given: Source): ProposedFile[] {
  const source = unwrapWhole(given)
  const places: ProposedFile[] = []
  const regions = Regions.of(source)
  /** Lines above belong to what was found before. */
  let floor = 1
  /** The end of a fence that is read as if it were none. */
  let open = Infinity
  /** The end of a fence that shows files to a reader, with its fences. */
  let shown = 0
  /** Whether what was said of the file before only explains it: that holds for those directly below it too. */
  let isExplained = false
  for (let line = 1; line <= source.lineCount; line++) {
    if (source.text.charCodeAt(source.startOf(line)) === QUOTED) {
      const quoted = readQuoted(source, line)
      places.push(...quoted.places)
      line = quoted.last
      continue
    }
    const fence = line === open ? undefined : regions.fenceFrom(line)
    const found: ScannedPart | undefined =
      fence === undefined
        ? (readTagged(source, line) ?? readHeading(source, line))
        : readFenced(source, fence, { floor, isExplained })
    if (found === undefined) continue
    places.push(...(line <= shown ? found.places.map(asExample) : found.places))
    isExplained = found.isExplained ?? false
    if (found.within !== undefined) {
      open = found.last
      if (found.within === 'shown') shown = found.last
      continue
    }
    line = found.last
    if (!found.isHeading) floor = line + 1
  }
  const missing = cutOffFile(source, places.at(-1)?.last ?? 0)
  return missing === undefined ? places : [...places, missing]
}

const asExample = (place: ProposedFile): ProposedFile => ({ ...place, reason: place.reason ?? 'example' })

/** A file that the last line of a text names, of which nothing follows: the reply ends before it. */
function cutOffFile(source: Source, before: number): ProposedFile | undefined {
  const regions = Regions.of(source)
  const above = lastWithText(source, source.lineCount)
  // The first of the marks of its fence may be there.
  const line = /^\s*(?:`{1,2}|~{1,2})$/.test(source.line(above)) ? lastWithText(source, above - 1) : above
  if (line <= before || source.text.charCodeAt(source.startOf(line)) === QUOTED) return undefined
  const opener = regions.fenceFrom(line)
  if (opener === undefined ? regions.fenceAround(line) !== undefined : opener.info === '') return undefined
  const named = opener === undefined ? line : findLineAbove(source, line, before + 1)
  if (named === undefined) return undefined
  const row = lineWithoutBom(source, named)
  // Below a file the name of the next one needs no colon. Elsewhere it may be the last of a list.
  const mayBeNext = before > 0 && lastWithText(source, named - 1) === before
  const announces = opener !== undefined || /\w.{0,9}:\W{0,9}$/.test(row) || isHeading(row)
  if (!announces && !mayBeNext) return undefined
  const title = readTitle(row) ?? readSentenceTitle(row)
  if (title === undefined || isNotMissing(title)) return undefined
  if (!announces && readFileName(row) === undefined) return undefined
  const found = proposedBlock(
    title.path,
    { action: 'file_write', content: '' },
    { line: named, last: above, findings: [unclosedFinding(named, title.path)] },
  )
  return { line: named, last: above, found }
}

/** What is shown, and does not change, may be left out. */
const isNotMissing = ({ said }: Title): boolean => said === 'example' || said === 'old' || said === 'lines'

/** The last line up to this one that has text; 0 where there is none. */
function lastWithText(source: Source, line: number): number {
  let above = line
  while (above > 0 && textFrom(source, above) === -1) above--
  return above
}

const QUOTED = 62

/** What lines with `>` before them hold, without it. */
function readQuoted(source: Source, first: number): ScannedPart {
  const rows: string[] = []
  while (first + rows.length <= source.lineCount && source.line(first + rows.length).startsWith('>')) {
    rows.push(source.line(first + rows.length).replace(/^(?:> ?)+/, ''))
  }
  const shift = first - 1
  const places = rows.length < 3 ? [] : findProposedFiles(new Source(rows.join('\n')))
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

interface ScannedPart {
  readonly places: readonly ProposedFile[]
  readonly last: number
  /** It only holds files of its own. `shown`: as examples. */
  readonly within?: 'read' | 'shown' | undefined
  readonly isHeading?: true
  readonly isExplained?: boolean
}

/** Headings that Code Web Chat teaches for what has no text: a deleted and a renamed file. */
function readHeading(source: Source, line: number): ScannedPart | undefined {
  if (source.text.charCodeAt(source.startOf(line)) !== HASH) return undefined
  const [, deleted, from, to] = HEADED.exec(lineWithoutBom(source, line)) ?? []
  const call: Pick<ForeignBlock, 'action' | 'params'> | undefined =
    deleted !== undefined
      ? { action: 'file_delete', params: { path: deleted } }
      : from !== undefined && to !== undefined
        ? { action: 'file_move', params: { old_path: from, new_path: to } }
        : undefined
  if (call === undefined) return undefined
  const found = { ...call, label: 'proposal', startLine: line, endLine: line, lastLine: line, findings: [] }
  // The heading names the file of an edit below it, so the lines from it on stay to be read.
  return { places: [{ line, last: line, found }], last: line, isHeading: true }
}

const HASH = 35
const HEADED =
  /^#{1,6}\s+(?:Deleted file:\s*`([^`\n]+)`|Renamed file:\s*`([^`\n]+)` \(old\)\s*`([^`\n]+)` \(new\))\s*$/i

/** `<file path="src/a.ts">` and its end, each on a line of its own. */
function readTagged(source: Source, line: number): ScannedPart | undefined {
  let at = source.startOf(line)
  while (source.text.charCodeAt(at) === SPACE || source.text.charCodeAt(at) === TAB) at++
  if (source.text.charCodeAt(at) !== TAG_OPEN) return undefined
  const [, indent = '', tag, attributes = ''] = TAG.exec(lineWithoutBom(source, line)) ?? []
  const names = [...attributes.matchAll(NAME)].map(([, name = '']) => name)
  // An artifact has a title, which may be that of its file.
  const isArtifact = tag !== undefined && /^antArtifact$/i.test(tag)
  const path = isArtifact
    ? (names.find(isFile) ?? firstComment(new Rows(source, line + 1, line + 1, ''), '')?.path)
    : names[0]
  if (path === undefined) return undefined
  let end = line + 1
  while (end <= source.lineCount && source.line(end).trim() !== `</${tag}>`) end++
  const last = Math.min(end, source.lineCount)
  let [first, contentLast] = [line + 1, end - 1]
  const inner = first <= contentLast ? fenceAt(source, first) : undefined
  if (inner !== undefined && fenceAt(source, contentLast)?.info === '')
    [first, contentLast] = [first + 1, contentLast - 1]
  else if (source.line(first).trim() === '<![CDATA[' && source.line(contentLast).trim() === ']]>')
    [first, contentLast] = [first + 1, contentLast - 1]
  const place = proposeFence(
    source,
    { path, said: 'whole' },
    { line, first, contentLast, last, indent, isClosed: end <= source.lineCount },
  )
  return { places: [place], last }
}

const TAG_OPEN = 60

/** Also as other tools have it: `<boltAction type="file" filePath="…">`, `<lov-write file_path="…">`. */
const TAG =
  /^([ \t]*)<(file|boltAction|[a-z]+-write|antArtifact|create|create_?file|new_?file|write_?file|code|codeblock|PlandexBlock|proposed_file_replace|augment_code_snippet)(\s[^<>]*[^<>/])>\s*$/i
const NAME = /\s(?:path|name|src|file|file_?path|file_?name|identifier|title)\s*=\s*["']([^"']+)["']/gi

interface ProseBefore {
  /** Lines above belong to what was found before. */
  readonly floor: number
  /** Whether the words above that only explain. */
  readonly isExplained: boolean
}

function readFenced(source: Source, fence: FenceRegion, before: ProseBefore): ScannedPart {
  const { first: opener, last } = fence
  const { floor } = before
  const above = findTitleAbove(source, opener, floor)
  const inInfo = infoTitle(fence)
  const [, language = ''] = /^\{?\.?([\w+#-]*)/.exec(fence.info) ?? []
  const named = inInfo ?? above
  if (isDiffFence(fence)) return { places: proposeHunks(source, fence, floor), last }
  if (OTHER.test(language)) return { places: [], last }
  const rows = readFenceContent(source, fence)
  if (named !== undefined && named.said !== 'lines' && hasDiffMarks(rowTexts(rows), named.path))
    return { places: proposeHunks(source, fence, floor), last }
  const pair = readPair(source, fence, floor)
  if (pair !== undefined) return { places: [proposePair(pair)], last: pair.last }
  const labelled = readLabelledPair(rowTexts(rows))
  if (labelled !== undefined) return { places: [proposePair({ ...labelled, ...fence, line: opener })], last }
  if (isShell(language) || language === '') {
    const docs = findHeredocs(rowTexts(rows))
    if (docs.length > 0) return { places: docs.map((doc) => proposeHeredoc(source, opener + 1, doc)), last }
  }
  if (named === undefined && beginsWithFileTag(rows) === '<file') return { places: [], last, within: 'read' }
  const comment = firstComment(rows, language)
  const told = named === undefined && comment === undefined ? findSentenceAbove(source, opener, floor) : undefined
  const title = named ?? told ?? (comment && { path: comment.path, said: 'whole' as const })
  // The end of a fence that began above, in a part of the text that is not here.
  if (title === undefined && fence.info === '' && endsEarlierFence(source, fence)) return { places: [], last: opener }
  if (title === undefined) {
    const isOuter = isWrapper(source, fence)
    return { places: [], last, within: isOuter ? (fence.isClosed ? 'shown' : 'read') : undefined }
  }
  if (isSessionAbout(title.path, language) || beginsWithPrompt(rows, title.path)) return { places: [], last }
  const first = comment?.isLabel ? opener + 2 : opener + 1
  const isOutput = isProgramOutput(rowTexts(rows), title.path)
  const line = inInfo === undefined ? (above?.line ?? told?.line ?? opener) : opener
  const isExplained =
    (title.said === 'whole' || title === above) &&
    isOnlyExplained(source, { opener, title: inInfo ? undefined : above?.line }, before)
  // Snippets begin with a comment too that says where they belong.
  const mayShow = isExplained || (title.path === comment?.path && !comment.isLabel && (named ?? told) === undefined)
  const place = proposeFence(
    source,
    { path: title.path, said: isOutput ? 'old' : title.said, mayShow },
    { ...fence, line, first, contentLast: lastContentLine(fence) },
  )
  const paths = comment === undefined ? [] : [comment.path, ...commentedBelow(rows, comment.path)]
  if (paths.length > 1 && place.reason === undefined && title.path === comment?.path) {
    const findings: readonly Finding[] = [{ line, code: 'files-in-fence', data: { paths } }]
    const found = proposedBlock(title.path, { action: 'file_write', content: '' }, { line, last, findings })
    return { places: [{ ...place, found }], last }
  }
  return { places: [place], last, isExplained }
}

/** Whether the words above a fence that a line, its mark or a comment names only explain; the same words as before if there are none. */
function isOnlyExplained(
  source: Source,
  { opener, title }: { readonly opener: number; readonly title: number | undefined },
  { floor, isExplained }: ProseBefore,
): boolean {
  const nearest = findLineAbove(source, opener, floor)
  const row = title === undefined || nearest !== title ? '' : lineWithoutBom(source, title)
  if (row !== '' && readFileName(row) === undefined && readTitle(row)?.said !== 'inside') return false
  const line = title !== undefined && nearest === title ? findLineAbove(source, title, floor) : nearest
  return line === undefined ? isExplained : isExplanation(lineWithoutBom(source, line))
}

/** Other files that comments name, each below a blank line, as the first comment names the first. */
function commentedBelow(rows: Rows, first: string): string[] {
  const paths = new Set<string>()
  for (let line = rows.first + 1; line <= rows.last; line++) {
    if (rows.row(line - 1).trim() !== '') continue
    const path = fileInComment(rows.row(line))
    if (path !== undefined && path !== first && isFile(path)) paths.add(path)
  }
  return [...paths]
}

/** A shell's prompt with a command, where no text of the file can begin so. */
const beginsWithPrompt = (rows: Rows, path: string): boolean =>
  rows.first <= rows.last &&
  /^\$ [a-z]/.test(rows.row(rows.first)) &&
  !/\.(?:md|mdx|markdown|txt|rst|adoc)$/i.test(path)

const endsEarlierFence = (source: Source, { first, last, isClosed }: FenceRegion): boolean => {
  for (let line = first + 1; line < last; line++) if ((fenceAt(source, line)?.info ?? '') !== '') return true
  return !isClosed
}

const OTHER = /^(?:save|append|tool_code|tool_calls?|mermaid)$/i

const beginsWithFileTag = (rows: Rows): string => {
  for (let line = rows.first; line <= rows.last; line++) {
    const text = rows.row(line).trimStart()
    if (text !== '') return text.startsWith('<file ') ? '<file' : ''
  }
  return ''
}

/**
 * Whether the lines of a fence that does not say so are a diff: each has its mark. Lists in texts may begin with either
 * mark, and with both only in a diff.
 */
function hasDiffMarks(rows: readonly string[], path: string): boolean {
  if (/\.(?:diff|patch)$/i.test(path)) return false
  const [first = '', ...others] = rows.filter((row) => row.trim() !== '')
  const marked = first.startsWith('@@') ? others : [first, ...others]
  const [added, removed] = ['+', '-'].map((mark) => marked.some((row) => row.startsWith(mark)))
  const isList = /\.(?:md|mdx|markdown|txt|rst|adoc|ya?ml)$|(?:^|[/\\])[^./\\]*$/i.test(path)
  return marked.every((row) => /^[-+ @\\]/.test(row)) && (added ?? false) && ((removed ?? false) || !isList)
}

/** The hunks of a diff that names no file, where the text above it does. */
function proposeHunks(source: Source, fence: FenceRegion, floor: number): ProposedFile[] {
  const { first, last, isClosed } = fence
  const named = findFileInSection(source, first, 1)
  const rows = rowTexts(readFenceContent(source, fence))
  const isDiff =
    rows.some((row) => /^[-+]/.test(row)) && !rows.some((row) => /^(?:---|\+\+\+) \S|^diff --|^@@@|^[<>]{5}/.test(row))
  if (named === undefined || !isFile(named.path) || !isDiff || !isClosed) return []
  const marked = withoutGap(rows)
    .map((row) => (row === '' || /^[-+ @\\]/.test(row) ? row : ` ${row}`))
    .join('\n')
  const patch = marked.startsWith('@@') ? marked : `@@\n${marked}`
  const { path } = named
  // Another fence may be between.
  const line = named.line < floor ? first : named.line
  const found = {
    ...proposedBlock(path, { action: 'file_patch', content: '' }, { line, last, findings: [] }),
    params: { path, patch },
  }
  const said = readTitle(lineWithoutBom(source, named.line))?.said ?? 'whole'
  return [{ line, last, found, reason: said === 'example' ? 'example' : undefined }]
}

/**
 * New lines without the space that models put between the mark and the text: `+ import os`. Where old lines are there too, the
 * place in the file says how far to shift.
 */
const withoutGap = (rows: readonly string[]): readonly string[] => {
  const filled = rows.filter((row) => !/^\+?\s*$/.test(row))
  const isSpaced = filled.every((row) => row.startsWith('+ ')) && filled.some((row) => /^\+ \S/.test(row))
  return isSpaced ? rows.map((row) => row.replace(/^\+ /, '+')) : rows
}

/** An old text that is empty is that of a new file. */
function proposePair({ path, line, old, fresh, last, isClosed }: ProposedPair): ProposedFile {
  const findings = isClosed ? [] : [unclosedFinding(line)]
  const isNew = old.join('').trim() === ''
  const content = fresh.map((row) => `${row}\n`).join('')
  const found = proposedBlock(path, { action: isNew ? 'file_write' : 'file_patch', content }, { line, last, findings })
  const search = old.map((row) => `${row}\n`).join('')
  const patch = { path, patch: writeHunk({ search, replace: content }) }
  return {
    line,
    last,
    found: isNew || findings.length > 0 ? found : { ...found, params: patch },
  }
}

/** `ts src/a.ts`, `ts:src/a.ts`, `ts title="src/a.ts"`; with lines, `12:40:src/a.ts`, it is a part. */
function infoTitle(fence: Fence): Title | undefined {
  // `{3-5}` says which lines a page highlights.
  const info = fence.info.replace(/\s*\{[\d,\s-]+\}$/, '')
  const stated = /(?:^|[\s{,])(?:title|file|filename|filepath|path|name)\s*[=:]\s*["']?([^"'\s}]+)/i.exec(info)?.[1]
  const part = /^(?:\w+:)?\d+:\d+:(\S+)$|^(?:[\w+#-]+[:\s])?(\S+\.\w+)(?::|#L| \()\d+(?:-L?\d+)?\)?$/.exec(info)
  if (part !== null) return { path: part[1] ?? part[2] ?? '', said: 'lines' }
  const path = stated ?? readFenceName({ ...fence, info })
  return path !== undefined && isFile(path) ? { path, said: 'whole' } : undefined
}

/** The title of a fence, and the line it is on. */
export function findTitleAbove(source: Source, opener: number, floor: number): (Title & { line: number }) | undefined {
  const nearest = findLineAbove(source, opener, floor)
  if (nearest === undefined) return undefined
  const title = readTitle(lineWithoutBom(source, nearest))
  if (title !== undefined) return { ...title, line: nearest }
  const told = readSentenceTitle(lineWithoutBom(source, nearest))
  let said = 0
  for (let line = nearest; line >= floor && said <= MOST_BETWEEN; line--) {
    const row = lineWithoutBom(source, line)
    if (!isHeading(row)) said += Number(row.trim() !== '')
    else {
      const title = readTitle(row) ?? readSentenceTitle(row)
      // A sentence in its section may tell to change another file.
      if (told !== undefined && title !== undefined && told.path !== title.path) return { ...told, line: nearest }
      return title && { ...title, line }
    }
  }
  return undefined
}

/** The sentence above a fence that tells to change something in a file, which a line above it may name. */
function findSentenceAbove(source: Source, opener: number, floor: number): (Title & { line: number }) | undefined {
  const line = findLineAbove(source, opener, floor)
  const title =
    line === undefined
      ? undefined
      : readSentenceTitle(lineWithoutBom(source, line), () => findFileInSection(source, opener, floor)?.path)
  return line === undefined || title === undefined ? undefined : { ...title, line }
}

/** Lines of text between a heading that names a file and its fence. */
const MOST_BETWEEN = 3

/** A comment that only names a file, on the first line or below `#!`. A label in it addresses the reader. */
function firstComment(rows: Rows, language: string): { path: string; isLabel: boolean } | undefined {
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

interface FencedLines {
  /** Where it begins: its title, its fence, its tag. */
  readonly line: number
  /** The lines of its content. */
  readonly first: number
  readonly contentLast: number
  readonly last: number
  readonly indent: string
  readonly isClosed: boolean
}

function proposeFence(
  source: Source,
  { path, said, mayShow = false }: Title & { readonly mayShow?: boolean },
  { line, first, last, indent, isClosed, contentLast }: FencedLines,
): ProposedFile {
  const rows = new Rows(source, first, contentLast, indent)
  const texts = rowTexts(rows)
  const content = texts.map((text) => `${text}\n`).join('')
  const reason =
    said === 'example'
      ? 'example'
      : said === 'old'
        ? 'quoted'
        : said === 'lines' || isNumbered(texts) || (said === 'inside' && mayShow)
          ? 'listing'
          : holdsEditMarkers(texts)
            ? 'unreadable'
            : undefined
  const found = proposedBlock(
    path,
    { action: 'file_write', content },
    { line, last, findings: isClosed ? [] : [unclosedFinding(line)] },
  )
  const isLost = said === 'told' || isIndentedThroughout(texts)
  const unplaced =
    said === 'inside' ? 'example' : said === 'part' || (isLost && mayShow) ? 'listing' : isLost ? 'no-place' : undefined
  return {
    line,
    last,
    found: { ...found, part: unplaced !== undefined ? { unplaced } : mayShow ? { mayShow } : {} },
    reason,
  }
}

function proposeHeredoc(source: Source, top: number, doc: Heredoc): ProposedFile {
  const line = top + doc.first
  const last = Math.min(top + doc.end, source.lineCount)
  const action = doc.append ? 'file_append' : 'file_write'
  const content = doc.rows.map((row) => `${row}\n`).join('')
  const findings: readonly Finding[] = doc.isClosed
    ? doc.trouble === undefined
      ? []
      : [{ line, code: 'file-by-shell', data: { unknown: doc.trouble } }]
    : [unclosedFinding(line)]
  const found = proposedBlock(doc.path, { action, content }, { line, last, findings })
  return { line, last, found }
}

const proposedBlock = (
  path: string,
  { action, content }: { readonly action: string; readonly content: string },
  { line, last, findings }: { readonly line: number; readonly last: number; readonly findings: readonly Finding[] },
): ForeignBlock => ({
  action,
  params: findings.length > 0 ? { path } : { path, content },
  label: 'proposal',
  startLine: line,
  endLine: findings.some(({ code }) => code === 'file-open') ? null : last,
  lastLine: last,
  findings,
})

/** Whether every line is indented, as only a part of a file is. */
const isIndentedThroughout = (texts: readonly string[]): boolean =>
  texts.some((text) => text.trim() !== '') && texts.every((text) => /^\s|^$/.test(text))

const unclosedFinding = (line: number, path?: string): Finding => ({
  code: 'file-open',
  data: { in: 'other', path },
  line,
})

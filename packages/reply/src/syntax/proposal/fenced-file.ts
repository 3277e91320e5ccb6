import type { Finding } from '../../core/diagnostic.ts'
import { Source } from '../../core/source.ts'
import { Rows } from '../foreign/foreign.ts'
import {
  lastContentLine,
  type Fence,
  fenceAt,
  type FenceRegion,
  isDiffFence,
  lineWithoutBom,
} from '../../regions/fences.ts'
import { isWrapper } from '../../regions/wrapper.ts'
import { isHeading, findLineAbove, readFileName, readFenceName, findFileInSection } from '../foreign/name.ts'
import { isProgramOutput } from './program-output.ts'
import { readFenceContent, readLabelledPair, readPair, rowTexts } from './pair.ts'
import { findHeredocs } from './heredoc.ts'
import { isFile, isSessionAbout, isShell, type Title, readTitle } from './title.ts'
import { isExplanation, readSentenceTitle } from './sentence-title.ts'
import { type ProposedFile, proposePair, proposeFence, proposeHeredoc, proposedBlock } from './proposed-file.ts'
import { firstComment, commentedBelow } from './file-comment.ts'

export interface ScannedPart {
  readonly places: readonly ProposedFile[]
  readonly last: number
  /** It only holds files of its own. `shown`: as examples. */
  readonly within?: 'read' | 'shown' | undefined
  readonly isHeading?: true
  readonly isExplained?: boolean
}

interface ProseBefore {
  /** Lines above belong to what was found before. */
  readonly floor: number
  /** Whether the words above that only explain. */
  readonly isExplained: boolean
}

export function readFencedFile(source: Source, fence: FenceRegion, before: ProseBefore): ScannedPart {
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
  if (named === undefined && beginsWithFileTag(rows)) return { places: [], last, within: 'read' }
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

const beginsWithFileTag = (rows: Rows): boolean => {
  for (let line = rows.first; line <= rows.last; line++) {
    const text = rows.row(line).trimStart()
    if (text !== '') return text.startsWith('<file ')
  }
  return false
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

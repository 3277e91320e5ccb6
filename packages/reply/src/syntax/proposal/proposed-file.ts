import { holdsEditMarkers } from './program-output.ts'
import type { Finding } from '../../core/diagnostic.ts'
import type { NotExecutedReason } from '../../core/block.ts'
import { Source } from '../../core/source.ts'
import { type ForeignBlock, Rows } from '../foreign/foreign.ts'
import { isNumbered } from '../../regions/regions.ts'
import { writeHunk } from '../search-replace/search-replace.ts'
import { type ProposedPair, rowTexts } from './pair.ts'
import { type Heredoc } from './heredoc.ts'
import { type Title } from './title.ts'

/** A file in a reply. */
export interface ProposedFile {
  readonly line: number
  readonly last: number
  readonly found: ForeignBlock
  /** Why it is not proposed. */
  readonly reason?: NotExecutedReason
}

/** An old text that is empty is that of a new file. */
export function proposePair({ path, line, old, fresh, last, isClosed }: ProposedPair): ProposedFile {
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

export function proposeFence(
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

export function proposeHeredoc(source: Source, top: number, doc: Heredoc): ProposedFile {
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

export const proposedBlock = (
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

export const unclosedFinding = (line: number, path?: string): Finding => ({
  code: 'file-open',
  data: { in: 'other', path },
  line,
})

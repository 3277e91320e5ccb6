import { TAB, SPACE } from '../../core/character-codes.ts'
import { Source, textFrom } from '../../core/source.ts'
import { foreignSyntax, type ForeignBlock, MarkList, Rows } from '../foreign/foreign.ts'
import { fenceAt, lineWithoutBom } from '../../regions/fences.ts'
import { Regions } from '../../regions/regions.ts'
import { unwrapWhole } from '../../regions/wrapper.ts'
import { isHeading, findLineAbove, readFileName } from '../foreign/name.ts'
import type { Syntax } from '../syntax.ts'
import { isFile, type Title, readTitle } from './title.ts'
import { readSentenceTitle } from './sentence-title.ts'
import { type ProposedFile, proposeFence, proposedBlock, unclosedFinding } from './proposed-file.ts'
import { firstComment } from './file-comment.ts'
import { readFenceContent } from './pair.ts'
import { type ScannedPart, readFencedFile } from './fenced-file.ts'

/*
 * Whole files in a reply of a model that was not taught a format:
 *
 *   proposal = [ title ] fence { line } fence | "<file path=" quoted ">" { line } "</file>"
 *   title    = the file, see `title.ts`, on the line above the fence, or in a heading a few lines above it
 *   fence    = "```" language [ path | ":" path | "title=" path ]
 *
 * Two fences are an edit where the words above them say which text is old and which is new, see `pair.ts`. Fences are read in `fenced-file.ts`.
 *
 * A comment on the first line may name the file instead. In a fence of shell commands, `cat > path <<'EOF'` names and
 * holds one, see `heredoc.ts`. Nothing here says that it is meant, so it is shown before it is written. Not proposed: numbered lines,
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
        : hasOnlyHeadings(readFenceContent(source, fence))
          ? { places: [], last: fence.last, within: 'read' }
          : readFencedFile(source, fence, { floor, isExplained })
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

/** Whether all that is there is headings of deleted and renamed files. */
const hasOnlyHeadings = (rows: Rows): boolean => {
  let found = 0
  for (let line = rows.first; line <= rows.last; line++) {
    const row = rows.row(line)
    if (row.trim() === '') continue
    if (!HEADED.test(row)) return false
    found++
  }
  return found > 0
}

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

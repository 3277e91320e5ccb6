import type { Source } from '../../core/source.ts'
import { Rows } from '../foreign/foreign.ts'
import { lastContentLine, type FenceRegion, lineWithoutBom } from '../../regions/fences.ts'
import { Regions } from '../../regions/regions.ts'
import { findMentionedFiles, findLineAbove, readFileName } from '../foreign/name.ts'
import { isFile } from './title.ts'

/** An old and a new text for one file, where words and not markers say which is which. */
export interface ProposedPair {
  readonly path: string
  /** The line that names the file, or the first label. */
  readonly line: number
  readonly old: readonly string[]
  readonly fresh: readonly string[]
  readonly last: number
  readonly isClosed: boolean
}

/** A fence below "Find:" or "change this:", and the next one below "Replace with:" or "to this:". */
export function readPair(source: Source, fence: FenceRegion, floor: number): ProposedPair | undefined {
  const label = findLineAbove(source, fence.first, floor)
  if (label === undefined || !OLD.test(plainLabel(lineWithoutBom(source, label)))) return undefined
  const second = lineBelow(source, fence.last)
  if (second === undefined || !NEW.test(plainLabel(lineWithoutBom(source, second)))) return undefined
  const next = lineBelow(source, second)
  const other = next === undefined ? undefined : Regions.of(source).fenceFrom(next)
  const named = fileAbove(source, label, floor)
  if (other === undefined || named === undefined) return undefined
  const [old, fresh] = [rowTexts(readFenceContent(source, fence)), rowTexts(readFenceContent(source, other))]
  return { ...named, old, fresh, last: other.last, isClosed: other.isClosed }
}

/** The lines between the marks of a fence. */
export const readFenceContent = (source: Source, fence: FenceRegion): Rows =>
  new Rows(source, fence.first + 1, lastContentLine(fence), fence.indent)

/** The rows of a fence with `file:`, `find:` and `replace:` in it. */
export function readLabelledPair(rows: readonly string[]): Pick<ProposedPair, 'path' | 'old' | 'fresh'> | undefined {
  const path = /^(?:file|path|file_?path|file_?name)\s*:\s*(\S.*?)\s*$/i.exec(rows[0] ?? '')?.[1]
  const old = rows.findIndex((row) => /^(?:find|search|old(?:_\w+)?|original)\s*:\s*$/i.test(row))
  const fresh = rows.findIndex((row) =>
    /^(?:replace(?: with)?|replacement|with|new(?:_\w+)?|updated)\s*:\s*$/i.test(row),
  )
  if (path === undefined || old === -1 || fresh <= old) return undefined
  return { path: readFileName(path) ?? path, old: rows.slice(old + 1, fresh), fresh: rows.slice(fresh + 1) }
}

export function rowTexts(rows: Rows): string[] {
  const texts: string[] = []
  for (let line = rows.first; line <= rows.last; line++) texts.push(rows.row(line))
  return texts
}

/** A line without what Markdown has around words. */
const plainLabel = (row: string): string =>
  row.length > 200
    ? ''
    : row
        .replace(IN_FILE, '')
        .replace(/[*_#`:>]+/g, ' ')
        .trim()

/** The file at the end of a label: "Change this in `src/a.ts`:". */
const IN_FILE = /\s(?:in|inside|of) (?:the )?(?:file )?[`*"']*[\w./\\-]+\.\w+[`*"']*\W*$/i

const OLD =
  /\b(?:find|search(?: for)?|old(?: str(?:ing)?)?|before|original|from|(?:replace|change)(?: this| these| the following)?)(?: (?:code|lines?|block|text|part|section))?\W*$/i
const NEW =
  /^\W*(?:and )?(?:replace(?:ment)?(?: (?:it )?(?:with|by))?|with|new(?: str(?:ing)?)?|after|updated|to)(?: this| these| the following)?(?: (?:code|lines?|block|text|version))?\W*$/i

function lineBelow(source: Source, line: number): number | undefined {
  for (let at = line + 1; at <= Math.min(line + 3, source.lineCount); at++)
    if (lineWithoutBom(source, at).trim() !== '') return at
  return undefined
}

/** The only file that a label speaks of, or one of the few lines above it. */
function fileAbove(source: Source, label: number, floor: number): Pick<ProposedPair, 'path' | 'line'> | undefined {
  for (let line = label, said = 0; line >= floor && said < FEW; line--) {
    const row = lineWithoutBom(source, line)
    if (row.trim() === '') continue
    said++
    const named = readFileName(row)
    const [path, ...others] = new Set(named === undefined ? findMentionedFiles(row) : [named])
    if (others.length > 0) return undefined
    if (path !== undefined && isFile(path)) return { path, line }
  }
  return undefined
}

/** Lines of text in which the file of a pair is named. */
const FEW = 4

import { BOM, SPACE, TAB } from './reader.ts'
import type { Source } from '../core/source.ts'
import { partitionPoint } from '../text/lines.ts'

/** Where a text has code fences. Found once for each text; nothing else looks for them. */

/** A line of a text, without the byte order mark that the text may begin with. */
export function rowAt(source: Source, line: number): string {
  const row = source.line(line)
  return line === 1 && row.charCodeAt(0) === BOM ? row.slice(1) : row
}

export interface Fence {
  readonly indent: string
  readonly marks: string
  /** What follows the marks: a language, perhaps a file name. */
  readonly info: string
}

/** The fence on a line of a text. Most lines have none, and cost one look at how they begin. */
export function fenceAt(source: Source, line: number): Fence | undefined {
  const marks = marksOn(source, line)
  return marks === -1 ? undefined : fenceIn(source.text, fenceStart(source, line), marks, source.endOf(line))
}

const fenceStart = (source: Source, line: number): number =>
  line === 1 && source.text.charCodeAt(0) === BOM ? 1 : source.startOf(line)

export function fenceOf(line: string): Fence | undefined {
  const marks = marksFrom(line, 0)
  return marks === -1 ? undefined : fenceIn(line, 0, marks, line.length)
}

function fenceIn(text: string, start: number, marks: number, end: number): Fence | undefined {
  const info = infoFrom(text, marks, end)
  if (info === -1) return undefined
  return { indent: text.slice(start, marks), marks: text.slice(marks, info), info: text.slice(info, end).trim() }
}

/** Where the marks of a fence end; -1 where one more backtick makes it code inside a line. */
function infoFrom(text: string, marks: number, end: number): number {
  let info = marks + 3
  while (text.charCodeAt(info) === text.charCodeAt(marks)) info++
  for (let at = info; at < end; at++) if (text.charCodeAt(at) === BACKTICK) return -1
  return info
}

/** The lines of a text that are code fences. Looked for once. */
function fencesIn(source: Source): readonly number[] {
  const known = fences.get(source)
  if (known !== undefined) return known
  const lines: number[] = []
  for (let line = 1; line <= source.lineCount; line++) {
    const marks = marksOn(source, line)
    if (marks !== -1 && infoFrom(source.text, marks, source.endOf(line)) !== -1) lines.push(line)
  }
  fences.set(source, lines)
  return lines
}

const fences = new WeakMap<Source, readonly number[]>()

/** The code fence at or after a line that has an odd number of them above it; undefined elsewhere. */
export function openFence(source: Source, line: number): number | undefined {
  return fencesAbove(fencesIn(source), line) % 2 === 1 ? nextFence(source, line) : undefined
}

/** The code fence that opens above a line which is inside it, or closes it; undefined elsewhere. */
export function fenceAround(source: Source, line: number): number | undefined {
  const lines = fencesIn(source)
  const above = fencesAbove(lines, line)
  return above % 2 === 1 ? lines[above - 1] : undefined
}

/** The first code fence at or after a line; Infinity where none follows. */
export function nextFence(source: Source, line: number): number {
  const lines = fencesIn(source)
  return lines[fencesAbove(lines, line)] ?? Infinity
}

const fencesAbove = (lines: readonly number[], line: number): number => partitionPoint(lines, (fence) => fence < line)

/** Where the marks of a fence are on a line; -1 where there are none. */
function marksOn(source: Source, line: number): number {
  const c = source.initial(line)
  const mayBe = c === BACKTICK || c === SPACE || c === TILDE || c === TAB || c === BOM
  return mayBe ? marksFrom(source.text, fenceStart(source, line)) : -1
}

/** Where the marks of a fence are on the line that begins at `start`; -1 where there are none. */
function marksFrom(text: string, start: number): number {
  let at = start
  let c = text.charCodeAt(at)
  while (c === SPACE || c === TAB) c = text.charCodeAt(++at)
  if (c !== BACKTICK && c !== TILDE) return -1
  return text.charCodeAt(at + 1) === c && text.charCodeAt(at + 2) === c ? at : -1
}

/** A fence, or one of the tags used as one; only of a tag it is known whether it opens or closes. */
export function frameAt(source: Source, line: number): (Fence & { readonly opens?: boolean }) | undefined {
  const fence = fenceAt(source, line)
  if (fence !== undefined) return fence
  const [, indent, slash, info] = TAG.exec(rowAt(source, line)) ?? []
  if (indent === undefined || info === undefined) return undefined
  return { indent, marks: '', info, opens: slash === '' }
}

const TAG = /^([ \t]*)<(\/?)(?:source|code|pre|codeblock|sourcecode)>[ \t]*([\w+#.-]*)[ \t]*$/

/** The line that closes a fence; one past the text where none does. Markdown holds fences of its own. */
export function fenceEnd(source: Source, opener: number, { indent, marks }: Fence, isMarkdown: boolean): number {
  let depth = 0
  for (let line = nextFence(source, opener + 1); line < Infinity; line = nextFence(source, line + 1)) {
    const other = fenceAt(source, line)
    if (other === undefined || other.indent.length > indent.length + 3 || other.marks[0] !== marks[0]) continue
    if (other.info !== '') depth += Number(isMarkdown && other.marks.length <= marks.length)
    else if (depth > 0) depth--
    else if (other.marks.length >= marks.length) return line
  }
  return source.lineCount + 1
}

const BACKTICK = 96
const TILDE = 126

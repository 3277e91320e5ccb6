import { SPACE, TAB, BACKTICK, TILDE, LESS, BOM } from '../core/character-codes.ts'
import { type LineRange, type Source, withoutBom } from '../core/source.ts'
import { partitionPoint } from '../text/lines.ts'

/** A line of a text, without the byte order mark that the text may begin with. */
export function lineWithoutBom(source: Source, line: number): string {
  const row = source.line(line)
  return line === 1 ? withoutBom(row) : row
}

export interface Fence {
  readonly indent: string
  readonly marks: string
  /** What follows the marks: a language, perhaps a file name. */
  readonly info: string
}

/** A fence with its lines, from the one that opens it to the one that closes it. */
export interface FenceRegion extends LineRange, Fence {
  /** False where the text ends, or another fence opens, before it is closed. */
  readonly isClosed: boolean
  /** The name of the tag that is used as a fence. */
  readonly tag?: string | undefined
}

/** The last line of the content. */
export const lastContentLine = ({ last, isClosed }: Pick<FenceRegion, 'last' | 'isClosed'>): number =>
  isClosed ? last - 1 : last

/** Where a text has fences. */
export class FenceMap {
  readonly #source: Source
  /** What may open or close one. */
  readonly #frames: readonly FrameLine[]
  /** The lines that a fence of one kind may end on, so that many open ones do not cost the square of their number. */
  readonly #ends = new Map<string, readonly number[]>()
  /** In order. None is inside another. */
  readonly all: readonly FenceRegion[]

  constructor(source: Source) {
    this.#source = source
    this.#frames = framesIn(source)
    const all: FenceRegion[] = []
    for (let at = 0; at < this.#frames.length; at++) {
      const found = this.#from(at)
      if (found === undefined) continue
      all.push(found)
      at = this.#indexFrom(found.last + 1) - 1
    }
    this.all = all
  }

  /** The fence that opens on a line, also inside another. */
  from(line: number): FenceRegion | undefined {
    if (frameStart(this.#source, line) === -1) return undefined
    const outer = this.all[partitionPoint(this.all, (fence) => fence.first < line)]
    if (outer?.first === line) return outer
    const at = this.#indexFrom(line)
    return this.#frames[at]?.line === line ? this.#from(at) : undefined
  }

  #indexFrom(line: number): number {
    return partitionPoint(this.#frames, (frame) => frame.line < line)
  }

  #from(at: number): FenceRegion | undefined {
    const opener = this.#frames[at]
    if (opener === undefined || opener.opens === false) return undefined
    const { indent, marks, info, tag, line: first } = opener
    const last = this.#closer(at, opener)
    if (last !== undefined) return { indent, marks, info, tag, first, last, isClosed: true }
    // An HTML tag that nothing closes is no fence.
    if (tag !== undefined) return undefined
    // One that nothing closes ends before the next one that says what it holds.
    const next = this.#next('named', first, namesLanguage)
    return { indent, marks, info, first, last: (next ?? this.#source.lineCount + 1) - 1, isClosed: false }
  }

  /** The line that closes a fence. */
  #closer(at: number, opener: FrameLine): number | undefined {
    const { indent, marks, tag, line } = opener
    if (tag !== undefined) return this.#next(`</${tag}>`, line, (other) => other.tag === tag && other.opens === false)
    const isDiff = isDiffFence(opener)
    // In a diff, a fence that is deeper is a line of context with its space.
    const deepest = indent.length + (isDiff || beginsWithDiff(this.#source, line) ? 0 : 3)
    const isLike = (other: FrameLine): boolean => other.marks[0] === marks[0] && other.indent.length <= deepest
    if (!isDiff && holdsMarkdown(this.#source, line, opener)) return this.#closerOfMarkdown(at, opener, isLike)
    const closes = (other: FrameLine): boolean =>
      isLike(other) && other.info === '' && other.marks.length >= marks.length
    const closer = this.#next(`${marks} ${deepest}`, line, closes)
    if (!isDiff || closer === undefined) return closer
    // No line of a diff opens a fence: the first was left open.
    const other = this.#next(`${marks[0]} ${deepest} named`, line, (one) => isLike(one) && namesLanguage(one))
    return other !== undefined && other < closer ? undefined : closer
  }

  /** Markdown holds fences of its own. */
  #closerOfMarkdown(at: number, { marks }: Fence, isLike: (other: FrameLine) => boolean): number | undefined {
    let depth = 0
    /** Those with as many marks. One with fewer ends with the Markdown, closed or not. */
    let like = 0
    for (let next = at + 1; next <= at + MOST_INSIDE; next++) {
      const other = this.#frames[next]
      if (other === undefined) break
      if (!isLike(other)) continue
      const isLong = other.marks.length >= marks.length
      if (other.info !== '') {
        depth += Number(other.marks.length <= marks.length)
        like += Number(other.marks.length === marks.length)
      } else if (isLong && like === 0) return other.line
      else if (depth > 0) {
        depth--
        like -= Number(isLong)
      }
    }
    return undefined
  }

  /** The first line below another that has a frame of some kind. */
  #next(kind: string, line: number, isOfKind: (frame: FrameLine) => boolean): number | undefined {
    const lines = this.#ends.get(kind) ?? this.#frames.filter(isOfKind).map((frame) => frame.line)
    this.#ends.set(kind, lines)
    return lines[partitionPoint(lines, (one) => one <= line)]
  }
}

/** Lines with fences that are looked at inside one of Markdown. */
const MOST_INSIDE = 2000

const namesLanguage = ({ info, tag }: Frame): boolean => info !== '' && tag === undefined

/** Whether the first line of a fence is that of a diff, whatever its info string is, or a command that shows one. */
const beginsWithDiff = (source: Source, opener: number): boolean =>
  opener < source.lineCount && DIFF_LINE.test(source.line(opener + 1))

const DIFF_LINE = /^\s*(?:diff --git |--- \S|@@ |commit [0-9a-f]{7}|(?:\S+ ?)?[$%>#] git\s.*\b(?:diff|show|log)\b)/

/** Whether the text of a fence is Markdown, by its info string or by the file that is named above it. */
function holdsMarkdown(source: Source, opener: number, { info }: Fence): boolean {
  if (/^\{?\.?(?:md|mdx|markdown)\b/i.test(info) || MARKDOWN_FILE.test(info)) return true
  for (let line = opener - 1; line >= Math.max(1, opener - 2); line--) {
    const row = source.line(line)
    if (row.trim() !== '') return row.length < 300 && MARKDOWN_FILE.test(row)
  }
  return false
}

/** `patch path` is a tool of gptme, with conflict markers. */
export const isDiffFence = ({ info }: Fence): boolean => info !== '' && DIFF.test(info)
const DIFF = /^(?:u?diff|patch)\b(?!\s+\S+\.\w)/i

const MARKDOWN_FILE = /\.(?:md|mdx|markdown)(?![\w/])/i

/** The fence on a line of a text. */
export function fenceAt(source: Source, line: number): Fence | undefined {
  const at = frameStart(source, line)
  return at === -1 ? undefined : fenceIn(source.text, rowStart(source, line), at, source.endOf(line))
}

/** Where a line begins, without the byte order mark that the text may begin with. */
const rowStart = (source: Source, line: number): number =>
  line === 1 && source.text.charCodeAt(0) === BOM ? 1 : source.startOf(line)

export const parseFence = (line: string): Fence | undefined => fenceIn(line, 0, indentEnd(line, 0), line.length)

/** The fence with marks at `marks` on the line between `start` and `end`. */
function fenceIn(text: string, start: number, marks: number, end: number): Fence | undefined {
  const c = text.charCodeAt(marks)
  if ((c !== BACKTICK && c !== TILDE) || text.charCodeAt(marks + 1) !== c || text.charCodeAt(marks + 2) !== c)
    return undefined
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

/** Where a fence or a tag may begin on a line; -1 on most lines, which their first character says. */
function frameStart(source: Source, line: number): number {
  const c = source.initial(line)
  if (c === BACKTICK || c === TILDE || c === LESS) return source.startOf(line)
  return c === SPACE || c === TAB || c === BOM ? indentEnd(source.text, rowStart(source, line)) : -1
}

function indentEnd(text: string, start: number): number {
  let at = start
  while (text.charCodeAt(at) === SPACE || text.charCodeAt(at) === TAB) at++
  return at
}

/** A fence, or one of the tags used as one; only of a tag it is known whether it opens or closes. */
export interface Frame extends Fence {
  readonly tag?: string | undefined
  readonly opens?: boolean | undefined
}

export function frameAt(source: Source, line: number): Frame | undefined {
  const at = frameStart(source, line)
  if (at === -1) return undefined
  if (source.text.charCodeAt(at) !== LESS) return fenceIn(source.text, rowStart(source, line), at, source.endOf(line))
  const [, indent, slash, tag, info] = TAG.exec(lineWithoutBom(source, line)) ?? []
  if (indent === undefined || info === undefined) return undefined
  return { indent, marks: '', info, tag, opens: slash === '' }
}

/** Aider lets a model choose among these where the text has fences of its own. */
const TAG = /^([ \t]*)<(\/?)(source|code|pre|codeblock|sourcecode)>[ \t]*([\w+#.-]*)[ \t]*$/

interface FrameLine extends Frame {
  readonly line: number
}

/** The lines of a text that may open or close a fence. */
function framesIn(source: Source): FrameLine[] {
  const frames: FrameLine[] = []
  for (let line = 1; line <= source.lineCount; line++) {
    const frame = frameAt(source, line)
    if (frame === undefined) continue
    // Of one shape: an object that is spread takes four times as long.
    const { indent, marks, info, tag, opens } = frame
    frames.push({ line, indent, marks, info, tag, opens })
  }
  return frames
}

/** The marks of a fence around a text: more than any fence in it has. */
export const fenceMarksFor = (text: string): string =>
  '`'.repeat(Math.max(3, ...(text.match(/`{3,}/g) ?? []).map((marks) => marks.length + 1)))

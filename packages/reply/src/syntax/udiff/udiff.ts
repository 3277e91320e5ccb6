import { TAB, SPACE, ASTERISK, MINUS, LESS, BACKTICK, TILDE, BOM } from '../../core/character-codes.ts'
import { Source } from '../../core/source.ts'
import { findDamageKinds } from '../../text/undamage.ts'
import { markerWarning, foreignSyntax, type ForeignBlock, makeUnreadable } from '../foreign/foreign.ts'
import { lastContentLine, fenceAt, type FenceRegion, isDiffFence, lineWithoutBom } from '../../regions/fences.ts'
import { Regions } from '../../regions/regions.ts'
import { findFileInSection } from '../foreign/name.ts'
import { isFile } from '../proposal/title.ts'
import { readSection } from './section.ts'
import { EXTENDED, DiffRegion, type FileSection, UdiffWalk } from './walk.ts'

/*
 * Unified diffs, as `diff -u` and git write them and as models do:
 *
 *   text     = { fence { line } fence | section | any other line }      fence: "```diff", "```patch", "```udiff"
 *   section  = [ "diff --git " name " " name { extended } ] [ "--- " name LF "+++ " name ] { hunk }
 *   extended = "new file mode" | "deleted file mode" | "old mode" | "new mode" | "index" | "rename from " name
 *            | "rename to " name | "copy from " name | "copy to " name | "similarity index" | "dissimilarity index"
 *   hunk     = "@@" [ " -" line [ "," count ] " +" line [ "," count ] " @@" ] [ heading ] { body }
 *   body     = " " text | "-" text | "+" text | "" | "\ No newline at end of file"
 *   name     = text up to a tab or a date, or as git quotes it: "a/\303\274"
 *
 * "a/" and "b/" are left out where both names have them, or the one that is not /dev/null. Line numbers are passed
 * on and ignored. Counts are not trusted: a hunk continues as long as lines have a mark. They serve where nothing
 * else tells. Outside a fence, a list that follows a blank line after a hunk whose counts are reached is text, though
 * its lines have marks too; "-- " after such a hunk is the signature of a mail; "--- " with "+++ " below is the last
 * change of a hunk whose counts still lack one line each, unless both name one file and "@@" is below them. An empty line in a hunk is an empty line of context. In a
 * fence, a line without a mark is context too: it must be in the file, so nothing is made up.
 *
 * A diff has no end marker. In a fence it ends with the fence. Elsewhere the last section of a text is complete when
 * something follows it, or when the text ends with a line break and its last hunk is not shorter than its counts say
 * or, without hunks, git says that the file is empty or the same; otherwise it is truncated. A last hunk is
 * short, whatever follows it, if by its counts more lines of one side are missing than of the other, and it ends with a
 * change or takes more lines than it gives.
 */

export const udiff = foreignSyntax({
  reminder: [
    'No blocks found. Write the edits as unified diffs in a code fence, each from the first column:',
    'a line --- a/PATH, a line +++ b/PATH, and below each @@ the lines with a space, - or + before them.',
  ],
  name: 'udiff',
  marks: /^(?:diff --(?:git|cc|combined) \S|--- \S[^\n]*\n\+\+\+ \S|@@@? -\d+(?:,\d+)? )/,
  sides: 'removed',
  written: ({ path, patch }) =>
    patch === undefined ? undefined : `\`\`\`diff\n--- a/${path}\n+++ b/${path}\n${patch}\n\`\`\``,
  open(given, _, { strict }) {
    const source = strict ? given : withPlainMarks(given)
    const places = new UdiffSeek(source)
    return {
      seek: (line) => places.seek(line),
      read(line) {
        const { found, next } = readDiff(source, line)
        return { found: source === given ? found : found.map((one) => withDamage(one, given, source)), next }
      },
    }
  },
})

/** The text with plain spaces in the markers of diffs and before lines of context, line for line. */
function withPlainMarks(source: Source): Source {
  if (!ODD_SPACE.test(source.text)) return source
  const plain = (text: string): string => text.replace(ODD_SPACES, ' ')
  return new Source(source.text.replace(MARKERS, plain).replace(MARKS, ' '))
}

const ODD_SPACE = /[\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]|&nbsp;|&#(?:160|xa0);/i
const ODD_SPACES = new RegExp(ODD_SPACE.source, 'gi')
/** Names of files are no markers. */
const MARKERS = new RegExp(
  `^[ \\t]*(?:(?:---|\\+\\+\\+)(?:${ODD_SPACE.source})|@@[^\\n]{0,40}?@@|@@[^\\n]{0,40}\\d|diff.{1,6}--git\\b[^\\n]*|(?:old|new|deleted|rename|copy|similarity|dissimilarity|index)(?:${ODD_SPACE.source})(?:file.{1,6}mode|mode|from|to|index)?(?:${ODD_SPACE.source})?)`,
  'gim',
)
const MARKS = new RegExp(`^(?:${ODD_SPACE.source})`, 'gim')

/** What a diff found in the text with plain marks says about those that are there. */
function withDamage(found: ForeignBlock, given: Source, plain: Source): ForeignBlock {
  for (let line = found.startLine; line <= found.lastLine; line++) {
    if (given.line(line) === plain.line(line)) continue
    const [mark = ''] = ODD_SPACE.exec(given.line(line)) ?? []
    return {
      ...found,
      markup: [...(found.markup ?? []), mark],
      warnings: [markerWarning(line), ...(found.warnings ?? [])],
      uncertainMarks: true,
    }
  }
  return found
}

function readDiff(source: Source, line: number): { found: ForeignBlock[]; next: number } {
  const regions = Regions.of(source)
  const fence = regions.fenceFrom(line) ?? regions.fenceFrom(line - 1)
  const fenced = fence === undefined || fence.tag !== undefined ? undefined : readFenced(source, fence)
  if (fenced !== undefined) return { found: fenced.found, next: Math.max(fenced.next, line + 1) }

  const indent = /^[ \t]*/.exec(lineWithoutBom(source, line))?.[0] ?? ''
  const region = new DiffRegion(source, indent, { first: line, last: source.lineCount })
  const { sections, next } = new UdiffWalk(region, 'open').read(line)
  return { found: sections.map((section) => readSection(section, region, sectionEnd(source, section, next))), next }
}

/** Only the last section can be cut. One that ends with the name of a file may lack its other name. */
function sectionEnd(source: Source, section: FileSection, after: number): 'whole' | 'short' | 'open' {
  const { next, patch, satisfied, lacksChanges, lastLine } = section
  if (next < after) return 'whole'
  let line = after
  while (line <= source.lineCount && source.line(line).trim() === '') line++
  if (line > source.lineCount) {
    const isWhole = satisfied && source.text.endsWith('\n') && !source.line(lastLine).trimStart().startsWith('--- ')
    return isWhole ? 'whole' : 'open'
  }
  // What follows a hunk has no mark, so it is not part of it. The last line of a text may be half a header, though.
  if (line === source.lineCount && (patch === undefined || source.line(line).trim() === '@')) return 'open'
  // A program writes "[stopped]" below a reply that it cut off. What closes a tag or a fence says that a diff ends there.
  const isClosed = CLOSING_TAG.test(source.line(line)) || Regions.of(source).fenceAround(line)?.last === line
  return lacksChanges && !isClosed ? 'short' : 'whole'
}

const CLOSING_TAG = /^\s*<\//

function readFenced(source: Source, fence: FenceRegion): { found: ForeignBlock[]; next: number } {
  const { first: opener, isClosed: closed } = fence
  const end = lastContentLine(fence) + 1
  const region = new DiffRegion(source, fence.indent, { first: opener + 1, last: end - 1 })
  if (isOtherFormat(region)) return { found: [], next: opener + 1 }
  const { sections } = new UdiffWalk(region, 'fenced').read(opener + 1)
  const row = lineWithoutBom(source, opener)
  const worn = findDamageKinds(row).length > 0 ? [row] : none
  const found = sections.map((section) =>
    readSection(section, region, closed || section !== sections.at(-1) ? 'whole' : 'open', worn),
  )
  const named = sections[0]?.line ?? end
  const isNameless = named > region.first && region.hasRow(named, (c) => c !== SPACE, /^(?:@@|[-+])/)
  // Where a sentence above names the file, it is a proposal.
  const spoken = found.length === 0 && closed ? findFileInSection(source, opener, 1) : undefined
  if (isNameless && isDiffFence(fence) && (spoken === undefined || !isFile(spoken.path)))
    found.unshift(namelessDiff(opener, named - 1, closed || found.length > 0))
  // Where nothing is a diff, what is below may be a block of another format.
  return { found, next: found.length === 0 ? opener + 1 : end + Number(closed) }
}

const none: readonly never[] = []

/** Some put their own formats into a fence that says diff. */
const isOtherFormat = (region: DiffRegion): boolean => region.hasRow(Infinity, mayBeOther, OTHER)
const mayBeOther = (c: number): boolean => c === LESS || c === ASTERISK
const OTHER = /^(?:<{5,9} ?(?:SEARCH|ORIGINAL)|\*\*\* Begin Patch)/

function namelessDiff(line: number, last: number, isClosed: boolean): ForeignBlock {
  const lines = { startLine: line, endLine: isClosed ? last : null, lastLine: last }
  return makeUnreadable(lines, 'diff', { code: 'diff-nameless', data: { isCut: !isClosed }, line })
}

/** Finds where a diff may open: at a fence that says so, at git's header, or at the two names. */
export class UdiffSeek {
  readonly #source: Source
  /** The last line that was found. */
  #ahead = 0

  constructor(source: Source) {
    this.#source = source
  }

  seek(line: number): number {
    if (this.#ahead >= line) return this.#ahead
    let at = line
    while (at <= this.#source.lineCount && !this.#opens(at)) at++
    return (this.#ahead = at <= this.#source.lineCount ? at : Infinity)
  }

  /** Most lines begin with something else. */
  #opens(line: number): boolean {
    const { text } = this.#source
    let c = this.#source.initial(line)
    let start = this.#source.startOf(line)
    if (c === BOM && line === 1) c = text.charCodeAt(++start)
    const from = start
    for (; c === SPACE || c === TAB; c = text.charCodeAt(start)) start++
    if (start - from >= REACH) return false
    if (c === BACKTICK || c === TILDE) return this.#isFence(line)
    if (c === MINUS) return text.startsWith('--- ', start) && this.#areNames(line, text.slice(from, start))
    return c === LETTER && text.startsWith('diff --git ', start) && this.#isGit(line)
  }

  #isFence(line: number): boolean {
    const fence = fenceAt(this.#source, line)
    return fence !== undefined && isDiffFence(fence)
  }

  /** Something that only a diff has must follow: prose may begin with these words. */
  #isGit(line: number): boolean {
    if (line === this.#source.lineCount || !/diff --git \S/.test(this.#source.line(line))) return false
    const below = lineWithoutBom(this.#source, line + 1).trimStart()
    return EXTENDED.test(below) || /^(?:--- \S|@@ |Binary files |GIT binary patch)/.test(below)
  }

  /** Whether the old name is followed by the new one and part of a hunk, with the same indentation. */
  #areNames(line: number, indent: string): boolean {
    if (line + 1 >= this.#source.lineCount || this.#source.line(line).trim() === '---') return false
    const { text } = this.#source
    const below = this.#source.startOf(line + 2) + indent.length
    return (
      text.startsWith(`${indent}+++ `, this.#source.startOf(line + 1)) &&
      text.startsWith(indent, this.#source.startOf(line + 2)) &&
      below < this.#source.endOf(line + 2) &&
      (text.startsWith('@@', below) || '-+ '.includes(text.charAt(below)))
    )
  }
}

/** The first of `diff`. */
const LETTER = 100

/** How far an indentation is looked back over. */
const REACH = 40

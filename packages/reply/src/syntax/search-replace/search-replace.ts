import { LF } from '../../core/character-codes.ts'
import type { Finding } from '../../core/diagnostic.ts'
import type { Source } from '../../core/source.ts'
import { foreignSyntax, type ForeignBlock } from '../foreign/foreign.ts'
import { frameAt, lineWithoutBom } from '../../regions/fences.ts'
import { findMentionedFiles, findLineAbove, readFileName, readFenceName, findFileInSection } from '../foreign/name.ts'
import { isFile } from '../proposal/title.ts'
import { parseHunks, hunkSide } from '../../text/hunks.ts'
import { type SearchReplaceEdit, readEdit, SearchReplaceMarks } from './walk.ts'

/*
 * Search-replace blocks:
 *
 *   text    = { block | any other line }
 *   block   = [ name ] [ fence ] [ name ] head { old } divider { new } tail [ fence ]
 *   head    = "<<<<<<< SEARCH" | ORIGINAL     5 to 9 marks, "-" for "<" too; a ">" may follow
 *   divider = "======="                       5 to 9 marks
 *   tail    = ">>>>>>> REPLACE" | UPDATED     5 to 9 marks, "+" for ">" too
 *   fence   = "```" | "<source>" | "<code>" | "<pre>" | "<codeblock>" | "<sourcecode>"
 *   name    = the file, see `foreign/name.ts`; that of the block before when it is missing. Where the text above speaks of
 *             one file, or of another one, the block is proposed for that
 *
 * Markers are whole lines; they may be indented as a whole with what is between them. The marks of a head count:
 * a divider, a tail or another head with as many of them belongs to it, and only where there is none, one with
 * another number does; so a block with nine marks may hold blocks with seven. Two dividers that fit are a mistake,
 * because either may be content, unless nothing is between them or after the second. So is a head before the tail: either a
 * tail is missing, or the head is content, and nothing down to the tail is executed. If that head has a name and it and all
 * below it are whole, the block before was cut off, and those are proposed. A block without a tail reaches to the end of the text.
 *
 * Old lines are replaced by new ones where they are in the file, as whole lines; `:start_line:12` and a line of hyphens
 * above them says where they begin. No old lines, or blank ones, mean a
 * new file, or an empty one. Blocks for one file with nothing but blank lines, fences and its name between them are one
 * patch, of which those that fit are applied.
 */

export const searchReplace = foreignSyntax({
  reminder: [
    'No blocks found. Write each edit as the path on a line of its own and below it, each marker alone on its line,',
    'a line <<<<<<< SEARCH, the old lines, =======, the new lines, >>>>>>> REPLACE.',
  ],
  name: 'search-replace',
  rules: 'search-replace',
  written({ path, patch }) {
    const edits = patch === undefined ? undefined : writeEdits(patch)
    return edits && `${path}\n\`\`\`\n${edits}\n\`\`\``
  },
  marks: /^(?:<{5,9} ?(?:SEARCH|ORIGINAL|HEAD)\b|>{5,9} ?(?:REPLACE|UPDATED)\b)/,
  open(source, plain) {
    const marks = new SearchReplaceMarks(source, plain)
    const named = makeNameSeeker(source)
    let name: string | undefined
    let doubt: Doubt
    let floor = 1
    return {
      seek(line) {
        // The lines before belong to another block, of any syntax, and name no file of this one.
        floor = Math.max(floor, line)
        return marks.seek(line)
      },
      read(line) {
        const run = readRun(source, marks, line, { name, doubt, floor, named })
        name = run.name
        doubt = run.doubt
        floor = run.next
        return { found: [run.found], next: run.next }
      },
    }
  },
})

/** The hunks of a patch as blocks with these markers. */
export function writeEdits(
  patch: string,
  [head, tail]: readonly [string, string] = ['<<<<<<< SEARCH', '>>>>>>> REPLACE'],
): string | undefined {
  const parsed = parseHunks(patch)
  if ('message' in parsed) return undefined
  const edits = parsed.hunks.map((hunk) => {
    const [old = [], fresh = []] = (['old', 'new'] as const).map((side) => hunkSide(hunk, side).map(({ text }) => text))
    return [head, ...old, '=======', ...fresh, tail].join('\n')
  })
  return edits.join('\n\n')
}

/** Why a block is only proposed: a sentence names its file, or a block above it was cut off and may have it as content. */
type Doubt = 'spoken' | 'cut off' | undefined

interface NameBefore {
  /** The file of the block before. */
  readonly name: string | undefined
  readonly doubt: Doubt
  /** Lines above this one belong to it. */
  readonly floor: number
  readonly named: SeekName
}

interface EditRun {
  readonly name: string | undefined
  readonly doubt: Doubt
  readonly found: ForeignBlock
  readonly next: number
}

/** The block that opens on a line, and those after it that belong to the same patch. */
function readRun(source: Source, marks: SearchReplaceMarks, line: number, before: NameBefore): EditRun {
  const named = before.named(line, before.floor)
  const [spoken, ...others] = named === undefined ? spokenAbove(source, line, before) : none
  const name = others.length > 0 ? undefined : ((named ?? spoken)?.path ?? before.name)
  const isSpoken = spoken !== undefined || (named === undefined && before.doubt === 'spoken')
  const own = before.doubt === 'cut off' ? before.doubt : isSpoken ? 'spoken' : undefined
  const readFrom = (head: number): SearchReplaceEdit => endCutOff(readEdit(source, marks, head, name), before.named)
  const first = readFrom(line)
  const startLine = named?.line ?? line
  const foundIn = (
    edits: readonly SearchReplaceEdit[],
    text: Parameters<typeof searchReplaceBlock>[3],
  ): ForeignBlock => {
    const found = searchReplaceBlock(edits, startLine, name, text)
    if (own === undefined || found.findings.length > 0) return found
    const warning = spoken && `there is no path above the block; line ${spoken.line} names ${spoken.path}`
    return { ...found, proposed: true, warnings: [...(found.warnings ?? none), ...(warning ? [warning] : none)] }
  }
  if (isNewFile(first)) {
    return { name, doubt: own, found: foundIn([first], { content: first.replace }), next: first.next }
  }

  const edits = [first]
  let last = first
  // A tail without a head does not begin a hunk.
  while (last.endLine !== null && last.cutBy === undefined && marks.isHead(line)) {
    const head = marks.seek(last.next)
    if (!marks.isHead(head)) break
    const other = before.named(head, last.next)
    if ((other?.path ?? name) !== name || !hasOnlyFrame(source, last.next, head - 1, other?.line)) break
    const edit = readFrom(head)
    if (isNewFile(edit) || edit.cutBy !== undefined) break
    edits.push(edit)
    last = edit
  }
  const doubt = first.cutBy === undefined ? own : 'cut off'
  return { name, doubt, found: foundIn(edits, { patch: writePatch(edits) }), next: last.next }
}

/** A block that was cut off ends where the next one names its file; without a name that may be content. */
function endCutOff(edit: SearchReplaceEdit, named: SeekName): SearchReplaceEdit {
  const { cutBy } = edit
  if (cutBy === undefined) return edit
  const name = named(cutBy, edit.line + 1)
  if (name === undefined) return { ...edit, cutBy: undefined }
  const last = name.line - 1
  const finding = { line: edit.line, code: 'search-cut', data: { by: cutBy } } as const
  return { ...edit, endLine: last, lastLine: last, next: name.line, findings: [finding] }
}

/** The files that the text above a head without a name speaks of, if it does not speak of that of the block before. */
function spokenAbove(source: Source, head: number, { name, floor }: NameBefore): readonly NamedAbove[] {
  if (name !== undefined) return otherFiles(source, floor, head - 1, name)
  const above = findLineAbove(source, head, floor)
  const opener = above !== undefined && frameAt(source, above) !== undefined ? above : head
  const spoken = findFileInSection(source, opener, floor)
  return spoken !== undefined && isFile(spoken.path) ? [spoken] : none
}

/** All edits between two lines, for a file that is named elsewhere, as one patch. */
export function readEditsBetween(
  source: Source,
  marks: SearchReplaceMarks,
  { first, last, path }: { readonly first: number; readonly last: number; readonly path: string },
): Pick<ForeignBlock, 'action' | 'params' | 'findings' | 'warnings' | 'markup'> {
  const edits: SearchReplaceEdit[] = []
  for (let line = marks.seek(first); line <= last; line = marks.seek(edits.at(-1)?.next ?? Infinity)) {
    edits.push(readEdit(source, marks, line, path))
  }
  const [only, ...more] = edits
  if (only === undefined) return { action: '', params: { path }, findings: [{ line: first, code: 'search-none' }] }
  const name = path === '' ? undefined : path
  // Without old lines the new ones are the whole file.
  const isWhole = more.length === 0 && isNewFile(only) && only.stated === undefined
  const text = isWhole ? { content: only.replace } : { patch: writePatch(edits) }
  const found = searchReplaceBlock(edits, first, name, text)
  return isWhole && found.findings.length === 0 ? { ...found, action: 'file_write' } : found
}

const isNewFile = ({ search, findings }: SearchReplaceEdit): boolean => findings.length === 0 && !TEXT.test(search)
const TEXT = /\S/

const writePatch = (edits: readonly SearchReplaceEdit[]): string =>
  edits.length === 1 && edits[0] !== undefined ? writeHunk(edits[0]) : edits.map(writeHunk).join('\n')

function searchReplaceBlock(
  edits: readonly SearchReplaceEdit[],
  startLine: number,
  name: string | undefined,
  text: { readonly patch: string } | { readonly content: string },
): ForeignBlock {
  const last = edits.at(-1)
  const first = edits[0]
  const own = listForEdits(edits, ({ findings }) => findings)
  const markup = listForEdits(edits, (edit) => edit.markup ?? none)
  const isNameless = name === undefined && first !== undefined && own.length === 0
  const findings: readonly Finding[] = isNameless ? [{ line: first.line, code: 'search-nameless' }] : own
  return {
    action: 'patch' in text ? 'file_patch' : 'file_create',
    params: editParams(name, findings.length > 0 ? undefined : text),
    label: 'SEARCH/REPLACE',
    startLine,
    endLine: last?.endLine ?? null,
    lastLine: last?.lastLine ?? startLine,
    findings,
    warnings: listForEdits(edits, ({ warnings }) => warnings),
    markup: markup.length > 0 ? markup : undefined,
  }
}

const none: readonly never[] = []

/** Most patches have one edit, whose lists need no copy. */
const listForEdits = <Item>(
  edits: readonly SearchReplaceEdit[],
  listOf: (edit: SearchReplaceEdit) => readonly Item[],
): readonly Item[] => (edits.length === 1 && edits[0] !== undefined ? listOf(edits[0]) : edits.flatMap(listOf))

/** What a broken block would write is not known. */
function editParams(
  path: string | undefined,
  text: Parameters<typeof searchReplaceBlock>[3] | undefined,
): ForeignBlock['params'] {
  if (path === undefined) return {}
  if (text === undefined) return { path }
  return 'patch' in text ? { path, patch: text.patch } : { path, content: text.content }
}

/** What both sides begin and end with is context: then the file keeps its own spelling of it. */
export function writeHunk({
  search,
  replace,
  stated,
}: Pick<SearchReplaceEdit, 'search' | 'replace' | 'stated'>): string {
  const head = sameHead(search, replace)
  const tail = sameTail(search, replace, head)
  const header = stated === undefined ? '@@!' : `@@! -${stated} @@`
  const kept = markLines(' ', search, 0, head)
  const gone = markLines('-', search, head, search.length - tail)
  const come = markLines('+', replace, head, replace.length - tail)
  return `${header}${kept}${gone}${come}${markLines(' ', search, search.length - tail, search.length)}`
}

/** The length of the lines that both texts begin with. */
function sameHead(some: string, others: string): number {
  let head = 0
  for (let at = 0; at < some.length && some.charCodeAt(at) === others.charCodeAt(at);) {
    if (some.charCodeAt(at++) === LF) head = at
  }
  return head
}

/** The length of the lines that both texts end with, after what they begin with. */
function sameTail(some: string, others: string, head: number): number {
  const most = Math.min(some.length, others.length) - head
  let tail = 0
  for (let length = 0; length <= most; length++) {
    const one = some.charCodeAt(some.length - length - 1)
    const other = others.charCodeAt(others.length - length - 1)
    const isStart = (one === LF || length === some.length - head) && (other === LF || length === others.length - head)
    if (isStart) tail = length
    if (one !== other) break
  }
  return tail
}

/** The lines of a part of a text, each with a line break and a mark before it. Joined: see `Rows.unmarked`. */
function markLines(mark: string, text: string, from: number, to: number): string {
  if (from === to) return ''
  const before = `\n${mark}`
  const rows: string[] = []
  for (let at = from, end = 0; at < to; at = end + 1) {
    end = text.indexOf('\n', at)
    rows.push(text.slice(at, end))
  }
  return before + rows.join(before)
}

/** The file that is named above a head, and the line that names it. */
interface NamedAbove {
  readonly path: string
  readonly line: number
}

export type SeekName = (head: number, floor: number) => NamedAbove | undefined

/** Looks for names, and remembers the last: what ends one block is asked again for the next. */
export function makeNameSeeker(source: Source): SeekName {
  let last: { head: number; floor: number; named: NamedAbove | undefined } | undefined
  return (head, floor) => {
    if (last?.head !== head || last.floor !== floor) last = { head, floor, named: nameAbove(source, head, floor) }
    return last.named
  }
}

/** Lines above `floor` are ignored. */
function nameAbove(source: Source, head: number, floor: number): NamedAbove | undefined {
  const inside = findLineAbove(source, head, floor)
  if (inside === undefined) return undefined
  const opener = frameAt(source, inside)
  if (opener === undefined) {
    const path = readFileName(lineWithoutBom(source, inside))
    if (path !== undefined) return { path, line: inside }
  }
  // Directly above, or with one line between that names nothing, such as a comment.
  const line = opener === undefined ? findLineAbove(source, inside, floor) : inside
  const fence = opener ?? (line === undefined ? undefined : frameAt(source, line))
  if (line === undefined || fence === undefined) return undefined
  const path = readFenceName(fence)
  if (path !== undefined) return { path, line }
  const above = findLineAbove(source, line, floor)
  const row = above === undefined ? '' : lineWithoutBom(source, above)
  const name = readFileName(row)
  if (above === undefined || name === undefined) return undefined
  // "### Renamed file" is a change of its own, see `proposal.ts`, and no part of the edit below it.
  return { path: name, line: RENAMED.test(row) ? line : above }
}

const RENAMED = /^#{1,6}\s+Renamed file:/i

/**
 * The files that lines speak of, when they do not speak of `name`: a reply that continues with another file may say so in a
 * sentence.
 */
function otherFiles(source: Source, first: number, last: number, name: string): readonly NamedAbove[] {
  const others = new Map<string, NamedAbove>()
  for (let line = first; line <= last; line++) {
    for (const path of findMentionedFiles(lineWithoutBom(source, line))) {
      if (isEndOf(path, name) || isEndOf(name, path)) return none
      if (isFile(path) && !others.has(path)) others.set(path, { path, line })
    }
  }
  return [...others.values()]
}

const isEndOf = (end: string, path: string): boolean => path === end || path.endsWith(`/${end}`)

/** More between two blocks than this is not their frame. */
const FRAME = 8

/** Whether lines hold only white space, fences and, on the line given, a name. */
export function hasOnlyFrame(source: Source, first: number, last: number, name: number | undefined): boolean {
  if (last - first >= FRAME) return false
  for (let line = first; line <= last; line++) {
    if (line !== name && frameAt(source, line) === undefined && lineWithoutBom(source, line).trim() !== '') return false
  }
  return true
}

import { type Hunk, sideOf } from './hunks.ts'
import { indentOf, reindenter } from './lenient-indent.ts'
import { type FileLines, folded, strategies, type Strategy, withoutCr } from './lenient-lines.ts'

/** A hunk and the one place it belongs. */
export interface Placed {
  readonly hunk: Hunk
  /** The first line of the old side, from 0; of a hunk that only adds, the line it stands before then. */
  readonly first: number
  readonly strategy: Strategy
  /** The lines to add, in order, as the file is to have them. */
  readonly added: readonly string[]
  /** Whether the line ends are those of the patch, CR included. */
  readonly lineEnds: 'patch' | 'file'
  readonly warnings: readonly string[]
}

export type Located =
  | Placed
  | { readonly problem: 'absent' }
  | { readonly problem: 'ambiguous'; readonly lines: readonly number[] }
  /** It only adds, and nothing says where. */
  | { readonly problem: 'no-context' }

/**
 * The place of a hunk in a file. The strictest way of comparing that finds anything decides, and it must find one
 * place. What does not end the file is none when the hunk says that it does, nor is what stands above the line that the
 * header names. Of several places that are left, the first of these that fits exactly one decides:
 *
 * - it begins on exactly the line whose number the header states. Numbers count in the file as it was, for later
 *   hunks too, so no distance is made up for;
 * - it is in the block, by indentation, of the line that the header names;
 * - it is in the block of the heading behind the numbers;
 * - it ends the file, and the hunk says that the old side has no final newline.
 *
 * The order of hunks says nothing, because models write them in any.
 */
export function locate(hunk: Hunk, file: FileLines): Located {
  const old = sideOf(hunk, 'old').map(({ text }) => text)
  if (old.length === 0) return locateAddition(hunk, file)

  const carriesCr = hunk.lines.some(({ text }) => text.endsWith('\r'))
  for (const strategy of strategies) {
    const toTheLetter = strategy === 'exact' && carriesCr ? candidates(hunk, file, old, 'letter') : none
    const { starts, warnings } = toTheLetter.starts.length > 0 ? toTheLetter : candidates(hunk, file, old, strategy)
    const [first] = starts
    if (first === undefined) continue
    if (starts.length > 1) return { problem: 'ambiguous', lines: starts }
    const lineEnds = starts === toTheLetter.starts ? 'patch' : 'file'
    const added = addedLines(hunk, file, first, { strategy, lineEnds })
    return added === undefined ? { problem: 'absent' } : { hunk, first, strategy, added, lineEnds, warnings }
  }
  return { problem: 'absent' }
}

interface Candidates {
  readonly starts: readonly number[]
  readonly warnings: readonly string[]
}

const none: Candidates = { starts: [], warnings: [] }

function candidates(
  hunk: Hunk,
  file: FileLines,
  old: readonly string[],
  view: Parameters<FileLines['find']>[1],
): Candidates {
  const found = file.find(old, view)
  const ending = hunk.atEnd ? found.filter((start) => start + old.length === file.count) : found
  const above = ending.length === 0 ? undefined : lineAbove(hunk.above, file)
  const starts = above === undefined ? ending : ending.filter((start) => start >= above)
  const warnings =
    hunk.above.length > 0 && above === undefined && ending.length > 0
      ? [`hunk ${hunk.number}: no line is '${hunk.above.join(' / ')}'; it was placed by its own lines alone`]
      : []
  if (starts.length < 2) return { starts, warnings }

  const heading = hunk.heading === undefined ? undefined : lineAbove([hunk.heading], file)
  const narrowed = [
    starts.filter((start) => start + 1 === hunk.stated?.line),
    above === undefined ? [] : inBlock(file, above, starts),
    heading === undefined ? [] : inBlock(file, heading, starts),
    hunk.bare.old ? starts.filter((start) => start + old.length === file.count) : [],
  ]
  return { starts: narrowed.find(({ length }) => length === 1) ?? starts, warnings }
}

function locateAddition(hunk: Hunk, file: FileLines): Located {
  const added = hunk.lines.map(({ text }) => withoutCr(text))
  const at = (first: number, warnings: readonly string[] = []): Placed => {
    return { hunk, first, strategy: 'exact', added, lineEnds: 'file', warnings }
  }
  if (file.count === 0) return at(0)
  if (hunk.atEnd) return at(file.count)
  if (hunk.above.length > 0) {
    const lines = linesNamed(hunk.above, file)
    const [first] = lines
    if (first === undefined) return { problem: 'absent' }
    if (lines.length > 1) return { problem: 'ambiguous', lines }
    return at(first + 1, [
      `hunk ${hunk.number} has no context of its own; it was put directly behind line ${first + 1}`,
    ])
  }
  const { stated } = hunk
  // What stands behind line 0 is as likely the whole of a file that was thought to be new.
  const isStated = stated?.count === 0 && stated.line > 0 && stated.line <= file.count
  return isStated ? at(stated.line) : { problem: 'no-context' }
}

/** The first line that is the last of the named ones, each found behind the one before. */
function lineAbove(named: readonly string[], file: FileLines): number | undefined {
  return linesNamed(named, file)[0]
}

/** All such lines. A line is named by its text, blanks aside; where none is, by how it begins. */
function linesNamed(named: readonly string[], file: FileLines): number[] {
  let from = -1
  let lines: number[] = []
  for (const name of named) {
    lines = linesLike(name, file).filter((line) => line > from)
    const [first] = lines
    if (first === undefined) return []
    from = first
  }
  return lines
}

function linesLike(name: string, file: FileLines): number[] {
  const same = file.find([name], 'indentation')
  if (same.length > 0) return same
  const plain = file.find([name], 'punctuation')
  if (plain.length > 0) return plain
  const start = folded(name).trim()
  const found: number[] = []
  for (let at = 0; at < file.count; at++) {
    const line = folded(file.line(at)).trimStart()
    // Not in the middle of a word: `def add` does not name `def add_all`.
    if (line.startsWith(start) && !/^\w\w$/.test(line.slice(start.length - 1, start.length + 1))) found.push(at)
  }
  return found
}

/** Those of the lines that lie in the block a line opens: down to the next that is not deeper, blank ones aside. */
function inBlock(file: FileLines, opener: number, lines: readonly number[]): number[] {
  const depth = indentOf(file.line(opener)).length
  let end = opener + 1
  for (; end < file.count; end++) {
    const text = file.line(end)
    if (text.trim() !== '' && indentOf(text).length <= depth) break
  }
  return lines.filter((line) => line >= opener && line < end)
}

function addedLines(
  hunk: Hunk,
  file: FileLines,
  first: number,
  { strategy, lineEnds }: Pick<Placed, 'strategy' | 'lineEnds'>,
): string[] | undefined {
  const added = sideOf(hunk, 'new').filter(({ mark }) => mark === '+')
  const given = added.map(({ text }) => (lineEnds === 'patch' ? text : withoutCr(text)))
  if (strategy === 'exact' || strategy === 'trailing-blanks') return given
  const reindent = reindenter(sideOf(hunk, 'old').map(({ text }, at) => [text, file.line(first + at)]))
  const lines: string[] = []
  for (const line of given) {
    const there = reindent(line)
    if (there === undefined) return undefined
    lines.push(there)
  }
  return lines
}

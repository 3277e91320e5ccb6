import { diffLines, type LineRun } from '@clada/reply/text/line-diff.ts'
import { splitKeepingEnds } from '@clada/reply/text/lines.ts'
import { formatExtent, groupRuns, MARKS } from '@clada/reply/text/unified-diff.ts'
import path from 'node:path'
import type { ListedEntry, PathArg } from '../../core/files.ts'
import { runBounded } from '../../core/time-limit.ts'
import type { PathOperand } from '../scope.ts'
import { childOf, noSuchFile, type ReadingRun, tryRead } from './reading-run.ts'

/** diff: two files, or the files of two directories. */
export async function runDiff(reader: ReadingRun): Promise<void> {
  const [one, other] = reader.operands
  if (one === undefined || other === undefined) return
  for (const { given, found } of [one, other])
    if (found === undefined && !(reader.has('-N') && one.found !== other.found)) reader.complain(given, noSuchFile, 2)
  if (reader.exitCode > 0) return
  const [oneIsDir, otherIsDir] = [isDirectoryOperand(one), isDirectoryOperand(other)]
  const name = path.basename((oneIsDir ? other : one).absolute)
  await tryRead(
    reader,
    one.given,
    async () => {
      if (oneIsDir && otherIsDir) await compareDirectories(one, other, reader)
      else if (oneIsDir) await compareFiles(childOf(one, name), other, reader, '')
      else if (otherIsDir) await compareFiles(one, childOf(other, name), reader, '')
      else await compareFiles(one, other, reader, '')
    },
    2,
  )
}

const isDirectoryOperand = ({ found }: PathOperand): boolean => found?.type === 'directory'

/** By name; what is blocked is left out on both sides. */
async function compareDirectories(one: PathArg, other: PathArg, reader: ReadingRun): Promise<void> {
  reader.checkTime()
  const [old, now] = [await entriesByName(one, reader), await entriesByName(other, reader)]
  for (const name of [...new Set([...old.keys(), ...now.keys()])].sort()) {
    const [before, after] = [old.get(name), now.get(name)]
    const [left, right] = [childOf(one, name), childOf(other, name)]
    const type = (before ?? after)?.type
    if ((before === undefined || after === undefined) && !reader.has('-N')) {
      reader.print(`Only in ${before === undefined ? other.given : one.given}: ${name}\n`)
      differs(reader)
    } else if (before !== undefined && after !== undefined && before.type !== after.type) {
      reader.print(`File ${left.given} is a ${typeWord(before)} while file ${right.given} is a ${typeWord(after)}\n`)
      differs(reader)
    } else if (type === 'directory') {
      if (reader.has('-r')) await compareDirectories(left, right, reader)
      else reader.print(`Common subdirectories: ${left.given} and ${right.given}\n`)
    } else if (type === 'file') {
      const command = `diff ${reader.call.options.join(' ')} ${left.given} ${right.given}\n`.replace('  ', ' ')
      await tryRead(reader, left.given, () => compareFiles(left, right, reader, command), 2)
    } else if (type === 'symlink') {
      const [target, its] = [await linkText(left, reader), await linkText(right, reader)]
      if (target === its) continue
      reader.print(`Symbolic links ${left.given} and ${right.given} differ\n`)
      differs(reader)
    }
  }
}

const typeWord = ({ type, size }: ListedEntry): string =>
  type === 'file' ? (size === 0 ? 'regular empty file' : 'regular file') : type === 'symlink' ? 'symbolic link' : type

const linkText = (arg: PathArg, reader: ReadingRun): Promise<string | undefined> =>
  reader.files.readLink(arg).catch(() => undefined)

async function entriesByName(dir: PathArg, reader: ReadingRun): Promise<ReadonlyMap<string, ListedEntry>> {
  const isThere = (await reader.files.look(dir, 'list')) !== undefined
  const entries = isThere ? await reader.files.list(dir) : []
  const open = entries.filter(({ name }) => !reader.files.isBlocked(childOf(dir, name)))
  return new Map(open.map((entry) => [entry.name, entry]))
}

function differs(reader: ReadingRun): void {
  reader.exitCode = Math.max(reader.exitCode, 1)
}

/** `command` is printed before differences: which files of two directories they are in. */
async function compareFiles(one: PathArg, other: PathArg, reader: ReadingRun, command: string): Promise<void> {
  const [before, after] = [await operandContent(one, reader), await operandContent(other, reader)]
  const isSame = before.equals(after)
  if (isSame && reader.has('-s')) reader.print(`Files ${one.given} and ${other.given} are identical\n`)
  if (isSame) return
  if (!reader.has('-a') && (isBinary(before) || isBinary(after))) {
    reader.print(`Binary files ${one.given} and ${other.given} differ\n`)
    return differs(reader)
  }
  const isUnified = reader.has('-u', '-U')
  const context = isUnified ? Number(reader.valueOf('-U') ?? 3) : 0
  const sides = { before: splitKeepingEnds(before.toString()), after: splitKeepingEnds(after.toString()) }
  const hunks = comparedHunks(sides, context, reader)
  if (hunks.length === 0 && reader.has('-s')) reader.print(`Files ${one.given} and ${other.given} are identical\n`)
  if (hunks.length === 0) return
  differs(reader)
  if (reader.has('-q')) return reader.print(`Files ${one.given} and ${other.given} differ\n`)
  reader.print(command)
  if (isUnified) reader.print(`--- ${one.given}\n+++ ${other.given}\n`)
  for (const hunk of hunks) reader.print(isUnified ? unifiedHunk(hunk, sides) : normalHunk(hunk, sides))
}

/** With `-N` a missing file is an empty one. */
async function operandContent(arg: PathArg, reader: ReadingRun): Promise<Buffer> {
  const isMissing = reader.has('-N') && (await reader.files.look(arg, 'read')) === undefined
  const bytes = isMissing ? Buffer.alloc(0) : await reader.readWhole(arg)
  return reader.has('--strip-trailing-cr')
    ? Buffer.from(bytes.toString('latin1').replace(/\r\n/g, '\n'), 'latin1')
    : bytes
}

const isBinary = (bytes: Buffer): boolean => bytes.subarray(0, 1 << 15).includes(0)

interface Sides {
  readonly before: readonly string[]
  readonly after: readonly string[]
}

/** Where it begins on both sides, counted from 0, and what follows. */
interface DiffHunk {
  readonly oldAt: number
  readonly newAt: number
  readonly runs: readonly LineRun[]
}

function comparedHunks({ before, after }: Sides, context: number, reader: ReadingRun): DiffHunk[] {
  const runs = runBounded(() =>
    diffLines(
      before.map((line) => comparable(line, reader)),
      after.map((line) => comparable(line, reader)),
    ),
  )
  const hunks: DiffHunk[] = []
  let [oldAt, newAt] = [0, 0]
  for (const { lead, runs: group } of groupRuns(runs, context)) {
    const hunk = { oldAt: oldAt + lead, newAt: newAt + lead, runs: group.filter(({ count }) => count > 0) }
    oldAt = hunk.oldAt + countSideLines(group, 'old')
    newAt = hunk.newAt + countSideLines(group, 'new')
    if (hunk.runs.length > 0 && !(reader.has('-B') && isBlankOnly(hunk, { before, after }))) hunks.push(hunk)
  }
  return hunks
}

/** A line as the options compare it. */
function comparable(line: string, reader: ReadingRun): string {
  let text = line
  if (reader.has('-w')) text = text.replace(/\s+/g, '')
  else if (reader.has('-b')) text = text.trimEnd().replace(/\s+/g, ' ')
  return reader.has('-i') ? text.toLowerCase() : text
}

const countSideLines = (runs: readonly LineRun[], side: 'old' | 'new'): number =>
  runs.reduce((sum, { kind, count }) => (kind === 'same' || kind === side ? sum + count : sum), 0)

const isBlankOnly = (hunk: DiffHunk, sides: Sides): boolean =>
  changedRuns(hunk, sides).every(({ kind, lines }) => kind === 'same' || lines.every((line) => line.trim() === ''))

/** Its runs with their lines; those that both sides have are the old ones. */
function changedRuns(
  { oldAt, newAt, runs }: DiffHunk,
  { before, after }: Sides,
): { kind: LineRun['kind']; lines: string[] }[] {
  let [old, now] = [oldAt, newAt]
  return runs.map(({ kind, count }) => {
    const lines = kind === 'new' ? after.slice(now, now + count) : before.slice(old, old + count)
    if (kind !== 'new') old += count
    if (kind !== 'old') now += count
    return { kind, lines }
  })
}

const withNoNewlineMark = (line: string): string =>
  line.endsWith('\n') ? line : `${line}\n\\ No newline at end of file\n`

function unifiedHunk(hunk: DiffHunk, sides: Sides): string {
  const { oldAt, newAt, runs } = hunk
  const body = changedRuns(hunk, sides).flatMap(({ kind, lines }) =>
    lines.map((line) => MARKS[kind] + withNoNewlineMark(line)),
  )
  const [oldEnd, newEnd] = [oldAt + countSideLines(runs, 'old'), newAt + countSideLines(runs, 'new')]
  return `@@ -${formatExtent(oldAt, oldEnd)} +${formatExtent(newAt, newEnd)} @@\n${body.join('')}`
}

/** `5,6c5` and then the lines of both sides. */
function normalHunk(hunk: DiffHunk, sides: Sides): string {
  const { oldAt, newAt, runs } = hunk
  const [removed, added] = [countSideLines(runs, 'old'), countSideLines(runs, 'new')]
  const range = (at: number, count: number): string =>
    count === 0 ? String(at) : count === 1 ? String(at + 1) : `${at + 1},${at + count}`
  const letter = removed === 0 ? 'a' : added === 0 ? 'd' : 'c'
  const side = (kind: LineRun['kind'], mark: string): string =>
    changedRuns(hunk, sides)
      .flatMap((run) => (run.kind === kind ? run.lines.map((line) => `${mark} ${withNoNewlineMark(line)}`) : []))
      .join('')
  const between = letter === 'c' ? '---\n' : ''
  return `${range(oldAt, removed)}${letter}${range(newAt, added)}\n${side('old', '<')}${between}${side('new', '>')}`
}

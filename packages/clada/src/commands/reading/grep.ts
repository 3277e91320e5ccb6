import path from 'node:path'
import type { FileChoice, SearchHit, LineChoice, PathArg, SearchResult } from '../../core/files.ts'
import { namePattern } from './name-pattern.ts'
import { fromPosix } from './posix-pattern.ts'
import { noSuchFile, type ReadingRun, tryRead } from './reading-run.ts'

/** grep, by the search that the action of this name uses. */
export async function runGrep(reader: ReadingRun): Promise<void> {
  const places = searchedPaths(reader)
  const isAmong = reader.operands.length > 1 || places.some(({ isDirectory }) => isDirectory)
  const shown = reader.lastOf('-H', '-h') ?? (isAmong ? '-H' : '-h')
  const printer = new HitPrinter(reader, shown === '-H')
  for (const place of places) await tryRead(reader, place.arg.given, () => searchIn(place, reader, printer), 2)
  if (printer.found && reader.has('-q')) reader.exitCode = 0
  else if (!printer.found && reader.exitCode === 0) reader.exitCode = 1
  if (reader.exitCode === 0) reader.hits = printer.hits
}

interface SearchedPath {
  readonly arg: PathArg
  readonly isDirectory: boolean
  /** Before the names of files below a directory. */
  readonly lead: string
}

/** What is searched. Without an operand `-r` searches the directory that it is in. */
function searchedPaths(reader: ReadingRun): SearchedPath[] {
  const directory = (absolute: string, lead: string): SearchedPath => ({
    arg: { given: '.', absolute },
    isDirectory: true,
    lead,
  })
  if (reader.operands.length === 0) return [directory(reader.cwd.absolute, '')]
  return reader.operands.flatMap(({ given, absolute, found }) => {
    if (found?.type === 'directory' && reader.has('-r')) return [directory(absolute, given.replace(/\/*$/, '/'))]
    if (found?.type === 'file')
      return isExcluded(given, reader) ? [] : [{ arg: { given, absolute }, isDirectory: false, lead: '' }]
    complain(reader, given, found === undefined ? noSuchFile : 'Is a directory')
    return []
  })
}

function complain(reader: ReadingRun, given: string, reason: string): void {
  if (reader.has('-s')) reader.exitCode = 2
  else reader.complain(given, reason, 2)
}

/** These options hold for operands too. */
function isExcluded(given: string, { call }: ReadingRun): boolean {
  const name = path.basename(given)
  const isAny = (globs: readonly string[]): boolean => globs.some((glob) => namePattern(glob)(name))
  const include = call.valuesOf('--include')
  return isAny(call.valuesOf('--exclude')) || (include.length > 0 && !isAny(include))
}

async function searchIn(
  { arg, isDirectory, lead }: SearchedPath,
  reader: ReadingRun,
  printer: HitPrinter,
): Promise<void> {
  const { call } = reader
  const given = reader.has('-e') ? call.valuesOf('-e') : call.operands.slice(0, 1).map(({ text }) => text)
  const files: FileChoice = {
    include: call.valuesOf('--include'),
    exclude: call.valuesOf('--exclude'),
    excludeDirs: call.valuesOf('--exclude-dir'),
    ignored: true,
  }
  const result = await reader.files.search({
    base: arg,
    patterns: reader.has('-F') ? given : given.map((pattern) => fromPosix(pattern, reader.has('-E'))),
    regex: !reader.has('-F'),
    ignoreCase: reader.has('-i'),
    max: mostLines,
    lines: lineChoice(reader),
    ...files,
  })
  if (result.more) complain(reader, lead || arg.given, `more than ${mostLines} lines match; the others are left out`)
  const isOfAll = reader.has('-c', '-L')
  const searched = isDirectory && isOfAll ? await reader.files.searched(arg, files) : [arg.given]
  printer.print(result, searched, lead)
}

const mostLines = 200_000

function lineChoice(reader: ReadingRun): LineChoice {
  const isOfNames = reader.has('-l', '-L', '-q')
  const isAlone = isOfNames || reader.has('-c', '-o')
  const around = (flag: '-A' | '-B'): number =>
    isAlone ? 0 : Number(reader.valueOf(flag) ?? reader.valueOf('-C') ?? 0)
  const max = reader.valueOf('-m')
  return {
    invert: reader.has('-v'),
    words: reader.has('-w'),
    wholeLines: reader.has('-x'),
    before: around('-B'),
    after: around('-A'),
    max: max !== undefined ? Number(max) : isOfNames ? 1 : undefined,
  }
}

class HitPrinter {
  found = false
  /** The lines that were printed after the name of their file; undefined if anything else was printed. */
  hits: SearchHit[] | undefined = []
  readonly #reader: ReadingRun
  readonly #isNamed: boolean
  #before: { readonly name: string; readonly number: number } | undefined

  constructor(reader: ReadingRun, isNamed: boolean) {
    this.#reader = reader
    this.#isNamed = isNamed
  }

  /** `searched`: all files, where those without hits count as well. */
  print({ hits, binary }: SearchResult, searched: readonly string[], lead: string): void {
    const reader = this.#reader
    const matching = new Set([...hits.map(({ file }) => file), ...binary])
    if (matching.size > 0) this.found = true
    if (reader.has('-q')) return
    const printNames = (files: readonly string[]): void => {
      for (const file of files) reader.print(`${lead}${file}\n`)
    }
    const listed = reader.lastOf('-l', '-L')
    if (listed === '-l') printNames([...matching].sort())
    else if (listed === '-L') printNames(searched.filter((file) => !matching.has(file)))
    else if (reader.has('-c')) this.#printCounts(hits, searched, lead)
    else {
      for (const hit of hits) this.#printHit(hit, lead)
      for (const file of binary) reader.print(`grep: ${lead}${file}: binary file matches\n`)
      if (binary.length > 0) this.hits = undefined
    }
  }

  #printCounts(hits: readonly SearchHit[], searched: readonly string[], lead: string): void {
    const counts = new Map(searched.map((file) => [file, 0]))
    for (const { file } of hits) counts.set(file, (counts.get(file) ?? 0) + 1)
    for (const [file, count] of counts) this.#reader.print(`${this.#isNamed ? `${lead}${file}:` : ''}${count}\n`)
  }

  /** Lines around a hit have a dash where the hit has a colon. */
  #printHit(hit: SearchHit, lead: string): void {
    const { file, line_number: number, line, matches = [], isContext } = hit
    const reader = this.#reader
    const name = `${lead}${file}`
    const isApart = this.#before !== undefined && (this.#before.name !== name || this.#before.number + 1 < number)
    if (reader.has('-A', '-B', '-C') && !reader.has('-o') && isApart) reader.print('--\n')
    this.#before = { name, number }
    const mark = isContext ? '-' : ':'
    const start = `${this.#isNamed ? `${name}${mark}` : ''}${reader.has('-n') ? `${number}${mark}` : ''}`
    const texts = reader.has('-o') ? matches.filter((match) => match !== '') : [line]
    for (const text of texts) {
      reader.print(`${start}${text}\n`)
      if (this.#isNamed) this.hits?.push({ ...hit, file: name, line: text })
    }
  }
}

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { isInside, isNotebookPath, withSlashes } from '../core/paths.ts'
import type { FileChoice, SearchHit, Search, SearchResult } from '../core/files.ts'
import { ProblemError } from '../core/problem.ts'
import { namesMatching } from '../core/names-matching.ts'
import { notebookText } from './notebook.ts'
import { type FoundLine, isByPath, listFiles, searchLines, type SearchPlace, type SearchReader } from './ripgrep.ts'
import type { Tree } from './tree.ts'
import { baseName, type Location, linkError, type Locator } from './walk.ts'

/** What is searched, and by which rules. */
export interface Searched {
  readonly at: Location
  readonly tree: Tree
  readonly locator: Locator
  readonly timeoutMs: number
}

/**
 * Searches with the real ripgrep, from a directory that was checked. What comes back is filtered again: files
 * whose content is blocked give no hits, whatever ripgrep thinks of them.
 */
export async function searchFiles(query: Search, { at, tree, locator, timeoutMs }: Searched): Promise<SearchResult> {
  const look = tree.look(at)
  if (look === undefined) throw new ProblemError({ kind: 'os', code: 'ENOENT', op: 'open', path: at.given })
  if (look.type === 'symlink') throw linkError(at, at.absolute)
  // ripgrep would wait for a writer for ever.
  if (look.type === 'other')
    throw new ProblemError({ kind: 'not-regular', path: at.given, type: 'special file', op: 'open' })
  const one = look.type === 'directory' ? undefined : baseName(at)
  const dir = one === undefined ? at : { ...at, parts: at.parts.slice(0, -1), absolute: path.dirname(at.absolute) }
  const { cwd, differing: staged } = tree.outside(dir)
  const place = cwd === undefined ? undefined : { cwd, one, timeoutMs }
  const byPath = isByPath(query.include)
  const named = byPath && place !== undefined ? await fileNames(query, place) : []
  const below = (absolute: string): string => withSlashes(path.relative(dir.absolute, absolute))
  const chosen = byPath ? new Set([...named, ...(await matching([...staged.keys()].map(below), query))]) : undefined

  const hits = new HitCollector(query, dir, { one, chosen, locator })
  // Where lines are chosen as grep does it, notebooks are the JSON that is in the file.
  const asCells = query.lines === undefined
  const differing = new DifferingTexts(staged, asCells ? { dir, tree, locator } : undefined)
  if (place !== undefined) {
    // At the same time: each takes as long as looking into every directory.
    const [names] = await Promise.all([
      asCells && !byPath ? listFiles(notebooksOf(query), place) : named,
      searchLines(
        query,
        place,
        hits.reader((file) => !differing.has(file)),
      ),
    ])
    for (const name of names) differing.has(path.join(dir.absolute, name))
  }
  await inScratch(dir, differing.texts, async (scratch) => {
    if (one !== undefined && !fs.existsSync(path.join(scratch, one))) return
    await searchLines(
      query,
      { cwd: scratch, one, timeoutMs },
      hits.reader(() => true),
    )
  })
  return hits.result()
}

/** The files that a search of a directory would look into, relative to it and sorted. */
export async function listSearchedFiles(
  choice: FileChoice,
  { at, tree, locator, timeoutMs }: Searched,
): Promise<string[]> {
  const { cwd, differing } = tree.outside(at)
  const onDisk = cwd === undefined ? [] : await fileNames(choice, { cwd, one: undefined, timeoutMs })
  const names = onDisk.filter((name) => !differing.has(path.join(at.absolute, name)))
  await inScratch(at, differing, async (scratch) => {
    names.push(...(await fileNames(choice, { cwd: scratch, one: undefined, timeoutMs })))
  })
  return names.filter((name) => !locator.isBlocked(path.join(at.absolute, name))).sort()
}

const fileNames = async (choice: FileChoice, place: SearchPlace): Promise<readonly string[]> =>
  matching(await listFiles(choice, place), choice)

const matching = async (names: readonly string[], { include }: FileChoice): Promise<readonly string[]> =>
  isByPath(include) ? namesMatching(names, (include[0] ?? '').replace(/^\//, '')) : names

interface SearchedTree {
  readonly dir: Location
  readonly tree: Tree
  readonly locator: Locator
}

/** The files that may be notebooks. */
const notebooksOf = (choice: FileChoice): FileChoice =>
  choice.include.length > 0 ? choice : { ...choice, include: ['*.[iI][pP][yY][nN][bB]'] }

/** What a search finds otherwise than on the disk: what is staged, and the cells of notebooks in the place of their JSON. */
class DifferingTexts {
  readonly texts: Map<string, Buffer | null>
  readonly #searched: SearchedTree | undefined
  readonly #looked = new Set<string>()

  /** Without `searched` notebooks are what is in their files. */
  constructor(staged: ReadonlyMap<string, Buffer | null>, searched: SearchedTree | undefined) {
    this.texts = new Map(staged)
    this.#searched = searched
    if (searched === undefined) return
    for (const [absolute, bytes] of staged)
      if (bytes !== null && isNotebookPath(absolute)) this.texts.set(absolute, cellText(bytes) ?? bytes)
  }

  /** A notebook is read when it is first asked about. */
  has(absolute: string): boolean {
    if (!this.texts.has(absolute) && isNotebookPath(absolute) && !this.#looked.has(absolute)) this.#look(absolute)
    return this.texts.has(absolute)
  }

  #look(absolute: string): void {
    this.#looked.add(absolute)
    if (this.#searched === undefined) return
    const { dir, tree, locator } = this.#searched
    if (locator.isBlocked(absolute)) return
    const parts = [...dir.parts, ...withSlashes(path.relative(dir.absolute, absolute)).split('/')]
    const cells = cellsAt({ ...dir, parts, absolute }, tree)
    if (cells !== undefined) this.texts.set(absolute, cells)
  }
}

/** Undefined for one that cannot be read, or has no cells: it is searched as it is. */
function cellsAt(at: Location, tree: Tree): Buffer | undefined {
  try {
    const base = tree.read(at, largestNotebook)
    try {
      return cellText(base.bytes)
    } finally {
      base.release()
    }
  } catch (error) {
    if (error instanceof ProblemError) return undefined
    throw error
  }
}

function cellText(bytes: Buffer): Buffer | undefined {
  const cells = notebookText(bytes.toString())
  return cells === undefined ? undefined : Buffer.from(cells)
}

const largestNotebook = 10 * 1024 * 1024

interface HitChoice {
  /** The one file that is searched. */
  readonly one: string | undefined
  /** The only files that count, relative to the directory; undefined where all do. */
  readonly chosen: ReadonlySet<string> | undefined
  readonly locator: Locator
}

class HitCollector {
  readonly #query: Search
  readonly #dir: Location
  readonly #choice: HitChoice
  readonly #hits: SearchHit[] = []
  readonly #binary: string[] = []
  #more = false

  constructor(query: Search, dir: Location, choice: HitChoice) {
    this.#query = query
    this.#dir = dir
    this.#choice = choice
  }

  /** Takes what one run of ripgrep finds in the files that count, by absolute path. */
  reader(counts: (absolute: string) => boolean): SearchReader {
    let file = ''
    return {
      file: (relative) => {
        file = this.#displayName(relative)
        const absolute = path.join(this.#dir.absolute, relative)
        const { chosen, locator } = this.#choice
        return counts(absolute) && (chosen?.has(relative) ?? true) && !locator.isBlocked(absolute)
      },
      line: (line) => this.#add(file, line),
      end: (isBinary) => void (isBinary && this.#binary.push(file)),
    }
  }

  #displayName(relative: string): string {
    const base = this.#query.base.given.replace(/[\\/]+$/, '')
    if (this.#choice.one !== undefined) return base
    return base === '.' || base === '' ? relative : `${base}/${relative}`
  }

  #add(file: string, { number, text, matches, column, isContext }: FoundLine): 'go-on' | 'enough' {
    if (this.#hits.length >= this.#query.max) {
      this.#more = true
      return 'enough'
    }
    const line = text.length > longestLine ? cutAround(text, column) : text
    const hit: SearchHit = { file, line_number: number, line }
    if (this.#query.lines === undefined) this.#hits.push(hit)
    else this.#hits.push(isContext ? { ...hit, isContext } : { ...hit, matches })
    return 'go-on'
  }

  /** In the order of files and lines, whatever order the searching threads found them in. */
  result(): SearchResult {
    const hits = this.#hits.sort((a, b) =>
      a.file === b.file ? a.line_number - b.line_number : a.file < b.file ? -1 : 1,
    )
    return { hits, more: this.#more, binary: this.#binary.sort() }
  }
}

const longestLine = 2000

/** As much of a line as is worth reading, with what was looked for in it. */
function cutAround(line: string, match: number): string {
  const from = match < longestLine - 200 ? 0 : match - 500
  const part = line.slice(from, from + longestLine)
  const to = from + part.length
  return `${from > 0 ? '…' : ''}${part}${to < line.length ? '…' : ''} (characters ${from + 1} to ${to} of ${line.length})`
}

/** Lends a directory with the files that differ from the disk, where there are any: ripgrep searches them there. */
async function inScratch(
  dir: Location,
  differing: ReadonlyMap<string, Buffer | null>,
  use: (scratch: string) => Promise<void>,
): Promise<void> {
  const files = [...differing].filter(([file, bytes]) => bytes !== null && isInside(file, dir.absolute))
  if (files.length === 0) return
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-search-'))
  try {
    for (const [file, bytes] of files) {
      const copy = path.join(scratch, path.relative(dir.absolute, file))
      fs.mkdirSync(path.dirname(copy), { recursive: true })
      fs.writeFileSync(copy, bytes ?? '')
    }
    await use(scratch)
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true })
  }
}

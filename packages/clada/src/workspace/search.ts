import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { isInside, isNotebookPath, slashed } from '../core/paths.ts'
import { reservedNames } from '../core/reserved-names.ts'
import type { Hit, Search, SearchResult } from '../core/files.ts'
import { ProblemError } from '../core/problem.ts'
import { startPart } from '../process/programs.ts'
import { ripgrepFile } from '../process/ripgrep.ts'
import type { Locator } from './walk.ts'
import { baseName, type Location, linkError } from './walk.ts'
import type { Tree } from './tree.ts'
import { platform } from '../core/platform.ts'
import { namesMatching } from '../core/names-matching.ts'
import { notebookText } from './notebook.ts'

/**
 * Searches with the real ripgrep, from a directory that was checked. What comes back is filtered again: files
 * whose content is blocked give no hits, whatever ripgrep thinks of them.
 */
export async function searchWithRipgrep(
  query: Search,
  at: Location,
  tree: Tree,
  locator: Locator,
  timeoutMs: number,
): Promise<SearchResult> {
  const look = at.parts.length === 0 ? { type: 'directory' as const } : tree.look(at)
  if (look === undefined) throw new ProblemError({ kind: 'os', code: 'ENOENT', op: 'open', path: at.given })
  if (look.type === 'symlink') throw linkError(at, at.absolute)
  // ripgrep would wait for a writer for ever.
  if (look.type === 'other')
    throw new ProblemError({ kind: 'not-regular', path: at.given, type: 'special file', op: 'open' })
  const one = look.type === 'directory' ? undefined : baseName(at)
  const dir = one === undefined ? at : { ...at, parts: at.parts.slice(0, -1), absolute: path.dirname(at.absolute) }
  const { cwd, differing: staged } = tree.outside(dir)
  const where = { one, timeoutMs }
  const named = cwd === undefined ? [] : await namesIn(query, { cwd, ...where })
  const differing = withCells(named.filter(isNotebookPath), staged, { dir, tree, locator })
  const below = (absolute: string): string => slashed(path.relative(dir.absolute, absolute))
  const chosen = byPath(query)
    ? new Set([...named, ...(await matching([...staged.keys()].map(below), query))])
    : undefined

  const collect = new Collector(query, dir, { one, chosen, locator })
  if (cwd !== undefined) {
    await ripgrep(
      optionsFor(query),
      query.pattern,
      { cwd, ...where },
      hitsTo((relative, line, text) => {
        return differing.has(path.join(dir.absolute, relative)) ? 'go-on' : collect.add(relative, line, text)
      }),
    )
  }
  await searchStaged(query, dir, where, differing, collect)
  return collect.result()
}

/** The files that a search of a directory would look into, relative to it and sorted. */
export async function namesWithRipgrep(
  query: NamesQuery,
  at: Location,
  tree: Tree,
  locator: Locator,
  timeoutMs: number,
): Promise<string[]> {
  const { cwd, differing } = tree.outside(at)
  const where = { one: undefined, timeoutMs }
  const onDisk = cwd === undefined ? [] : await namesIn(query, { cwd, ...where })
  const names = onDisk.filter((name) => !differing.has(path.join(at.absolute, name)))
  await inScratch(at, differing, async (scratch) => {
    names.push(...(await namesIn(query, { cwd: scratch, ...where })))
  })
  return names.filter((name) => !locator.isBlocked(path.join(at.absolute, name))).sort()
}

type NamesQuery = Pick<Search, 'include'>

async function namesIn(query: NamesQuery, where: Where): Promise<readonly string[]> {
  const names: string[] = []
  await ripgrep(['--files', ...choiceFor(query)], undefined, where, (record, lead) => {
    names.push(record.toString('utf8', Buffer.byteLength(lead)))
    return 'go-on'
  })
  return matching(names, query)
}

const byPath = ({ include }: NamesQuery): boolean => include?.includes('/') === true && !include.startsWith('!')

/** ripgrep's own globs of whole paths would bring back what git ignores. */
const matching = async (names: readonly string[], query: NamesQuery): Promise<readonly string[]> =>
  byPath(query) ? namesMatching(names, query.include?.replace(/^\//, '') ?? '') : names

interface Reading {
  readonly dir: Location
  readonly tree: Tree
  readonly locator: Locator
}

/** What a search finds otherwise than on the disk: what is staged, and the cells of notebooks in the place of their JSON. */
function withCells(
  notebooks: readonly string[],
  staged: ReadonlyMap<string, Buffer | null>,
  { dir, tree, locator }: Reading,
): ReadonlyMap<string, Buffer | null> {
  const differing = new Map(staged)
  for (const [absolute, bytes] of staged)
    if (bytes !== null && isNotebookPath(absolute)) differing.set(absolute, cellsOf(bytes) ?? bytes)
  for (const name of notebooks) {
    const absolute = path.join(dir.absolute, name)
    if (differing.has(absolute) || locator.isBlocked(absolute)) continue
    const cells = cellsAt({ ...dir, parts: [...dir.parts, ...name.split('/')], absolute }, tree)
    if (cells !== undefined) differing.set(absolute, cells)
  }
  return differing
}

/** Undefined for one that cannot be read, or has no cells: it is searched as it is. */
function cellsAt(at: Location, tree: Tree): Buffer | undefined {
  try {
    const base = tree.read(at, largestNotebook)
    try {
      return cellsOf(base.bytes)
    } finally {
      base.release()
    }
  } catch (error) {
    if (error instanceof ProblemError) return undefined
    throw error
  }
}

function cellsOf(bytes: Buffer): Buffer | undefined {
  const cells = notebookText(bytes.toString())
  return cells === undefined ? undefined : Buffer.from(cells)
}

const largestNotebook = 10 * 1024 * 1024

interface Choice {
  /** The one file that is searched. */
  readonly one: string | undefined
  /** The only files that count, relative to the directory; undefined where all do. */
  readonly chosen: ReadonlySet<string> | undefined
  readonly locator: Locator
}

class Collector {
  readonly #query: Search
  readonly #dir: Location
  readonly #choice: Choice
  readonly #open = new Map<string, boolean>()
  readonly #hits: Hit[] = []
  #more = false

  constructor(query: Search, dir: Location, choice: Choice) {
    this.#query = query
    this.#dir = dir
    this.#choice = choice
  }

  add(relative: string, line: number, text: string): 'go-on' | 'enough' {
    if (!this.#isOpen(relative)) return 'go-on'
    if (this.#hits.length >= this.#query.max) {
      this.#more = true
      return 'enough'
    }
    const base = this.#query.base.given.replace(/[\\/]+$/, '')
    const file =
      this.#choice.one === undefined ? (base === '.' || base === '' ? relative : `${base}/${relative}`) : base
    this.#hits.push({ file, line_number: line, line: text })
    return 'go-on'
  }

  /** In the order of files and lines, whatever order the searching threads found them in. */
  result(): SearchResult {
    const hits = this.#hits.sort((a, b) =>
      a.file === b.file ? a.line_number - b.line_number : a.file < b.file ? -1 : 1,
    )
    return { hits, more: this.#more }
  }

  /** Once for each file. */
  #isOpen(relative: string): boolean {
    const known = this.#open.get(relative)
    if (known !== undefined) return known
    const absolute = path.join(this.#dir.absolute, relative)
    const { chosen, locator } = this.#choice
    const open = (chosen?.has(relative) ?? true) && !locator.isBlocked(absolute)
    this.#open.set(relative, open)
    return open
  }
}

type OnHit = (relative: string, line: number, text: string) => 'go-on' | 'enough'

/** A line of ripgrep's output, or a name of its list; `lead` is before every name. */
type OnRecord = (record: Buffer, lead: string) => 'go-on' | 'enough'

const hitsTo =
  (onHit: OnHit): OnRecord =>
  (record, lead) =>
    reported(record, lead, onHit)

interface Where {
  readonly cwd: string
  /** The one file to search, or undefined for all below. */
  readonly one: string | undefined
  readonly timeoutMs: number
}

/** Without a pattern the names of files are listed. */
async function ripgrep(
  options: readonly string[],
  pattern: string | undefined,
  { cwd, one, timeoutMs }: Where,
  onRecord: OnRecord,
): Promise<void> {
  const end = pattern === undefined ? 0 : 10
  // Windows starts no program in a directory with a long path; then the directory is named instead.
  const isFar = cwd.length > platform.longestWorkingDirectory
  const lead = isFar ? `${slashed(cwd)}/` : './'
  const child = startPart(
    ...withMemoryLimit(ripgrepFile(), [
      ...options,
      ...(pattern === undefined ? [] : ['-e', pattern]),
      '--',
      one === undefined ? lead : `${lead}${one}`,
    ]),
    {
      cwd: isFar ? path.parse(cwd).root : cwd,
      // Nothing of the caller's environment can change what is searched.
      env: { LANG: 'C.UTF-8' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  return new Promise((done, failed) => {
    let stderr = ''
    let rest: Buffer = Buffer.alloc(0)
    let enough = false
    let late = false
    const timer = setTimeout(() => {
      late = true
      child.kill('SIGKILL')
    }, timeoutMs)
    child.stderr?.on('data', (chunk: Buffer) => {
      if (stderr.length < 4096) stderr += chunk.toString()
    })
    child.stdout?.on('data', (chunk: Buffer) => {
      if (enough) return
      const data = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      let from = 0
      for (let at = data.indexOf(end); at !== -1; at = data.indexOf(end, from)) {
        enough = onRecord(data.subarray(from, at), lead) === 'enough'
        from = at + 1
        if (!enough) continue
        child.kill('SIGKILL')
        return
      }
      rest = data.subarray(from)
    })
    child.on('error', (error) => failed(new ProblemError({ kind: 'search-failed', message: error.message })))
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      if (late)
        return failed(
          new ProblemError({ kind: 'search-failed', message: `the search took longer than ${timeoutMs / 1000} s` }),
        )
      if (code === null && !enough)
        return failed(
          new ProblemError({
            kind: 'search-failed',
            message: `ripgrep was stopped by ${signal ?? 'a signal'}: a file, or one with rules such as .gitignore, may be too large`,
          }),
        )
      // 1 means that nothing was found; 2 may also mean that some file could not be read, which costs only that file.
      if (
        enough ||
        code === 0 ||
        code === 1 ||
        !/regex parse error|error parsing glob|invalid|unrecognized/i.test(stderr)
      )
        done()
      else failed(new ProblemError({ kind: 'search-failed', message: stderr.trim() }))
    })
  })
}

/**
 * ripgrep reads rule files and lines whole: a `.ignore` that a repository brings as a link to /dev/zero took 4 GB in five
 * seconds. Only Linux enforces the limit.
 */
const withMemoryLimit = (file: string, args: readonly string[]): [file: string, args: readonly string[]] =>
  platform.proc ? ['/bin/sh', ['-c', `ulimit -v ${mostMemory}; exec "$0" "$@"`, file, ...args]] : [file, args]

/** In KiB. */
const mostMemory = 1024 * 1024

function optionsFor({ include, regex, ignoreCase }: Search): string[] {
  const options = choiceFor({ include })
  options.push('--line-number', '--column', '--no-heading', '--with-filename', '--crlf')
  // A mapped file would count as memory, whatever its size.
  options.push('--no-mmap')
  if (!regex) options.push('--fixed-strings')
  if (ignoreCase) options.push('--ignore-case')
  return options
}

/** Which files are looked at, and how they are named. */
function choiceFor({ include }: NamesQuery): string[] {
  // Of two patterns that match the later one counts, and those without regard to case come last: no `include` opens these.
  const blocked = reservedNames.map((name) => `--iglob=!${name}`)
  const options = ['--no-config', '--no-require-git', '--hidden', ...blocked, '--color=never']
  options.push('--null', '--no-messages', '--path-separator=/')
  // A type, unlike a glob, does not bring ignored files back; but it knows file names only.
  if (include?.startsWith('!')) options.push(`--glob=${include}`)
  else if (include !== undefined && !include.includes('/')) options.push(`--type-add=clada:${include}`, '--type=clada')
  return options
}

/** One line of output: the path, NUL, the line number, a colon, the byte of the first match, a colon, the line. */
function reported(output: Buffer, lead: string, onHit: OnHit): 'go-on' | 'enough' {
  const nul = output.indexOf(0)
  if (nul === -1) return 'go-on'
  const colon = output.indexOf(58, nul)
  const begin = output.indexOf(58, colon + 1) + 1
  const match = begin + Number(output.subarray(colon + 1, begin - 1).toString('latin1')) - 1
  const text = output.toString('utf8', begin).replace(/\r$/, '')
  return onHit(
    output.toString('utf8', Buffer.byteLength(lead), nul),
    Number(output.toString('latin1', nul + 1, colon)),
    text.length > longestLine ? cutAround(text, output.toString('utf8', begin, match).length) : text,
  )
}

const longestLine = 2000

/** As much of a line as is worth reading, with what was looked for in it. */
function cutAround(line: string, match: number): string {
  const from = match < longestLine - 200 ? 0 : match - 500
  const part = line.slice(from, from + longestLine)
  const to = from + part.length
  return `${from > 0 ? '…' : ''}${part}${to < line.length ? '…' : ''} (characters ${from + 1} to ${to} of ${line.length})`
}

/** What is staged, and the cells of notebooks, are written to a scratch directory and searched there by the same program. */
async function searchStaged(
  query: Search,
  dir: Location,
  { one, timeoutMs }: Omit<Where, 'cwd'>,
  differing: ReadonlyMap<string, Buffer | null>,
  collect: Collector,
): Promise<void> {
  await inScratch(dir, differing, async (scratch) => {
    if (one !== undefined && !fs.existsSync(path.join(scratch, one))) return
    await ripgrep(
      optionsFor(query),
      query.pattern,
      { cwd: scratch, one, timeoutMs },
      hitsTo((relative, line, text) => collect.add(relative, line, text)),
    )
  })
}

/** Lends a directory with the files that differ from the disk, where there are any. */
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

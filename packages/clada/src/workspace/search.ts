import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { isInside, slashed } from '../core/paths.ts'
import { reservedNames } from '../core/reserved-names.ts'
import type { Hit, Search, SearchResult } from '../core/files.ts'
import { ProblemError } from '../core/problem.ts'
import { startPart } from '../process/programs.ts'
import { ripgrepFile } from '../process/ripgrep.ts'
import type { Locator } from './walk.ts'
import { baseName, type Location, linkError } from './walk.ts'
import type { Tree } from './tree.ts'
import { platform } from '../core/platform.ts'

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
  const { cwd, differing } = tree.outside(dir)

  const collect = new Collector(query, dir, one, locator)
  if (cwd !== undefined) {
    await ripgrep(query, { cwd, one, timeoutMs }, (relative, line, text) => {
      return differing.has(path.join(dir.absolute, relative)) ? 'go-on' : collect.add(relative, line, text)
    })
  }
  await searchStaged(query, dir, { one, timeoutMs }, differing, collect)
  return collect.result()
}

class Collector {
  readonly #query: Search
  readonly #dir: Location
  readonly #one: string | undefined
  readonly #locator: Locator
  readonly #open = new Map<string, boolean>()
  readonly #hits: Hit[] = []
  #more = false

  constructor(query: Search, dir: Location, one: string | undefined, locator: Locator) {
    this.#query = query
    this.#dir = dir
    this.#one = one
    this.#locator = locator
  }

  add(relative: string, line: number, text: string): 'go-on' | 'enough' {
    if (!this.#isOpen(relative)) return 'go-on'
    if (this.#hits.length >= this.#query.max) {
      this.#more = true
      return 'enough'
    }
    const base = this.#query.base.given.replace(/[\\/]+$/, '')
    const file = this.#one === undefined ? (base === '.' || base === '' ? relative : `${base}/${relative}`) : base
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
    const open = !this.#locator.isBlocked(absolute)
    this.#open.set(relative, open)
    return open
  }
}

type OnHit = (relative: string, line: number, text: string) => 'go-on' | 'enough'

interface Where {
  readonly cwd: string
  /** The one file to search, or undefined for all below. */
  readonly one: string | undefined
  readonly timeoutMs: number
}

async function ripgrep(query: Search, { cwd, one, timeoutMs }: Where, onHit: OnHit): Promise<void> {
  // Windows starts no program in a directory with a long path; then the directory is named instead.
  const isFar = cwd.length > platform.longestWorkingDirectory
  const lead = isFar ? `${slashed(cwd)}/` : './'
  const child = startPart(
    ...withMemoryLimit(ripgrepFile(), [
      ...optionsFor(query),
      '-e',
      query.pattern,
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
      for (let lf = data.indexOf(10); lf !== -1; lf = data.indexOf(10, from)) {
        enough = reported(data.subarray(from, lf), lead, onHit) === 'enough'
        from = lf + 1
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
  // Of two patterns that match the later one counts, and those without regard to case come last: no `include` opens these.
  const blocked = reservedNames.map((name) => `--iglob=!${name}`)
  const options = ['--no-config', '--no-require-git', '--hidden', ...blocked, '--color=never']
  options.push(
    '--line-number',
    '--column',
    '--no-heading',
    '--with-filename',
    '--null',
    '--no-messages',
    '--crlf',
    // A mapped file would count as memory, whatever its size.
    '--no-mmap',
    '--path-separator=/',
  )
  if (!regex) options.push('--fixed-strings')
  if (ignoreCase) options.push('--ignore-case')
  // A type, unlike a glob, does not bring ignored files back; but it knows file names only.
  if (include?.includes('/')) options.push(`--glob=${include}`)
  else if (include !== undefined) options.push(`--type-add=clada:${include}`, '--type=clada')
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

/** What is only staged is written to a scratch directory and searched there by the same program. */
async function searchStaged(
  query: Search,
  dir: Location,
  { one, timeoutMs }: Omit<Where, 'cwd'>,
  differing: ReadonlyMap<string, Buffer | null>,
  collect: Collector,
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
    if (one !== undefined && !fs.existsSync(path.join(scratch, one))) return
    await ripgrep(query, { cwd: scratch, one, timeoutMs }, (relative, line, text) => collect.add(relative, line, text))
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true })
  }
}

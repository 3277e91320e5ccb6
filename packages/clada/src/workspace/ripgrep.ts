import path from 'node:path'
import { withSlashes } from '../core/paths.ts'
import { reservedNames } from '../core/reserved-names.ts'
import type { FileChoice, Search } from '../core/files.ts'
import { platform } from '../core/platform.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { ProblemError } from '../core/problem.ts'
import { startPart } from '../process/programs.ts'
import { ripgrepFile } from '../process/ripgrep.ts'

/** Where ripgrep looks. */
export interface SearchPlace {
  readonly cwd: string
  /** The one file to search, or undefined for all below. */
  readonly one: string | undefined
  readonly timeoutMs: number
}

/** A line of a file that was searched. */
export interface FoundLine {
  readonly number: number
  readonly text: string
  /** What matched; none in a line that is listed because it is near one, or because it does not match. */
  readonly matches: readonly string[]
  /** Where the first match begins. */
  readonly column: number
  readonly isContext: boolean
}

/** What a search finds, file after file, relative to the directory. Each says whether to go on. */
export interface SearchReader {
  /** A file with hits: whether they are wanted. */
  file(relative: string): boolean
  line(line: FoundLine): 'go-on' | 'enough'
  /** Its end. A file that is not text has no hits from the first zero byte on. */
  end(isBinary: boolean): void
}

/** Searches with the real ripgrep. */
export async function searchLines(query: Search, place: SearchPlace, reader: SearchReader): Promise<void> {
  let wanted = false
  let held: (FoundLine & { readonly end: number })[] = []
  const record = (bytes: Buffer): 'go-on' | 'enough' => {
    const event: unknown = JSON.parse(bytes.toString())
    if (!isRecord(event) || !isRecord(event['data'])) return 'go-on'
    const { type, data } = event
    if (type === 'begin') {
      held = []
      wanted = reader.file(ripgrepText(data['path']).slice(lead(place).length))
    } else if (wanted && (type === 'match' || type === 'context')) {
      held.push(matchedLine(data, type === 'context', query.lines === undefined ? /\r?\n$/ : /\n$/))
      if (held.length >= mostHeld) return handOver(held.splice(0), reader)
    } else if (wanted && type === 'end') {
      const { binary_offset: binary } = data
      const text = typeof binary === 'number' ? held.filter(({ end }) => end <= binary) : held
      if (handOver(text, reader) === 'enough') return 'enough'
      reader.end(text.length < held.length)
    }
    return 'go-on'
  }
  await runRipgrep(['--json', ...ripgrepOptions(query), ...patternsOf(query)], place, 10, record)
}

/** Hits of one file that wait for its end, which tells whether it is text. */
const mostHeld = 10_000

function handOver(lines: readonly FoundLine[], reader: SearchReader): 'go-on' | 'enough' {
  return lines.some((line) => reader.line(line) === 'enough') ? 'enough' : 'go-on'
}

/** The names of the files that a search looks into. */
export async function listFiles(choice: FileChoice, place: SearchPlace): Promise<string[]> {
  const names: string[] = []
  await runRipgrep(['--files', '--null', ...optionsForFiles(choice)], place, 0, (name) => {
    names.push(name.toString().slice(lead(place).length))
    return 'go-on'
  })
  return names
}

/** ripgrep has JSON without texts for what is not UTF-8. */
function ripgrepText(data: unknown): string {
  if (!isRecord(data)) return ''
  return typeof data['text'] === 'string' ? data['text'] : Buffer.from(String(data['bytes']), 'base64').toString()
}

function matchedLine(
  data: Readonly<Record<string, unknown>>,
  isContext: boolean,
  lineEnd: RegExp,
): FoundLine & { readonly end: number } {
  const whole = ripgrepText(data['lines'])
  const matches = Array.isArray(data['submatches']) ? data['submatches'].filter(isRecord) : []
  const begin = Number(matches[0]?.['start'] ?? 0)
  return {
    number: Number(data['line_number']),
    text: whole.replace(lineEnd, ''),
    matches: matches.map(({ match }) => ripgrepText(match)),
    column: begin === 0 ? 0 : Buffer.from(whole).subarray(0, begin).toString().length,
    isContext,
    end: Number(data['absolute_offset']) + Buffer.byteLength(whole),
  }
}

/** Windows starts no program in a directory with a long path; then the directory is named instead. */
const isFar = ({ cwd }: SearchPlace): boolean => cwd.length > platform.longestWorkingDirectory

/** Before every name. */
const lead = (place: SearchPlace): string => (isFar(place) ? `${withSlashes(place.cwd)}/` : './')

/** Ends with the last record, or when one is enough. */
async function runRipgrep(
  options: readonly string[],
  place: SearchPlace,
  separator: number,
  onRecord: (record: Buffer) => 'go-on' | 'enough',
): Promise<void> {
  const { cwd, one, timeoutMs } = place
  const args = ['--no-config', ...options, '--', one === undefined ? lead(place) : `${lead(place)}${one}`]
  const child = startPart(...withMemoryLimit(ripgrepFile(), args), {
    cwd: isFar(place) ? path.parse(cwd).root : cwd,
    // Nothing of the caller's environment can change what is searched.
    env: { LANG: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
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
      for (let at = data.indexOf(separator); at !== -1; at = data.indexOf(separator, from)) {
        enough = onRecord(data.subarray(from, at)) === 'enough'
        from = at + 1
        if (!enough) continue
        child.kill('SIGKILL')
        return
      }
      rest = data.subarray(from)
    })
    const fail = (message: string): void => failed(new ProblemError({ kind: 'search-failed', message }))
    child.on('error', (error) => fail(error.message))
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      if (late) return fail(`the search took longer than ${timeoutMs / 1000} s`)
      if (code === null && !enough)
        return fail(
          `ripgrep was stopped by ${signal ?? 'a signal'}: a file, or one with rules such as .gitignore, may be too large`,
        )
      // 1 means that nothing was found; 2 may also mean that some file could not be read, which costs only that file.
      const isWrong = /regex parse error|error parsing glob|invalid|unrecognized|error compiling pattern/i.test(stderr)
      if (enough || code === 0 || code === 1 || !isWrong) done()
      else fail(stderr.trim())
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

function ripgrepOptions(query: Search): string[] {
  // A mapped file would count as memory, whatever its size.
  const options = [...optionsForFiles(query), '--no-mmap']
  if (!query.regex) options.push('--fixed-strings')
  if (query.ignoreCase) options.push('--ignore-case')
  const { lines } = query
  if (lines === undefined) return [...options, '--crlf']
  // ripgrep's own patterns have no back references.
  if (query.regex && query.patterns.some((pattern) => /\\[1-9]/.test(pattern))) options.push('--pcre2')
  options.push('--binary', `--before-context=${lines.before}`, `--after-context=${lines.after}`)
  if (lines.invert) options.push('--invert-match')
  if (lines.words) options.push('--word-regexp')
  if (lines.wholeLines) options.push('--line-regexp')
  if (lines.max !== undefined) options.push(`--max-count=${lines.max}`)
  return options
}

const patternsOf = ({ patterns }: Search): string[] => patterns.flatMap((pattern) => ['-e', pattern])

/** Which files are looked at, and how they are named. */
function optionsForFiles({ include, exclude = [], excludeDirs = [], ignored }: FileChoice): string[] {
  // Of two patterns that match the later one counts, and those without regard to case come last: no `include` opens these.
  const blocked = reservedNames.map((name) => `--iglob=!${name}`)
  const options = ['--no-require-git', '--hidden', '--color=never', '--no-messages', '--path-separator=/']
  if (ignored) options.push('--no-ignore')
  options.push(...excludeDirs.map((name) => `--glob=!${name.replace(/\/$/, '')}/`))
  // A type, unlike a glob, does not bring ignored files back and is for files only; but it knows file names only.
  const [first = ''] = include
  if (first.startsWith('!')) options.push(`--glob=${first}`)
  else if (include.length > 0 && !isByPath(include)) options.push(...typeOptions('chosen', include), '--type=chosen')
  if (exclude.length > 0) options.push(...typeOptions('excluded', exclude), '--type-not=excluded')
  return [...options, ...blocked]
}

const typeOptions = (type: string, globs: readonly string[]): string[] =>
  globs.map((glob) => `--type-add=${type}:${glob}`)

/** ripgrep's own globs of whole paths would bring back what git ignores, so these are matched afterwards. */
export const isByPath = ([first = '']: FileChoice['include']): boolean => first.includes('/') && !first.startsWith('!')

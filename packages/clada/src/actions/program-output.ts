import type { CutText, Output, Showing } from '../core/action.ts'
import { groupDigits } from '@clada/reply/core/words.ts'
import { glanceAt } from './file-output.ts'
import { oneLined } from './one-line.ts'
import { pathsByDirectory } from './output.ts'
import { hitsByFile } from './search-output.ts'
import { shortenWarnings } from './compiler-warnings.ts'
import { foldPassedTests, saysPassed } from './passed-tests.ts'
import { foldForeignFrames } from './stack-frames.ts'
import type { ExecData, RunData } from '../core/commands.ts'
import type { ChangedFile } from '../core/effects.ts'
import type { OutlineRow } from '../core/result.ts'

/** The output of a program, and the files that it changed. */
export const programOutput: Output<RunData & ExecData> = {
  by: 'program',
  text: ({ params, data, success, outlines, hits = [], paths = [] }, show) => {
    if (data === undefined || params['return_output'] === false) return undefined
    if (hits.length > 0 && data.output !== undefined) return hitsByFile(hits, show)
    if (paths.length > 0 && data.output !== undefined) return pathsByDirectory(paths, 'path', show)
    const streams = (['stdout', 'stderr'] as const).flatMap((name) => {
      const text = data[name]?.trimEnd() ?? ''
      return text === '' ? [] : [`${name}:\n${text}`]
    })
    const output = data.output?.trimEnd() ?? ''
    const said = shortenOutput([...(output === '' ? [] : [output]), ...streams].join('\n'))
    const glance = success ? glanceAtFile(data.output ?? '', Object.values(outlines ?? {}), show) : undefined
    const shown = glance ?? (success ? said : failureView(withFirstLinkError(said), data.exit_code, show))
    const would = data.would_run === undefined ? [] : [`would run: ${data.would_run}`]
    const changed = changedFileLines(data.changed ?? [])
    const notKept = data.not_kept ?? []
    const text = typeof shown === 'string' ? shown : shown.text
    const parts = [...(text === '' ? [] : [text]), ...would]
    if (changed.length > 0) parts.push(['changed files:', ...limitLines(changed)].join('\n'))
    if (notKept.length > 0)
      parts.push(
        ['not kept:', ...limitLines(notKept.map(({ path, reason }) => `  ${oneLined(path)}: ${reason}`))].join('\n'),
      )
    // Without the streams it was seen while it ran.
    const isSilent = data.output !== undefined || data.stdout !== undefined
    if (parts.length === 0) return isSilent ? '(no output)' : undefined
    return typeof shown === 'string' ? parts.join('\n') : { text: parts.join('\n'), cut: shown.cut }
  },
}

const shortenOutput = (text: string): string => shortenWarnings(foldForeignFrames(foldPassedTests(text)))

/** A command that printed a long file, as `cat` does. */
function glanceAtFile(
  output: string,
  outlines: readonly (readonly OutlineRow[])[],
  show: Showing,
): CutText | undefined {
  const [outline] = outlines
  if (outline === undefined || output.length <= (show.fileRoom ?? Infinity)) return undefined
  return glanceAt({ content: output, outline, numbered: 'plain', room: show.fileRoom ?? Infinity }, show)
}

const mostLines = 100
/** So many files are named, even those of one directory. */
const fewFiles = 12
const fewOfDirectory = 5

const limitLines = (lines: readonly string[]): string[] =>
  lines.length <= mostLines ? [...lines] : [...lines.slice(0, mostLines), `… and ${lines.length - mostLines} more`]

/** One line per file; of caches, and of very many, one line per directory and kind of change. The history has all. */
function changedFileLines(changed: readonly ChangedFile[]): string[] {
  const groups = new Map<string, ChangedFile[]>()
  const line = ({ path, change }: ChangedFile): string => `  ${change} ${oneLined(path)}`
  for (const entry of changed) {
    const parts = entry.path.split('/')
    const cache = parts.findIndex((part) => caches.has(part))
    const inDirectory = changed.length > mostLines ? 1 : changed.length > fewFiles ? parts.length - 1 : 0
    const depth = cache !== -1 ? cache + 1 : parts.length > 1 ? inDirectory : 0
    const key = depth === 0 ? line(entry) : `  ${entry.change} ${oneLined(parts.slice(0, depth).join('/'))}/`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [entry])
    else group.push(entry)
  }
  return [...groups].flatMap(([key, entries]) => {
    const isCache = caches.has(key.split(/[ /]/).at(-2) ?? '')
    return entries.length > fewOfDirectory || (isCache && entries.length > 1)
      ? [`${key}: ${groupDigits(entries.length)} files`]
      : entries.map(line)
  })
}

/** Directories that tools fill for themselves. */
const caches = new Set([
  '.pytest_cache',
  '__pycache__',
  '.mypy_cache',
  '.ruff_cache',
  '.tox',
  '.nox',
  '.cache',
  '.parcel-cache',
  '.turbo',
  '.vite',
  '.vitest',
  '.nyc_output',
  '.gradle',
  '.next',
  'node_modules',
  'coverage',
  'target',
])

/**
 * The output of a failed command with the end first: the exit code, the first failure whole, the others in a line each,
 * those with the same error only counted, and the last lines. Short outputs stay as they are.
 */
export function failureView(said: string, exitCode: unknown, { room }: Pick<Showing, 'room'>): string | CutText {
  const lines = said.split('\n')
  if (lines.length <= shortOutput && said.length <= Math.min(room, shortOutput * 160)) return said
  const sections = failuresIn(lines)
  const [first, ...others] = sections
  const last = first === undefined ? 0 : Math.min(first.end, first.start + sectionLines)
  const shown = first === undefined ? aroundError(lines) : lines.slice(first.start, last)
  // The only failure often reaches into the end.
  const end = lines.slice(Math.max(last, lines.length - endLines))
  const parts = typeof exitCode === 'number' ? [`exit code ${exitCode}`] : []
  if (shown.length > 0) parts.push('first failure:', ...shown.map(clipProgramLine))
  parts.push(...otherFailures(first, others))
  if (end.length > 0) parts.push('end of the output:', ...end.map(clipProgramLine))
  const left = lines.length - shown.length - end.length
  // A mark for a few lines would take as many.
  if (left <= 0 || (left <= fewLines && said.length <= room)) return said
  const cut = `${left} of ${lines.length} lines not shown; run less at a time to see them`
  return { text: [...parts, `[output truncated] ${cut}`].join('\n'), cut }
}

const shortOutput = 45
const endLines = 15
const fewLines = 5
const sectionLines = 30
const clipProgramLine = (line: string): string => (line.length > 300 ? `${line.slice(0, 300)}… [line cut]` : line)

interface FailureExcerpt {
  readonly start: number
  /** The line after the last one. */
  readonly end: number
  readonly title: string
  /** What it failed with, without what differs from test to test. */
  readonly error: string
}

/** How test programs head the report of one failure. */
const heads =
  /^(?:_{3,} .+ _{3,}|(?:FAIL|ERROR): \S.*|\s*--- FAIL: .+|---- .+ stdout ----|\s*● .+ › .+|\s*● \S.*|\s*\d+\) \S.*|\s*not ok \d+.*|\s*[✖×✗] \S.*|\s*FAIL\s+\S+.* > .+)$/

/** What a linker misses or has twice: GNU ld, lld and mold, Apple's, Microsoft's, Go's. */
const linkErrors =
  /(?:undefined references? to|multiple definition of) [`'‘"](?<gnu>.+?)['’"](?=$|;| follow)|(?:undefined|duplicate) symbol: (?<lld>.+)$|^ {2}"(?<apple>.+)", referenced from:$|\bLNK\d+: .*?\bsymbol (?<microsoft>.+?)(?= referenced in |$)|: relocation target (?<go>\S+) not defined$/

/** The function around the next error. */
const linkHeading = /: in function [`'‘].+['’]:$/

/** The places of the error above. */
const linkDetails = /^\s*>>> |: first defined here$|^ {6}\S.* in \S+$|^\s*$/

/**
 * The first of a linker's errors whole, the others counted, with the names of a few: with mangled types each is several
 * hundred characters long.
 */
function withFirstLinkError(text: string): string {
  const kept: string[] = []
  const names = new Set<string>()
  let count = 0
  let end = 0
  let isInError = false
  for (const line of text.split('\n')) {
    const groups = linkErrors.exec(line)?.groups
    const name = groups && Object.values(groups).find((one) => one !== undefined)
    if (name !== undefined) names.add(name)
    const isHeading = linkHeading.test(line)
    if (name !== undefined) count++
    isInError = name !== undefined || (isInError && linkDetails.test(line))
    const isOfLater = count > 1 ? isInError || isHeading : count === 1 && isHeading
    if (!isOfLater) kept.push(line)
    if (count === 1 && isInError) end = kept.length
  }
  if (count === 0) return text
  const more = count === 1 ? [] : [moreLinkErrors(count - 1, [...names])]
  return [...kept.slice(0, end), ...more, ...kept.slice(end)].map(clipProgramLine).join('\n')
}

function moreLinkErrors(count: number, names: readonly string[]): string {
  const shown = names.slice(0, mostNames).map((name) => (name.length > 60 ? `${name.slice(0, 60)}…` : name))
  const others = names.length > mostNames ? ` and ${names.length - mostNames} more` : ''
  return `... ${count} more link ${count === 1 ? 'error' : 'errors'}, in all for: ${shown.join(', ')}${others}`
}

const mostNames = 6

/** The line that says what went wrong. */
const errors =
  /^E {2,}\S|\b\w*(?:Error|Exception)\b[:(]|\bpanicked at\b|\bundefined (?:reference|symbol)|\berror(?:\[\w+\])?:|\bFAILED\b|Assertion|expected\b.*\b(?:got|received|but)\b/i

function failuresIn(lines: readonly string[]): FailureExcerpt[] {
  const starts = lines.flatMap((line, at) => (heads.test(line) ? [at] : []))
  return starts.flatMap((start, index) => {
    const next = starts[index + 1] ?? lines.length
    const passing = lines.findIndex((line, at) => at > start && at < next && saysPassed(line))
    const end = passing === -1 ? next : passing
    const body = lines.slice(start + 1, end)
    const error = body.find((line) => errors.test(line))
    return error === undefined ? [] : [{ start, end, title: (lines[start] ?? '').trim(), error: error.trim() }]
  })
}

function otherFailures(first: FailureExcerpt | undefined, others: readonly FailureExcerpt[]): string[] {
  const kinds = new Map<string, FailureExcerpt[]>()
  for (const one of others) {
    const kind = one.error.replace(/\d+|0x[0-9a-f]+/gi, '0')
    kinds.set(kind, [...(kinds.get(kind) ?? []), one])
  }
  const same = first === undefined ? [] : (kinds.get(first.error.replace(/\d+|0x[0-9a-f]+/gi, '0')) ?? [])
  const rest = [...kinds.values()].filter((kind) => kind !== same)
  const lines = same.length === 0 ? [] : [`${same.length} more with the same error`]
  for (const [one, ...more] of rest.slice(0, mostKinds)) {
    if (one === undefined) continue
    const again = more.length === 0 ? '' : ` (and ${more.length} more with the same error)`
    lines.push(clipProgramLine(`also failed: ${one.title}: ${one.error}${again}`))
  }
  if (rest.length > mostKinds) lines.push(`and ${rest.length - mostKinds} more kinds of failure`)
  return lines
}

const mostKinds = 10

/** Where no program that is known wrote it: the lines around the first one that looks like an error. */
function aroundError(lines: readonly string[]): string[] {
  const at = lines.slice(0, -endLines).findIndex((line) => errors.test(line))
  return at === -1 ? [] : lines.slice(Math.max(0, at - 3), at + 12).filter((line) => !saysPassed(line))
}

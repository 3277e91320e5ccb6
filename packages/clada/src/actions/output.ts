import type { CutText, Output, Showing, ShownResult, squashShape, stepShape, undoShape } from '../core/action.ts'
import type { DirectoryEntry, SearchHit } from '../core/files.ts'
import type { ValueOf } from '../core/shape.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import { cutLines, divideRoom, splitLines } from '@clada/reply/text/lines.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import type { OutlineRow } from '../core/result.ts'
import type { readShape } from './common.ts'

/** How the results of actions are shown in reports. */

/** A name with a line break in it must not look like two lines. */
export const oneLined = (name: unknown): string =>
  String(name).replace(/[\r\n\u2028\u2029]/g, (char) => (char === '\n' ? '\\n' : char === '\r' ? '\\r' : '?'))

/** The text of one file between two lines with its name. */
export const fileOutput = (numbered: 'plain' | 'numbered' = 'plain'): Output<ValueOf<typeof readShape>> => ({
  named: true,
  framed: true,
  text: ({ data, success, outlines }, show) => {
    if (data?.described !== undefined) return oneLined(`${show.path(data.path)}: ${data.described}`)
    // The lines that were asked for do not exist.
    if (data?.content === undefined || (data.content === '' && !success)) return undefined
    const { path, content } = data
    return fileSection({ path, content, numbered, room: show.room, outline: outlines?.[path] }, show)
  },
})

/** The texts of several files, each between two lines with its name. */
export const filesOutput = (numbered: 'plain' | 'numbered' = 'plain'): Output<ValueOf<typeof filesShape>> => ({
  named: true,
  framed: true,
  text: (result, show) => result.data && showSeveralFiles(result.data, numbered, result, show),
})

/** The texts are in one, each below its title; `lengths` are theirs, because a text may hold a line like a title. */
export const filesShape = { paths: ['string'], lengths: ['integer'], content: 'string' } as const

export const titleOf = (path: string): string => `=== ${path} ===\n`
export const betweenFiles = '\n\n'

interface ShownFile {
  readonly path: string
  readonly content: string
  readonly numbered: 'plain' | 'numbered'
  readonly room: number
  /** Of a long file that was read whole. */
  readonly outline?: readonly OutlineRow[] | undefined
}

function fileSection(file: ShownFile, show: Showing): CutText | string {
  const { path, content, numbered, outline } = file
  const room = outline === undefined ? file.room : Math.min(file.room, show.fileRoom ?? file.room)
  const name = oneLined(`${numbered === 'numbered' ? '[numbered] ' : ''}${show.path(path)}`)
  const framed = (text: string): string => {
    const body = text === '' ? '[empty file]' : text
    return show.bare ? body : `=== START FILE: ${name} ===\n${body}\n=== END FILE: ${name} ===`
  }
  const left = Math.max(200, room - 2 * name.length - 160)
  if (content.length <= left) return framed(show.content(content))
  const glance = outline === undefined ? undefined : glanceAt({ content, outline, numbered, room: left }, show)
  if (glance !== undefined) return { ...glance, text: framed(glance.text) }
  const cut = cutLines(content, left)
  if (cut === undefined) return framed(show.content(content))
  // Numbers in the text are those of the file.
  const above = numbered === 'numbered' ? Number(/^\s*(\d+)/.exec(content)?.[1] ?? 1) - 1 : 0
  const [first, last] = [cut.first + above, cut.last + above]
  const range = `lines ${first}-${last} of ${cut.total + above} not shown`
  const on = `lines="${first}-${Math.min(last, first + linesAtOnce - 1)}"`
  const how = numbered === 'numbered' ? `read on with ${on}` : `read on with file_read_numbered ${on}`
  const text = [show.content(cut.head), `[output truncated] ${range}; ${how}`, show.content(cut.tail)].join('\n')
  return { text: framed(text), cut: `${range}; ${how}` }
}

/** Lines that are proposed for the next look at a file. */
const linesAtOnce = 500

interface LongFile {
  readonly content: string
  readonly outline: readonly OutlineRow[]
  readonly numbered: 'plain' | 'numbered'
  readonly room: number
}

/** The beginning of a long file, and what the rest declares; undefined where that says little. */
export function glanceAt({ content, outline, numbered, room }: LongFile, show: Showing): CutText | undefined {
  const lines = splitLines(content)
  const total = lines.length - (afterLast.test(lines.at(-1) ?? '') ? 1 : 0)
  const above = (outline[0]?.lines[0] ?? 1) - 1
  const from = licenseEnd(lines)
  const least = from + linesThatFit(lines.slice(from), shortestBeginning)
  const shown = Math.min(Math.max(above, least), from + linesThatFit(lines.slice(from), longestBeginning))
  const rest = outline.filter(({ lines: [, last] }) => last > shown)
  const deepest = Math.max(0, ...rest.map(({ depth }) => depth))
  // As deep as there is room for.
  const rows = countDown(deepest).map((depth) => rowsUpTo(rest, depth))
  const space = room * 0.4
  const fitting = rows.find((some) => some.join('\n').length <= space) ?? rows.at(-1) ?? []
  const listed = fitting.slice(0, linesThatFit(fitting, space))
  const [one] = rest
  if (one === undefined || listed.length < fewRows) return undefined
  const range = `lines ${shown + 1}-${total} of ${total} not shown, only what they declare`
  const more =
    fitting.length > listed.length ? [`  … and ${fitting.length - listed.length} more; list_structures has them`] : []
  const how = `read on with ${numbered === 'numbered' ? '' : 'file_read_numbered '}lines="A-B,C-D"`
  const text = [
    ...(from === 0 ? [] : [`[lines 1-${from}: license]`]),
    show.content(lines.slice(from, shown).join('\n')),
    `[output truncated] ${range}; ${how}:`,
    show.content(listed.join('\n')),
    ...more,
  ]
  return { text: text.join('\n'), cut: `${range}; ${how}` }
}

/** After a final line break comes no further line. */
const afterLast = /^(?:\s*\d+: )?$/

/** How many lines the comment at the beginning of a file takes, if it is its license: that is of no use. */
function licenseEnd(lines: readonly string[]): number {
  const bare = lines.slice(0, longestLicense).map((line) => line.replace(/^ *\d+: /, '').trim())
  const isBlock = bare[0]?.startsWith('/*') ?? false
  const last = isBlock
    ? bare.findIndex((line) => line.includes('*/')) + 1
    : bare.findIndex((line) => !isComment.test(line))
  return last > 0 && isLicense.test(bare.slice(0, last).join('\n')) ? last : 0
}

const longestLicense = 100
const isComment = /^(?:\/\/|#|--|;|%)/
const isLicense = /licen[sc]e|copyright|permission is hereby granted/i

/** What stands above the first declaration: imports, and what the file says of itself. */
const longestBeginning = 800
const shortestBeginning = 400
/** Fewer declarations tell little about a long file: then more of its text says more. */
const fewRows = 3
const longestHeader = 160

const countDown = (from: number): number[] => Array.from({ length: from }, (_, at) => from - at)

const rowsUpTo = (outline: readonly OutlineRow[], deepest: number): string[] =>
  outline
    // Fields and members of few lines are not what a reader chooses lines by.
    .filter(({ depth, lines: [first, last] }) => depth <= deepest && (depth === 1 || last - first >= 2))
    .map(outlineRow)

function outlineRow({ header, lines: [first, last], depth }: OutlineRow): string {
  const name = oneLined(header)
  const short = name.length > longestHeader ? `${name.slice(0, longestHeader)}…` : name
  return `${'  '.repeat(depth)}${first === last ? first : `${first}-${last}`} ${short}`
}

/** How many lines from the first on have so many characters together. */
function linesThatFit(lines: readonly string[], room: number): number {
  let spare = room
  const end = lines.findIndex((line) => (spare -= line.length + 1) < 0)
  return end === -1 ? lines.length : end
}

function showSeveralFiles(
  data: ValueOf<typeof filesShape>,
  numbered: 'plain' | 'numbered',
  { action, details, outlines }: ShownResult,
  show: Showing,
): string | CutText {
  const { paths } = data
  const failures = details?.failures ?? []
  const listed = (names: readonly string[]): string[] => names.map((path) => `- ${oneLined(show.path(path))}`)
  const total = paths.length + failures.length
  const head =
    failures.length === 0
      ? // The name of a single file is in the line above its text.
        paths.length === 1
        ? []
        : [`Reading ${formatCount(paths.length, 'file')}:`, ...listed(paths)]
      : [
          `Successfully read ${paths.length} of ${total} files (${failures.length} failed):`,
          '',
          '✅ Successfully read:',
          ...listed(paths),
          '',
          '❌ Failed to read:',
          ...failures.map(
            ({ path, error }) =>
              `- ${oneLined(show.path(path))}: ${oneLined(error.replace(`${action}: `, '').replaceAll(path, show.path(path)))}`,
          ),
        ]
  const texts = splitContent(data)
  const outlineAt = (index: number): readonly OutlineRow[] | undefined => outlines?.[paths[index] ?? '']
  const framed = texts.map((text, index) => {
    const whole = text.length + 2 * (paths[index]?.length ?? 0) + 200
    return outlineAt(index) === undefined ? whole : Math.min(whole, show.fileRoom ?? whole)
  })
  const shares = divideRoom(framed, show.room - head.join('\n').length)
  const sections = texts.map((text, index) =>
    fileSection(
      { path: paths[index] ?? '', content: text, numbered, room: shares[index] ?? 0, outline: outlineAt(index) },
      show,
    ),
  )
  const cuts = sections.flatMap((one, index) =>
    typeof one === 'string' ? [] : [`${show.path(paths[index] ?? '')}: ${one.cut}`],
  )
  const bodies = sections.map((one) => (typeof one === 'string' ? one : one.text))
  const text = show.bare
    ? bodies.map((body, index) => `=== ${oneLined(show.path(paths[index] ?? ''))} ===\n${body}`).join('\n\n')
    : [...head, ...(head.length === 0 ? [] : ['']), bodies.join('\n\n')].join('\n')
  return cuts.length === 0 ? text : { text, cut: cuts.join('; ') }
}

function splitContent({ paths, lengths, content }: ValueOf<typeof filesShape>): string[] {
  let at = 0
  return paths.map((path, index) => {
    const from = at + titleOf(path).length
    const end = from + (lengths[index] ?? 0)
    at = end + betweenFiles.length
    return content.slice(from, end)
  })
}

/** Undo, back, forward and squash: where the project is now, and which files came and went. */
export const stepOutput: Output<Partial<ValueOf<typeof undoShape & typeof stepShape & typeof squashShape>>> = {
  named: true,
  text: ({ data = {} }) => {
    const { execution, summary, commit, branch, runs, dry_run: dryRun } = data
    const lines: string[] = []
    if (execution !== undefined) lines.push(`execution ${execution}: ${summary}`)
    if (commit !== undefined) lines.push(`now ${branch === undefined ? '' : `on ${branch}, `}at ${commit.slice(0, 8)}`)
    for (const [name, what] of lists) for (const path of data[name] ?? []) lines.push(`  ${what}: ${oneLined(path)}`)
    if (runs !== undefined) lines.push(...runLines(runs, dryRun === true))
    return lines.length === 0 ? undefined : lines.join('\n')
  },
}

const lists = [
  ['restored', 'restored'],
  ['stashed_files', 'stashed'],
  ['restored_files', 'restored'],
  ['kept', 'not restored, see git stash apply'],
] as const

function runLines(runs: readonly SquashedRun[], dryRun: boolean): string[] {
  return runs.length === 0 ? ['there are no consecutive commits to squash'] : runs.map((run) => runLine(run, dryRun))
}

type SquashedRun = ValueOf<typeof squashShape>['runs'][number]

/** What became, or would become, of commits that are squashed. */
export function runLine({ commits, message, empty }: SquashedRun, dryRun: boolean): string {
  return empty
    ? `${commits.length} commits undo each other and ${dryRun ? 'would be' : 'were'} removed`
    : `${commits.length} commits ${dryRun ? 'would become' : 'became'} one: ${message.split('\n', 1).join('')}`
}

/** A text that the action has laid out itself. */
export const mapOutput: Output<{ readonly map: string }> = { text: ({ data }) => data?.map }

/** Entries that were taken from a list. */
export const removedOutput: Output<{ readonly removed: readonly string[] }> = {
  text: ({ data: { removed } = { removed: [] } }) =>
    removed.length > 0 ? ['removed:', ...removed.map(oneLined)].join('\n') : undefined,
}

/** The output of `list_structures`. */
export const outlineBody = (structures: readonly Outlined[]): string => outlineLines(structures, 0).join('\n')

export const outlineOutput: Output<{ readonly structures: readonly Outlined[] }> = {
  // A model sees the kind in the header.
  text: ({ data }) => data && nestedRows(data.structures, 0).join('\n'),
}

const nestedRows = (entries: readonly Outlined[], depth: number): string[] =>
  entries.flatMap(({ header, lines: [first = 0, last = first], children = [] }) => [
    outlineRow({ header, lines: [first, last], depth }),
    // The shape of a result cannot say that it holds itself.
    ...nestedRows(children as readonly Outlined[], depth + 1),
  ])

/** A structure of an outline, which has those inside it. */
interface Outlined {
  readonly header: string
  readonly kind: string
  readonly lines: readonly number[]
  readonly children?: readonly unknown[] | undefined
}

/** The output of `read_structure`. */
export const structureOutput: Output<{
  readonly matches: readonly { readonly text: string; readonly line_range_inclusive: readonly number[] }[]
}> = {
  text: ({ data }) =>
    data?.matches
      .map(({ text, line_range_inclusive: lines }) => `lines ${lines.join('-')}:\n${text.replace(/\n$/, '')}`)
      .join('\n\n'),
}

/** What helps to name the right structure. Those that a target fits, or almost does, are in the message. */
export function structureHelp(details: Readonly<Record<string, unknown>>): string[] {
  return ['parse_errors', 'occurrences'].flatMap((name) => {
    const found = details[name]
    if (!Array.isArray(found) || found.length === 0) return []
    return [`${name.replace('_', ' ')}:`, ...found.slice(0, 20).map((one) => `  ${showValue(one)}`)]
  })
}

function showValue(one: unknown): string {
  if (!isRecord(one)) return String(one)
  const { lines, line_range_inclusive, path, header, line, column, message } = one
  const range = lines ?? line_range_inclusive
  if (range !== undefined)
    return `lines ${lineSpan(range)}: ${Array.isArray(path) ? path.join(' > ') : String(path ?? header ?? '')}`
  return line === undefined ? JSON.stringify(one) : `line ${String(line)}, column ${String(column)}: ${String(message)}`
}

function outlineLines(entries: readonly Outlined[], depth: number): string[] {
  return entries.flatMap(({ header, kind, lines, children = [] }) => [
    `${lines.join('-').padStart(9)}  ${'  '.repeat(depth)}${header}  (${kind})`,
    // The shape of a result cannot say that it holds itself.
    ...outlineLines(children as readonly Outlined[], depth + 1),
  ])
}

const lineSpan = (lines: unknown): string => (Array.isArray(lines) ? lines.join('-') : String(lines))

/** The working set, one entry per line. */
export const entriesOfSetOutput = (empty: string): Output<readonly SetEntry[]> => ({
  text: ({ data }, show) => {
    if (data === undefined || data.length === 0) return data && empty
    const total = data.reduce((sum, { tokens = 0 }) => sum + tokens, 0)
    const lines = data.map((entry) => setEntryLine(entry, show))
    return [
      ...lines,
      ...(data.length > 1 ? [`${formatCount(data.length, 'entry', 'entries')}, ${formatCount(total, 'token')}`] : []),
    ].join('\n')
  },
})

interface SetEntry {
  readonly path: string
  readonly size?: number | undefined
  readonly tokens?: number | undefined
  readonly problem?: string | undefined
}

const nothing = '[nothing found]'

function setEntryLine({ path, size, tokens, problem }: SetEntry, show: Showing): string {
  const sizes = [
    ...(size === undefined ? [] : [formatCount(size, 'byte')]),
    ...(tokens === undefined ? [] : [formatCount(tokens, 'token')]),
  ]
  return `${oneLined(show.path(path))}  ${size === undefined ? `(${problem})` : sizes.join(', ')}`
}

/** The hits of a search, those of each file below its name. */
export const hitsOutput: Output<readonly SearchHit[]> = {
  text: ({ data }, show) => data && (data.length === 0 ? nothing : hitsByFile(data, show)),
}

/** Lines around a hit have a dash where the hit has a colon, as in the output of grep. */
export function hitsByFile(all: readonly SearchHit[], show: Showing): string | CutText {
  const files = new Map<string, string[]>()
  for (const { file, line_number: number, line, isContext } of all) {
    const hits = files.get(file) ?? []
    files.set(file, hits)
    hits.push(`  ${number}${isContext ? '-' : ':'} ${cutLongHit(line)}`)
  }
  const heads = [...files].map(([file, hits]) => ({ head: oneLined(show.path(file)), rows: hits }))
  // As of a long file: a search that finds so much is narrowed, or what it finds is replaced everywhere.
  const { lines, left } = fittingParts(heads, { ...show, room: Math.min(show.room, show.fileRoom ?? show.room) })
  const isOnlyHits = all.every(({ isContext }) => !isContext)
  const total = `${formatCount(all.length, isOnlyHits ? 'hit' : 'line')} in ${formatCount(files.size, 'file')}`
  if (left.length === 0) return all.length < someHits ? lines.join('\n') : [...lines, total].join('\n')
  const missing = left.reduce((sum, one) => sum + one.count, 0)
  const how = 'narrow path, include or pattern'
  const rest = left.length <= mostNamed ? left : countByDirectory(left)
  const named = rest.slice(0, mostNamed).map((one) => `  ${one.head} (${one.count})`)
  const others = rest.length - named.length
  const more = others > 0 ? [`  and ${formatCount(others, 'more directory', 'more directories')}`] : []
  const cut = `${missing} of ${total} not shown; ${how}`
  return { text: [...lines, `[output truncated] ${cut}. They are in:`, ...named, ...more].join('\n'), cut }
}

/** So many places of what is left out say where to look. */
const mostNamed = 20

interface UnshownRows {
  readonly head: string
  readonly count: number
}

/** Many files by the directory they are in. */
function countByDirectory(left: readonly UnshownRows[]): UnshownRows[] {
  const counts = new Map<string, number>()
  for (const { head, count } of left) {
    const dir = head.slice(0, head.lastIndexOf('/') + 1) || './'
    counts.set(dir, (counts.get(dir) ?? 0) + count)
  }
  return [...counts].map(([head, count]) => ({ head, count }))
}

/** So few are counted at a glance. */
const someHits = 10

interface OutputPart {
  readonly head: string
  readonly rows: readonly string[]
}

/** The first rows that there is room for, and how many are left of each part. */
function fittingParts(parts: readonly OutputPart[], { room }: Showing): { lines: string[]; left: UnshownRows[] } {
  const lines: string[] = []
  const left: UnshownRows[] = []
  const whole = parts.reduce((sum, { head, rows }) => sum + countCharacters([head, ...rows]), 0)
  let spare = whole <= room ? room : room - roomForNote
  for (const { head, rows } of parts) {
    const shown: string[] = []
    spare -= head.length + 1
    for (const row of rows) {
      spare -= row.length + 1
      if (spare < 0) break
      shown.push(row)
    }
    if (shown.length > 0) lines.push(head, ...shown)
    if (shown.length < rows.length) left.push({ head, count: rows.length - shown.length })
  }
  return { lines, left }
}

/** With their line breaks. */
const countCharacters = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + 1, 0)

const roomForNote = 1000

/** The rest of a long line, as in minified files, is of no use. */
function cutLongHit(line: string): string {
  return line.length <= longestHit
    ? line
    : `${line.slice(0, longestHit)}… [${line.length - longestHit} more characters]`
}

const longestHit = 300

/** Paths: a few one per line, many by directory. */
export const pathsOutput: Output<readonly string[]> = {
  text: ({ data }, show) => data && (data.length === 0 ? nothing : pathsByDirectory(data, 'file', show)),
}

export function pathsByDirectory(all: readonly string[], noun: 'file' | 'path', show: Showing): string | CutText {
  const paths = all.map((one) => oneLined(show.path(one)))
  if (paths.length < fewPaths) return paths.join('\n')
  const dirs = new Map<string, string[]>()
  for (const path of paths) {
    const slash = path.lastIndexOf('/')
    const [dir, name] = [path.slice(0, slash + 1), path.slice(slash + 1)]
    const names = dirs.get(dir)
    if (names === undefined) dirs.set(dir, [name])
    else names.push(name)
  }
  const parts = [...dirs].map(([dir, names]) => ({ head: dir === '' ? './' : dir, rows: inColumns(names) }))
  const { lines, left } = fittingParts(parts, show)
  if (left.length === 0) return [...lines, formatCount(paths.length, noun)].join('\n')
  const how = 'narrow the pattern'
  const cut = `the rest of ${formatCount(paths.length, 'path')}, in ${formatCount(left.length, 'directory', 'directories')}, not shown; ${how}`
  const named = left.slice(0, 20).map(({ head }) => `  ${head}`)
  return { text: [...lines, `[output truncated] ${cut}:`, ...named].join('\n'), cut }
}

const fewPaths = 8

/** The entries of a directory: a few one per line with their sizes, many on as few lines as possible. */
export const entriesOutput: Output<readonly Pick<DirectoryEntry, 'name' | 'type' | 'size'>[]> = {
  text: ({ data }) => {
    if (data === undefined) return undefined
    if (data.length === 0) return '[empty directory]'
    const entries = data.map(({ name, type, size }) => ({
      name: `${oneLined(name)}${type === 'directory' ? '/' : type === 'symlink' ? '@' : ''}`,
      size: type === 'file' ? size : undefined,
    }))
    if (entries.length < fewPaths)
      return entries
        .map(({ name, size }) => (size === undefined ? name : `${name}  ${formatCount(size, 'byte')}`))
        .join('\n')
    const dirs = entries.filter(({ size }) => size === undefined).map(({ name }) => name)
    const files = entries
      .filter(({ size }) => size !== undefined)
      .map(({ name, size = 0 }) => `${name} ${shortenName(size)}`)
    return [...inColumns(dirs, ''), ...inColumns(files, '')].join('\n')
  },
}

/** A size in few characters. */
const shortenName = (bytes: number): string =>
  bytes < 1000
    ? `${bytes}`
    : bytes < 1e6
      ? `${(bytes / 1000).toFixed(bytes < 1e4 ? 1 : 0)}k`
      : `${(bytes / 1e6).toFixed(1)}M`

/** Names on lines of a readable width, two spaces between them, because names may have one. */
function inColumns(names: readonly string[], indent = '  '): string[] {
  const lines: string[] = []
  for (const name of names) {
    const last = lines.at(-1)
    if (last === undefined || last.length + name.length + 2 > widest) lines.push(indent + name)
    else lines[lines.length - 1] = `${last}  ${name}`
  }
  return lines
}

const widest = 110

import type { Output, Shown } from '../core/action.ts'
import { counted } from '../core/counted.ts'

/** How the results of actions are shown in reports. */

/** A name with a line break in it must not look like two lines. */
const oneLined = (name: unknown): string =>
  String(name).replace(/[\r\n\u2028\u2029]/g, (char) => (char === '\n' ? '\\n' : char === '\r' ? '\\r' : '?'))

const recordOutput =
  (text: (data: Readonly<Record<string, unknown>>) => string | undefined): Output['text'] =>
  ({ data }) =>
    isRecord(data) ? text(data) : undefined

/** The text of one file or of several, each between two lines with its name. */
export const fileOutput = (numbered: 'plain' | 'numbered' = 'plain'): Output => ({
  named: true,
  framed: true,
  text: (result, show) => {
    const { data } = result
    if (!isRecord(data) || typeof data['content'] !== 'string') return undefined
    const named = (path: string): string => (numbered === 'numbered' ? `[numbered] ${path}` : path)
    if (Array.isArray(data['paths']))
      return severalFiles(data['paths'].map(String), data['content'], named, result, show)
    // The lines that were asked for do not exist.
    if (data['content'] === '' && !result.success) return undefined
    return fileSection(named(String(data['path'])), show(data['content']))
  },
})

const fileSection = (name: string, content: string): string =>
  `=== START FILE: ${oneLined(name)} ===\n${content === '' ? '[empty file]' : content}\n=== END FILE: ${oneLined(name)} ===`

function severalFiles(
  paths: readonly string[],
  content: string,
  named: (path: string) => string,
  { action, details }: Shown,
  show: (text: string) => string,
): string {
  const failures = details?.failures ?? []
  const listed = (names: readonly string[]): string[] => names.map((path) => `- ${oneLined(path)}`)
  const total = paths.length + failures.length
  const head =
    failures.length === 0
      ? [`Reading ${counted(paths.length, 'file')}:`, ...listed(paths)]
      : [
          `Successfully read ${paths.length} of ${total} files (${failures.length} failed):`,
          '',
          '✅ Successfully read:',
          ...listed(paths),
          '',
          '❌ Failed to read:',
          ...failures.map(({ path, error }) => `- ${oneLined(path)}: ${oneLined(error.replace(`${action}: `, ''))}`),
        ]
  const sections = textsOf(paths, content).map((text, index) => fileSection(named(paths[index] ?? ''), show(text)))
  return [...head, '', sections.join('\n\n')].join('\n')
}

/** The texts of several files, which are in one, each under its path. */
function textsOf(paths: readonly string[], content: string): string[] {
  let at = 0
  return paths.map((path, index) => {
    const from = at + `=== ${path} ===\n`.length
    const next = paths[index + 1]
    const end = next === undefined ? content.length : content.indexOf(`\n\n=== ${next} ===\n`, from)
    at = end === -1 ? content.length : end + 2
    return content.slice(from, end === -1 ? content.length : end)
  })
}

/** A list, one entry per line. */
export const listOutput = (empty = '[nothing found]'): Output => ({
  text: ({ data }) => {
    if (!Array.isArray(data)) return undefined
    return data.length === 0 ? empty : data.map(listed).join('\n')
  },
})

/** A hit, a directory entry or a path, on one line. */
function listed(entry: unknown): string {
  if (!isRecord(entry)) return oneLined(entry)
  if ('line_number' in entry) return `${oneLined(entry['file'])}:${entry['line_number']}: ${entry['line']}`
  if ('modified' in entry) {
    const name = `${oneLined(entry['name'])}${entry['type'] === 'directory' ? '/' : entry['type'] === 'symlink' ? '@' : ''}`
    return entry['type'] === 'file' ? `${name}  ${counted(Number(entry['size']), 'byte')}` : name
  }
  if (typeof entry['path'] === 'string')
    return `${oneLined(entry['path'])}  ${entry['size'] === undefined ? `(${entry['problem']})` : counted(Number(entry['size']), 'byte')}`
  return JSON.stringify(entry)
}

/** The output of a program, and the files that it changed. */
export const programOutput: Output = {
  by: 'program',
  text: ({ params, data }) => {
    if (!isRecord(data) || params['return_output'] === false) return undefined
    const streams = ['stdout', 'stderr'].flatMap((name) => {
      const text = String(data[name] ?? '').trimEnd()
      return text === '' ? [] : [`${name}:\n${text}`]
    })
    const output = String(data['output'] ?? '').trimEnd()
    const would = typeof data['would_run'] === 'string' ? [`would run: ${data['would_run']}`] : []
    const changed = Array.isArray(data['changed']) ? changedLines(data['changed'].filter(isRecord)) : []
    const notKept = Array.isArray(data['not_kept']) ? data['not_kept'].filter(isRecord) : []
    const parts = [...(output === '' ? [] : [output]), ...streams, ...would]
    if (changed.length > 0) parts.push(['changed files:', ...shortened(changed)].join('\n'))
    if (notKept.length > 0)
      parts.push(
        ['not kept:', ...shortened(notKept.map(({ path, reason }) => `  ${oneLined(path)}: ${reason}`))].join('\n'),
      )
    return parts.length === 0 ? undefined : parts.join('\n')
  },
}

const mostLines = 100

const shortened = (lines: readonly string[]): string[] =>
  lines.length <= mostLines ? [...lines] : [...lines.slice(0, mostLines), `… and ${lines.length - mostLines} more`]

/** One line per file; of very many, one line per directory and kind of change. The history has all of them. */
function changedLines(changed: readonly Record<string, unknown>[]): string[] {
  const line = (entry: Record<string, unknown>): string => `  ${entry['change']} ${oneLined(entry['path'])}`
  if (changed.length <= mostLines) return changed.map(line)
  const groups = new Map<string, Record<string, unknown>[]>()
  for (const entry of changed) {
    const [top = '', ...below] = String(entry['path']).split('/')
    const key = below.length === 0 ? line(entry) : `  ${entry['change']} ${top}/`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [entry])
    else group.push(entry)
  }
  return [...groups].flatMap(([key, entries]) =>
    entries.length > 10 ? [`${key}: ${entries.length.toLocaleString('en')} files`] : entries.map(line),
  )
}

/** Undo, back, forward and squash: where the project is now, and which files came and went. */
export const stepOutput: Output = {
  named: true,
  text: recordOutput((data) => {
    const { execution, summary, commit, branch, runs, dry_run: dryRun } = data
    const lines: string[] = []
    if (typeof execution === 'number') lines.push(`execution ${execution}: ${String(summary)}`)
    if (typeof commit === 'string')
      lines.push(`now ${branch === undefined ? '' : `on ${String(branch)}, `}at ${commit.slice(0, 8)}`)
    for (const [name, what] of lists)
      for (const path of stringsIn(data[name])) lines.push(`  ${what}: ${oneLined(path)}`)
    if (Array.isArray(runs)) lines.push(...runLines(runs, dryRun === true ? 'would become' : 'became'))
    return lines.length === 0 ? undefined : lines.join('\n')
  }),
}

const lists = [
  ['restored', 'as before'],
  ['stashed_files', 'put aside'],
  ['restored_files', 'brought back'],
  ['kept', 'not brought back, see git stash apply'],
] as const

const stringsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []

function runLines(runs: readonly unknown[], verb: string): string[] {
  if (runs.length === 0) return ['there are no two commits in a row that could become one']
  return runs.flatMap((run) => {
    if (typeof run !== 'object' || run === null || !('commits' in run) || !Array.isArray(run.commits)) return []
    const [subject = ''] = 'message' in run ? String(run.message).split('\n', 1) : []
    return [`${run.commits.length} commits ${verb} one: ${subject}`]
  })
}

/** Entries that were taken from a list. */
export const removedOutput: Output = {
  text: recordOutput(({ removed }) =>
    Array.isArray(removed) && removed.length > 0 ? ['removed:', ...removed.map(oneLined)].join('\n') : undefined,
  ),
}

/** The output of `read_structure` and `list_structures`. */
export function structureBody(data: Readonly<Record<string, unknown>>): string | undefined {
  if (Array.isArray(data['structures'])) return outlineLines(data['structures'], 0).join('\n')
  if (!Array.isArray(data['matches'])) return undefined
  if (data['matches'].length === 0) return ['[nothing found]', ...structureHelp(data)].join('\n')
  return data['matches']
    .filter(isRecord)
    .map(({ text, line_range_inclusive: lines }) => `lines ${rangeOf(lines)}:\n${String(text).replace(/\n$/, '')}`)
    .join('\n\n')
}

/** What helps to name the right structure. */
export function structureHelp(details: Readonly<Record<string, unknown>>): string[] {
  return ['matches', 'suggestions', 'parse_errors', 'occurrences'].flatMap((name) => {
    const found = details[name]
    if (!Array.isArray(found) || found.length === 0) return []
    return [`${name.replace('_', ' ')}:`, ...found.slice(0, 20).map((one) => `  ${shown(one)}`)]
  })
}

function shown(one: unknown): string {
  if (!isRecord(one)) return String(one)
  const { lines, line_range_inclusive, path, header, line, column, message } = one
  const range = lines ?? line_range_inclusive
  if (range !== undefined)
    return `lines ${rangeOf(range)}: ${Array.isArray(path) ? path.join(' > ') : String(path ?? header ?? '')}`
  return line === undefined ? JSON.stringify(one) : `line ${String(line)}, column ${String(column)}: ${String(message)}`
}

function outlineLines(entries: readonly unknown[], depth: number): string[] {
  return entries
    .filter(isRecord)
    .flatMap(({ header, kind, lines, children }) => [
      `${rangeOf(lines).padStart(9)}  ${'  '.repeat(depth)}${String(header)}  (${String(kind)})`,
      ...(Array.isArray(children) ? outlineLines(children, depth + 1) : []),
    ])
}

const rangeOf = (lines: unknown): string => (Array.isArray(lines) ? lines.join('-') : String(lines))

export const structureOutput: Output = { text: recordOutput(structureBody) }

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

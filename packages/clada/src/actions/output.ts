import { oneLined } from './one-line.ts'
import type { CutText, Output, Showing, squashShape, stepShape, undoShape } from '../core/action.ts'
import type { DirectoryEntry } from '../core/files.ts'
import type { ValueOf } from '../core/shape.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import { fittingParts, nothing } from './search-output.ts'

/** How the results of actions are shown in reports, but for files, hits and structures. */

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

function setEntryLine({ path, size, tokens, problem }: SetEntry, show: Showing): string {
  const sizes = [
    ...(size === undefined ? [] : [formatCount(size, 'byte')]),
    ...(tokens === undefined ? [] : [formatCount(tokens, 'token')]),
  ]
  return `${oneLined(show.path(path))}  ${size === undefined ? `(${problem})` : sizes.join(', ')}`
}

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
      .map(({ name, size = 0 }) => `${name} ${sizeWords(size)}`)
    return [...inColumns(dirs, ''), ...inColumns(files, '')].join('\n')
  },
}

/** A size in few characters. */
const sizeWords = (bytes: number): string =>
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

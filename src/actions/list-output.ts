import type { CutText, Output, Showing } from '../core/action.ts'
import { counted } from '../core/result.ts'
import { oneLined } from './output.ts'
import { isRecord } from '../core/platform.ts'

/** A list, one entry per line. */
export const listOutput = (empty = nothing): Output => ({
  text: ({ data }, show) => {
    if (!Array.isArray(data)) return undefined
    return data.length === 0 ? empty : data.map((entry) => listed(entry, show)).join('\n')
  },
})

const nothing = '[nothing found]'

function listed(entry: unknown, show: Showing): string {
  if (!isRecord(entry)) return oneLined(entry)
  if (typeof entry['path'] !== 'string') return JSON.stringify(entry)
  const size = entry['size'] === undefined ? `(${entry['problem']})` : counted(Number(entry['size']), 'byte')
  return `${oneLined(show.path(entry['path']))}  ${size}`
}

/** The hits of a search, those of each file below its name. */
export const hitsOutput: Output = {
  text: ({ data }, show) => {
    if (!Array.isArray(data)) return undefined
    if (data.length === 0) return nothing
    const files = new Map<string, string[]>()
    for (const { file, line_number: number, line } of data.filter(isRecord)) {
      const hits = files.get(String(file)) ?? []
      files.set(String(file), hits)
      hits.push(`  ${number}: ${shortened(String(line))}`)
    }
    const heads = [...files].map(([file, hits]) => ({ head: oneLined(show.path(file)), rows: hits }))
    const { lines, left } = fitting(heads, show)
    const total = `${counted(data.length, 'hit')} in ${counted(files.size, 'file')}`
    if (left.length === 0) return data.length < someHits ? lines.join('\n') : [...lines, total].join('\n')
    const missing = left.reduce((sum, { count }) => sum + count, 0)
    const how = 'narrow path, include or pattern'
    const named = left.slice(0, 20).map(({ head, count }) => `  ${head} (${count})`)
    const more = left.length > named.length ? [`  and ${counted(left.length - named.length, 'more file')}`] : []
    const cut = `${missing} of ${total} not shown; ${how}`
    return { text: [...lines, `[output truncated] ${cut}. They are in:`, ...named, ...more].join('\n'), cut }
  },
}

/** So few are counted at a glance. */
const someHits = 10

interface Part {
  readonly head: string
  readonly rows: readonly string[]
}

/** The first rows that there is room for, and how many are left of each part. */
function fitting(
  parts: readonly Part[],
  { room }: Showing,
): { lines: string[]; left: { head: string; count: number }[] } {
  const lines: string[] = []
  const left: { head: string; count: number }[] = []
  let spare = room - roomForNote
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

const roomForNote = 1000

/** The rest of a long line, as in minified files, is of no use. */
function shortened(line: string): string {
  return line.length <= longestHit
    ? line
    : `${line.slice(0, longestHit)}… [${line.length - longestHit} more characters]`
}

const longestHit = 300

/** Paths: a few one per line, many by directory. */
export const pathsOutput: Output = {
  text: ({ data }, show) => {
    if (!Array.isArray(data)) return undefined
    if (data.length === 0) return nothing
    const paths = data.map((one) => oneLined(show.path(String(one))))
    if (paths.length < fewPaths) return paths.join('\n')
    const dirs = new Map<string, string[]>()
    for (const path of paths) {
      const slash = path.lastIndexOf('/')
      const [dir, name] = [path.slice(0, slash + 1), path.slice(slash + 1)]
      const names = dirs.get(dir)
      if (names === undefined) dirs.set(dir, [name])
      else names.push(name)
    }
    const parts = [...dirs].map(([dir, names]) => ({ head: dir === '' ? './' : dir, rows: wrapped(names) }))
    const { lines, left } = fitting(parts, show)
    if (left.length === 0) return [...lines, counted(paths.length, 'file')].join('\n')
    const how = 'narrow the pattern'
    const cut = `the rest of ${counted(paths.length, 'path')}, in ${counted(left.length, 'directory', 'directories')}, not shown; ${how}`
    const named = left.slice(0, 20).map(({ head }) => `  ${head}`)
    return { text: [...lines, `[output truncated] ${cut}:`, ...named].join('\n'), cut }
  },
}

const fewPaths = 8

/** The entries of a directory: a few one per line with their sizes, many on as few lines as possible. */
export const entriesOutput: Output = {
  text: ({ data }): string | CutText | undefined => {
    if (!Array.isArray(data)) return undefined
    if (data.length === 0) return '[empty directory]'
    const entries = data.filter(isRecord).map(({ name, type, size }) => ({
      name: `${oneLined(name)}${type === 'directory' ? '/' : type === 'symlink' ? '@' : ''}`,
      size: type === 'file' ? Number(size) : undefined,
    }))
    if (entries.length < fewPaths)
      return entries
        .map(({ name, size }) => (size === undefined ? name : `${name}  ${counted(size, 'byte')}`))
        .join('\n')
    const dirs = entries.filter(({ size }) => size === undefined).map(({ name }) => name)
    const files = entries.filter(({ size }) => size !== undefined).map(({ name, size = 0 }) => `${name} ${short(size)}`)
    return [...wrapped(dirs, ''), ...wrapped(files, '')].join('\n')
  },
}

/** A size in few characters. */
const short = (bytes: number): string =>
  bytes < 1000
    ? `${bytes}`
    : bytes < 1e6
      ? `${(bytes / 1000).toFixed(bytes < 1e4 ? 1 : 0)}k`
      : `${(bytes / 1e6).toFixed(1)}M`

/** Names on lines of a readable width, two spaces between them, because names may have one. */
function wrapped(names: readonly string[], indent = '  '): string[] {
  const lines: string[] = []
  for (const name of names) {
    const last = lines.at(-1)
    if (last === undefined || last.length + name.length + 2 > widest) lines.push(indent + name)
    else lines[lines.length - 1] = `${last}  ${name}`
  }
  return lines
}

const widest = 110

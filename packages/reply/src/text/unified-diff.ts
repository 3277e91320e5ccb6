import { diffLines, type LineRun } from './line-diff.ts'
import { splitKeepingEnds } from './lines.ts'

interface UnifiedDiffOptions {
  /** Lines shown around a change. */
  context?: number
  /** As git writes them, `100644` or `100755`. A created or deleted file without one has `100644`. */
  oldMode?: string
  newMode?: string
}

/**
 * The diff of one file as git writes it, so that `git apply` and `git apply -R` carry it out byte for byte.
 * `null` as text means that the file is not there on that side. Empty when there is nothing to tell.
 */
export function unifiedDiff(
  oldPath: string | null,
  newPath: string | null,
  before: string | null,
  after: string | null,
  { context = 3, oldMode, newMode }: UnifiedDiffOptions = {},
): string {
  const from = oldPath ?? newPath
  const to = newPath ?? oldPath
  if (from === null || to === null || (before === null && after === null)) return ''

  const head = [`diff --git ${quotedPath(`a/${withoutRootSlash(from)}`)} ${quotedPath(`b/${withoutRootSlash(to)}`)}`]
  if (before === null) head.push(`new file mode ${newMode ?? REGULAR}`)
  else if (after === null) head.push(`deleted file mode ${oldMode ?? REGULAR}`)
  else {
    if (oldMode !== undefined && newMode !== undefined && oldMode !== newMode) {
      head.push(`old mode ${oldMode}`, `new mode ${newMode}`)
    }
    if (from !== to) {
      if (before === after) head.push('similarity index 100%')
      head.push(`rename from ${quotedPath(withoutRootSlash(from))}`, `rename to ${quotedPath(withoutRootSlash(to))}`)
    }
  }

  const hunks = formatHunks(splitKeepingEnds(before ?? ''), splitKeepingEnds(after ?? ''), context)
  if (hunks.length === 0) return head.length === 1 ? '' : `${head.join('\n')}\n`
  head.push(
    `--- ${before === null ? '/dev/null' : withTabAfterSpaces(`a/${withoutRootSlash(from)}`)}`,
    `+++ ${after === null ? '/dev/null' : withTabAfterSpaces(`b/${withoutRootSlash(to)}`)}`,
  )
  return `${head.join('\n')}\n${hunks.join('')}`
}

const REGULAR = '100644'

function formatHunks(before: readonly string[], after: readonly string[], context: number): string[] {
  const hunks: string[] = []
  let oldAt = 0
  let newAt = 0
  for (const { lead, runs } of groupRuns(diffLines(before, after), context)) {
    oldAt += lead
    newAt += lead
    const oldStart = oldAt
    const newStart = newAt
    const body: string[] = []
    for (const { kind, count } of runs) {
      if (count === 0) continue
      const lines = kind === 'new' ? after.slice(newAt, newAt + count) : before.slice(oldAt, oldAt + count)
      body.push(MARKS[kind], lines.join(MARKS[kind]))
      if (lines.at(-1)?.endsWith('\n') === false) body.push('\n\\ No newline at end of file\n')
      if (kind !== 'new') oldAt += count
      if (kind !== 'old') newAt += count
    }
    hunks.push(`@@ -${formatExtent(oldStart, oldAt)} +${formatExtent(newStart, newAt)} @@\n${body.join('')}`)
  }
  return hunks
}

export const MARKS = { same: ' ', old: '-', new: '+' } as const

/** Changes with the lines around them; `lead` lines that both sides have are between a group and the one before. */
export function groupRuns(runs: readonly LineRun[], context: number): { lead: number; runs: LineRun[] }[] {
  const found: { lead: number; runs: LineRun[] }[] = []
  let open: LineRun[] | undefined
  let lead = 0
  for (const [index, run] of runs.entries()) {
    if (run.kind !== 'same') {
      if (open === undefined) {
        open = []
        found.push({ lead, runs: open })
        lead = 0
      }
      open.push(run)
      continue
    }
    const last = index === runs.length - 1
    if (open !== undefined && !last && run.count <= 2 * context) {
      open.push(run)
      continue
    }
    const rest = open === undefined ? 0 : Math.min(context, run.count)
    const ahead = last ? 0 : Math.min(context, run.count - rest)
    open?.push({ kind: 'same', count: rest })
    lead += run.count - rest - ahead
    open = undefined
    if (last) continue
    open = [{ kind: 'same', count: ahead }]
    found.push({ lead, runs: open })
    lead = 0
  }
  return found
}

/** Where a hunk is, counted from 1. An empty extent names the line before it. */
export function formatExtent(start: number, end: number): string {
  const count = end - start
  if (count === 0) return `${start},0`
  return count === 1 ? `${start + 1}` : `${start + 1},${count}`
}

function withoutRootSlash(path: string): string {
  return path.replace(/^\//, '')
}

/** Git ends a name that has a space with a tab, so that readers know where it ends. */
function withTabAfterSpaces(path: string): string {
  return quotedPath(path) + (path.includes(' ') ? '\t' : '')
}

/** A name as git quotes it: bytes beyond printable ASCII as octal, in double quotes. */
function quotedPath(path: string): string {
  if (/^[\x20-\x7e]*$/.test(path) && !/["\\]/.test(path)) return path
  const bytes = [...new TextEncoder().encode(path)]
  return `"${bytes.map((byte) => ESCAPES[byte] ?? (byte < 0x20 || byte > 0x7e ? octal(byte) : String.fromCharCode(byte))).join('')}"`
}

const ESCAPES: Readonly<Record<number, string>> = {
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
  34: '\\"',
  92: '\\\\',
}

function octal(byte: number): string {
  return `\\${byte.toString(8).padStart(3, '0')}`
}

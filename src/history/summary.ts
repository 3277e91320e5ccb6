import type { ExecutionRecord, PathRecord } from './record.ts'

/** What an execution did, in one line: `edit 3 files, create src/x.ts`. */
export function summaryOf({ kind, of, paths, explanations }: Told): string {
  if (kind !== 'run') return `${kind} execution ${of ?? ''}`.trimEnd()
  const [said] = explanations
  if (said !== undefined && said.trim() !== '') return oneLine(said.trim())
  const groups = new Map<string, string[]>()
  for (const path of paths) {
    // Directories come and go with their files; they count only when there is nothing else to say.
    const verb = verbFor(path)
    if (verb.endsWith('directory') && paths.some((other) => !verbFor(other).endsWith('directory'))) continue
    groups.set(verb, [...(groups.get(verb) ?? []), path.path])
  }
  const parts = [...groups].map(([verb, names]) => partOf(verb, names))
  return parts.length === 0 ? 'no change' : oneLine(parts.join(', '))
}

interface Told {
  readonly kind: ExecutionRecord['kind']
  readonly of: number | undefined
  readonly paths: readonly PathRecord[]
  readonly explanations: readonly string[]
}

function verbFor({ before, after }: PathRecord): string {
  if (after.type === 'directory') return 'make directory'
  if (before.type === 'directory') return 'remove directory'
  if (before.type === 'absent') return 'create'
  return after.type === 'absent' ? 'delete' : 'edit'
}

function partOf(verb: string, names: readonly string[]): string {
  if (names.length === 1) return `${verb} ${names[0]}`
  return verb.endsWith('directory') ? `${verb.replace(/y$/, 'ies')} ${names.length}` : `${verb} ${names.length} files`
}

/** Some names, and how many more there are. */
export const listOf = (names: readonly string[]): string =>
  names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ')

function oneLine(text: string): string {
  const [line = ''] = text.split('\n')
  return line.length > 72 ? `${line.slice(0, 71)}…` : line
}

/** What an action was about, in a word or two. */
export function targetOf(params: Readonly<Record<string, unknown>>): string {
  const { path, paths, old_path, new_path, pattern, command } = params
  if (typeof old_path === 'string' && typeof new_path === 'string') return `${old_path} -> ${new_path}`
  for (const value of [path, paths, pattern, command]) {
    if (typeof value === 'string') return value.replace(/\n/g, ' ').slice(0, 200)
  }
  return ''
}

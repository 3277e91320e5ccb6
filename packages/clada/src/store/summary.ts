import type { ExecutionRecord, HeadMove, PathRecord, State } from './record.ts'
import { type HistorySettings, summaryPlace } from '../core/settings.ts'

/** An execution in one line: `edit 3 files, create src/x.ts`. */
export function summaryOf({
  kind,
  of,
  ofActions,
  paths,
  byPrograms,
  moved,
  explanations,
}: SummarizedExecution): string {
  if (kind !== 'run')
    return `${kind} ${ofActions === undefined ? '' : `action ${ofActions.join(', ')} of `}execution ${of ?? ''}`.trimEnd()
  const [said] = explanations
  if (said !== undefined && said.trim() !== '') return summaryText(said.trim())
  const groups = new Map<string, string[]>()
  const { moves, others } = movesAmong(paths, byPrograms)
  if (moves.length > 0) groups.set('move', moves)
  // Directories are made and removed with their files; they are mentioned only if nothing else changed.
  const onlyDirectories = paths.every((path) => verbFor(path).endsWith('directory'))
  for (const path of others) {
    const verb = verbFor(path)
    if (onlyDirectories || !verb.endsWith('directory')) addTo(groups, verb, path.path)
  }
  const parts = [...groups].map(([verb, names]) => verbWithNames(verb, names))
  if (parts.length === 0 && moved !== undefined) return `move to ${moved.after.commit.slice(0, 8)}`
  return parts.length === 0 ? 'no change' : summaryText(parts.join(', '))
}

interface SummarizedExecution {
  readonly kind: ExecutionRecord['kind']
  readonly of: number | undefined
  readonly ofActions?: readonly number[] | undefined
  readonly paths: readonly PathRecord[]
  /** Paths that programs changed; undefined when that is not known. */
  readonly byPrograms?: ReadonlySet<string> | undefined
  readonly moved?: HeadMove | undefined
  readonly explanations: readonly string[]
}

/**
 * If an action removes one file and creates one, the file was moved. A program may have deleted one file and written
 * another, so that there the content decides.
 */
function movesAmong(
  paths: readonly PathRecord[],
  byPrograms: ReadonlySet<string> | undefined,
): { moves: string[]; others: readonly PathRecord[] } {
  const made = new Map<number, PathRecord[]>()
  const gone = new Map<number, PathRecord[]>()
  for (const path of paths) {
    const [by, ...others] = new Set(path.steps.map((step) => step.by))
    const side = verbFor(path) === 'create' ? made : verbFor(path) === 'delete' ? gone : undefined
    if (by !== undefined && others.length === 0 && side !== undefined) addTo(side, by, path)
  }
  const moved = [...gone].flatMap(([by, [old, ...more]]) => {
    const [added, ...others] = made.get(by) ?? []
    if (old === undefined || added === undefined || more.length + others.length > 0) return []
    const isByAction = byPrograms !== undefined && !byPrograms.has(old.path)
    return isByAction || isSameFile(old.before, added.after) ? [{ old, added }] : []
  })
  const both = new Set(moved.flatMap(({ old, added }) => [old, added]))
  return {
    moves: moved.map(({ old, added }) => `${old.path} to ${added.path}`),
    others: paths.filter((path) => !both.has(path)),
  }
}

function isSameFile(one: State, other: State): boolean {
  if (one.type === 'symlink' && other.type === 'symlink') return one.target === other.target
  return one.type === 'file' && other.type === 'file' && one.digest !== undefined && one.digest === other.digest
}

/** Not by a new list each time: a command may change twenty thousand files. */
function addTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

function verbFor({ before, after }: PathRecord): string {
  if (after.type === 'directory') return 'make directory'
  if (before.type === 'directory') return 'remove directory'
  if (before.type === 'absent') return 'create'
  return after.type === 'absent' ? 'delete' : 'edit'
}

function verbWithNames(verb: string, names: readonly string[]): string {
  if (names.length === 1) return `${verb} ${names[0]}`
  const [does = verb] = verb.split(' ')
  return `${does} ${names.length} ${verb.endsWith('directory') ? 'directories' : 'files'}`
}

/** The first names, and the number of others. */
export const listOf = (names: readonly string[]): string =>
  names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ')

function summaryText(text: string): string {
  const [line = ''] = text.split(/[\r\n]/)
  // By code points, to split no surrogate pair.
  const characters = [...withoutControls(line.replaceAll('\t', ' '))]
  return characters.length > 72 ? `${characters.slice(0, 71).join('')}…` : characters.join('')
}

/** Commits are shown in terminals, which control characters would affect. */
// oxlint-disable-next-line no-control-regex
const withoutControls = (text: string): string => text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, '')

/** The path, pattern or command of an action. */
export function targetOfParams(params: Readonly<Record<string, unknown>>): string {
  const { path, paths, old_path, new_path, pattern, command } = params
  if (typeof old_path === 'string' && typeof new_path === 'string') return `${old_path} -> ${new_path}`
  for (const value of [path, paths, pattern, command]) {
    if (typeof value === 'string') return value.replace(/\n/g, ' ').slice(0, 200)
  }
  return ''
}

/** `AI: <summary>` or another format, a line for each action, and the mark by which `clada squash` finds the commit. */
export function commitMessage(
  record: ExecutionRecord,
  explanations: readonly string[],
  {
    messageFormat: format = `AI: ${summaryPlace}`,
    trailers = [],
  }: Pick<HistorySettings, 'messageFormat' | 'trailers'> = {},
): string {
  const said = [...new Set(explanations.map((text) => text.trim()))].filter((text) => text !== '')
  const actions = record.actions.map(
    ({ seq, action, target, success, left, error }) =>
      `${seq}. ${success ? 'ok' : left ? 'left out by the user' : 'failed'}: ${action} ${target}`.trimEnd() +
      (error === undefined ? '' : `\n   ${error}`),
  )
  const body = [
    ...said.filter((text) => text !== record.summary),
    ...(actions.length > 0 ? [actions.join('\n')] : []),
    [...trailers, `${executionTrailer}: ${record.number}`].join('\n'),
  ]
  return withoutControls(`${[format.replace(summaryPlace, () => record.summary), ...body].join('\n\n')}\n`)
}

const executionTrailer = 'Clada-Execution'

/** The lines in the last paragraph of a commit message that name executions. Git keeps them through rebase and amend. */
export function executionTrailers(message: string): string[] {
  const last =
    message
      .trimEnd()
      .split(/\n\s*\n/)
      .at(-1) ?? ''
  return last.split('\n').filter((line) => /^Clada-Execution: \d+$/.test(line))
}

/** Author and committer as environment variables of git. */
export function identityOf(author: string | null): Record<string, string> {
  const [, name, mail = 'clada@localhost'] = /^(.*?)(?: <(.*)>)?$/.exec(author ?? 'clada') ?? []
  const seconds = Math.floor(Date.now() / 1000)
  const zone = -new Date().getTimezoneOffset()
  const two = (value: number): string => String(value).padStart(2, '0')
  const date = `${seconds} ${zone < 0 ? '-' : '+'}${two(Math.floor(Math.abs(zone) / 60))}${two(Math.abs(zone) % 60)}`
  return {
    GIT_AUTHOR_NAME: name ?? 'clada',
    GIT_AUTHOR_EMAIL: mail,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: name ?? 'clada',
    GIT_COMMITTER_EMAIL: mail,
    GIT_COMMITTER_DATE: date,
  }
}

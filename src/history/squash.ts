import { gitStop } from './git-program.ts'
import { identityOf } from './message.ts'
import { type Head, inRepository, moveRef, type Repository } from './repository.ts'
import type { Room } from './room.ts'

export interface SquashOptions {
  /** Only the run that begins at the newest commit. */
  contiguous?: boolean
  /** Commits whose message holds this text; an empty one takes all. Default: those whose message begins with `AI:`. */
  containing?: string
  /** Commits no older than this many hours, or days. */
  hours?: number
  days?: number
  /** For the commit that is made; with several runs, for each. */
  message?: string
  /** Also commits that were pushed. */
  force?: boolean
  dryRun?: boolean
}

/** Commits that become one. */
export interface SquashRun {
  /** From the newest to the oldest. */
  commits: { id: string; subject: string }[]
  message: string
}

/** The commit that nothing goes across. */
export interface SquashLimit {
  commit: string
  why: 'pushed' | 'merge'
}

export interface Squashed {
  readonly runs: SquashRun[]
  readonly limit?: SquashLimit
  /** The branch's new commit; undefined when nothing was to be done. */
  readonly head?: string
}

/**
 * Makes one commit of several that follow each other. Trees stay as they are, so neither the files nor the index are
 * touched; the commits that come after get new parents and nothing else.
 */
export async function squash(room: Room, head: Head, options: SquashOptions, author: string | null): Promise<Squashed> {
  const { repository } = room
  if (head.commit === undefined) throw gitStop('there is no commit yet')
  const { commits, ...limit } = await rewritable(repository, head.commit, options.force ?? false)
  const chosen = commits.map((commit) => isChosen(commit, options))
  const runs = runsOf(chosen, options.contiguous ?? false)
  const told = runs.map(([from, to]) => {
    const members = commits.slice(from, to)
    return {
      commits: members.map(({ id, message }) => ({ id, subject: subjectOf(message) })),
      message: messageFor(members, options.message),
    }
  })
  if (runs.length === 0 || options.dryRun) return { runs: told, ...limit }
  const made = await rewrite(room, commits, runs, told, author)
  await inRepository(repository, ['update-ref', '-m', 'clada: squash', 'refs/clada/before-squash', head.commit])
  await moveRef(
    repository,
    'HEAD',
    made,
    head.commit,
    `clada: squash ${told.length === 1 ? 'one run' : `${told.length} runs`}`,
  )
  return { runs: told, head: made, ...limit }
}

interface Commit {
  readonly id: string
  readonly tree: string
  readonly parents: readonly string[]
  /** Seconds since 1970. */
  readonly time: number
  readonly message: string
  /** As git stores it. */
  readonly raw: Buffer
}

interface Rewritable {
  readonly commits: Commit[]
  readonly limit?: SquashLimit
}

/** From the newest commit back to the first that was pushed or merges others; that one is not included. */
async function rewritable(repository: Repository, head: string, force: boolean): Promise<Rewritable> {
  const limits = force ? [] : ['--not', '--remotes']
  const { out } = await inRepository(repository, [
    'rev-list',
    '--first-parent',
    `--max-count=${mostCommits}`,
    head,
    ...limits,
  ])
  const ids = out
    .toString()
    .split('\n')
    .filter((id) => id !== '')
  const commits: Commit[] = []
  for (const raw of await rawCommits(repository, ids)) {
    const commit = parseCommit(raw.id, raw.bytes)
    if (commit.parents.length > 1) return { commits, limit: { commit: commit.id, why: 'merge' } }
    commits.push(commit)
  }
  const next = commits.length === 0 ? head : commits.at(-1)?.parents[0]
  const isPushed = !force && next !== undefined && commits.length < mostCommits
  return isPushed ? { commits, limit: { commit: next, why: 'pushed' } } : { commits }
}

const mostCommits = 5000

async function rawCommits(
  { gitDir, top, commonDir }: Repository,
  ids: readonly string[],
): Promise<{ id: string; bytes: Buffer }[]> {
  if (ids.length === 0) return []
  const { git } = await import('./git-program.ts')
  const call = { cwd: top ?? gitDir, env: { GIT_DIR: gitDir, GIT_COMMON_DIR: commonDir } }
  const { out } = await git({ ...call, args: ['cat-file', '--batch'], input: `${ids.join('\n')}\n` })
  let at = 0
  return ids.map((id) => {
    const end = out.indexOf(10, at)
    const size = Number(out.subarray(at, end).toString().split(' ')[2])
    const bytes = out.subarray(end + 1, end + 1 + size)
    at = end + 1 + size + 1
    return { id, bytes }
  })
}

function parseCommit(id: string, raw: Buffer): Commit {
  const text = raw.toString('latin1')
  const blank = text.indexOf('\n\n')
  const header = text.slice(0, blank)
  const [, time = '0'] = /^committer .* (\d+) [+-]\d{4}$/m.exec(header) ?? []
  return {
    id,
    tree: /^tree (\S+)/.exec(header)?.[1] ?? '',
    parents: [...header.matchAll(/^parent (\S+)$/gm)].map(([, parent = '']) => parent),
    time: Number(time),
    message: raw.subarray(blank + 2).toString('utf8'),
    raw,
  }
}

function isChosen({ message, time }: Commit, { containing, hours, days }: SquashOptions): boolean {
  const fits = containing === undefined ? message.startsWith('AI:') : message.includes(containing)
  const age = hours === undefined && days === undefined ? Infinity : (hours ?? 0) * 3600 + (days ?? 0) * 86_400
  return fits && time >= Date.now() / 1000 - age
}

/** Where runs of at least two begin and end. */
function runsOf(chosen: readonly boolean[], contiguous: boolean): [number, number][] {
  const runs: [number, number][] = []
  for (let at = 0; at < chosen.length;) {
    let end = at
    while (chosen[end]) end++
    if (end - at > 1) runs.push([at, end])
    if (contiguous) break
    at = Math.max(end, at + 1)
  }
  return runs
}

function messageFor(members: readonly Commit[], given: string | undefined): string {
  if (given !== undefined) return given.endsWith('\n') ? given : `${given}\n`
  const subjects = members.map(({ message }) => subjectOf(message)).reverse()
  const [first = ''] = subjects
  const rest = subjects.length - 1
  return `${first.startsWith('AI:') ? first : `AI: ${first}`} and ${rest} more\n\n${subjects.map((subject) => `- ${subject}`).join('\n')}\n`
}

const subjectOf = (message: string): string => message.split('\n', 1)[0] ?? ''

async function rewrite(
  room: Room,
  commits: readonly Commit[],
  runs: readonly [number, number][],
  told: readonly SquashRun[],
  author: string | null,
): Promise<string> {
  const oldest = runs.at(-1)?.[1] ?? 0
  let parent = commits[oldest - 1]?.parents[0]
  for (let at = oldest - 1; at >= 0; at--) {
    const index = runs.findIndex(([from, to]) => at >= from && at < to)
    const commit = commits[at]
    if (commit === undefined) continue
    if (index === -1) parent = await withParent(room, commit, parent)
    // The newest of a run has the tree that counts.
    else if (runs[index]?.[0] === at)
      parent = await oneCommit(room, commit.tree, parent, told[index]?.message ?? '', author)
  }
  return parent ?? ''
}

async function oneCommit(
  room: Room,
  tree: string,
  parent: string | undefined,
  message: string,
  author: string | null,
): Promise<string> {
  const parents = parent === undefined ? [] : ['-p', parent]
  const { out } = await room.git(['commit-tree', tree, ...parents, '-F', '-'], {
    input: message,
    env: identityOf(author),
  })
  return out.toString().trim()
}

/** The same commit with another parent; a signature no longer holds and is left out. */
async function withParent(room: Room, { raw }: Commit, parent: string | undefined): Promise<string> {
  const text = raw.toString('latin1')
  const blank = text.indexOf('\n\n')
  const header = text
    .slice(0, blank)
    .replace(/^parent .*\n/gm, '')
    .replace(/^gpgsig(?:-sha256)? .*(?:\n .*)*\n?/gm, '')
    .replace(/\n+$/, '')
  const [first = '', ...rest] = header.split('\n')
  const lines = [first, ...(parent === undefined ? [] : [`parent ${parent}`]), ...rest].join('\n')
  const input = Buffer.from(lines + text.slice(blank), 'latin1')
  const { out } = await room.git(['hash-object', '-t', 'commit', '-w', '--stdin'], { input })
  return out.toString().trim()
}

import path from 'node:path'
import { readOwn } from '../state/own-files.ts'
import { gitStop } from '../git/git-program.ts'
import { type Commit, isSigned, readCommits } from '../git/read-commits.ts'
import { type Head, inRepository, type Repository } from '../git/repository.ts'

/** Options of a squash. */
export interface SquashOptions {
  /** Only the run that begins at the newest commit. */
  contiguous?: boolean
  /** Commits whose message contains this text; an empty text selects all. Default: those whose message starts with `AI:`. */
  containing?: string
  /** Only these commits, by their full ids. */
  only?: readonly string[]
  /** Commits no older than this many hours, or days. */
  hours?: number
  days?: number
  /** The message of each new commit. */
  message?: string
  /** Also commits that were pushed or that other branches or tags contain. */
  force?: boolean
  dryRun?: boolean
}

/** Commits to combine into one. */
export interface SquashRun {
  /** From the newest to the oldest. */
  commits: { id: string; subject: string }[]
  message: string
}

/** The commit at which squashing stops. */
export interface SquashLimit {
  commit: string
  /** `shared`: another branch or a tag contains it. `shallow`: its parents were not fetched. */
  why: 'pushed' | 'shared' | 'merge' | 'shallow'
  /** The reference that contains it. */
  ref?: string
}

export interface SquashPlan {
  readonly head: string
  readonly runs: SquashRun[]
  readonly limit?: SquashLimit
  /** Signed commits that are rewritten and lose their signatures. */
  readonly unsigned: readonly string[]
  /** The commits that may be rewritten, newest first. */
  readonly commits: readonly Commit[]
  /** Begin and end of each run in `commits`. */
  readonly ranges: readonly [number, number][]
}

/** Selects the commits to combine. Writes nothing. */
export async function planSquash(repository: Repository, head: Head, options: SquashOptions): Promise<SquashPlan> {
  if (head.commit === undefined) throw gitStop('there is no commit yet', 'There is nothing to squash.')
  const { commits, ...limit } = await rewritable(repository, head.commit, head.branch, options.force ?? false)
  const chosen = commits.map((commit) => isChosen(commit, options))
  const ranges = runsOf(chosen, options.contiguous ?? false)
  const runs = ranges.map(([from, to]) => {
    const members = commits.slice(from, to)
    return {
      commits: members.map(({ id, message }) => ({ id, subject: subjectOf(message) })),
      message: messageFor(members, options.message),
    }
  })
  const rewritten = commits.slice(0, ranges.at(-1)?.[1] ?? 0)
  const unsigned = rewritten.filter(isSigned).map(({ id }) => id)
  return { head: head.commit, runs, ...limit, unsigned, commits, ranges }
}

interface Rewritable {
  readonly commits: Commit[]
  readonly limit?: SquashLimit
}

/** From the newest commit back to the first that others have too or that is a merge, without that one. */
async function rewritable(
  repository: Repository,
  head: string,
  branch: string | undefined,
  force: boolean,
): Promise<Rewritable> {
  const own = branch === undefined ? [] : [`--exclude=${branch.replace(/^refs\/heads\//, '')}`]
  const limits = force ? [] : ['--not', '--remotes', '--tags', ...own, '--branches']
  const args = ['rev-list', '--first-parent', `--max-count=${mostCommits}`, head, ...limits]
  const ids = linesOf((await inRepository(repository, args)).out)
  const shallow = new Set(readOwn(path.join(repository.commonDir, 'shallow'))?.split('\n'))
  const commits: Commit[] = []
  for (const commit of await readCommits(repository, ids)) {
    if (commit.parents.length > 1) return { commits, limit: { commit: commit.id, why: 'merge' } }
    if (shallow.has(commit.id)) return { commits, limit: { commit: commit.id, why: 'shallow' } }
    commits.push(commit)
  }
  const next = commits.length === 0 ? head : commits.at(-1)?.parents[0]
  if (force || next === undefined || commits.length === mostCommits) return { commits }
  return { commits, limit: { commit: next, ...(await holderOf(repository, next, branch)) } }
}

/** A reference that contains a commit. */
async function holderOf(repository: Repository, commit: string, branch: string | undefined) {
  const args = ['for-each-ref', '--format=%(refname)', '--contains', commit, 'refs/remotes', 'refs/heads', 'refs/tags']
  const refs = linesOf((await inRepository(repository, args)).out).filter((ref) => ref !== branch)
  const pushed = refs.find((ref) => ref.startsWith('refs/remotes/'))
  const ref = (pushed ?? refs[0] ?? '').replace(/^refs\/(?:remotes|heads|tags)\//, '')
  return { why: pushed === undefined ? ('shared' as const) : ('pushed' as const), ref }
}

const linesOf = (out: Buffer): string[] =>
  out
    .toString()
    .split('\n')
    .filter((line) => line !== '')

const mostCommits = 5000

function isChosen(commit: Commit, { containing, only, hours, days }: SquashOptions): boolean {
  const { id, message, time } = commit
  if (only?.includes(id) === false) return false
  const fits = containing === undefined ? isByModel(commit) : message.includes(containing)
  const age = hours === undefined && days === undefined ? Infinity : (hours ?? 0) * 3600 + (days ?? 0) * 86_400
  return fits && time >= Date.now() / 1000 - age
}

/** Begin and end of each run of at least two commits. */
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

export const isByModel = ({ message }: Commit): boolean => message.startsWith('AI:')

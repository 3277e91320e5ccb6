import path from 'node:path'
import { readOwn } from '../state/own-files.ts'
import { git, gitStop } from './git-program.ts'
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
  /** Also commits that were pushed, or that other branches or tags hold. */
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
  /** `shared`: another branch or a tag holds it too. `shallow`: what comes before was never fetched. */
  why: 'pushed' | 'shared' | 'merge' | 'shallow'
  /** The reference that holds it. */
  ref?: string
}

/** What would be done. */
export interface SquashPlan {
  readonly head: string
  readonly runs: SquashRun[]
  readonly limit?: SquashLimit
  /** Signed commits that get another parent, or become part of another: their signatures no longer hold. */
  readonly unsigned: readonly string[]
  /** From the newest commit on, as far as anything may be changed. */
  readonly commits: readonly Commit[]
  /** Where in them runs begin and end. */
  readonly ranges: readonly [number, number][]
}

/** Chooses the commits that become one. Nothing is written. */
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
  const unsigned = rewritten.filter(({ header }) => signature.test(header)).map(({ id }) => id)
  return { head: head.commit, runs, ...limit, unsigned, commits, ranges }
}

/**
 * Makes one commit of several that follow each other, and answers with the branch's new one. Trees stay as they are,
 * so neither the files nor the index are touched; the commits that come after get new parents and nothing else.
 */
export async function squash(room: Room, plan: SquashPlan, author: string | null): Promise<string> {
  const { repository } = room
  const { head, runs } = plan
  const made = await rewrite(room, plan, author)
  const keep = ['update-ref', '--create-reflog', '-m', 'clada: squash', 'refs/clada/before-squash', head]
  await inRepository(repository, keep)
  const what = runs.length === 1 ? 'one run' : `${runs.length} runs`
  await moveRef(repository, 'HEAD', made, head, `clada: squash ${what}`)
  return made
}

interface Commit {
  readonly id: string
  readonly tree: string
  readonly parents: readonly string[]
  /** Who wrote it and when, as git stores it. */
  readonly author: string
  /** Seconds since 1970. */
  readonly time: number
  readonly message: string
  /** As git stores it; byte by byte, whatever its encoding. */
  readonly header: string
  readonly body: string
}

interface Rewritable {
  readonly commits: Commit[]
  readonly limit?: SquashLimit
}

/** From the newest commit back to the first that others have too or that merges others; that one is not included. */
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
  for (const raw of await rawCommits(repository, ids)) {
    const commit = parseCommit(raw.id, raw.bytes)
    if (commit.parents.length > 1) return { commits, limit: { commit: commit.id, why: 'merge' } }
    if (shallow.has(commit.id)) return { commits, limit: { commit: commit.id, why: 'shallow' } }
    commits.push(commit)
  }
  const next = commits.length === 0 ? head : commits.at(-1)?.parents[0]
  if (force || next === undefined || commits.length === mostCommits) return { commits }
  return { commits, limit: { commit: next, ...(await holderOf(repository, next, branch)) } }
}

/** Who else has a commit. */
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

async function rawCommits(
  { gitDir, top, commonDir }: Repository,
  ids: readonly string[],
): Promise<{ id: string; bytes: Buffer }[]> {
  if (ids.length === 0) return []
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
    author: /^author (.*)$/m.exec(header)?.[1] ?? '',
    time: Number(time),
    message: raw.subarray(blank + 2).toString('utf8'),
    header,
    body: text.slice(blank),
  }
}

function isChosen(commit: Commit, { containing, hours, days }: SquashOptions): boolean {
  const { message, time } = commit
  const fits = containing === undefined ? isByModel(commit) : message.includes(containing)
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

async function rewrite(room: Room, plan: SquashPlan, author: string | null): Promise<string> {
  const { commits, ranges, runs } = plan
  const oldest = ranges.at(-1)?.[1] ?? 0
  let parent = commits[oldest - 1]?.parents[0]
  for (let at = oldest - 1; at >= 0; at--) {
    const index = ranges.findIndex(([from, to]) => at >= from && at < to)
    const commit = commits[at]
    if (commit === undefined) continue
    if (index === -1) parent = await withParent(room, commit, parent)
    // The newest of a run has the tree that counts.
    else if (ranges[index]?.[0] === at)
      parent = await oneCommit(room, commits.slice(...ranges[index]), parent, runs[index]?.message ?? '', author)
  }
  return parent ?? ''
}

/** What a person wrote stays theirs, as with git's own squash: the oldest of theirs names author and date. */
function oneCommit(
  room: Room,
  members: readonly Commit[],
  parent: string | undefined,
  message: string,
  author: string | null,
): Promise<string> {
  const own = author === null ? members.findLast((commit) => !isByModel(commit)) : undefined
  const { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: mail, GIT_AUTHOR_DATE: date } = identityOf(author)
  const clada = latin1(`${name} <${mail}> ${date}`)
  const lines = [
    `tree ${members[0]?.tree}`,
    ...(parent === undefined ? [] : [`parent ${parent}`]),
    `author ${own?.author ?? clada}`,
    `committer ${clada}`,
  ]
  return store(room, lines.join('\n'), `\n\n${latin1(message.replaceAll('\0', ''))}`)
}

/** The same commit with another parent; a signature no longer holds and is left out. */
function withParent(room: Room, { header, body }: Commit, parent: string | undefined): Promise<string> {
  const bare = header
    .replace(/^parent .*\n/gm, '')
    .replace(signature, '')
    .replace(/\n+$/, '')
  const [first = '', ...rest] = bare.split('\n')
  return store(room, [first, ...(parent === undefined ? [] : [`parent ${parent}`]), ...rest].join('\n'), body)
}

const signature = /^gpgsig(?:-sha256)? .*(?:\n .*)*\n?/m

const isByModel = ({ message }: Commit): boolean => message.startsWith('AI:')

/** Bytes as characters, the way commits are held here. */
const latin1 = (text: string): string => Buffer.from(text).toString('latin1')

async function store(room: Room, header: string, body: string): Promise<string> {
  const input = Buffer.from(header + body, 'latin1')
  return (await room.git(['hash-object', '-t', 'commit', '-w', '--stdin'], { input })).out.toString().trim()
}

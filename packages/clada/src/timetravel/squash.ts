import path from 'node:path'
import type { Code } from '@clada/reply/core/codes.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import { type Problem, ProblemError } from '../core/problem.ts'
import type { HistorySettings, Settings } from '../core/settings.ts'
import { refuseWhileBack } from '../history/execution.ts'
import { withTimeline } from '../history/recover.ts'
import type { ExecutionRecord } from '../store/record.ts'
import { gitError } from '../git/git-program.ts'
import type { IsolatedGit } from '../git/isolated-git.ts'
import {
  type Commit,
  commitTree,
  isSigned,
  readCommits,
  type Signature,
  signature,
  storeCommit,
  syncObjectNames,
} from '../git/objects.ts'
import { usersSignature } from '../git/signing.ts'
import { type Head, headOf, inRepository, refsWith, type Repository } from '../git/repository.ts'
import { executionTrailers, identityOf } from '../store/summary.ts'
import { makePathJudge, pathPolicyOf } from '../policy/paths.ts'
import { idleRepository, type Operation, runMove } from './operation.ts'
import { refusalOf } from '../report/explain.ts'
import { readOwn } from '../state/own-files.ts'

/** The result of a squash. */
export interface SquashResult {
  success: boolean
  /** The runs of commits that were, or would be, combined. */
  runs: SquashRun[]
  /** The commit at which squashing stops: one that others have too, or a merge. */
  limit?: SquashLimit
  gitCommit?: string
  /** The previous commit of the branch. */
  before?: string
  /** Its number in the history, for `clada undo`. */
  execution?: number | undefined
  warnings?: string[]
  error?: string
  /** `error` without the command's name and codes. */
  reason?: string
  code?: Code
}

/** Combines several commits into one. Files and index stay as they are. */
export async function squashCommits(
  settings: Settings,
  how: HistorySettings,
  options: SquashOptions,
): Promise<SquashResult> {
  const refuse = (problem: Problem): SquashResult => ({
    success: false,
    runs: [],
    ...refusalOf(problem, 'clada squash', 'Fix the problem above and retry.'),
  })
  try {
    const repository = await idleRepository(settings.root, 'There are no commits to squash without one.')
    if (options.dryRun) {
      refuseWhileBack(await movesHere(settings))
      return resultOf(await planSquash(repository, await headOf(repository), options), await usersSignature())
    }
    return await runMove(repository, { kind: 'squash', settings, how, refuse }, async (operation) => {
      const plan = await planSquash(repository, operation.place.head, options)
      const own = await usersSignature()
      if (plan.runs.length === 0) return resultOf(plan, own)
      return { ...resultOf(plan, own), ...(await squashInto(operation, plan, { author: how.author, signature: own })) }
    })
  } catch (error) {
    if (error instanceof ProblemError) return refuse(error.problem)
    throw error
  }
}

const movesHere = (settings: Settings): Promise<readonly ExecutionRecord[]> =>
  withTimeline(settings, makePathJudge(pathPolicyOf(settings)), ({ records }) => records)

function resultOf({ runs, limit, unsigned }: SquashPlan, own: Signature | undefined): SquashResult {
  // What becomes a part of a commit that the user signs loses nothing.
  const covered = new Set(own && runs.flatMap(({ commits }) => commits.map(({ id }) => id)))
  const signed = unsigned.flatMap((id) => (covered.has(id) ? [] : [id.slice(0, 8)])).join(', ')
  return {
    success: true,
    runs,
    limit,
    warnings: signed === '' ? undefined : [`these commits lose their signatures: ${signed}`],
  }
}

/**
 * Combines runs of commits. Trees stay the same, so neither files nor index change; later commits only get new parents.
 */
async function squashInto(
  operation: Operation,
  plan: SquashPlan,
  by: Committer,
): Promise<Pick<SquashResult, 'gitCommit' | 'before' | 'execution'>> {
  const { head, runs } = plan
  const { isolated } = operation.place
  const { branch } = operation.place.head
  const ids = await rewriteCommits(isolated, plan, by)
  const made = ids.at(-1) ?? plan.base ?? head
  await syncObjectNames(isolated, ids)
  const moved = { before: { commit: head, branch }, after: { commit: made, branch } }
  const count = runs.reduce((sum, { commits }) => sum + commits.length, 0)
  await operation.plan({ moved, summary: `squash ${formatCount(count, 'commit')}` }, head)
  await operation.moveHead(moved, 'stays')
  return { gitCommit: made, before: head, execution: operation.number }
}

interface Committer {
  readonly author: string | null
  /** What signs the new commits, where the user's own configuration asks for that. */
  readonly signature: Signature | undefined
}

/** The new commits, the newest last. */
async function rewriteCommits(isolated: IsolatedGit, plan: SquashPlan, by: Committer): Promise<string[]> {
  const { commits, ranges, runs } = plan
  const oldest = ranges.at(-1)?.[1] ?? 0
  const made: string[] = []
  for (let at = oldest - 1; at >= 0; at--) {
    const parent = made.at(-1) ?? plan.base
    const index = ranges.findIndex(([from, to]) => at >= from && at < to)
    const commit = commits[at]
    if (commit === undefined) continue
    if (index === -1) made.push(await storeCommit(isolated, withParent(commit, parent)))
    // The newest commit of a run has its final tree.
    else if (ranges[index]?.[0] === at && runs[index]?.empty !== true) {
      const message = runs[index]?.message ?? ''
      made.push(await combine(isolated, { members: commits.slice(...ranges[index]), parent, message }, by))
    }
  }
  return made
}

interface CombinedCommit {
  readonly members: readonly Commit[]
  readonly parent: string | undefined
  readonly message: string
}

/** As with git's own squash, the oldest commit of a person gives author and date. */
async function combine(
  isolated: IsolatedGit,
  { members, parent, message }: CombinedCommit,
  { author, signature: signs }: Committer,
): Promise<string> {
  const own = author === null ? members.findLast((commit) => !isByModel(commit)) : undefined
  const identity = identityOf(author)
  const parents = parent === undefined ? [] : [parent]
  const tree = members[0]?.tree ?? ''
  const text = message.replaceAll('\0', '')
  const person = own && authorVariables(own.author)
  if (signs !== undefined && (own === undefined || person !== undefined)) {
    const parts = { tree, parents, message: text, identity: { ...identity, ...person } }
    return commitTree(isolated, parts, signs)
  }
  const clada = latin1(
    `${identity['GIT_AUTHOR_NAME']} <${identity['GIT_AUTHOR_EMAIL']}> ${identity['GIT_AUTHOR_DATE']}`,
  )
  const lines = [
    `tree ${tree}`,
    ...parents.map((id) => `parent ${id}`),
    `author ${own?.author ?? clada}`,
    `committer ${clada}`,
  ]
  return storeCommit(isolated, rawCommit(lines.join('\n'), `\n\n${latin1(text)}`))
}

/** The author of a commit, as git is told it; undefined where git would not write the same. */
function authorVariables(author: string): Record<string, string> | undefined {
  const bytes = Buffer.from(author, 'latin1')
  const text = bytes.toString('utf8')
  const [, name, mail, date] = /^([^\s<>](?:[^<>\n]*[^\s<>])?) <([^\s<>]+)> (\d+ [+-]\d{4})$/.exec(text) ?? []
  if (name === undefined || mail === undefined || !Buffer.from(text).equals(bytes)) return undefined
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: mail, GIT_AUTHOR_DATE: `@${date}` }
}

/** The same commit with another parent, without its signature, which would be invalid. */
function withParent({ header, body }: Commit, parent: string | undefined): Buffer {
  const bare = header
    .replace(/^parent .*\n/gm, '')
    .replace(signature, '')
    .replace(/\n+$/, '')
  const [first = '', ...rest] = bare.split('\n')
  return rawCommit([first, ...(parent === undefined ? [] : [`parent ${parent}`]), ...rest].join('\n'), body)
}

/** UTF-8 bytes as characters, as in `Commit`. */
const latin1 = (text: string): string => Buffer.from(text).toString('latin1')

const rawCommit = (header: string, body: string): Buffer => Buffer.from(header + body, 'latin1')

/** Options of a squash. */
export interface SquashOptions {
  /** Only the run that begins at the newest commit. */
  contiguous?: boolean
  /** Commits whose message contains this text; an empty text selects all. Default: those that clada made. */
  containing?: string | undefined
  /** Only these commits, by their full ids. */
  only?: readonly string[]
  /** Commits no older than this many hours, or days. */
  hours?: number | undefined
  days?: number | undefined
  /** The message of each new commit. */
  message?: string | undefined
  /** Also commits that were pushed or that other branches or tags contain. */
  force?: boolean
  dryRun?: boolean
}

/** Commits to combine into one. */
export interface SquashRun {
  /** From the newest to the oldest. */
  commits: { id: string; subject: string }[]
  /** Empty when nothing is left of them. */
  message: string
  /** Together they change nothing, as a creation and its undo do: no commit takes their place. */
  empty?: true
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
  /** The commit below those that are rewritten. */
  readonly base: string | undefined
}

/** Selects the commits to combine. Writes nothing. */
export async function planSquash(repository: Repository, head: Head, options: SquashOptions): Promise<SquashPlan> {
  if (head.commit === undefined) throw gitError('there is no commit yet', 'There is nothing to squash.')
  const { commits, ...limit } = await rewritable(repository, head.commit, head.branch, options.force ?? false)
  const chosen = commits.map((commit) => isChosen(commit, options))
  const ranges = chosenRuns(chosen, options.contiguous ?? false)
  const rewritten = commits.slice(0, ranges.at(-1)?.[1] ?? 0)
  const base = rewritten.at(-1)?.parents[0]
  const [below] = await readCommits(repository, base === undefined ? [] : [base])
  const runs = ranges.map(([from, to]) => {
    const members = commits.slice(from, to)
    const isEmpty = (to < rewritten.length ? commits[to] : below)?.tree === members[0]?.tree
    return {
      commits: members.map(({ id, message }) => ({ id, subject: subjectOf(message) })),
      message: isEmpty ? '' : messageFor(members, options.message),
      empty: isEmpty || undefined,
    }
  })
  const unsigned = rewritten.filter(isSigned).map(({ id }) => id)
  return { head: head.commit, runs, ...limit, unsigned, commits, ranges, base }
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
  const ids = outputLines((await inRepository(repository, args)).out)
  const shallow = new Set(readOwn(path.join(repository.commonDir, 'shallow'))?.split('\n'))
  const commits: Commit[] = []
  for (const commit of await readCommits(repository, ids)) {
    if (commit.parents.length > 1) return { commits, limit: { commit: commit.id, why: 'merge' } }
    if (shallow.has(commit.id)) return { commits, limit: { commit: commit.id, why: 'shallow' } }
    commits.push(commit)
  }
  const next = commits.length === 0 ? head : commits.at(-1)?.parents[0]
  if (force || next === undefined || commits.length === mostCommits) return { commits }
  return { commits, limit: { commit: next, ...(await findHolder(repository, next, branch)) } }
}

/** A reference that contains a commit. */
async function findHolder(repository: Repository, commit: string, branch: string | undefined) {
  const refs = (await refsWith(repository, commit)).filter((ref) => ref !== branch)
  const pushed = refs.find((ref) => ref.startsWith('refs/remotes/'))
  const ref = (pushed ?? refs[0] ?? '').replace(/^refs\/(?:remotes|heads|tags)\//, '')
  return { why: pushed === undefined ? ('shared' as const) : ('pushed' as const), ref }
}

const outputLines = (out: Buffer): string[] =>
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
function chosenRuns(chosen: readonly boolean[], contiguous: boolean): [number, number][] {
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
  const oldestFirst = members.toReversed()
  const subjects = oldestFirst.map(({ message }) => subjectOf(message))
  const [first = ''] = subjects
  const head = oldestFirst[0] !== undefined && isByModel(oldestFirst[0]) ? first : `AI: ${first}`
  const marks = oldestFirst.flatMap(({ message }) => executionTrailers(message))
  const paragraphs = [
    `${head} and ${subjects.length - 1} more`,
    subjects.map((subject) => `- ${subject}`).join('\n'),
    ...(marks.length === 0 ? [] : [marks.join('\n')]),
  ]
  return `${paragraphs.join('\n\n')}\n`
}

const subjectOf = (message: string): string => message.split('\n', 1)[0] ?? ''

/** By the trailer of its message, or by the prefix that commits of earlier versions have instead. */
export const isByModel = ({ message }: Commit): boolean =>
  executionTrailers(message).length > 0 || message.startsWith('AI:')

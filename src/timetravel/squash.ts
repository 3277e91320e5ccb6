import type { Code } from '../core/codes.ts'
import { Stop } from '../core/problem.ts'
import type { HistorySettings, Settings } from '../core/settings.ts'
import { readBack } from '../git/back-state.ts'
import { gitStop } from '../git/git-program.ts'
import type { IsolatedGit } from '../git/isolated-git.ts'
import { type Commit, signature } from '../git/read-commits.ts'
import { syncObjects, writeObject } from '../git/objects.ts'
import { beforeSquashRef, headOf, moveRef, setRef } from '../git/repository.ts'
import { identityOf } from '../journal/message.ts'
import { makePathJudge, pathPolicyOf } from '../policy/paths.ts'
import { stateDirOf } from '../workspace/scratch.ts'
import { idleRepository, underLock } from './locked-repository.ts'
import { refusalOf } from './refusal.ts'
import {
  isByModel,
  planSquash,
  type SquashLimit,
  type SquashOptions,
  type SquashPlan,
  type SquashRun,
} from './squash-plan.ts'

/** The result of a squash. */
export interface SquashResult {
  success: boolean
  /** The runs of commits that were, or would be, combined. */
  runs: SquashRun[]
  /** The commit at which squashing stops: one that others have too, or a merge. */
  limit?: SquashLimit
  gitCommit?: string
  /** The previous commit of the branch, for `git reset --soft`. */
  before?: string
  warnings?: string[]
  error?: string
  /** `error` without the command's name and codes. */
  reason?: string
  code?: Code
}

/** Combines several commits into one. Files and index stay as they are. */
export async function squashCommits(
  settings: Settings,
  history: HistorySettings,
  options: SquashOptions,
): Promise<SquashResult> {
  try {
    const repository = await idleRepository(settings.root, 'There are no commits to squash without one.')
    if (options.dryRun) {
      const stateDir = stateDirOf(settings.root)
      if (stateDir !== undefined) refuseWhileBack(stateDir)
      return resultOf(await planSquash(repository, await headOf(repository), options))
    }
    const judge = makePathJudge(pathPolicyOf(settings))
    return await underLock(settings, history, repository, judge, async ({ head, stateDir, workspace, isolated }) => {
      refuseWhileBack(stateDir)
      const plan = await planSquash(repository, head, options)
      if (plan.runs.length === 0) return resultOf(plan)
      const result = { ...resultOf(plan), gitCommit: await squash(isolated(), plan, history.author), before: plan.head }
      const warnings = [...(result.warnings ?? []), ...workspace.notes]
      return warnings.length === 0 ? result : { ...result, warnings }
    })
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    return { success: false, runs: [], ...refusalOf(error.problem, 'clada squash', 'Fix the problem above and retry.') }
  }
}

function refuseWhileBack(stateDir: string): void {
  if (readBack(stateDir) !== undefined) throw gitStop('the project is at an older commit', 'Use clada forward first.')
}

function resultOf({ runs, limit, unsigned }: SquashPlan): SquashResult {
  const signed = unsigned.map((id) => id.slice(0, 8)).join(', ')
  return {
    success: true,
    runs,
    ...(limit === undefined ? {} : { limit }),
    ...(signed === '' ? {} : { warnings: [`these commits lose their signatures: ${signed}`] }),
  }
}

/**
 * Combines runs of commits, and returns the new commit of the branch. Trees stay the same, so neither files nor index
 * change; later commits only get new parents.
 */
async function squash(isolated: IsolatedGit, plan: SquashPlan, author: string | null): Promise<string> {
  const { repository } = isolated
  const { head, runs } = plan
  const made = rewrite(isolated, plan, author)
  await syncObjects(isolated)
  await setRef(repository, beforeSquashRef, head, ['--create-reflog', '-m', 'clada: squash'])
  const what = runs.length === 1 ? 'one run' : `${runs.length} runs`
  await moveRef(repository, 'HEAD', made, head, `clada: squash ${what}`)
  return made
}

function rewrite(isolated: IsolatedGit, plan: SquashPlan, author: string | null): string {
  const { commits, ranges, runs } = plan
  const oldest = ranges.at(-1)?.[1] ?? 0
  let parent = commits[oldest - 1]?.parents[0]
  for (let at = oldest - 1; at >= 0; at--) {
    const index = ranges.findIndex(([from, to]) => at >= from && at < to)
    const commit = commits[at]
    if (commit === undefined) continue
    if (index === -1) parent = withParent(isolated, commit, parent)
    // The newest commit of a run has its final tree.
    else if (ranges[index]?.[0] === at)
      parent = oneCommit(isolated, commits.slice(...ranges[index]), parent, runs[index]?.message ?? '', author)
  }
  return parent ?? ''
}

/** As with git's own squash, the oldest commit of a person gives author and date. */
function oneCommit(
  isolated: IsolatedGit,
  members: readonly Commit[],
  parent: string | undefined,
  message: string,
  author: string | null,
): string {
  const own = author === null ? members.findLast((commit) => !isByModel(commit)) : undefined
  const { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: mail, GIT_AUTHOR_DATE: date } = identityOf(author)
  const clada = latin1(`${name} <${mail}> ${date}`)
  const lines = [
    `tree ${members[0]?.tree}`,
    ...(parent === undefined ? [] : [`parent ${parent}`]),
    `author ${own?.author ?? clada}`,
    `committer ${clada}`,
  ]
  return store(isolated, lines.join('\n'), `\n\n${latin1(message.replaceAll('\0', ''))}`)
}

/** The same commit with another parent, without its signature, which would be invalid. */
function withParent(isolated: IsolatedGit, { header, body }: Commit, parent: string | undefined): string {
  const bare = header
    .replace(/^parent .*\n/gm, '')
    .replace(signature, '')
    .replace(/\n+$/, '')
  const [first = '', ...rest] = bare.split('\n')
  return store(isolated, [first, ...(parent === undefined ? [] : [`parent ${parent}`]), ...rest].join('\n'), body)
}

/** UTF-8 bytes as characters, as in `Commit`. */
const latin1 = (text: string): string => Buffer.from(text).toString('latin1')

const store = (isolated: IsolatedGit, header: string, body: string): string =>
  writeObject(isolated, 'commit', Buffer.from(header + body, 'latin1'))

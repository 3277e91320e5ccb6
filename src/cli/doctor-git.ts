import { type CladaOptions, historySettingsOf } from '../config/settings.ts'
import { Stop } from '../core/problem.ts'
import { findRepository, nearestRepository } from '../git/find-repository.ts'
import { git } from '../git/git-program.ts'
import { type Head, headOf, inProgress, inRepository, type Repository } from '../git/repository.ts'
import { ownProgram } from '../process/programs.ts'
import { explain } from '../report/explain.ts'
import { visible } from './visible.ts'

/** The installed git, the repository of the project, and how an execution is saved there. */
export async function gitFindings(root: string, options: CladaOptions, asked: string): Promise<Finding[]> {
  const { git: mode, author } = historySettingsOf(options)
  const program = await gitProgram()
  try {
    const repository = program.ok ? await findRepository(root) : nearestRepository(root)
    const head = repository === undefined ? undefined : await headOf(repository)
    const saving = await savingOf(mode, asked, author ?? 'clada', repository, head, program.ok)
    return [
      { ...program, ...(program.ok || repository === undefined ? { ok: true } : {}) },
      { name: 'repository', ok: true, found: repositoryLine(root, repository, head) },
      saving,
    ]
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    return [program, { name: 'repository', ok: false, found: explain(error.problem, 'git').error }]
  }
}

async function gitProgram(): Promise<Finding> {
  const name = 'git'
  const file = ownProgram('git')
  if (file === undefined) return { name, ok: false, found: 'not installed', advice: 'Install git, or use --no-git.' }
  try {
    const { out } = await git({ cwd: '/', env: {}, args: ['--version'] })
    return { name, ok: true, found: `${/\d\S*/.exec(out.toString())?.[0] ?? 'of unknown version'} (${file})` }
  } catch (error) {
    if (!(error instanceof Stop)) throw error
    return { name, ok: false, found: `${file} does not start: ${explain(error.problem, 'git').error}` }
  }
}

function repositoryLine(root: string, repository: Repository | undefined, head: Head | undefined): string {
  if (repository === undefined) return 'none around the project; checkpoints have one of their own in .clada'
  const { top, gitDir, commonDir } = repository
  const place = top === root ? visible(root) : `${visible(top ?? gitDir)} (the project is a part of it)`
  const branch = head?.branch === undefined ? 'no branch checked out' : `branch ${branchName(head)}`
  const commit = head?.commit === undefined ? 'no commit yet' : `commit ${head.commit.slice(0, 8)}`
  const worktree = gitDir === commonDir ? '' : `, a worktree of ${visible(commonDir)}`
  return `${place}, ${visible(branch)}, ${commit}${worktree}`
}

const branchName = ({ branch = 'HEAD' }: Head): string => branch.replace(/^refs\/heads\//, '')

/** The mode that the next execution will have, and why. */
async function savingOf(
  mode: 'commit' | 'shadow' | 'off',
  asked: string,
  author: string,
  repository: Repository | undefined,
  head: Head | undefined,
  hasGit: boolean,
): Promise<Finding> {
  const name = 'saving'
  const fine = (found: string): Finding => ({ name, ok: true, found })
  if (mode === 'off') return fine(`off (${asked}): nothing is saved in git; undo works all the same`)
  if (repository === undefined) {
    return fine(hasGit ? 'shadow (no repository): checkpoints in .clada/' : 'off (no git): undo works all the same')
  }
  if (mode === 'shadow') return fine(`shadow (${asked}): checkpoints under refs/clada; the branch is left alone`)
  const busy = inProgress(repository)
  if (busy !== undefined) {
    const advice = `Finish or abort ${busy} first, or use --no-git.`
    return { name, ok: false, found: `${busy} is in progress, so nothing is executed`, advice }
  }
  if (hasGit && (await inRepository(repository, ['diff', '--cached', '--quiet'], { fine: [1] })).status === 1)
    return fine('shadow (changes are staged): checkpoints under refs/clada until they are committed')
  const where = head?.branch === undefined ? 'the detached HEAD' : visible(branchName(head))
  return fine(`commit (${asked}): each execution is a commit of ${visible(author)} on ${where}`)
}

/** One thing that `clada doctor` looked at. */
export interface Finding {
  readonly name: string
  readonly ok: boolean
  readonly found: string
  readonly advice?: string
  /** Most of clada does without it. */
  readonly optional?: true
}

import path from 'node:path'
import { type CladaOptions, historySettingsOf, settingsOf } from '../config/settings.ts'
import { isInside, withSlashes } from '../core/paths.ts'
import { ProblemError } from '../core/problem.ts'
import type { ActionResult } from '../core/result.ts'
import { summaryPlace } from '../core/settings.ts'
import { moveRef } from '../git/repository.ts'
import { identityOf } from '../store/summary.ts'
import { refusalOf } from '../report/explain.ts'
import { idleRepository, type LockedRepository, underLock } from '../timetravel/operation.ts'
import { stateName } from '../core/reserved-names.ts'

/** Why git did not do what was asked. */
export class GitError extends Error {
  override readonly name = 'GitError'
  readonly code: string

  constructor(message: string, code: string) {
    super(message)
    this.code = code
  }
}

/**
 * Returns if the repository has no uncommitted changes.
 * @throws GitError which names them, or says why git cannot work here.
 */
export function ensureCleanRepo(options: CladaOptions = {}): Promise<void> {
  return withRepository(options, 'ensureCleanRepo', async ({ isolated }) => {
    const { out } = await isolated.git(['status', '--porcelain', '--untracked-files=normal'])
    const changed = out
      .toString()
      .split('\n')
      .map((line) => line.slice(3))
    const names = changed.filter((name) => name !== '' && !name.startsWith(stateName))
    if (names.length > 0) throw new GitError(`Uncommitted changes: ${names.join(', ')}`, 'git_operation_failed')
  })
}

/**
 * Commits the files that these results name, and nothing else; for executions without git. Hooks and filters of the
 * repository do not run. Returns the commit; undefined if there was nothing to commit.
 * @throws GitError
 */
export function commitChanges(
  results: readonly ActionResult[],
  options: CladaOptions = {},
): Promise<string | undefined> {
  return withRepository(options, 'commitChanges', async ({ head, isolated: git }, { root, author, format }) => {
    const { top = root } = git.repository
    const named = results.filter(({ success }) => success).flatMap((result) => changedPathsOf(result, root))
    const names = [...new Set(named.map((file) => withSlashes(path.relative(top, file))))]
    const inside = names.filter((name) => isInside(path.resolve(top, name), top))
    // An index of its own, so that what the user has staged stays staged and out of this commit.
    const env = { ...identityOf(author), GIT_INDEX_FILE: git.file('commit-index') }
    const said = async (...args: string[]): Promise<string> => (await git.git(args, { env })).out.toString().trim()
    await said('read-tree', git.tree ?? '--empty')
    const known = (await git.gitOn(['ls-files', '-z', '--cached', '--others'], inside, { env })).toString().split('\0')
    const add = ['--literal-pathspecs', 'add', '--all', '--', ...inside.filter((name) => known.includes(name))]
    if (add.length > 4) await said(...add)
    const tree = await said('write-tree')
    if (git.tree !== undefined && tree === (await said('rev-parse', git.tree))) return undefined
    const summary = format.replace(summaryPlace, `${results.length} actions: ${inside.join(', ')}`)
    const parent = head.commit === undefined ? [] : ['-p', head.commit]
    const commit = await said('commit-tree', ...parent, '-m', summary, tree)
    await moveRef(git.repository, 'HEAD', commit, head.commit, `clada: commit ${inside.length} files`)
    if (add.length > 4) await git.git(add)
    return commit
  })
}

interface CommitSettings {
  readonly root: string
  readonly author: string | null
  readonly format: string
}

async function withRepository<T>(
  options: CladaOptions,
  name: string,
  work: (locked: LockedRepository, given: CommitSettings) => Promise<T>,
): Promise<T> {
  try {
    const settings = settingsOf(options)
    const history = historySettingsOf(options)
    const repository = await idleRepository(settings.root, 'Run git init first.')
    const given = {
      root: settings.root,
      author: history.author,
      format: options.commitMessageFormat ?? `AI: ${summaryPlace}`,
    }
    return await underLock({ settings, how: history }, repository, (locked) => work(locked, given))
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const { error: message, code } = refusalOf(error.problem, name, 'Fix the problem above and retry.')
    throw new GitError(message, code)
  }
}

/** The files that an action changed, by its parameters and its data. */
function changedPathsOf({ params, data }: ActionResult, root: string): string[] {
  const named = ['path', 'old_path', 'new_path', 'source_path', 'dest_path'].map((name) => params[name])
  const changed = typeof data === 'object' && data !== null && 'changed' in data ? data.changed : []
  const listed = Array.isArray(changed) ? changed.map((one: { path?: unknown }) => one.path) : []
  const several = typeof params['paths'] === 'string' ? params['paths'].split('\n') : []
  return [...named, ...listed, ...several].flatMap((name) =>
    typeof name === 'string' && name.trim() !== '' ? [path.resolve(root, name.split('@@')[0] ?? name)] : [],
  )
}

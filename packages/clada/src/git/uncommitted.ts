import path from 'node:path'
import { withSlashes } from '../core/paths.ts'
import { absentMode, oidsOnDisk, pathsBetween } from './differences.ts'
import { splitNul } from './git-program.ts'
import { addToIndex, copyIndex, statusOf } from './index-file.ts'
import { readStats } from '../state/own-files.ts'
import { identityOf } from '../store/summary.ts'
import { commitTree, syncAllObjectNames } from './objects.ts'
import type { IsolatedGit } from './isolated-git.ts'
import { cutOffBelow, findCommittable, filterCommittable, isUnsavable } from './savable.ts'
import { sidesIn } from './tree-contents.ts'

interface ProjectScope {
  readonly root: string
  readonly isBlocked: (relative: string) => boolean
}

export interface Uncommitted {
  /** Files that differ from the checked-out commit and may be committed. */
  readonly paths: readonly string[]
  /** Staged paths, including submodules. */
  readonly staged: readonly string[]
}

/** The changes that checking out another commit would lose. */
export async function findUncommitted(isolated: IsolatedGit, { root, isBlocked }: ProjectScope): Promise<Uncommitted> {
  const { inIndex: staged, changed, untracked } = await statusOf(isolated)
  const tracked = [...new Set([...staged, ...changed])]
  const place = { top: isolated.repository.top ?? root, root, isBlocked }
  const { paths } = await findCommittable(isolated, filterCommittable({ changed: tracked, untracked }, place))
  return { paths, staged }
}

/**
 * A commit of uncommitted changes in the form of `git stash`: one for the files, one for the index. So git keeps what is
 * staged, and can apply all of it without clada.
 */
export async function commitUncommitted(
  isolated: IsolatedGit,
  head: string,
  { paths, staged }: Uncommitted,
  { root, isBlocked }: ProjectScope,
): Promise<string> {
  const { repository } = isolated
  const index = isolated.file('index-save')
  copyIndex(path.join(repository.gitDir, 'index'), index)
  const env = { GIT_INDEX_FILE: index }
  const top = repository.top ?? root
  const secrets = staged.filter((name) =>
    isUnsavable(withSlashes(path.relative(root, path.join(top, name))), isBlocked),
  )
  await asCommitted(isolated, head, secrets, env)
  const inIndex = await commitOf(isolated, env, [head], 'clada: staged before clada back\n')
  await isolated.git(['read-tree', '-i', '-m', head], { env })
  await addToIndex(isolated, paths, env)
  const commit = await commitOf(isolated, env, [head, inIndex], 'clada: uncommitted before clada back\n')
  await syncAllObjectNames(isolated)
  return commit
}

/** Resets paths of an index to a commit. */
async function asCommitted(
  isolated: IsolatedGit,
  commit: string,
  names: readonly string[],
  env: Record<string, string>,
) {
  if (names.length === 0) return
  const sides = new Map((await sidesIn(isolated, commit, names)).map(({ name, ...side }) => [name, side]))
  const none = { mode: '0', oid: '0'.repeat(commit.length) }
  const lines = names.map((name) => ({ name, ...(sides.get(name) ?? none) }))
  const input = lines.map(({ mode, oid, name }) => `${mode} ${oid}\t${name}\0`).join('')
  await isolated.git(['update-index', '-z', '--index-info'], { input, env })
}

async function commitOf(
  isolated: IsolatedGit,
  env: Record<string, string>,
  parents: readonly string[],
  message: string,
) {
  // Objects that a partial clone has not fetched may be missing.
  const tree = (await isolated.git(['write-tree', '--missing-ok'], { env, syncsEach: true })).out.toString().trim()
  return commitTree(isolated, { tree, parents, message, identity: identityOf(null) })
}

/**
 * Ignored files that are identical in the commit to check out. Git would remove them together with that commit, so they
 * are kept too.
 */
export async function listIgnoredHere(isolated: IsolatedGit, head: string, to: string): Promise<string[]> {
  const { top = '' } = isolated.repository
  const isCutOff = cutOffBelow(top)
  const isFile = (name: string): boolean => !isCutOff(name) && readStats(path.join(top, name))?.isFile() === true
  const coming = (await pathsBetween(isolated, head, to)).filter(
    ({ name, sides: [from] }) => from.mode === absentMode && isFile(name),
  )
  const here = await oidsOnDisk(
    isolated,
    coming.map(({ name }) => name),
  )
  return coming.filter(({ name, sides: [, side] }) => here.get(name) === side.oid).map(({ name }) => name)
}

/** The paths of such a commit: those that differ in the files or in the index. */
export async function namesUncommitted(isolated: IsolatedGit, commit: string): Promise<string[]> {
  const changed = async (side: string): Promise<string[]> =>
    splitNul((await isolated.git(['diff-tree', '-r', '-z', '--name-only', `${commit}^1`, side])).out)
  return [...new Set([...(await changed(commit)), ...(await changed(`${commit}^2`))])].sort()
}

import fs from 'node:fs'
import path from 'node:path'
import { slashed } from '../core/paths.ts'
import { copyWithTime, ownDir, syncFile } from '../state/own-files.ts'
import { absentMode, oidsOnDisk, pathsBetween } from '../git/differences.ts'
import { gitError, namesIn } from '../git/git-program.ts'
import { addToIndex, copyIndex, statusOf } from '../git/index-file.ts'
import { identityOf } from '../store/summary.ts'
import { commitTree, syncAllObjectNames } from '../git/objects.ts'
import { removeRef, type Repository, setRef } from '../git/repository.ts'
import type { IsolatedGit } from '../git/isolated-git.ts'
import { cutOffBelow, eligible, isUnsavable, filterCommittable } from '../git/savable.ts'
import { sidesIn } from '../git/tree-contents.ts'

export interface StashPlace {
  readonly root: string
  readonly stateDir: string
  readonly isBlocked: (relative: string) => boolean
}

export interface Uncommitted {
  /** Files that differ from the checked-out commit and may be committed. */
  readonly paths: readonly string[]
  /** Staged paths, including submodules. */
  readonly staged: readonly string[]
}

/** The changes that checking out another commit would lose; undefined when there are none. */
export async function uncommittedAt(
  isolated: IsolatedGit,
  { root, isBlocked }: StashPlace,
): Promise<Uncommitted | undefined> {
  const { inIndex: staged, changed, untracked } = await statusOf(isolated)
  const tracked = [...new Set([...staged, ...changed])]
  const place = { top: isolated.repository.top ?? root, root, isBlocked }
  const { paths } = await eligible(isolated, filterCommittable({ changed: tracked, untracked }, place))
  return paths.length === 0 && staged.length === 0 ? undefined : { paths, staged }
}

/**
 * Saves uncommitted changes as a commit in the form of `git stash`: one for the files, one for the index, so that git can
 * restore both. The index file itself is copied too: it has more than a commit can store.
 */
export async function stash(
  isolated: IsolatedGit,
  head: string,
  { paths, staged }: Uncommitted,
  { root, stateDir, isBlocked }: StashPlace,
): Promise<string> {
  const { repository } = isolated
  const index = isolated.file('index-save')
  copyIndex(path.join(repository.gitDir, 'index'), index)
  copyWithTime(index, indexCopy(stateDir, head))
  await Promise.all([indexCopy(stateDir, head), ownDir(stateDir, 'back')].map(syncFile))
  const env = { GIT_INDEX_FILE: index }
  const top = repository.top ?? root
  const secrets = staged.filter((name) => isUnsavable(slashed(path.relative(root, path.join(top, name))), isBlocked))
  await asCommitted(isolated, head, secrets, env)
  const inIndex = await commitOf(isolated, env, [head], 'clada: staged before clada back\n')
  await isolated.git(['read-tree', '-i', '-m', head], { env })
  await addToIndex(isolated, paths, env)
  const saved = await commitOf(isolated, env, [head, inIndex], 'clada: uncommitted before clada back\n')
  await syncAllObjectNames(isolated)
  await setRef(repository, savedRef(saved), saved, [])
  return saved
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
 * Ignored files that are identical in the commit to check out. They would be removed with that commit later, so they are
 * stashed too.
 */
export async function ignoredHere(isolated: IsolatedGit, head: string, to: string): Promise<string[]> {
  const { top = '' } = isolated.repository
  const isCutOff = cutOffBelow(top)
  const isFile = (name: string): boolean =>
    !isCutOff(name) && fs.lstatSync(path.join(top, name), { throwIfNoEntry: false })?.isFile() === true
  const coming = (await pathsBetween(isolated, head, to)).filter(
    ({ name, sides: [from] }) => from.mode === absentMode && isFile(name),
  )
  const here = await oidsOnDisk(
    isolated,
    coming.map(({ name }) => name),
  )
  return coming.filter(({ name, sides: [, side] }) => here.get(name) === side.oid).map(({ name }) => name)
}

/** The stashed paths: those that differ in the files or in the index. */
export async function stashedNames(isolated: IsolatedGit, saved: string): Promise<string[]> {
  const changed = async (side: string): Promise<string[]> =>
    namesIn((await isolated.git(['diff-tree', '-r', '-z', '--name-only', `${saved}^1`, side])).out)
  return [...new Set([...(await changed(saved)), ...(await changed(`${saved}^2`))])].sort()
}

/** The reference of a stash, by its own id: two worktrees may leave the same commit. */
export const savedRef = (saved: string): string => `refs/clada/back/${saved}`

/** The copy of the index from when a commit was left. Throws `ProblemError` if it is damaged. */
export function keptIndex({ config }: IsolatedGit, stateDir: string, commit: string): string | undefined {
  const file = indexCopy(stateDir, commit)
  if (!fs.existsSync(file)) return undefined
  const bytes = fs.readFileSync(file)
  const sum = process.getBuiltinModule('node:crypto').createHash(config.hash)
  // The last bytes are a checksum, which git only checks in git fsck; with index.skipHash they are zeros.
  const end = Math.max(0, bytes.length - commit.length / 2)
  const isWhole =
    bytes.subarray(end).every((byte) => byte === 0) ||
    sum.update(bytes.subarray(0, end)).digest().equals(bytes.subarray(end))
  if (isWhole && bytes.toString('latin1', 0, 4) === 'DIRC') return file
  throw gitError(
    `the saved index '${file}' is damaged`,
    'Remove it, then run clada forward again: all files are restored, and nothing is staged.',
  )
}

const indexCopy = (stateDir: string, commit: string): string => path.join(ownDir(stateDir, 'back'), `index-${commit}`)

/** Removes a stash that was restored, or is not needed. */
export async function dropStash(repository: Repository, stateDir: string, at: string, saved: string): Promise<void> {
  await removeRef(repository, savedRef(saved))
  fs.rmSync(indexCopy(stateDir, at), { force: true })
}

import fs from 'node:fs'
import path from 'node:path'
import { ownDir } from '../state/own-files.ts'
import type { Modes } from '../git/back-state.ts'
import { cutOffBelow } from '../git/cut-off.ts'
import { absentMode, modeOfNew, oidsOnDisk, pathsBetween } from '../git/differences.ts'
import { eligible } from '../git/eligible.ts'
import { namesIn } from '../git/git-program.ts'
import { addTo } from '../git/add-to-index.ts'
import { copyIndex, copyWithTime } from '../git/index-file.ts'
import { identityOf } from '../journal/message.ts'
import { inRepository, type Repository } from '../git/repository.ts'
import type { IsolatedGit } from '../git/isolated-git.ts'
import { isClosed, savable } from '../git/savable.ts'
import { statusOf } from '../git/status.ts'
import { sidesIn } from '../git/tree-contents.ts'

export interface Place {
  readonly root: string
  readonly stateDir: string
  readonly closed: (relative: string) => boolean
}

export interface Uncommitted {
  /** Files that a commit may hold, and differ from the one that is checked out. */
  readonly paths: readonly string[]
  /** What the index holds besides; submodules as well. */
  readonly staged: readonly string[]
}

/** What would be lost if another commit took this one's place; undefined when nothing would. */
export async function uncommittedAt(isolated: IsolatedGit, { root, closed }: Place): Promise<Uncommitted | undefined> {
  const { inIndex: staged, changed, untracked } = await statusOf(isolated)
  const tracked = [...new Set([...staged, ...changed])]
  const place = { top: isolated.repository.top ?? root, root, closed }
  const { paths } = await eligible(isolated, savable({ changed: tracked, untracked }, place))
  return paths.length === 0 && staged.length === 0 ? undefined : { paths, staged }
}

/**
 * Saves what is uncommitted as a commit such as `git stash` makes: the files on top of what is checked out, and what
 * is staged beside them, so that git keeps both and can bring them back too. The index itself is copied: it holds more
 * than a commit can.
 */
export async function putAside(
  isolated: IsolatedGit,
  head: string,
  { paths, staged }: Uncommitted,
  { root, stateDir, closed }: Place,
): Promise<string> {
  const { repository } = isolated
  const index = isolated.file('index-save')
  copyIndex(path.join(repository.gitDir, 'index'), index)
  copyWithTime(index, indexCopy(stateDir, head))
  const env = { GIT_INDEX_FILE: index }
  const top = repository.top ?? root
  const secrets = staged.filter((name) => isClosed(path.relative(root, path.join(top, name)), closed))
  await asCommitted(isolated, head, secrets, env)
  const inIndex = await commitOf(isolated, env, [head], 'clada: staged before clada back\n')
  await isolated.git(['read-tree', '-i', '-m', head], { env })
  await addTo(isolated, paths, env)
  const saved = await commitOf(isolated, env, [head, inIndex], 'clada: uncommitted before clada back\n')
  await inRepository(repository, ['update-ref', savedRef(saved), saved])
  return saved
}

/** Paths are in an index again as a commit has them. */
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
  // What a partial clone has not fetched is no concern of this commit.
  const tree = (await isolated.git(['write-tree', '--missing-ok'], { env })).out.toString().trim()
  const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-']
  return (await isolated.git(args, { input: message, env: identityOf(null) })).out.toString().trim()
}

/**
 * Files that git ignores here and the commit to come has as they are. They stay where they are then, and would go with
 * that commit; so they are put aside as well.
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

/** The paths that were put aside: what differs in the files, or in the index. */
export async function namesPutAside(isolated: IsolatedGit, saved: string): Promise<string[]> {
  const changed = async (side: string): Promise<string[]> =>
    namesIn((await isolated.git(['diff-tree', '-r', '-z', '--name-only', `${saved}^1`, side])).out)
  return [...new Set([...(await changed(saved)), ...(await changed(`${saved}^2`))])].sort()
}

/** Rights that are other than a new file's: git would forget them, and open to others what was closed. */
export function modesOf({ top = '' }: Repository, names: readonly string[]): Modes {
  const isCutOff = cutOffBelow(top)
  const found = names.flatMap((name): [string, number][] => {
    const stat = isCutOff(name) ? undefined : fs.lstatSync(path.join(top, name), { throwIfNoEntry: false })
    const mode = (stat?.mode ?? 0) & 0o777
    return stat?.isFile() && mode !== modeOfNew((mode & 0o100) !== 0) ? [[name, mode]] : []
  })
  return Object.fromEntries(found)
}

/** Where git keeps what was put aside. By its own name: two worktrees may leave the same commit. */
export const savedRef = (saved: string): string => `refs/clada/back/${saved}`

/** The index as it was when a commit was left. */
export function keptIndex(stateDir: string, commit: string): string | undefined {
  const file = indexCopy(stateDir, commit)
  return fs.existsSync(file) ? file : undefined
}

const indexCopy = (stateDir: string, commit: string): string => path.join(ownDir(stateDir, 'back'), `index-${commit}`)

/** What was put aside at a commit is back, or was never needed. */
export async function forgetAside(repository: Repository, stateDir: string, at: string, saved: string): Promise<void> {
  await inRepository(repository, ['update-ref', '-d', savedRef(saved)])
  fs.rmSync(indexCopy(stateDir, at), { force: true })
}

import fs from 'node:fs'
import path from 'node:path'
import { ownDir, renameFile, syncFile } from '../state/own-files.ts'
import { copyIndex, copyWithTime, takeIndexLock } from '../git/index-file.ts'
import { inRepository, type Repository } from '../git/repository.ts'
import type { IsolatedGit } from '../git/isolated-git.ts'

/** Replaces the index by that of a commit, or by a kept one. */
export async function installIndex(
  isolated: IsolatedGit,
  stateDir: string,
  commit: string,
  kept: string | undefined,
): Promise<void> {
  const index = path.join(isolated.repository.gitDir, 'index')
  const copy = newIndex(stateDir)
  fs.rmSync(copy, { force: true })
  if (kept !== undefined) copyWithTime(kept, copy)
  else {
    copyIndex(index, copy)
    const env = { GIT_INDEX_FILE: copy }
    await isolated.git(['read-tree', '-i', '-m', commit], { env })
    await isolated.git(['update-index', '-q', '--refresh'], { env, fine: [1] })
  }
  await syncFile(copy)
  await takeIndexLock(copy, `${index}.lock`)
  renameFile(`${index}.lock`, index)
  await syncFile(path.dirname(index))
  fs.rmSync(copy, { force: true })
}

/** Removes the index lock of a clada process that died. Locks of others stay. */
export function releaseIndex({ gitDir }: Repository, stateDir: string): void {
  const copy = newIndex(stateDir)
  const lock = path.join(gitDir, 'index.lock')
  if (fs.existsSync(copy) && fs.existsSync(lock) && fs.readFileSync(copy).equals(fs.readFileSync(lock))) fs.rmSync(lock)
  fs.rmSync(copy, { force: true })
}

/** Not in the temporary git directory, which is removed: by this file clada's own lock is recognized. */
const newIndex = (stateDir: string): string => path.join(ownDir(stateDir, 'back'), 'index-new')

/** The worktree in which a branch is checked out: it cannot be in two. */
export async function worktreeOf(repository: Repository, branch: string): Promise<string | undefined> {
  const { out } = await inRepository(repository, ['for-each-ref', '--format=%(worktreepath)', branch])
  return out.toString().trim() || undefined
}

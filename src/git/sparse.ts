import fs from 'node:fs'
import path from 'node:path'
import { Stop } from '../core/problem.ts'
import { namesIn } from './git-program.ts'
import type { IsolatedGit } from './isolated-git.ts'
import { type Side, sidesIn } from './tree-contents.ts'

/** Removes the skip-worktree mark of paths that exist on the disk. */
export async function clearSkipWorktree(
  isolated: IsolatedGit,
  paths: readonly string[],
  env: Record<string, string>,
): Promise<void> {
  await mark(isolated, '--no-skip-worktree', await skippedAmong(isolated, paths, env), env)
}

/** The paths that a sparse checkout leaves out: they are in the index and not on the disk. */
export async function leftOutNow(isolated: IsolatedGit, paths: readonly string[]): Promise<ReadonlySet<string>> {
  if (!isolated.config.sparse || paths.length === 0) return new Set()
  const { top = '' } = isolated.repository
  const isThere = (name: string): boolean => fs.lstatSync(path.join(top, name), { throwIfNoEntry: false }) !== undefined
  return new Set((await skippedAmong(isolated, paths)).filter((name) => !isThere(name)))
}

/** The paths that are marked skip-worktree or assume-unchanged. */
export const hiddenAmong = (isolated: IsolatedGit, paths: readonly string[]): Promise<string[]> =>
  marked(isolated, paths, '-v', /^[a-zS] /)

const skippedAmong = (isolated: IsolatedGit, paths: readonly string[], env = {}): Promise<string[]> =>
  marked(isolated, paths, '-t', /^S /, env)

async function marked(isolated: IsolatedGit, paths: readonly string[], how: '-t' | '-v', mark: RegExp, env = {}) {
  const lines = namesIn(await isolated.gitOn(['ls-files', how, '-z'], paths, { env }))
  return lines.filter((line) => mark.test(line)).map((line) => line.slice(2))
}

/**
 * The entries that the parent of a commit has for paths that an undo removes. In a sparse checkout they are not deleted:
 * they are left out of the working tree as before.
 */
export async function leftOut(isolated: IsolatedGit, commit: string | undefined, gone: readonly string[]) {
  if (!isolated.config.sparse || commit === undefined || gone.length === 0) return new Map<string, Side>()
  try {
    return new Map((await sidesIn(isolated, `${commit}^`, gone)).map(({ name, ...side }) => [name, side]))
  } catch (error) {
    // The first commit has no parent, and a squashed commit may not exist any more.
    if (error instanceof Stop) return new Map<string, Side>()
    throw error
  }
}

/** Adds paths to an index with the skip-worktree mark. */
export async function setSkipWorktree(
  isolated: IsolatedGit,
  skipped: ReadonlyMap<string, Side>,
  env: Record<string, string>,
): Promise<void> {
  if (skipped.size === 0) return
  const input = [...skipped].map(([name, { mode, oid }]) => `${mode} ${oid}\t${name}\0`).join('')
  await isolated.git(['update-index', '-z', '--index-info'], { input, env })
  await mark(isolated, '--skip-worktree', [...skipped.keys()], env)
}

async function mark(
  isolated: IsolatedGit,
  how: string,
  names: readonly string[],
  env: Record<string, string>,
): Promise<void> {
  if (names.length > 0)
    await isolated.git(['update-index', how, '-z', '--stdin'], { input: names.join('\0') + '\0', env })
}

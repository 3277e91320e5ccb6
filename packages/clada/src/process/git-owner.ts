import fs from 'node:fs'
import path from 'node:path'
import { platform } from '../core/platform.ts'
import type { GitDirs } from '../state/git-dirs.ts'
import { runToEnd } from './programs.ts'
import { gitName } from '../core/reserved-names.ts'

/** Why a repository is not used, and what the user can do about it. */
export interface Unusable {
  readonly reason: string
  readonly advice: string
}

/**
 * Why git would not use the repository of a directory, by its owner. Git itself is asked only if a part of it belongs to
 * another user: `safe.directory` in the user's own config allows such a repository, in that of the repository it does not
 * count. The owner of a repository decides which programs git starts in it.
 */
export function foreignOwner(top: string, { gitDir }: GitDirs): Unusable | undefined {
  const user = process.geteuid?.()
  if (user === undefined || allowed.has(top)) return undefined
  const owners = [top, path.join(top, gitName), gitDir].map(
    (file) => fs.lstatSync(file, { throwIfNoEntry: false })?.uid,
  )
  if (owners.every((owner) => owner === undefined || owner === user)) return undefined
  if (isAllowed(top)) {
    allowed.add(top)
    return undefined
  }
  return {
    reason: `the repository at '${top}' belongs to another user (dubious ownership)`,
    advice: `If you trust it: git config --global --add safe.directory ${/^[\w./-]+$/.test(top) ? top : `'${top}'`}.`,
  }
}

/** Asked once in each process: the user's config has said so. */
const allowed = new Set<string>()

/** Starts no program of the repository: git looks for it, checks its owner, and reads its format. */
function isAllowed(top: string): boolean {
  const { PATH, XDG_CONFIG_HOME, SUDO_UID } = process.env
  const env = Object.entries({ PATH, HOME: platform.home(), XDG_CONFIG_HOME, SUDO_UID }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  )
  return runToEnd('git', ['rev-parse', '--git-dir'], 10_000, { cwd: top, env: Object.fromEntries(env) }) === 0
}

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { sha256 } from '../core/hash.ts'
import { namesOf, stateHome } from './user-dirs.ts'

/**
 * Where clada keeps what it knows about a project and the project must not be able to say itself: neither a repository
 * nor a model can write there. Undefined when that directory lies inside the project, for then it proves nothing.
 */
export function userStateDir(root: string): string | undefined {
  const dir = stateHome()
  // All of home, or of the disk, is no project that somebody brought along; documents are kept out of the directory itself.
  if (root === '/' || namesOf(os.homedir()).includes(root)) return dir
  return namesOf(dir).some((name) => name.startsWith(`${root}${path.sep}`)) ? undefined : dir
}

/** A short name for a root, the same in every run. */
export const rootName = (root: string): string => sha256(root)

/**
 * A directory only the user can enter, with what is missing above it. Node's own way never ends where the system says
 * that a directory cannot be found although all above it is there, as it does below /proc.
 */
export function makePrivateDir(dir: string): void {
  if (fs.statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return
  if (dir !== path.dirname(dir)) makePrivateDir(path.dirname(dir))
  try {
    fs.mkdirSync(dir, { mode: 0o700 })
  } catch (error) {
    // Another process may have made it at the same time.
    if (!fs.statSync(dir, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}

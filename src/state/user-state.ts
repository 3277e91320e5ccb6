import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { sha256 } from '../core/hash.ts'
import { SettingsError } from '../core/settings.ts'
import { putFile } from './own-files.ts'
import { namesOf, stateHome } from './user-dirs.ts'

/**
 * Where clada keeps what it knows about a project and the project must not be able to say itself: neither a repository
 * nor a model can write there. Undefined when that directory is inside the project, where it would prove nothing.
 */
export function userStateDir(root: string): string | undefined {
  const dir = stateHome()
  // The home directory or the whole disk is not a downloaded project; documents cannot reach the directory itself.
  if (root === '/' || namesOf(os.homedir()).includes(root)) return dir
  return namesOf(dir).some((name) => name.startsWith(`${root}${path.sep}`)) ? undefined : dir
}

/** A short name for a root, the same in every run. */
export const rootName = (root: string): string => sha256(root)

/** Keeps a text in the user's state directory. @throws SettingsError where that cannot be */
export function keepForUser(file: string, text: string): void {
  try {
    makePrivateDir(path.dirname(file))
    putFile(file, text)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new SettingsError(
      `clada cannot remember this: '${path.dirname(file)}' cannot be used (${why}). Set XDG_STATE_HOME to a directory that can be written to.`,
      { cause: error },
    )
  }
}

/**
 * A directory only the user can enter, with what is missing above it. Node's own way never ends where the system says
 * that a directory cannot be found although all above it is there, as it does below /proc.
 */
export function makePrivateDir(dir: string): void {
  if (isDirectory(dir)) return
  if (dir !== path.dirname(dir)) makePrivateDir(path.dirname(dir))
  try {
    fs.mkdirSync(dir, { mode: 0o700 })
  } catch (error) {
    // Another process may have made it at the same time.
    if (!isDirectory(dir)) throw error
  }
}

/** Throws below a file, on every Node: from 22 on, `throwIfNoEntry: false` would say that nothing is there. */
function isDirectory(dir: string): boolean {
  try {
    return fs.statSync(dir).isDirectory()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
}

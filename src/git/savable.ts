import fs from 'node:fs'
import path from 'node:path'
import { isInside, pathFrom } from '../core/paths.ts'
import { cutOffBelow } from './cut-off.ts'
import { isRepository } from './find-repository.ts'

/** Names relative to the top of a repository. */
interface Uncommitted {
  readonly changed: readonly string[]
  readonly untracked: readonly string[]
}

interface Place {
  readonly top: string
  /** Only what lies below is saved. */
  readonly root: string
  /** By paths relative to the root. */
  readonly closed: (relative: string) => boolean
}

/** Above this a file that nobody tracks is not saved. */
const sizeLimit = 10 * 1024 * 1024

/** What of it may be saved in a commit: nothing closed, nothing of clada's, nothing odd or unreadable. */
export function savable({ changed, untracked }: Uncommitted, { top, root, closed }: Place): string[] {
  const isCutOff = cutOffBelow(top)
  const isSavable = (name: string, largest: number): boolean => {
    // Its bytes are no UTF-8: this is another name than the file has.
    if (name.includes('\ufffd')) return false
    const at = path.join(top, name)
    if (!isInside(at, root) || name.endsWith('/') || isClosed(pathFrom(root, at), closed)) return false
    const stat = isCutOff(name) ? undefined : fs.lstatSync(at, { throwIfNoEntry: false })
    if (stat === undefined || stat.isSymbolicLink()) return true
    // A file that became a directory is gone, unless that is a repository: then it may be a submodule.
    if (stat.isDirectory()) return !isRepository(at)
    return stat.isFile() && stat.size <= largest && isReadable(at)
  }
  return [
    ...changed.filter((name) => isSavable(name, Infinity)),
    ...untracked.filter((name) => isSavable(name, sizeLimit)),
  ]
}

/** What belongs to somebody else, as containers leave it behind, cannot be saved; git would give up altogether. */
function isReadable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.R_OK)
    return true
  } catch {
    return false
  }
}

export const isClosed = (relative: string, closed: (relative: string) => boolean): boolean =>
  relative.split('/').some((part) => part === '.clada' || part === '.git') || closed(relative)

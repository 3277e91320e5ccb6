import fs from 'node:fs'
import path from 'node:path'
import { isInside, pathFrom } from '../core/paths.ts'
import { surveyOf } from '../process/survey.ts'
import { cutOffBelow } from './eligible.ts'
import { isRepository } from './find-repository.ts'

/** Names relative to the top of a repository. */
interface Uncommitted {
  readonly changed: readonly string[]
  readonly untracked: readonly string[]
}

interface Place {
  readonly top: string
  /** Only files inside are saved. */
  readonly root: string
  /** By paths relative to the root. */
  readonly closed: (relative: string) => boolean
}

/** Larger untracked files are not saved. */
const sizeLimit = 10 * 1024 * 1024

/** The paths that may be committed: none that is blocked, by its own or another name, clada's own, unreadable or no regular file. */
export function savable({ changed, untracked }: Uncommitted, { top, root, closed }: Place): string[] {
  const isCutOff = cutOffBelow(top)
  let blocked: ReadonlySet<string> | undefined
  const isSecondName = (stat: fs.Stats): boolean => {
    if (stat.nlink === 1) return false
    blocked ??= blockedInodes(root, closed)
    return blocked.has(inodeOf(stat))
  }
  const isSavable = (name: string, largest: number): boolean => {
    // The name is not UTF-8, so the decoded name is not the file's.
    if (name.includes('\ufffd')) return false
    const at = path.join(top, name)
    if (!isInside(at, root) || name.endsWith('/') || isClosed(pathFrom(root, at), closed)) return false
    const stat = isCutOff(name) ? undefined : fs.lstatSync(at, { throwIfNoEntry: false })
    if (stat === undefined || stat.isSymbolicLink()) return true
    // A file that became a directory counts as deleted, unless it is a repository: that may be a submodule.
    if (stat.isDirectory()) return !isRepository(at)
    return stat.isFile() && stat.size <= largest && isReadable(at) && !isSecondName(stat)
  }
  return [
    ...changed.filter((name) => isSavable(name, Infinity)),
    ...untracked.filter((name) => isSavable(name, sizeLimit)),
  ]
}

const inodeOf = ({ dev, ino }: fs.Stats): string => `${dev}:${ino}`

/** Looked for only when a file with several names is about to be saved, which is rare. */
function blockedInodes(root: string, closed: (relative: string) => boolean): ReadonlySet<string> {
  const files = surveyOf(root, closed).closed.filter(({ path: name, type }) => type === 'file' && closed(name))
  return new Set(
    files.flatMap(({ path: name }) => {
      const stat = fs.lstatSync(path.join(root, name), { throwIfNoEntry: false })
      return stat === undefined ? [] : [inodeOf(stat)]
    }),
  )
}

/** Git would fail on unreadable files, such as those that containers create as another user. */
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

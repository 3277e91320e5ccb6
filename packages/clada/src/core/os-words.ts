import { isOsError, messageOf } from './errors.ts'

/**
 * What the operating system refuses, in words for people and models. The language fixes Node's words for the `error` of a
 * result; every report and every line at a terminal has these.
 */
interface OsWords {
  /** After a colon or in brackets: `'x' cannot be read: permission denied`. */
  readonly reason: string
  /** As a sentence about a path. */
  readonly about: (path: string) => string
}

const denied: OsWords = { reason: 'permission denied', about: (path) => `Permission denied: '${path}'` }
const full: OsWords = { reason: 'the disk is full', about: () => 'The disk is full' }
const manyOpen: OsWords = { reason: 'too many files are open', about: () => 'Too many files are open' }

const osWords: Readonly<Record<string, OsWords>> = {
  ENOENT: { reason: 'there is no such file or directory', about: (path) => `There is no file '${path}'` },
  EEXIST: { reason: 'it exists already', about: (path) => `'${path}' exists already` },
  EACCES: denied,
  EPERM: denied,
  EROFS: { reason: 'the file system is read-only', about: (path) => `The file system is read-only: '${path}'` },
  EISDIR: { reason: 'it is a directory', about: (path) => `'${path}' is a directory` },
  ENOTDIR: { reason: 'a part of the path is a file', about: (path) => `A part of the path is a file: '${path}'` },
  ENOTEMPTY: { reason: 'the directory is not empty', about: (path) => `The directory '${path}' is not empty` },
  ENAMETOOLONG: { reason: 'the name is too long', about: (path) => `The name is too long: '${path}'` },
  ELOOP: { reason: 'its symbolic links lead nowhere', about: (path) => `The symbolic links of '${path}' lead nowhere` },
  EBUSY: { reason: 'another program uses it', about: (path) => `Another program uses '${path}'` },
  ENOSPC: full,
  EDQUOT: full,
  EFBIG: { reason: 'the file is too large', about: (path) => `The file is too large: '${path}'` },
  EIO: { reason: 'the disk reports an error', about: (path) => `The disk reports an error for '${path}'` },
  EMFILE: manyOpen,
  ENFILE: manyOpen,
}

/** Why the system refused, by its code; undefined for a code that has no words here. */
export const osReason = (code: string): string | undefined => osWords[code]?.reason

export const osSentence = (code: string, path: string): string | undefined => osWords[code]?.about(path)

/** What an error says, without the names that Node has for codes and system calls. */
export function plainReason(error: unknown): string {
  // A program that could not be started is named by Node's own words only.
  const isFile = isOsError(error) && error.syscall?.startsWith('spawn') !== true
  return (isFile ? osReason(error.code) : undefined) ?? messageOf(error)
}

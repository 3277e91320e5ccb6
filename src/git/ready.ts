import fs from 'node:fs'
import path from 'node:path'
import { now } from '../core/time-limit.ts'
import { hasCode, isOsError } from '../core/platform.ts'
import { gitStop } from './git-program.ts'
import { fsckAdvice, hasOtherRefs, type Repository } from './repository.ts'

/** Throws `Stop` if git could not write objects (or the index), as far as that can be checked in advance. */
export async function checkWritable(repository: Repository, needs: 'index' | 'objects'): Promise<void> {
  checkAccess(path.join(repository.commonDir, 'objects'), 'written')
  if (needs === 'objects') return
  checkAccess(repository.gitDir, 'written')
  await waitForLock(indexLock(repository))
}

/** Throws `Stop` if git could not update these references, as far as that can be checked in advance. */
export async function checkRefs(repository: Repository, refs: readonly string[]): Promise<void> {
  if (hasOtherRefs(repository)) return
  for (const ref of refs) {
    const dir = ref === 'HEAD' ? repository.gitDir : repository.commonDir
    const file = path.join(dir, ref)
    await waitForLock(`${file}.lock`)
    checkDirectory(file)
    checkAccess(path.join(dir, 'logs', ref), 'written')
  }
}

/** Throws `Stop` if the index cannot be read or is not one. */
export function checkIndex({ gitDir }: Repository): void {
  const file = path.join(gitDir, 'index')
  checkAccess(file, 'read')
  const signature = Buffer.alloc(4)
  try {
    const fd = fs.openSync(file, 'r')
    try {
      fs.readSync(fd, signature)
    } finally {
      fs.closeSync(fd)
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return
    if (!isOsError(error)) throw error
  }
  if (signature.toString() !== 'DIRC') throw gitStop(`'${file}' is not an index`, fsckAdvice)
}

export const indexLock = ({ gitDir }: Repository): string => path.join(gitDir, 'index.lock')

/** Other git processes hold a lock only briefly. */
export async function waitForLock(lock: string): Promise<void> {
  for (const begun = now(); fs.existsSync(lock); await pause()) if (now() - begun >= lockMs) throw lockedStop(lock)
}

/** Creates a lock file by linking its content. Others hold it only briefly. */
export async function takeLockFile(content: string, lock: string): Promise<'linked' | 'cannot link'> {
  for (const begun = now(); ; await pause()) {
    try {
      fs.linkSync(content, lock)
      return 'linked'
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) return 'cannot link'
      if (now() - begun >= lockMs) throw lockedStop(lock)
    }
  }
}

const lockMs = 2000

const pause = (): Promise<void> => new Promise((done) => setTimeout(done, 20))

const lockedStop = (lock: string): Error =>
  gitStop(
    `'${lock}' exists: another git process is at work in this repository`,
    'Wait for it to end. If no git is running, remove that file.',
  )

/** The directory of a file, or the nearest existing one above, must be writable. */
function checkDirectory(file: string): void {
  let dir = path.dirname(file)
  while (!fs.existsSync(dir) && dir !== path.dirname(dir)) dir = path.dirname(dir)
  if (!fs.statSync(dir).isDirectory()) throw gitStop(`'${dir}' prevents '${file}': it is not a directory`, namesAdvice)
  checkAccess(dir, 'written')
}

const namesAdvice = 'Rename that reference.'

function checkAccess(file: string, how: 'read' | 'written'): void {
  try {
    fs.accessSync(file, how === 'read' ? fs.constants.R_OK : fs.constants.W_OK)
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EROFS', 'EPERM'))
      throw gitStop(`'${file}' cannot be ${how}: permission denied`, rightsAdvice)
  }
}

const rightsAdvice = 'Change its permissions first.'

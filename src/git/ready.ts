import fs from 'node:fs'
import path from 'node:path'
import { now } from '../core/clock.ts'
import { hasCode, isOsError } from '../core/os-error.ts'
import { gitStop } from './git-program.ts'
import { fsckAdvice, hasOtherRefs, type Repository } from './repository.ts'

/** Stops when git could not write objects, or an index as well, as far as that can be seen before. */
export async function checkWritable(repository: Repository, needs: 'index' | 'objects'): Promise<void> {
  checkAccess(path.join(repository.commonDir, 'objects'), 'written')
  if (needs === 'objects') return
  checkAccess(repository.gitDir, 'written')
  await waitForLock(indexLock(repository))
}

/** Stops when git could not move these references, as far as that can be seen before. */
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

/** Stops when the index cannot be read, or is something else. */
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
  if (signature.toString() !== 'DIRC') throw gitStop(`'${file}' is no index`, fsckAdvice)
}

export const indexLock = ({ gitDir }: Repository): string => path.join(gitDir, 'index.lock')

/** Git locks what it changes, for a moment only. */
export async function waitForLock(lock: string): Promise<void> {
  for (const begun = now(); fs.existsSync(lock); await pause()) if (now() - begun >= lockMs) throw lockedStop(lock)
}

/** Links the lock into place, with its content already inside. Others hold it for a moment only. */
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

/** The directory that a file is to be in, or the last one above that is there, must let it be made. */
function checkDirectory(file: string): void {
  let dir = path.dirname(file)
  while (!fs.existsSync(dir) && dir !== path.dirname(dir)) dir = path.dirname(dir)
  if (!fs.statSync(dir).isDirectory()) throw gitStop(`'${dir}' is in the way of '${file}'`, namesAdvice)
  checkAccess(dir, 'written')
}

const namesAdvice = 'Give that reference another name.'

function checkAccess(file: string, how: 'read' | 'written'): void {
  try {
    fs.accessSync(file, how === 'read' ? fs.constants.R_OK : fs.constants.W_OK)
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EROFS', 'EPERM')) throw gitStop(`'${file}' may not be ${how}`, rightsAdvice)
  }
}

const rightsAdvice = 'Its permissions must be changed first.'

import fs from 'node:fs'
import path from 'node:path'
import { now } from '../core/clock.ts'
import { hasCode, isOsError } from '../core/os-error.ts'
import { gitStop } from './git-program.ts'
import { fsckAdvice, hasOtherRefs, type Repository } from './repository.ts'

/** Stops when git could not move these references, as far as that can be seen before. */
export async function checkRefs(repository: Repository, refs: readonly string[]): Promise<void> {
  if (hasOtherRefs(repository)) return
  for (const ref of refs) {
    const dir = ref === 'HEAD' ? repository.gitDir : repository.commonDir
    const file = path.join(dir, ref)
    await waitFor(`${file}.lock`)
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

/** Others lock a reference for a moment only. */
async function waitFor(lock: string): Promise<void> {
  for (const begun = now(); fs.existsSync(lock); await new Promise((done) => setTimeout(done, 20)))
    if (now() - begun >= lockMs) throw gitStop(`'${lock}' exists: another git process is at work`, lockAdvice)
}

const lockMs = 2000

const lockAdvice = 'Wait for it to end. If no git is running, remove that file; or run with --no-git.'

/** The directory that a file is to be in, or the last one above that is there, must let it be made. */
function checkDirectory(file: string): void {
  let dir = path.dirname(file)
  while (!fs.existsSync(dir) && dir !== path.dirname(dir)) dir = path.dirname(dir)
  if (!fs.statSync(dir).isDirectory()) throw gitStop(`'${dir}' is in the way of '${file}'`, namesAdvice)
  checkAccess(dir, 'written')
}

const namesAdvice = 'Give that reference another name; or run with --no-git.'

function checkAccess(file: string, how: 'read' | 'written'): void {
  try {
    fs.accessSync(file, how === 'read' ? fs.constants.R_OK : fs.constants.W_OK)
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EROFS', 'EPERM')) throw gitStop(`'${file}' may not be ${how}`, rightsAdvice)
  }
}

const rightsAdvice = 'Ask the user for the right to do so, or to run with --no-git.'

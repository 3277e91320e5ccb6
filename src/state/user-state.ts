import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { stateHome } from './user-dirs.ts'

/**
 * Where clada keeps what it knows about a project and the project must not be able to say itself: neither a repository
 * nor a model can write there. Undefined when that directory lies inside the project, for then it proves nothing.
 */
export function userStateDir(root: string): string | undefined {
  const dir = stateHome()
  if (`${realOrSame(path.dirname(dir))}/`.startsWith(`${root}/`) && root !== os.homedir() && root !== '/')
    return undefined
  return dir
}

/** A short name for a root, the same in every run. */
export const rootName = (root: string): string => createHash('sha256').update(root).digest('hex')

/** Nobody ever sees half of it. */
export function replaceFile(file: string, text: string): void {
  const temp = `${file}.${process.pid}-${Math.random().toString(36).slice(2)}.tmp`
  fs.writeFileSync(temp, text, { flag: 'wx', mode: 0o600 })
  fs.renameSync(temp, file)
}

function realOrSame(dir: string): string {
  try {
    return fs.realpathSync(dir)
  } catch {
    return path.resolve(dir)
  }
}

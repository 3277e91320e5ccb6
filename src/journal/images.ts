import fs from 'node:fs'
import { hasCode } from '../core/os-error.ts'
import type { State } from './record.ts'

/** What is at a place, its bytes left out. */
export function readState(door: string): State {
  const stat = fs.lstatSync(door, { throwIfNoEntry: false })
  if (stat === undefined) return { type: 'absent' }
  if (stat.isFile()) return { type: 'file', mode: stat.mode & 0o7777 }
  if (stat.isDirectory()) return { type: 'directory', mode: stat.mode & 0o7777 }
  return stat.isSymbolicLink() ? { type: 'symlink', target: fs.readlinkSync(door) } : { type: 'other' }
}

/** Gives a file a second name, or copies it where that cannot be. */
export function keepImage(door: string, image: string): void {
  try {
    fs.linkSync(door, image)
  } catch (error) {
    if (!hasCode(error, 'EPERM', 'EXDEV', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EACCES')) throw error
    copyFile(door, image)
  }
}

/** Cuts the tie between a kept file and one that is alive: whoever writes into that one must not change both. */
export function copyImage(image: string | undefined): void {
  if (image === undefined || fs.lstatSync(image).nlink < 2) return
  copyFile(image, `${image}.own`)
  fs.renameSync(`${image}.own`, image)
}

export function copyFile(from: string, to: string): void {
  fs.copyFileSync(from, to, fs.constants.COPYFILE_EXCL | fs.constants.COPYFILE_FICLONE)
  fs.chmodSync(to, fs.lstatSync(from).mode & 0o7777)
}

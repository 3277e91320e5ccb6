import fs from 'node:fs'
import { hasCode } from '../core/os-error.ts'
import type { State } from './record.ts'
import { renameFile } from '../state/patient-rename.ts'

/** The state of a path without its bytes. */
export function readState(door: string): State {
  const stat = fs.lstatSync(door, { throwIfNoEntry: false })
  if (stat === undefined) return { type: 'absent' }
  if (stat.isFile()) return { type: 'file', mode: stat.mode & 0o7777 }
  if (stat.isDirectory()) return { type: 'directory', mode: stat.mode & 0o7777 }
  return stat.isSymbolicLink() ? { type: 'symlink', target: fs.readlinkSync(door) } : { type: 'other' }
}

/** Keeps a file by a hard link, or by a copy where links are not possible. */
export function keepImage(door: string, image: string): void {
  try {
    fs.linkSync(door, image)
  } catch (error) {
    if (!hasCode(error, 'EPERM', 'EXDEV', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EACCES')) throw error
    copyFile(door, image)
  }
}

/** Replaces a hard link by a copy, so that writes into the live file do not change the kept one. */
export function copyImage(image: string | undefined): void {
  if (image === undefined || fs.lstatSync(image).nlink < 2) return
  copyFile(image, `${image}.own`)
  renameFile(`${image}.own`, image)
}

export function copyFile(from: string, to: string): void {
  fs.copyFileSync(from, to, fs.constants.COPYFILE_EXCL | fs.constants.COPYFILE_FICLONE)
  fs.chmodSync(to, fs.lstatSync(from).mode & 0o7777)
}

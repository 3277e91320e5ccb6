import fs from 'node:fs'
import { bytesContainLogin, mostSettings } from '../core/logins.ts'
import { hasCode } from '../core/errors.ts'

/** Whether a file that may contain a login does. One that cannot be read does. */
export function holdsLogin(file: string): boolean {
  try {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants
    const fd = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    try {
      return holdsLoginIn(fd)
    } finally {
      fs.closeSync(fd)
    }
  } catch (error) {
    return !hasCode(error, 'ENOENT')
  }
}

/** The same for a file that is open. */
export function holdsLoginIn(fd: number): boolean {
  const start = Buffer.alloc(mostSettings)
  return bytesContainLogin(start.subarray(0, fs.readSync(fd, start, 0, mostSettings, 0)))
}

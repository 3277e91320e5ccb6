import fs from 'node:fs'
import { containsLogin } from './secret-files.ts'

/** Whether a file that may contain a login does. One that cannot be read does. */
export function holdsToken(absolute: string): boolean {
  try {
    const fd = fs.openSync(absolute, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK)
    try {
      const start = Buffer.alloc(largest)
      const got = fs.readSync(fd, start, 0, largest, 0)
      // In UTF-16 a zero byte is beside each letter; all other encodings have ASCII as it is.
      const raw = start.toString('latin1', 0, got)
      return got === largest || containsLogin(raw) || containsLogin(raw.replaceAll('\0', ''))
    } finally {
      fs.closeSync(fd)
    }
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ENOENT')
  }
}

const largest = 64 * 1024

import fs from 'node:fs'

/** Names that hold a secret only sometimes, and what such a file then says. */
const tokens: Readonly<Record<string, RegExp>> = {
  '.npmrc': /(?:^|:)\s*_(?:authToken|auth|password)\s*=|(?:^|:)\s*(?:certfile|keyfile|key)\s*=|:\/\/[^\s/@]+@/im,
}

/** Whether a pattern blocks a file only because of its content. */
export const dependsOnContent = (pattern: string): boolean => pattern in tokens

/** Whether a file that may hold a secret does. One that cannot be read does. */
export function holdsToken(pattern: string, absolute: string): boolean {
  try {
    const fd = fs.openSync(absolute, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK)
    try {
      const start = Buffer.alloc(largest)
      const got = fs.readSync(fd, start, 0, largest, 0)
      return got === largest || (tokens[pattern]?.test(start.toString('latin1', 0, got)) ?? true)
    } finally {
      fs.closeSync(fd)
    }
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ENOENT')
  }
}

const largest = 64 * 1024

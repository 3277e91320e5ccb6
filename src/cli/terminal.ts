import fs from 'node:fs'

/** Whether a descriptor is a terminal, without loading what only terminals need. */
export function isTerminal(fd: 0 | 1 | 2): boolean {
  try {
    if (!fs.fstatSync(fd).isCharacterDevice()) return false
  } catch {
    // It is closed.
    return false
  }
  return process.getBuiltinModule('node:tty').isatty(fd)
}

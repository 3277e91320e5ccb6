import fs from 'node:fs'

/**
 * Descriptors that whoever started this process left open, and that a program started by it would have too: with one of
 * a directory it walks out of any sandbox. Node itself closes the low ones, and on other systems all of them.
 */
export function inheritedDescriptors(): number[] {
  if (process.platform !== 'linux') return []
  try {
    return fs.readdirSync('/proc/self/fd').map(Number).filter(isInherited)
  } catch {
    // Without /proc nobody inside finds them by looking either.
    return []
  }
}

const closedOnExec = 0o2000000

function isInherited(descriptor: number): boolean {
  if (descriptor < 3) return false
  try {
    const [, flags = ''] =
      /^flags:\s*([0-7]+)$/m.exec(fs.readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1')) ?? []
    return (parseInt(flags, 8) & closedOnExec) === 0
  } catch {
    // It was that of the directory that was just read.
    return false
  }
}

import fs from 'node:fs'
import path from 'node:path'
import { isInside } from '../core/paths.ts'
import { putFile } from '../state/own-files.ts'

/** The file that whole reports go to, one in place of the other. */
export interface OutputFile {
  readonly path: string
  /** @throws Error that says why not, behind the name of the file. */
  write(report: string): void
}

/**
 * A project can bring links along, and code that was run can make them: inside the roots none is followed. What lies
 * elsewhere was named by the user, links and all. A file that is not a report is never replaced.
 * @throws Error that says why not, behind the name of the file
 */
export function outputFileAt(given: string, roots: readonly string[]): OutputFile {
  const named = path.dirname(given)
  if (roots.some((root) => isInside(named, root)) && hasLink(named)) throw new Error(linked)
  fs.mkdirSync(named, { recursive: true })
  const dir = fs.realpathSync(named)
  const file = path.join(dir, path.basename(given))
  checkIsOurs(file)
  return {
    path: file,
    write: (report) => {
      if (hasLink(dir)) throw new Error(linked)
      checkIsOurs(file)
      putFile(file, report)
    },
  }
}

const linked = 'a symbolic link is on the way to it'

/** Parts that do not exist yet are no links. */
function hasLink(dir: string): boolean {
  const there = fs.lstatSync(dir, { throwIfNoEntry: false })
  if (there === undefined) return hasLink(path.dirname(dir))
  return there.isSymbolicLink() || fs.realpathSync(dir) !== dir
}

function checkIsOurs(file: string): void {
  const there = fs.lstatSync(file, { throwIfNoEntry: false })
  if (there === undefined) return
  if (!there.isFile()) throw new Error('something that is no regular file stands there')
  if (there.size > 0 && !beginOf(file).equals(reportBegins))
    throw new Error('a file stands there that is no report of clada, and it is not replaced. Move it, or name another')
}

function beginOf(file: string): Buffer {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants
  const fd = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const bytes = Buffer.alloc(reportBegins.length)
    return bytes.subarray(0, fs.readSync(fd, bytes, 0, bytes.length, 0))
  } finally {
    fs.closeSync(fd)
  }
}

/** So much of the first line is there even in a report that was cut short. */
const reportBegins = Buffer.from('=== CLADA')

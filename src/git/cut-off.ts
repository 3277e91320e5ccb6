import fs from 'node:fs'
import path from 'node:path'

/**
 * Tells names, relative to `top`, whose directory was replaced by a file or a link. They are not in the repository any
 * more: git tracks the link, not the files reached through it.
 */
export function cutOffBelow(top: string): (name: string) => boolean {
  // An absolute name is not in the repository.
  const known = new Map([
    ['.', false],
    ['/', true],
  ])
  const isCut = (dir: string): boolean => {
    const before = known.get(dir)
    if (before !== undefined) return before
    const cut = isCut(path.posix.dirname(dir)) || isNoDirectory(path.join(top, dir))
    known.set(dir, cut)
    return cut
  }
  return (name) => isCut(path.posix.dirname(name))
}

function isNoDirectory(dir: string): boolean {
  const stat = fs.lstatSync(dir, { throwIfNoEntry: false })
  return stat !== undefined && !stat.isDirectory()
}

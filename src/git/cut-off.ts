import fs from 'node:fs'
import path from 'node:path'

/**
 * Which names, relative to `top`, have a file or a link where their directory was. Nothing of the repository can be
 * there any more: git tracks the link, not what lies behind it.
 */
export function cutOffBelow(top: string): (name: string) => boolean {
  // A name that begins at the root of the disk is nowhere in the repository.
  const known = new Map([
    ['.', false],
    ['/', true],
  ])
  const isCut = (dir: string): boolean => {
    const before = known.get(dir)
    if (before !== undefined) return before
    const cut = isCut(path.posix.dirname(dir)) || isInTheWay(path.join(top, dir))
    known.set(dir, cut)
    return cut
  }
  return (name) => isCut(path.posix.dirname(name))
}

function isInTheWay(dir: string): boolean {
  const stat = fs.lstatSync(dir, { throwIfNoEntry: false })
  return stat !== undefined && !stat.isDirectory()
}

import fs from 'node:fs'
import { isInside } from '../core/paths.ts'

export interface MountPoint {
  readonly path: string
  readonly type: 'file' | 'directory'
}

/** What is mounted inside directories, the one above first: an overlay shows only what is below it on the disk. */
export function mountPointsBelow(dirs: readonly string[], table = readMountTable()): MountPoint[] {
  const places = table.split('\n').flatMap((line) => line.split(' ')[4] ?? [])
  const named = places.map((place) =>
    place.replace(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(parseInt(code, 8))),
  )
  const below = named.filter((place) => dirs.some((dir) => place !== dir && isInside(place, dir)))
  return [...new Set(below)].sort().flatMap((path) => {
    const stat = fs.lstatSync(path, { throwIfNoEntry: false })
    return stat === undefined ? [] : { path, type: stat.isDirectory() ? 'directory' : 'file' }
  })
}

function readMountTable(): string {
  try {
    return fs.readFileSync('/proc/self/mountinfo', 'latin1')
  } catch {
    return ''
  }
}

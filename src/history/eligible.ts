import fs from 'node:fs'
import path from 'node:path'
import { cutOffBelow } from './cut-off.ts'
import { namesIn } from './git-program.ts'
import type { Room, RoomCall } from './room.ts'

export interface Sorted {
  /** Relative to the top of the repository. */
  readonly paths: readonly string[]
  /** Those that stay out because of a filter, with its name. */
  readonly filtered: ReadonlyMap<string, string>
}

/**
 * Which paths may go into a commit: not those of another repository, and not those whose filter would run a program.
 * `how` decides whose attributes name the filters; without it those on the disk do.
 */
export async function eligible(room: Room, paths: readonly string[], how: RoomCall = {}): Promise<Sorted> {
  const { top } = room.repository
  if (paths.length === 0 || top === undefined) return { paths, filtered: new Map() }
  const submodules = await submodulesOf(room, top)
  const own = paths.filter((name) => !isForeign(name, top, submodules))
  const filtered = await filteredOf(room, own, how)
  return { paths: own.filter((name) => !filtered.has(name)), filtered }
}

/** Those that git ignores and does not track. It looks behind no link, so nothing there is ignored. */
export async function ignoredOf(room: Room, paths: readonly string[]): Promise<Set<string>> {
  const { top } = room.repository
  if (top === undefined) return new Set()
  const isCutOff = cutOffBelow(top)
  const asked = paths.filter((name) => !isCutOff(name))
  if (asked.length === 0) return new Set()
  const input = asked.join('\0') + '\0'
  const { out } = await room.git(['check-ignore', '-z', '--stdin'], { input, fine: [1] })
  return new Set(namesIn(out))
}

async function filteredOf(room: Room, paths: readonly string[], how: RoomCall): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  if (room.config.filters.size === 0 || paths.length === 0) return found
  const { out } = await room.git(['check-attr', '-z', '--stdin', 'filter'], { ...how, input: paths.join('\0') + '\0' })
  const words = out.toString().split('\0')
  for (let at = 0; at + 2 < words.length; at += 3) {
    const [name = '', , filter = ''] = words.slice(at, at + 3)
    if (room.config.filters.has(filter)) found.set(name, filter)
  }
  return found
}

async function submodulesOf(room: Room, top: string): Promise<string[]> {
  if (!fs.existsSync(path.join(top, '.gitmodules'))) return []
  const args = ['config', '-z', '-f', '.gitmodules', '--get-regexp', String.raw`^submodule\..*\.path$`]
  const { out } = await room.git(args, { fine: [1, 128] })
  return out
    .toString()
    .split('\0')
    .flatMap((item) => item.split('\n').slice(1, 2))
}

/** Whether a path lies in a repository inside this one. */
function isForeign(name: string, top: string, submodules: readonly string[]): boolean {
  if (submodules.some((dir) => name === dir || name.startsWith(`${dir}/`))) return true
  for (let dir = path.posix.dirname(name); dir !== '.'; dir = path.posix.dirname(dir)) {
    if (fs.existsSync(path.join(top, dir, '.git'))) return true
  }
  return false
}

import path from 'node:path'
import { isRepository } from './find-repository.ts'
import type { Room } from './room.ts'
import { entriesIn } from './tree-contents.ts'

export interface Sorted {
  /** Relative to the top of the repository. */
  readonly paths: readonly string[]
  /** Those that stay out because of a filter, with its name. */
  readonly filtered: ReadonlyMap<string, string>
}

/** Which paths may go into a commit: not those of another repository, and not those whose filter would run a program. */
export async function eligible(room: Room, paths: readonly string[]): Promise<Sorted> {
  const { top } = room.repository
  if (paths.length === 0 || top === undefined) return { paths, filtered: new Map() }
  const dirs = [...new Set(paths.flatMap((name) => dirsAbove(name)))]
  const inside = new Set(dirs.filter((dir) => isRepository(path.join(top, dir))))
  const own = paths.filter((name) => !dirsAbove(name).some((dir) => inside.has(dir)))
  const filtered = await filteredOf(room, own)
  return { paths: own.filter((name) => !filtered.has(name)), filtered }
}

/** Those among eligible paths that git alone knows to stay out: ignored ones, and those of submodules. */
export async function unfitOf(room: Room, paths: readonly string[]): Promise<Set<string>> {
  const asking = ignoredOf(room, paths)
  asking.catch(() => {})
  const inside = await inSubmodules(room, paths)
  // About a path in a submodule git says nothing, nor about the others then. Mostly there is none.
  const ignored = await (inside.size === 0
    ? asking
    : ignoredOf(
        room,
        paths.filter((name) => !inside.has(name)),
      ))
  return new Set([...inside, ...ignored])
}

/** Those that git ignores and does not track. */
export async function ignoredOf(room: Room, paths: readonly string[]): Promise<Set<string>> {
  if (paths.length === 0 || room.repository.top === undefined) return new Set()
  const input = paths.join('\0') + '\0'
  const { out } = await room.git(['check-ignore', '-z', '--stdin'], { input, fine: [1] })
  return new Set(
    out
      .toString()
      .split('\0')
      .filter((name) => name !== ''),
  )
}

async function filteredOf(room: Room, paths: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  if (room.config.filters.size === 0 || paths.length === 0) return found
  const { out } = await room.git(['check-attr', '-z', '--stdin', 'filter'], { input: paths.join('\0') + '\0' })
  const words = out.toString().split('\0')
  for (let at = 0; at + 2 < words.length; at += 3) {
    const [name = '', , filter = ''] = words.slice(at, at + 3)
    if (room.config.filters.has(filter)) found.set(name, filter)
  }
  return found
}

/**
 * Paths where the last commit has a submodule, or below. Nothing of it need be on the disk, and nothing in
 * `.gitmodules` need describe it.
 */
export async function inSubmodules(room: Room, paths: readonly string[]): Promise<Set<string>> {
  if (!room.hasCommit || room.repository.top === undefined) return new Set()
  const names = [...new Set(paths.flatMap((name) => [name, ...dirsAbove(name)]))]
  const submodules = new Set<string>()
  for (let at = 0; at < names.length; at += 500)
    for (const { type, name } of await entriesIn(room, 'HEAD', names.slice(at, at + 500)))
      if (type === 'commit') submodules.add(name)
  return new Set(paths.filter((name) => [name, ...dirsAbove(name)].some((one) => submodules.has(one))))
}

function dirsAbove(name: string): string[] {
  const found: string[] = []
  for (let dir = path.posix.dirname(name); dir !== '.'; dir = path.posix.dirname(dir)) found.push(dir)
  return found
}

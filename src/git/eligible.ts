import path from 'node:path'
import { dirsAbove } from '../core/paths.ts'
import { cutOffBelow } from './cut-off.ts'
import { isRepository } from './find-repository.ts'
import { namesIn } from './git-program.ts'
import type { Room, RoomCall } from './room.ts'
import { type Known, knownIn } from './tree-walk.ts'

export interface Sorted {
  /** Relative to the top of the repository. */
  readonly paths: readonly string[]
  /** Those that stay out because of a filter, with its name. */
  readonly filtered: ReadonlyMap<string, string>
  /** Those that the last commit has. */
  readonly committed: ReadonlySet<string>
}

/**
 * Which paths may go into a commit: not those of another repository, and not those whose filter would run a program.
 * `how` decides whose attributes name the filters; without it those on the disk do.
 */
export async function eligible(room: Room, paths: readonly string[], how: RoomCall = {}): Promise<Sorted> {
  const { top } = room.repository
  if (paths.length === 0 || top === undefined) return { paths, filtered: new Map(), committed: new Set() }
  const known = room.hasCommit ? await knownIn(room.objects, 'HEAD^{tree}', paths) : nothing
  const own = paths.filter(isOwn(top, paths, known))
  const filtered = await filteredOf(room, own, how)
  return { paths: own.filter((name) => !filtered.has(name)), filtered, committed: known.files }
}

const nothing: Known = { submodules: new Set(), files: new Set() }

/** Those that git ignores and does not track. It looks behind no link, so nothing there is ignored. */
export async function ignoredOf(room: Room, paths: readonly string[]): Promise<Set<string>> {
  const { top } = room.repository
  if (top === undefined) return new Set()
  const isCutOff = cutOffBelow(top)
  const asked = paths.filter((name) => !isCutOff(name))
  // The rules alone are soon asked. What is tracked stands in the index, which may be large.
  return matchedBy(room, [], await matchedBy(room, ['--no-index'], new Set(asked)))
}

async function matchedBy(room: Room, how: readonly string[], paths: ReadonlySet<string>): Promise<Set<string>> {
  if (paths.size === 0) return new Set()
  const input = [...paths].join('\0') + '\0'
  const { out } = await room.git(['check-ignore', ...how, '-z', '--stdin'], { input, fine: [1] })
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

/**
 * Which paths are not of a repository inside this one. Where the last commit has a submodule there is one, though
 * nothing of it may be on the disk, and nothing in `.gitmodules` may describe it.
 */
function isOwn(top: string, paths: readonly string[], { submodules }: Known): (name: string) => boolean {
  const dirs = new Set(paths.flatMap((name) => dirsAbove(name)))
  const inside = new Set([...submodules, ...[...dirs].filter((dir) => isRepository(path.join(top, dir)))])
  return (name) => !submodules.has(name) && !dirsAbove(name).some((dir) => inside.has(dir))
}

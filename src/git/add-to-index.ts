import fs from 'node:fs'
import path from 'node:path'
import { cutOffBelow } from './cut-off.ts'
import type { Room } from './room.ts'
import { wake } from './sparse.ts'

/** Puts paths into an index as they are on the disk. */
export async function addTo(room: Room, paths: readonly string[], env: Record<string, string>): Promise<void> {
  if (paths.length === 0) return
  const top = room.repository.top ?? ''
  if (room.config.sparse) await wake(room, paths, env)
  const isCutOff = cutOffBelow(top)
  const kinds = new Map(paths.map((name) => [name, isCutOff(name) ? 'lost' : kindAt(path.join(top, name))]))
  const those = (kind: Kind): string[] => paths.filter((name) => kinds.get(name) === kind)
  // Git would look for them behind a link, or for a file where a directory is, and refuse.
  const lost = those('lost')
  if (lost.length > 0) await updateIndex(room, ['--force-remove'], lost, env)
  // What goes, goes first: a file may have become a directory, or a directory a file.
  const ordered = [...those('gone'), ...those('there')]
  // What may not be committed can still be in the way of what may.
  if (ordered.length > 0)
    await updateIndex(room, ['--add', '--remove', '--replace', '--ignore-skip-worktree-entries'], ordered, env)
}

type Kind = 'there' | 'gone' | 'lost'

function kindAt(file: string): Kind {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return 'gone'
  return stat.isDirectory() ? 'lost' : 'there'
}

async function updateIndex(room: Room, how: readonly string[], names: readonly string[], env: Record<string, string>) {
  await room.git(['update-index', ...how, '-z', '--stdin'], { input: names.join('\0') + '\0', env })
}

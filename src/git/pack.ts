import fs from 'node:fs'
import path from 'node:path'
import { Stop } from '../core/problem.ts'
import { syncFile } from '../state/own-files.ts'
import type { IsolatedGit } from './isolated-git.ts'

/**
 * Packs loose objects when there are many: each takes a block of the disk, while a pack has the differences of versions.
 * Only git's own commands for that run, so no hook and no gc. The loose ones are removed once the pack is on the disk.
 */
export async function packObjects(isolated: IsolatedGit): Promise<void> {
  const objects = path.join(isolated.repository.commonDir, 'objects')
  if (looseIn(objects, sample).length * dirs < mostLoose) return
  const loose = fs.readdirSync(objects).flatMap((dir) => looseIn(objects, dir))
  const packs = path.join(objects, 'pack')
  try {
    const args = ['pack-objects', '-q', '--local', '--non-empty', '--delta-base-offset', path.join(packs, 'pack')]
    await isolated.git(args, { input: `${loose.join('\n')}\n`, lowPriority: true })
    await syncFile(packs)
    await isolated.git(['prune-packed', '-q'])
  } catch (error) {
    // An object that cannot be read, or a full disk: everything stays as it is.
    if (!(error instanceof Stop)) throw error
  }
}

/** Their names are evenly distributed, so one directory tells how many there are, as git's own gc estimates it. */
const sample = '17'
const dirs = 256
const mostLoose = 2048

function looseIn(objects: string, dir: string): string[] {
  if (!/^[0-9a-f]{2}$/.test(dir)) return []
  try {
    const names = fs.readdirSync(path.join(objects, dir))
    return names.filter((name) => /^(?:[0-9a-f]{38}|[0-9a-f]{62})$/.test(name)).map((name) => dir + name)
  } catch {
    return []
  }
}

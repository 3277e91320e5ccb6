import fs from 'node:fs'
import path from 'node:path'
import { cutOffBelow } from './eligible.ts'
import type { IsolatedCall, IsolatedGit } from './isolated-git.ts'
import { clearSkipWorktree } from './sparse.ts'

/** Updates paths of an index, which the caller syncs, from the disk. */
export async function addTo(
  isolated: IsolatedGit,
  paths: readonly string[],
  env: Record<string, string>,
): Promise<void> {
  if (paths.length === 0) return
  const top = isolated.repository.top ?? ''
  if (isolated.config.sparse) await clearSkipWorktree(isolated, paths, env)
  const isCutOff = cutOffBelow(top)
  const kinds = new Map(paths.map((name) => [name, isCutOff(name) ? 'lost' : kindAt(path.join(top, name))]))
  const those = (kind: Kind): string[] => paths.filter((name) => kinds.get(name) === kind)
  // Git would fail on them: a directory above is a link now, or the path itself is a directory.
  const lost = those('lost')
  if (lost.length > 0) await updateIndex(isolated, ['--force-remove'], lost, { env })
  // Removals first: a file may have become a directory, or a directory a file.
  const ordered = [...those('gone'), ...those('there')]
  // With --replace, because entries that must not be committed may conflict with these.
  if (ordered.length > 0)
    await updateIndex(isolated, ['--add', '--remove', '--replace', '--ignore-skip-worktree-entries'], ordered, {
      env,
      syncsEach: ordered.length <= mostSyncedEach,
    })
}

/** Git syncs more than these together, which is quicker. */
const mostSyncedEach = 32

type Kind = 'there' | 'gone' | 'lost'

function kindAt(file: string): Kind {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false })
  if (stat === undefined) return 'gone'
  return stat.isDirectory() ? 'lost' : 'there'
}

async function updateIndex(
  isolated: IsolatedGit,
  how: readonly string[],
  names: readonly string[],
  call: IsolatedCall,
) {
  await isolated.git(['update-index', ...how, '-z', '--stdin'], { ...call, input: names.join('\0') + '\0' })
}

import path from 'node:path'
import { dirsAbove } from '../core/paths.ts'
import { type Difference, diffCommits, modeOfNew, oidsOnDisk } from '../git/differences.ts'
import type { IsolatedGit } from '../git/isolated-git.ts'
import { isSameState } from '../store/record.ts'
import type { OpenWorkspace, WantedState } from '../workspace/open.ts'

/** Thrown when files would be overwritten that are neither committed nor stashed. */
export class WouldOverwrite extends Error {
  readonly paths: string[]

  constructor(paths: string[]) {
    super('These files would be overwritten and cannot be stashed. Move or commit them first.')
    this.paths = paths
  }
}

/** What brings the files from one commit to another. Throws if unsaved files would be lost. */
export async function planCheckout(
  isolated: IsolatedGit,
  workspace: OpenWorkspace,
  top: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<WantedState[]> {
  const changes = await diffCommits(isolated, from, to)
  const dirs = [...emptiedDirectories(changes), ...(await directoriesToRemove(isolated, workspace, top, changes))]
  return [
    ...changes.map((change): WantedState => ({
      absolute: path.join(top, change.name),
      to: change.to,
      like: likeFor(change),
      // Of a file as it is committed nothing is lost: git checks out over a read-only one too.
      readOnly: change.from.type === 'file' ? 'left so' : undefined,
    })),
    ...[...new Set(dirs)].map((dir): WantedState => ({ absolute: path.join(top, dir), to: { type: 'absent' } })),
  ]
}

/** Directories whose files are all removed. They stay if they contain other files. */
export function emptiedDirectories(changes: readonly Difference[]): string[] {
  const needed = new Set(
    changes.filter(({ to }) => to.type !== 'absent').flatMap(({ name }) => [name, ...dirsAbove(name)]),
  )
  const left = changes.filter(({ to }) => to.type === 'absent').flatMap(({ name }) => dirsAbove(name))
  return left.filter((dir) => !needed.has(dir))
}

/** Throws if unsaved files would be lost. Returns the directories that files replace. */
async function directoriesToRemove(
  isolated: IsolatedGit,
  workspace: OpenWorkspace,
  top: string,
  changes: readonly Difference[],
): Promise<string[]> {
  const known = new Set(changes.map(({ name }) => name))
  const blocking: string[] = []
  const unlike: Difference[] = []
  const dirs: string[] = []
  for (const change of changes) {
    const { name, from, to } = change
    const now = workspace.inspect(path.join(top, name))
    if (isSameState(now, from) || isSameState(now, to)) continue
    if (now.type === 'directory' && (from.type === 'absent' || to.type === 'absent')) {
      if (to.type === 'absent') continue
      const below = everythingBelow(workspace, path.join(top, name))
      blocking.push(...below.files.map((file) => `${name}/${file}`).filter((file) => !known.has(file)))
      dirs.push(...below.dirs.map((one) => `${name}/${one}`))
    } else if (now.type === 'file') unlike.push(change)
    else blocking.push(name)
  }
  const oids = await oidsOnDisk(
    isolated,
    unlike.map(({ name }) => name),
  )
  blocking.push(...unlike.filter((one) => !one.oids.includes(oids.get(one.name) ?? '')).map(({ name }) => name))
  if (blocking.length > 0) throw new WouldOverwrite(blocking)
  return dirs
}

/** Git stores one bit of the mode; the others stay as they are. */
function likeFor({ from, to }: Difference): WantedState['like'] {
  if (to.type !== 'file' || (from.type === 'file' && from.mode === to.mode)) return undefined
  return { mode: modeOfNew(to.mode === 0o755), uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 }
}

/** All entries below a directory, by names relative to it. Links are not followed. */
export function everythingBelow(
  workspace: Pick<OpenWorkspace, 'names'>,
  dir: string,
): { files: string[]; dirs: string[] } {
  const files: string[] = []
  const dirs: string[] = []
  for (const { name, type } of workspace.names(dir)) {
    if (type !== 'directory') files.push(name)
    else {
      const below = everythingBelow(workspace, path.join(dir, name))
      files.push(...below.files.map((one) => `${name}/${one}`))
      dirs.push(name, ...below.dirs.map((one) => `${name}/${one}`))
    }
  }
  return { files, dirs }
}

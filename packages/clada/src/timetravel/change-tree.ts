import path from 'node:path'
import { dirsAbove } from '../core/paths.ts'
import { ProblemError } from '../core/problem.ts'
import type { ContentStore } from '../store/content-store.ts'
import type { KeptFiles } from '../store/record.ts'
import { type Difference, diffCommits, modeOfNew, oidsOnDisk } from '../git/differences.ts'
import { gitError } from '../git/git-program.ts'
import type { IsolatedGit } from '../git/isolated-git.ts'
import { syncFileNow } from '../state/own-files.ts'
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

/** Called around the change of files, to record it and to revert the record if no file changed. */
export interface TreeChangeEvents {
  /** Files of the wanted commit as they were when it was left. */
  readonly files?: KeptFiles | undefined
  /** With the files that git would not restore as they are now. */
  readonly before: (left: KeptFiles) => void
  readonly unchanged: () => void
  readonly after: () => Promise<void>
}

/** Changes the files from one commit to another, all or none. */
export async function changeTree(
  isolated: IsolatedGit,
  workspace: OpenWorkspace,
  top: string,
  from: string,
  to: string,
  contents: ContentStore,
  { files = {}, before, unchanged, after }: TreeChangeEvents,
): Promise<void> {
  const changes = await diffCommits(isolated, from, to)
  const dirs = [...emptied(changes), ...(await directoriesToRemove(isolated, workspace, top, changes))]
  const coming = changes.map((change) => asItWas(change, files[change.name], contents))
  before(keepFiles(changes, workspace, top, contents))
  try {
    await workspace.restore([
      ...coming.map((change): WantedState => ({
        absolute: path.join(top, change.name),
        to: change.to,
        like: likeFor(change, files[change.name]?.mode),
      })),
      ...[...new Set(dirs)].map((dir): WantedState => ({ absolute: path.join(top, dir), to: { type: 'absent' } })),
    ])
  } catch (error) {
    if (error instanceof ProblemError && error.problem.kind !== 'half-landed') unchanged()
    throw error
  }
  await after()
}

/** Git stores one kind of line ending; what was on the disk when the commit was left may have had both. */
function asItWas(change: Difference, kept: KeptFiles[string] | undefined, contents: ContentStore): Difference {
  if (kept === undefined || change.to.type !== 'file') return change
  const bytes = contents.read(kept.digest)
  if (bytes !== undefined) return { ...change, to: { ...change.to, bytes } }
  throw gitError(`the saved content of ${change.name} is missing or damaged`, `Use git checkout to go on without it.`)
}

/** Puts files into the store that git would restore with other bytes or another mode. */
function keepFiles(
  changes: readonly Difference[],
  workspace: OpenWorkspace,
  top: string,
  contents: ContentStore,
): KeptFiles {
  const kept = changes.flatMap(({ name, from }) => {
    const now = workspace.inspect(path.join(top, name))
    if (now.type !== 'file' || now.bytes === undefined) return []
    const mode = now.mode & 0o777
    if (from.type === 'file' && now.bytes.equals(from.bytes) && mode === modeOfNew((mode & 0o100) !== 0)) return []
    const digest = contents.put(now.bytes)
    syncFileNow(contents.fileOf(digest))
    return [[name, { mode, digest }] as const]
  })
  if (kept.length > 0) syncFileNow(path.dirname(contents.fileOf('')))
  return Object.fromEntries(kept)
}

/** Directories whose files are all removed. They stay if they contain other files. */
function emptied(changes: readonly Difference[]): string[] {
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
    // An interrupted step may have changed it already.
    if (isSameState(now, from) || isSameState(now, to)) continue
    if (now.type === 'directory' && (from.type === 'absent' || to.type === 'absent')) {
      if (to.type === 'absent') continue
      const below = everythingBelow(workspace, top, name)
      blocking.push(...below.files.filter((file) => !known.has(file)))
      dirs.push(...below.dirs)
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

/** Git stores one bit of the mode; the others stay as they are, or come from the stash. */
function likeFor({ from, to }: Difference, mode: number | undefined): WantedState['like'] {
  if (to.type !== 'file' || (mode === undefined && from.type === 'file' && from.mode === to.mode)) return undefined
  const own = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 }
  return { mode: mode === undefined ? modeOfNew(to.mode === 0o755) : mode & 0o777, ...own }
}

/** All entries below a directory, by names relative to `top`. Links are not followed. */
function everythingBelow(
  workspace: Pick<OpenWorkspace, 'names'>,
  top: string,
  dir: string,
): { files: string[]; dirs: string[] } {
  const files: string[] = []
  const dirs: string[] = []
  for (const entry of workspace.names(path.join(top, dir))) {
    const name = `${dir}/${entry.name}`
    if (entry.type !== 'directory') files.push(name)
    else {
      const below = everythingBelow(workspace, top, name)
      files.push(...below.files)
      dirs.push(name, ...below.dirs)
    }
  }
  return { files, dirs }
}

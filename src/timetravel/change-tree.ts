import fs from 'node:fs'
import path from 'node:path'
import { dirsAbove } from '../core/paths.ts'
import { Stop } from '../core/problem.ts'
import type { Modes } from '../git/back-state.ts'
import { type Difference, differences, modeOfNew, oidsOnDisk } from '../git/differences.ts'
import type { IsolatedGit } from '../git/isolated-git.ts'
import { isSameState } from '../journal/path-state.ts'
import type { OpenWorkspace, WantedState } from '../workspace/open.ts'

/** Files that nobody has saved are where others would have to be. */
export class InTheWay extends Error {
  readonly paths: string[]

  constructor(paths: string[]) {
    super('Files are in the way that clada cannot put aside. Move them elsewhere, or commit them, first.')
    this.paths = paths
  }
}

/** Around the files: what is written down before they change, and taken back when none of them did. */
export interface Around {
  /** Rights that files had when they were put aside. */
  readonly modes?: Modes | undefined
  readonly before: () => void
  readonly unchanged: () => void
  readonly after: () => Promise<void>
}

/** Brings the files from one commit to another, all or none. */
export async function changeTree(
  isolated: IsolatedGit,
  workspace: OpenWorkspace,
  top: string,
  from: string,
  to: string,
  { modes = {}, before, unchanged, after }: Around,
): Promise<void> {
  const changes = await differences(isolated, from, to)
  const dirs = [...emptied(changes), ...(await makeWay(isolated, workspace, top, changes))]
  before()
  try {
    await workspace.restore([
      ...changes.map((change): WantedState => ({
        absolute: path.join(top, change.name),
        to: change.to,
        like: likeFor(change, modes[change.name]),
      })),
      ...[...new Set(dirs)].map((dir): WantedState => ({ absolute: path.join(top, dir), to: { type: 'absent' } })),
    ])
  } catch (error) {
    if (error instanceof Stop && error.problem.kind !== 'half-landed') unchanged()
    throw error
  }
  await after()
}

/** Directories from which everything goes. Whatever else lies in them, they stay with it. */
function emptied(changes: readonly Difference[]): string[] {
  const needed = new Set(
    changes.filter(({ to }) => to.type !== 'absent').flatMap(({ name }) => [name, ...dirsAbove(name)]),
  )
  const left = changes.filter(({ to }) => to.type === 'absent').flatMap(({ name }) => dirsAbove(name))
  return left.filter((dir) => !needed.has(dir))
}

/** Makes sure that nothing goes but what is saved. Answers with the directories that have to make way for files. */
async function makeWay(
  isolated: IsolatedGit,
  workspace: OpenWorkspace,
  top: string,
  changes: readonly Difference[],
): Promise<string[]> {
  const known = new Set(changes.map(({ name }) => name))
  const inTheWay: string[] = []
  const unlike: Difference[] = []
  const dirs: string[] = []
  for (const change of changes) {
    const { name, from, to } = change
    const now = workspace.inspect(path.join(top, name))
    // What a step that died has done already needs no doing.
    if (isSameState(now, from) || isSameState(now, to)) continue
    if (now.type === 'directory' && (from.type === 'absent' || to.type === 'absent')) {
      if (to.type === 'absent') continue
      const below = everythingBelow(top, name)
      inTheWay.push(...below.files.filter((file) => !known.has(file)))
      dirs.push(...below.dirs)
    } else if (now.type === 'file') unlike.push(change)
    else inTheWay.push(name)
  }
  const oids = await oidsOnDisk(
    isolated,
    unlike.map(({ name }) => name),
  )
  inTheWay.push(...unlike.filter((one) => !one.oids.includes(oids.get(one.name) ?? '')).map(({ name }) => name))
  if (inTheWay.length > 0) throw new InTheWay(inTheWay)
  return dirs
}

/** Git knows one bit of the mode; the others stay as they are, or come back with what was put aside. */
function likeFor({ from, to }: Difference, mode: number | undefined): WantedState['like'] {
  if (to.type !== 'file' || (mode === undefined && from.type === 'file' && from.mode === to.mode)) return undefined
  const own = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 }
  return { mode: mode === undefined ? modeOfNew(to.mode === 0o755) : mode & 0o777, ...own }
}

/** All entries below a directory, by names relative to `top`. Links are not followed. */
function everythingBelow(top: string, dir: string): { files: string[]; dirs: string[] } {
  const files: string[] = []
  const dirs: string[] = []
  for (const entry of fs.readdirSync(path.join(top, dir), { withFileTypes: true })) {
    const name = `${dir}/${entry.name}`
    if (!entry.isDirectory()) files.push(name)
    else {
      const below = everythingBelow(top, name)
      files.push(...below.files)
      dirs.push(name, ...below.dirs)
    }
  }
  return { files, dirs }
}

import fs from 'node:fs'
import path from 'node:path'
import { ProblemError } from '../core/problem.ts'
import type { Inspected } from '../core/recorder.ts'
import type { HistorySettings } from '../core/settings.ts'
import { splitNul } from './git-program.ts'
import { addToIndex, copyIndex } from './index-file.ts'
import { findRepository, ownRepository } from './find-repository.ts'
import { headOf } from './repository.ts'
import { IsolatedGit } from './isolated-git.ts'
import { findCommittable, listIgnored, isUnsavable, filterCommittable } from './savable.ts'
import { treeContents, type TreeEntry, sidesIn, treeEntryState, readStoredContents } from './tree-contents.ts'
import { renameFile } from '../state/own-files.ts'
import { passedOver } from '../core/paths.ts'

/** The project as it was before a program ran, as a tree among git's objects. No reference leads to it. */
export interface Snapshot {
  readonly isolated: IsolatedGit
  readonly tree: string
  /** What git knows about the files of the tree. */
  readonly index: string
  readonly top: string
  /** Files that are otherwise than the tree has them: too large, blocked, or with a filter. */
  readonly unknown: ReadonlySet<string>
  /** What git ignores is not in the tree. */
  readonly ignored: IgnoredBefore
}

/** What was at a path before a program changed it. */
export interface StateBefore {
  readonly state: Inspected
  /** Such files may change at any time. */
  readonly ignored: boolean
}

/** Reads files of the project, never through a link. */
export interface ProjectFiles {
  inspect(absolute: string): Inspected
  look(absolute: string): { readonly type: string; readonly size: number } | undefined
  names(absolute: string): readonly { readonly name: string }[]
}

export interface SnapshotOptions {
  readonly root: string
  readonly stateDir: string
  readonly settings: HistorySettings
  readonly isBlocked: (relative: string) => boolean
  readonly files: ProjectFiles
  /** Where git works during that time. */
  readonly dir: string
}

/**
 * It is unknown beforehand what a program will change, so everything that could be put back is saved: what git tracks
 * and has not seen yet, and what it does not ignore. In a clean repository that is next to nothing.
 */
export async function takeSnapshot({
  root,
  stateDir,
  settings,
  isBlocked,
  files,
  dir,
}: SnapshotOptions): Promise<Snapshot> {
  const found = settings.git === 'off' ? undefined : await findRepository(root)
  const repository = found ?? (await ownRepository(stateDir, root))
  const head = found === undefined ? { commit: undefined, branch: undefined } : await headOf(repository)
  const isolated = IsolatedGit.open(repository, head, dir)
  try {
    const top = repository.top ?? root
    const index = isolated.file('index')
    const real = path.join(repository.gitDir, 'index')
    copyIndex(real, index)
    const env = { GIT_INDEX_FILE: index }
    const [{ out }, ignored] = await Promise.all([
      isolated.git(['ls-files', '-t', '-m', '-d', '-o', '--exclude-standard', '-z'], { env }),
      readIgnored(isolated, { top, root, isBlocked, files }),
    ])
    const lines = splitNul(out)
    const others = (isOther: boolean): string[] => [
      ...new Set(lines.filter((line) => line.startsWith('? ') === isOther).map((line) => line.slice(2))),
    ]
    const [changed, untracked] = [others(false), others(true)]
    const { paths } = await findCommittable(
      isolated,
      filterCommittable({ changed, untracked }, { top, root, isBlocked }),
    )
    await addToIndex(isolated, paths, env)
    const tree = (await isolated.git(['write-tree'], { env })).out.toString().trim()
    // What was looked at once need not be read again the next time.
    const kept = found === undefined && fs.existsSync(index)
    if (kept) renameFile(index, real)
    const saved = new Set(paths)
    return {
      isolated,
      tree,
      index: kept ? real : index,
      top,
      unknown: new Set([...changed, ...untracked].filter((name) => !saved.has(name))),
      ignored,
    }
  } catch (error) {
    isolated.close()
    throw error
  }
}

/** What was at these absolute paths; unknown ones are left out. */
export async function statesBefore(
  snapshot: Snapshot,
  absolutes: readonly string[],
): Promise<Map<string, StateBefore>> {
  const { isolated, tree, top, unknown } = snapshot
  const found = new Map<string, StateBefore>()
  const byName = new Map(
    absolutes.map((absolute) => [path.relative(top, absolute).split(path.sep).join('/'), absolute]),
  )
  const known = [...byName.keys()].filter((name) => !unknown.has(name) && !name.startsWith('../'))
  // Nothing is known about files of repositories inside this one, nor about what a filter made of a content.
  const { paths: names } = await findCommittable(isolated, known)
  // A program may also have changed what is ignored: then what was there need not be ignored now.
  const newRules = names.some((name) => path.posix.basename(name) === '.gitignore')
  for (let at = 0; at < names.length; at += 500) {
    const some = names.slice(at, at + 500)
    const sides = await sidesIn(isolated, tree, some)
    const contents = await contentsBefore(snapshot, sides)
    for (const side of sides) {
      const bytes = contents.get(`${side.oid} ${side.name}`)
      if (bytes !== undefined)
        found.set(byName.get(side.name) ?? '', { state: treeEntryState(side, bytes), ignored: false })
    }
    const had = new Set(sides.map(({ name }) => name))
    const ignored = await listIgnored(
      isolated,
      some.filter((name) => !had.has(name)),
    )
    for (const name of some) {
      if (had.has(name)) continue
      const state = ignored.has(name) || newRules ? snapshot.ignored(name) : absent
      if (state !== undefined) found.set(byName.get(name) ?? '', { state, ignored: ignored.has(name) })
    }
  }
  return found
}

/**
 * Git stores one kind of line ending and puts in the one that is configured, which need not be the one the file had.
 * The size it had tells. Where nothing fits, the content is left out: it is unknown.
 */
async function contentsBefore(
  { isolated, index }: Snapshot,
  sides: readonly (TreeEntry & { name: string })[],
): Promise<Map<string, Buffer>> {
  const [contents, sizes] = await Promise.all([
    treeContents(isolated, sides),
    sizesIn(
      isolated,
      index,
      sides.map(({ name }) => name),
    ),
  ])
  const others = sides.filter(({ mode, oid, name }) => {
    const size = sizes.get(name) ?? 0
    // Nothing is what git writes down when it is to look again.
    return mode !== '120000' && size !== 0 && contents.get(`${oid} ${name}`)?.length !== size
  })
  const stored = await readStoredContents(isolated, others)
  for (const { oid, name } of others) {
    const bytes = stored.get(`${oid} ${name}`)
    const had = bytes && [bytes, withCarriageReturns(bytes)].find(({ length }) => length === sizes.get(name))
    if (had === undefined) contents.delete(`${oid} ${name}`)
    else contents.set(`${oid} ${name}`, had)
  }
  return contents
}

const withCarriageReturns = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.toString('latin1').replaceAll('\n', '\r\n'), 'latin1')

/** How large the files were on the disk when git looked at them last. */
async function sizesIn(isolated: IsolatedGit, index: string, names: readonly string[]): Promise<Map<string, number>> {
  const env = { GIT_INDEX_FILE: index }
  const out = await isolated.gitOn(['ls-files', '--debug', '-z'], names, { env })
  const entries = out.toString().matchAll(/([^\0]+)\0 +ctime: .*\n.*\n.*\n.*\n +size: (\d+)\tflags: (.*)\n/g)
  return new Map(
    [...entries].map(([, name = '', size = '0', flags = '']) => [name, isLookedAt(flags) ? Number(size) : noSize]),
  )
}

/** Not files that git takes for unchanged or leaves out: git does not know their state. */
const isLookedAt = (flags: string): boolean => (Number.parseInt(flags, 16) & 0x4000_8000) === 0

const noSize = -1

const absent: Inspected = { type: 'absent' }

/** How much of what git ignores is kept while a program runs. Enough for settings, logs and small build output. */
export const ignoredLimits = { files: 2000, bytes: 32 * 1024 * 1024, fileBytes: 1024 * 1024 } as const

/** What was at a path that git ignores; undefined when unknown. */
export type IgnoredBefore = (name: string) => Inspected | undefined

/**
 * Reads the files that git ignores, before a program runs: they are no business of the repository's objects, so they
 * wait in memory. Not packages and caches, not what is blocked, and no more than the limits say.
 */
export async function readIgnored(
  isolated: IsolatedGit,
  { top, root, isBlocked, files }: { top: string } & Pick<SnapshotOptions, 'root' | 'isBlocked' | 'files'>,
): Promise<IgnoredBefore> {
  const { out } = await isolated.git(['ls-files', '-o', '-i', '--exclude-standard', '--directory', '-z'])
  const pending = splitNul(out).reverse()
  const isLeftOut = (name: string): boolean =>
    isUnsavable(path.relative(root, path.join(top, name)).split(path.sep).join('/'), isBlocked) ||
    name.split('/').some((part) => passedOver.has(part))
  const known = new Map<string, Inspected>()
  /** Files that are there and were not read. */
  const unread = new Set<string>()
  let whole = true
  let bytes = 0
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const plain = name.replace(/\/$/, '')
    const absolute = path.join(top, plain)
    if (isLeftOut(plain)) continue
    const look = files.look(absolute)
    if (look?.type === 'directory') {
      const names = files.names(absolute).map((child) => `${plain}/${child.name}`)
      pending.push(...names.sort().reverse())
      continue
    }
    if (known.size + unread.size >= ignoredLimits.files) {
      whole = false
      break
    }
    if (look === undefined) continue
    const isSmall = look.size <= ignoredLimits.fileBytes && bytes + look.size <= ignoredLimits.bytes
    const state = look.type === 'symlink' || (look.type === 'file' && isSmall) ? readState(files, absolute) : undefined
    if (state === undefined) unread.add(plain)
    else known.set(plain, state)
    if (look.type === 'file' && isSmall) bytes += look.size
  }
  return (name) => {
    // What was not looked at may well have been there.
    const isGone = whole && !unread.has(name) && !isLeftOut(name)
    return known.get(name) ?? (isGone ? { type: 'absent' } : undefined)
  }
}

/** Undefined if it cannot be read. */
function readState(files: ProjectFiles, absolute: string): Inspected | undefined {
  try {
    return files.inspect(absolute)
  } catch (error) {
    if (error instanceof ProblemError) return undefined
    throw error
  }
}

import fs from 'node:fs'
import path from 'node:path'
import { gitStop } from './git-program.ts'
import { looseTreeOf, writeCommit } from './commit-object.ts'
import { cutOffBelow } from './cut-off.ts'
import { identityOf } from './message.ts'
import { copyIndex, isUnchanged, type Seen, takeIndexLock } from './index-file.ts'
import { jsonOf, readOwn } from '../state/own-files.ts'
import { type Head, headOf, moveRef, type Repository } from './repository.ts'
import type { Room } from './room.ts'
import { putToSleep, wake } from './sparse.ts'
import type { Side } from './tree-contents.ts'

export interface IndexCommit {
  readonly room: Room
  readonly head: Head
  /** Relative to the top; each goes in as it is on the disk. */
  readonly paths: readonly string[]
  readonly message: string
  readonly author: string | null
  /** Says, once they are read, which paths must not go in after all: they are ignored, or were changed meanwhile. */
  readonly unfit: () => Promise<ReadonlySet<string>>
  /** Paths that go back to being left out of a sparse checkout. */
  readonly asleep?: ReadonlyMap<string, Side>
  /** Where to note that the index is about to be replaced. */
  readonly pending: string
}

/**
 * Commits paths on the current branch, and puts exactly these into the index. Everything is made ready beside the
 * real index; only then is that one locked, the branch moved, and the new index put in its place.
 * Answers with the commit, or undefined when there was nothing to commit.
 */
export async function commitPaths(commit: IndexCommit): Promise<string | undefined> {
  const { room, head, author, message } = commit
  const index = path.join(room.repository.gitDir, 'index')
  for (let round = 0; round < 5; round++) {
    const copy = room.file(`index-${round}`)
    const seen = copyIndex(index, copy)
    const [tree, last] = await Promise.all([treeOf(commit, copy), treeAt(room, head.commit)])
    if (tree === last) return undefined
    const made = writeCommit(room, { tree, parent: head.commit, message, identity: identityOf(author) })
    if (await installed(commit, made, index, copy, seen)) return made
  }
  throw gitStop('the index of the repository kept changing')
}

async function treeOf({ room, paths, unfit, asleep = new Map() }: IndexCommit, index: string): Promise<string> {
  const env = { GIT_INDEX_FILE: index }
  await putToSleep(room, asleep, env)
  let wanted = paths.filter((name) => !asleep.has(name))
  for (let round = 0; ; round++) {
    const before = fs.existsSync(index)
      ? { bytes: fs.readFileSync(index), mtimeMs: fs.statSync(index).mtimeMs }
      : undefined
    await addTo(room, wanted, env)
    const late = await unfit()
    if (!wanted.some((name) => late.has(name)) || round === 3) break
    wanted = wanted.filter((name) => !late.has(name))
    if (before === undefined) fs.rmSync(index, { force: true })
    else {
      fs.writeFileSync(index, before.bytes)
      fs.utimesSync(index, Date.now() / 1000, Math.floor(before.mtimeMs) / 1000)
    }
  }
  // What is left out of a sparse checkout need not be there at all, in a partial clone.
  const { out } = await room.git(['write-tree', ...(room.config.sparse ? ['--missing-ok'] : [])], { env })
  return out.toString().trim()
}

/** Puts paths into an index as they are on the disk. */
export async function addTo(room: Room, paths: readonly string[], env: Record<string, string>): Promise<void> {
  if (paths.length === 0) return
  const top = room.repository.top ?? ''
  if (room.config.sparse) await wake(room, paths, env)
  // What goes, goes first: a file may have become a directory, or a directory a file.
  const isCutOff = cutOffBelow(top)
  const lost = paths.filter(isCutOff)
  // Git would look for them behind the link, and refuse.
  if (lost.length > 0) await updateIndex(room, ['--force-remove'], lost, env)
  const rest = paths.filter((name) => !isCutOff(name))
  const gone = (name: string): boolean => !isContent(path.join(top, name))
  const ordered = [...rest.filter(gone), ...rest.filter((name) => !gone(name))]
  // What may not be committed can still be in the way of what may.
  if (ordered.length > 0)
    await updateIndex(room, ['--add', '--remove', '--replace', '--ignore-skip-worktree-entries'], ordered, env)
}

async function updateIndex(room: Room, how: readonly string[], names: readonly string[], env: Record<string, string>) {
  await room.git(['update-index', ...how, '-z', '--stdin'], { input: names.join('\0') + '\0', env })
}

function isContent(file: string): boolean {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false })
  return stat !== undefined && !stat.isDirectory()
}

async function treeAt(room: Room, commit: string | undefined): Promise<string | undefined> {
  if (commit === undefined) return undefined
  const loose = looseTreeOf(room, commit)
  if (loose !== undefined) return loose
  const { out } = await room.git(['rev-parse', '--verify', `${commit}^{tree}`])
  return out.toString().trim()
}

/** Moves the branch and replaces the index, unless somebody else changed that meanwhile. */
async function installed(
  { room, head, message, pending }: IndexCommit,
  commit: string,
  index: string,
  copy: string,
  seen: Seen | undefined,
): Promise<boolean> {
  const lock = `${index}.lock`
  fs.writeFileSync(pending, JSON.stringify({ lock, index, copy, commit } satisfies Pending))
  await takeIndexLock(copy, lock)
  try {
    if (!isUnchanged(index, seen)) {
      fs.rmSync(lock)
      return false
    }
    const [subject = ''] = message.split('\n')
    await moveRef(room.repository, 'HEAD', commit, head.commit, `clada: ${subject}`)
  } catch (error) {
    fs.rmSync(lock, { force: true })
    throw error
  } finally {
    if (!fs.existsSync(lock)) fs.rmSync(pending, { force: true })
  }
  fs.renameSync(lock, index)
  fs.rmSync(pending, { force: true })
  return true
}

/** Written down before the index is touched: what a process that died there has left undone. */
interface Pending {
  readonly lock: string
  readonly index: string
  readonly copy: string
  readonly commit: string
}

/** Finishes or takes back the replacement of an index. A lock that somebody else holds is left alone. */
export async function settlePending(repository: Repository, pending: string): Promise<void> {
  const found = jsonOf(readOwn(pending))
  const index = path.join(repository.gitDir, 'index')
  const lock = `${index}.lock`
  // A repository may have brought this note along: it decides about no other file than this lock.
  if (isPending(found) && found.index === index && found.lock === lock && isSameFile(lock, found.copy)) {
    const { commit } = await headOf(repository)
    if (commit === found.commit) fs.renameSync(lock, index)
    else fs.rmSync(lock)
  }
  fs.rmSync(pending, { force: true })
}

function isPending(value: unknown): value is Pending {
  if (typeof value !== 'object' || value === null) return false
  return ['lock', 'index', 'copy', 'commit'].every((name) => typeof Reflect.get(value, name) === 'string')
}

function isSameFile(lock: string, copy: string): boolean {
  try {
    return fs.readFileSync(lock).equals(fs.readFileSync(copy))
  } catch {
    return false
  }
}

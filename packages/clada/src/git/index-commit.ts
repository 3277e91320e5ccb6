import fs from 'node:fs'
import path from 'node:path'
import { dirsAbove } from '../core/paths.ts'
import { hasCode, platform } from '../core/platform.ts'
import {
  type Change,
  entriesAt,
  entryAt,
  entryOf,
  extensionsOf,
  type FoundFile,
  inConflict,
  indexOf,
  type IndexBytes,
  placeOf,
  writeChanged,
  type Seen,
} from './index-bytes.ts'
import { addTo, copyIndex, isUnchanged, replaceIndex, seenIndex, setSkipWorktree } from './index-file.ts'
import { gitStop } from './git-program.ts'
import { keepWithoutState } from '../state/git-dirs.ts'
import { syncFile } from '../state/own-files.ts'
import { identityOf } from '../journal/summary.ts'
import { dropDamaged, nameOf, syncObjects, writeCommit, writeObject } from './objects.ts'
import { type Head, headOf, isSameHead, moveRef } from './repository.ts'
import type { IsolatedGit } from './isolated-git.ts'
import { cutOffBelow, rulesFor } from './savable.ts'
import type { Named, Side } from './tree-contents.ts'
import { byteName, editTree, sidesAt } from './tree-walk.ts'

export interface IndexCommit {
  readonly isolated: IsolatedGit
  /** Relative to the top; each is committed as it is on the disk. */
  readonly paths: readonly string[]
  readonly message: string
  readonly author: string | null
  /** Paths that must not be committed after all; called once the files are read. */
  readonly changedSince: () => ReadonlySet<string>
  /** Paths that are marked skip-worktree again. */
  readonly skipWorktree?: ReadonlyMap<string, Side>
}

export interface Committed {
  /** Undefined when there was nothing to commit. */
  readonly commit: string | undefined
  /** Paths that git considers unchanged. */
  readonly unchanged: readonly string[]
}

/**
 * Commits paths on the current branch, and updates exactly these in the index. Everything is prepared in a copy of the
 * index; only then is the real one locked, the branch moved, and the index replaced.
 */
export async function commitPaths(commit: IndexCommit): Promise<Committed> {
  const { isolated, author, message, changedSince } = commit
  const index = path.join(isolated.repository.gitDir, 'index')
  let { paths } = commit
  for (let round = 0; round < 20;) {
    const copy = isolated.file(`index-${round}`)
    const head = await headOf(isolated.repository)
    const seen = seenIndex(isolated.repository)
    const entries = writeIndex(isolated, copy, paths)
    if (entries === undefined) {
      copyIndex(index, copy)
      await putInto(commit, paths, copy)
    }
    // It may be large; the trees are made meanwhile.
    const synced = syncFile(copy)
    synced.catch(() => {})
    const late = changedSince()
    if (paths.some((name) => late.has(name))) {
      paths = paths.filter((name) => !late.has(name))
      continue
    }
    const changes = await changesIn(isolated, head.commit, copy, paths, entries)
    // Git trusts an object of that name unread, also one that a power cut has emptied.
    const damaged = [...changes.values()].filter((side) => side !== undefined && dropDamaged(isolated, side.oid))
    if (damaged.length > 0) continue
    const unchanged = paths.filter((name) => !changes.has(byteName(name)))
    if (changes.size === 0) return { commit: undefined, unchanged }
    const parents = head.commit === undefined ? [] : [head.commit]
    const tree = await editTree(isolated, head.commit && `${head.commit}^{tree}`, changes)
    const made = writeCommit(isolated, { tree, parents, message, identity: identityOf(author) })
    const ids = [...changes.values()].flatMap((side) => side?.oid ?? [])
    if (await installed(commit, made, { head, index, copy, seen, ids, synced })) return { commit: made, unchanged }
    round++
  }
  throw gitStop('the index of the repository kept changing')
}

async function putInto({ isolated, skipWorktree = new Map() }: IndexCommit, paths: readonly string[], index: string) {
  const env = { GIT_INDEX_FILE: index }
  await setSkipWorktree(isolated, skipWorktree, env)
  const own = paths.filter((name) => !skipWorktree.has(name))
  await addTo(isolated, own, env)
}

/**
 * Writes a copy of the index in which these paths are as they are on the disk, and stores their contents, as git would.
 * Returns their entries. Undefined where only git can do it, and when a file is changed meanwhile.
 */
export function writeIndex(
  isolated: IsolatedGit,
  copy: string,
  paths: readonly string[],
): Map<string, Side> | undefined {
  const { top = '' } = isolated.repository
  const { config } = isolated
  if (platform.name === 'win32' || !config.modes || config.sparse || paths.length > mostFiles) return undefined
  if (!paths.every((name) => ordinaryName.test(name)) || paths.some(cutOffBelow(top))) return undefined
  const stat = fs.statSync(path.join(isolated.repository.gitDir, 'index'), { throwIfNoEntry: false })
  const index = indexOf(isolated.repository, config.hash)
  if (stat === undefined || index === undefined || extensionsOf(index).some(({ name }) => !kept.has(name)))
    return undefined
  if (rulesFor(isolated, 'attributes', paths)?.includes('working-tree-encoding') !== false) return undefined
  const changes = changesOf(isolated, index, paths)
  if (changes === undefined || !isClean(isolated, index, changes)) return undefined
  for (const { found } of changes) if (found !== 'gone') writeObject(isolated, 'blob', found.bytes)
  writeChanged(copy, index, changes, stat.mode & 0o777)
  // Git notices changes by the time of the file, unless they are as old as the index: until then they are looked for here.
  const isSame = ({ name, found }: Change): boolean => {
    const again = fileAt(isolated, name)
    if (found === 'gone' || again === 'gone') return found === again
    return again !== undefined && entryOf(name, again).equals(entryOf(name, found))
  }
  if (!changes.every(isSame)) return undefined
  return new Map(changes.flatMap(({ name, found }) => (found === 'gone' ? [] : [[byteName(name), found.side]])))
}

/** Git is quicker for more. */
const mostFiles = 32
const largestFile = 1 << 20

/** Names that git accepts on every system, and that mean nothing to git itself. */
const ordinaryName = /^(?!(?:.*\/)?\.git(?![a-z]))[\w.@+=,()[\] -]+(?:\/[\w.@+=,()[\] -]+)*$/i

/** The cached trees, and how conflicts were resolved: other data would have to be updated. */
const kept = new Set(['TREE', 'REUC'])

function changesOf(isolated: IsolatedGit, index: IndexBytes, paths: readonly string[]): Change[] | undefined {
  const changes: Change[] = []
  for (const name of paths) {
    const place = placeOf(index, name)
    const { side, isPlain } = place.isThere ? entryAt(index, place.entry) : { side: undefined, isPlain: true }
    const found = fileAt(isolated, name)
    if (!isPlain || (side !== undefined && !ofFile.has(side.mode)) || found === undefined) return undefined
    // A file takes the place of a directory, or a directory that of a file.
    const below = placeOf(index, `${name}/`).entry
    const isDirectory =
      below < index.starts.length - 1 && entryAt(index, below).name.toString('latin1').startsWith(`${name}/`)
    if (!place.isThere && (isDirectory || dirsAbove(name).some((dir) => placeOf(index, dir).isThere))) return undefined
    if (place.isThere || found !== 'gone') changes.push({ name, ...place, found })
  }
  return changes.sort((one, other) => one.entry - other.entry || (one.name < other.name ? -1 : 1))
}

const ofFile = new Set(['100644', '100755'])

/**
 * Whether all other files that are as new as the old index are as it says: git compares the content of such a file as long
 * as the index is not newer.
 */
function isClean(isolated: IsolatedGit, index: IndexBytes, changes: readonly Change[]): boolean {
  const own = new Set(changes.flatMap(({ entry, isThere }) => (isThere ? [entry] : [])))
  const others = index.fresh.filter((entry) => !own.has(entry))
  if (others.length > mostFiles) return false
  return others.every((entry) => {
    const { name, side, isPlain } = entryAt(index, entry)
    if (!isPlain || !ofFile.has(side.mode) || !ordinaryName.test(name.toString())) return false
    const found = fileAt(isolated, name.toString())
    return found === 'gone' || found?.side.oid === side.oid
  })
}

/** A regular file that git stores as it is, whatever the attributes say but for its encoding. */
function fileAt(isolated: IsolatedGit, name: string): FoundFile | 'gone' | undefined {
  const file = path.join(isolated.repository.top ?? '', name)
  try {
    const fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK)
    try {
      const stat = fs.fstatSync(fd, { bigint: true })
      if (!stat.isFile() || stat.size > largestFile) return undefined
      const bytes = fs.readFileSync(fd)
      if (bytes.includes(13) || bytes.includes('$Id')) return undefined
      const mode = (stat.mode & 0o100n) === 0n ? '100644' : '100755'
      return { stat, bytes, side: { mode, oid: nameOf(isolated, 'blob', bytes) } }
    } finally {
      fs.closeSync(fd)
    }
  } catch (error) {
    return hasCode(error, 'ENOENT') ? 'gone' : undefined
  }
}

/** The differences between an index and a commit, at these paths only: changes that another process just staged stay staged. */
async function changesIn(
  isolated: IsolatedGit,
  commit: string | undefined,
  index: string,
  paths: readonly string[],
  known: ReadonlyMap<string, Side> | undefined,
) {
  const names = new Map(paths.map((name) => [byteName(name), name]))
  const entries = commit === undefined ? undefined : (known ?? entriesAt(index, names, commit.length / 2))
  const found = entries && (await plainChanges(isolated, `${commit}^{tree}`, entries, names))
  if (found !== undefined) return found
  const isOwn = atOrAround(paths)
  const changes = new Map<string, Side | undefined>()
  for (const { name, mode, oid } of await (commit === undefined
    ? allOf(isolated, index)
    : changed(isolated, commit, index)))
    if (isOwn(name)) changes.set(name, mode === '000000' ? undefined : { mode, oid })
  return changes
}

/** The same without starting git; undefined where only git can tell, or where a file and a directory replace each other. */
async function plainChanges(
  isolated: IsolatedGit,
  tree: string,
  entries: ReadonlyMap<string, Side>,
  names: ReadonlyMap<string, string>,
) {
  const before = await sidesAt(isolated.objects, tree, names)
  if ([...before].some(([name, { mode }]) => !names.has(name) || !ordinary.has(mode))) return undefined
  const changes = new Map<string, Side | undefined>()
  for (const name of names.keys()) {
    const [was, is] = [before.get(name), entries.get(name)]
    if (was?.oid !== is?.oid || was?.mode !== is?.mode) changes.set(name, is)
  }
  return changes
}

/** As an index has them; trees of other programs have others, which git takes for these. */
const ordinary = new Set(['100644', '100755', '120000'])

async function changed(isolated: IsolatedGit, commit: string, index: string): Promise<Named[]> {
  const args = ['diff-index', '--cached', '--raw', '-z', '--no-renames', commit]
  const { out } = await isolated.git(args, { env: { GIT_INDEX_FILE: index } })
  const words = out.toString('latin1').split('\0')
  const found: Named[] = []
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [, mode = '', , oid = '', how] = words[at]?.split(' ') ?? []
    if (how === 'U') throw inConflict()
    found.push({ name: words[at + 1] ?? '', mode, oid })
  }
  return found
}

async function allOf(isolated: IsolatedGit, index: string): Promise<Named[]> {
  const { out } = await isolated.git(['ls-files', '--stage', '-z'], { env: { GIT_INDEX_FILE: index } })
  return [...out.toString('latin1').matchAll(/(\d+) (\w+) \d\t([^\0]+)\0/g)].map(
    ([, mode = '', oid = '', name = '']) => ({
      name,
      mode,
      oid,
    }),
  )
}

/** Tells names that are one of these, or above or below one: a file may have become a directory, or a directory a file. */
function atOrAround(paths: readonly string[]): (name: string) => boolean {
  const own = new Set(paths.map(byteName))
  const above = new Set([...own].flatMap(dirsAbove))
  return (name) => own.has(name) || above.has(name) || dirsAbove(name).some((parent) => own.has(parent))
}

interface Prepared {
  readonly head: Head
  readonly index: string
  readonly copy: string
  readonly seen: Seen | undefined
  /** The objects that the commit adds. */
  readonly ids: readonly string[]
  readonly synced: Promise<void>
}

/** Moves the branch and replaces the index, unless another process has changed one of them. */
async function installed(
  { isolated, message }: IndexCommit,
  commit: string,
  { head, index, copy, seen, ids, synced }: Prepared,
): Promise<boolean> {
  let keep: ReturnType<typeof keepWithoutState> = () => {}
  const isDone = await replaceIndex(isolated.repository, {
    copy,
    commit,
    synced: Promise.all([synced, syncObjects(isolated, ids)]),
    move: async () => {
      if (!isUnchanged(index, seen) || !isSameHead(await headOf(isolated.repository), head)) return false
      keep = keepWithoutState(index)
      const [subject = ''] = message.split('\n')
      await moveRef(isolated.repository, 'HEAD', commit, head.commit, `clada: ${subject}`)
      return true
    },
  })
  if (isDone) keep(fs.statSync(copy, { bigint: true }).ino)
  return isDone
}

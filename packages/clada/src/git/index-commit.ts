import path from 'node:path'
import { dirsAbove } from '../core/paths.ts'
import {
  addToIndex,
  copyIndex,
  inConflict,
  isUnchanged,
  replaceIndex,
  type Seen,
  seenIndex,
  setSkipWorktree,
} from './index-file.ts'
import { gitError } from './git-program.ts'
import { syncFile } from '../state/own-files.ts'
import { identityOf } from '../store/summary.ts'
import { dropDamaged, syncObjects } from './objects.ts'
import { writeUsersCommit } from './signing.ts'
import { type Head, headOf, isSameHead, moveRef } from './repository.ts'
import type { IsolatedGit } from './isolated-git.ts'
import type { Named, TreeEntry } from './tree-contents.ts'
import { byteName, editTree } from './tree-walk.ts'

export interface IndexCommit {
  readonly isolated: IsolatedGit
  /** Relative to the top; each is committed as it is on the disk. */
  readonly paths: readonly string[]
  readonly message: string
  readonly author: string | null
  /** Paths that must not be committed after all; called once the files are read. */
  readonly changedSince: () => ReadonlySet<string>
  /** Paths that are marked skip-worktree again. */
  readonly skipWorktree?: ReadonlyMap<string, TreeEntry>
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
    copyIndex(index, copy)
    await putInto(commit, paths, copy)
    // It may be large; the trees are made meanwhile.
    const synced = syncFile(copy)
    synced.catch(() => {})
    const late = changedSince()
    if (paths.some((name) => late.has(name))) {
      paths = paths.filter((name) => !late.has(name))
      continue
    }
    const changes = await changesIn(isolated, head.commit, copy, paths)
    // Git trusts an object of that name unread, also one that a power cut has emptied.
    const damaged = [...changes.values()].filter((side) => side !== undefined && dropDamaged(isolated, side.oid))
    if (damaged.length > 0) continue
    const unchanged = paths.filter((name) => !changes.has(byteName(name)))
    if (changes.size === 0) return { commit: undefined, unchanged }
    const parents = head.commit === undefined ? [] : [head.commit]
    const tree = await editTree(isolated, head.commit && `${head.commit}^{tree}`, changes)
    const made = await writeUsersCommit(isolated, { tree, parents, message, identity: identityOf(author) })
    const ids = [...changes.values()].flatMap((side) => side?.oid ?? [])
    if (await installed(commit, made, { head, index, copy, seen, ids, synced })) return { commit: made, unchanged }
    round++
  }
  throw gitError('the index of the repository kept changing')
}

async function putInto({ isolated, skipWorktree = new Map() }: IndexCommit, paths: readonly string[], index: string) {
  const env = { GIT_INDEX_FILE: index }
  await setSkipWorktree(isolated, skipWorktree, env)
  const own = paths.filter((name) => !skipWorktree.has(name))
  await addToIndex(isolated, own, env)
}

/** The differences between an index and a commit, at these paths only: changes that another process just staged stay staged. */
async function changesIn(
  isolated: IsolatedGit,
  commit: string | undefined,
  index: string,
  paths: readonly string[],
): Promise<Map<string, TreeEntry | undefined>> {
  const isOwn = atOrAround(paths)
  const changes = new Map<string, TreeEntry | undefined>()
  for (const { name, mode, oid } of await (commit === undefined
    ? allOf(isolated, index)
    : changed(isolated, commit, index)))
    if (isOwn(name)) changes.set(name, mode === '000000' ? undefined : { mode, oid })
  return changes
}

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
  return replaceIndex(isolated.repository, {
    copy,
    commit,
    synced: Promise.all([synced, syncObjects(isolated, ids)]),
    move: async () => {
      if (!isUnchanged(index, seen) || !isSameHead(await headOf(isolated.repository), head)) return false
      const [subject = ''] = message.split('\n')
      await moveRef(isolated.repository, 'HEAD', commit, head.commit, `clada: ${subject}`)
      return true
    },
  })
}

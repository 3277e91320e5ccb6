import path from 'node:path'
import { dirsAbove } from '../core/paths.ts'
import {
  addToIndex,
  copyIndex,
  inConflict,
  isUnchanged,
  replaceIndex,
  type IndexStat,
  statIndex,
  setSkipWorktree,
} from './index-file.ts'
import { gitError } from './git-program.ts'
import { syncFile } from '../state/own-files.ts'
import { identityOf } from '../store/summary.ts'
import { commitTree, dropDamaged, syncObjectNames } from './objects.ts'
import { usersSignature } from './signing.ts'
import { type Head, headOf, isSameHead, moveRef } from './repository.ts'
import type { IsolatedGit } from './isolated-git.ts'
import type { NamedTreeEntry, TreeEntry } from './tree-contents.ts'

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
    const seen = statIndex(isolated.repository)
    copyIndex(index, copy)
    await putInto(commit, paths, copy)
    const late = changedSince()
    if (paths.some((name) => late.has(name))) {
      paths = paths.filter((name) => !late.has(name))
      continue
    }
    const { changes, others } = await differencesIn(isolated, head.commit, copy, paths)
    const unchanged = paths.filter((name) => !changes.has(byteName(name)))
    if (changes.size === 0) return { commit: undefined, unchanged }
    const tree = await writeTree(isolated, copy, others)
    const below = await treesAbove(isolated, tree, [...changes.keys()])
    const ids = [...[...changes.values()].flatMap((side) => side?.oid ?? []), tree, ...below]
    // Git trusts an object of that name unread, also one that a power cut has emptied.
    if (ids.filter((id) => dropDamaged(isolated, id)).length > 0) continue
    const parents = head.commit === undefined ? [] : [head.commit]
    const parts = { tree, parents, message, identity: identityOf(author) }
    const made = await commitTree(isolated, parts, await usersSignature())
    ids.push(made)
    if (await moveBranchAndIndex(commit, made, { head, index, copy, seen, ids })) return { commit: made, unchanged }
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

interface Differences {
  /** At the paths, or above or below one; undefined where the file is gone. */
  readonly changes: ReadonlyMap<string, TreeEntry | undefined>
  /** What another process has just staged, with what the commit has. It stays staged. */
  readonly others: readonly Changed[]
}

/** The differences between an index and a commit. */
async function differencesIn(
  isolated: IsolatedGit,
  commit: string | undefined,
  index: string,
  paths: readonly string[],
): Promise<Differences> {
  const isOwn = atOrAround(paths)
  const all = await (commit === undefined ? allOf(isolated, index) : diffIndex(isolated, commit, index))
  const own = all.filter(({ name }) => isOwn(name))
  return {
    changes: new Map(own.map(({ name, mode, oid }) => [name, mode === '000000' ? undefined : { mode, oid }])),
    others: all.filter(({ name }) => !isOwn(name)),
  }
}

/** The tree of an index, with what `others` had before. Objects that a partial clone has not fetched may be missing. */
async function writeTree(isolated: IsolatedGit, index: string, others: readonly Changed[]): Promise<string> {
  const own = others.length === 0 ? index : `${index}-own`
  const env = { GIT_INDEX_FILE: own }
  if (others.length > 0) {
    copyIndex(index, own)
    const lines = others.map(({ name, before: { mode, oid } }) => `${mode} ${oid}\t${name}\0`)
    await isolated.git(['update-index', '-z', '--index-info'], { input: Buffer.from(lines.join(''), 'latin1'), env })
  }
  return (await isolated.git(['write-tree', '--missing-ok'], { env, syncsEach: true })).out.toString().trim()
}

/** The trees of a tree that are above these names, as far as they can be read. */
async function treesAbove(isolated: IsolatedGit, tree: string, names: readonly string[]): Promise<string[]> {
  const dirs = [...new Set(names.flatMap((name) => dirsAbove(Buffer.from(name, 'latin1').toString())))]
  const args = ['ls-tree', '-z', '-d', '--full-tree', tree]
  const out = (await isolated.gitOn(args, dirs, { okExitCodes: [128] })).toString('latin1')
  return [...out.matchAll(/^\d+ tree (\w+)\t|\0\d+ tree (\w+)\t/g)].map(([, first, next]) => first ?? next ?? '')
}

interface Changed extends NamedTreeEntry {
  readonly before: TreeEntry
}

async function diffIndex(isolated: IsolatedGit, commit: string, index: string): Promise<Changed[]> {
  const args = ['diff-index', '--cached', '--raw', '-z', '--no-renames', commit]
  const { out } = await isolated.git(args, { env: { GIT_INDEX_FILE: index } })
  const words = out.toString('latin1').split('\0')
  const found: Changed[] = []
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [old = '', mode = '', oldOid = '', oid = '', how] = words[at]?.slice(1).split(' ') ?? []
    if (how === 'U') throw inConflict()
    found.push({ name: words[at + 1] ?? '', mode, oid, before: { mode: old, oid: oldOid } })
  }
  return found
}

async function allOf(isolated: IsolatedGit, index: string): Promise<Changed[]> {
  const { out } = await isolated.git(['ls-files', '--stage', '-z'], { env: { GIT_INDEX_FILE: index } })
  return [...out.toString('latin1').matchAll(/(\d+) (\w+) \d\t([^\0]+)\0/g)].map(
    ([, mode = '', oid = '', name = '']) => ({
      name,
      mode,
      oid,
      before: { mode: '000000', oid: '0'.repeat(oid.length) },
    }),
  )
}

/** Each character is one byte: git defines no encoding. */
const byteName = (name: string): string => Buffer.from(name).toString('latin1')

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
  readonly seen: IndexStat | undefined
  /** The objects that the commit adds. */
  readonly ids: readonly string[]
}

/** Moves the branch and replaces the index, unless another process has changed one of them. */
async function moveBranchAndIndex(
  { isolated, message }: IndexCommit,
  commit: string,
  { head, index, copy, seen, ids }: Prepared,
): Promise<boolean> {
  return replaceIndex(isolated.repository, {
    copy,
    commit,
    synced: Promise.all([syncFile(copy), syncObjectNames(isolated, ids)]),
    move: async () => {
      if (!isUnchanged(index, seen) || !isSameHead(await headOf(isolated.repository), head)) return false
      const [subject = ''] = message.split('\n')
      await moveRef(isolated.repository, 'HEAD', commit, head.commit, `clada: ${subject}`)
      return true
    },
  })
}

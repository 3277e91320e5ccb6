import path from 'node:path'
import { dirsAbove } from '../core/paths.ts'
import {
  addToIndex,
  copyIndex,
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
    const { id: tree, below, changes } = await writeTree(isolated, head.commit, { index: copy, paths })
    const ids = [...[...(changes?.values() ?? [])].flatMap((side) => side?.oid ?? []), tree, ...below]
    // Git trusts an object of that name unread, also one that a power cut has emptied.
    if (ids.filter((id) => dropDamaged(isolated, id)).length > 0) continue
    if (changes === undefined) throw gitError('the tree of the new commit cannot be read')
    const unchanged = paths.filter((name) => !changes.has(byteName(name)))
    if (changes.size === 0) return { commit: undefined, unchanged }
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

interface NewTree {
  readonly id: string
  /** Other trees that are new with it. */
  readonly below: readonly string[]
  /** What it changes at the paths, or above or below one; undefined where the file is gone, or where a tree is damaged. */
  readonly changes: ReadonlyMap<string, TreeEntry | undefined> | undefined
}

/**
 * Writes the tree of an index, as far as these paths are concerned: what another process has just staged is not in it, and stays
 * staged. Objects that a partial clone has not fetched may be missing.
 */
async function writeTree(
  isolated: IsolatedGit,
  head: string | undefined,
  { index, paths }: { readonly index: string; readonly paths: readonly string[] },
): Promise<NewTree> {
  const isOwn = atOrAround(paths)
  const env = { GIT_INDEX_FILE: index }
  const id = (await isolated.git(['write-tree', '--missing-ok'], { env, syncsEach: true })).out.toString().trim()
  const all = await differencesTo(isolated, head, id)
  if (all === 'unreadable') return { id, below: await treesAbove(isolated, id, paths), changes: undefined }
  const files = all.filter(({ mode, before }) => !isTree(mode) && !isTree(before.mode))
  const others = files.filter(({ name }) => !isOwn(name))
  if (others.length > 0) {
    const own = `${index}-own`
    copyIndex(index, own)
    const lines = others.map(({ name, before: { mode, oid } }) => `${mode} ${oid}\t${name}\0`)
    const input = Buffer.from(lines.join(''), 'latin1')
    await isolated.git(['update-index', '-z', '--index-info'], { input, env: { GIT_INDEX_FILE: own } })
    return writeTree(isolated, head, { index: own, paths })
  }
  return {
    id,
    below: all.flatMap(({ mode, oid }) => (isTree(mode) ? [oid] : [])),
    changes: new Map(files.map(({ name, mode, oid }) => [name, mode === gone ? undefined : { mode, oid }])),
  }
}

interface Changed extends NamedTreeEntry {
  readonly before: TreeEntry
}

/** The differences between a commit and a tree, files and trees. Only what differs is read, whatever the size of the index. */
async function differencesTo(
  isolated: IsolatedGit,
  head: string | undefined,
  tree: string,
): Promise<Changed[] | 'unreadable'> {
  const from = head ?? emptyTrees[isolated.config.hash]
  const args = ['diff-tree', '-r', '-t', '--raw', '-z', '--no-renames', from, tree]
  const { status, out } = await isolated.git(args, { okExitCodes: [128] })
  if (status !== 0) return 'unreadable'
  const words = out.toString('latin1').split('\0')
  const found: Changed[] = []
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [old = '', mode = '', oldOid = '', oid = ''] = words[at]?.slice(1).split(' ') ?? []
    found.push({ name: words[at + 1] ?? '', mode, oid, before: { mode: old, oid: oldOid } })
  }
  return found
}

/** The trees of a tree that are above these paths, as far as they can be read. */
async function treesAbove(isolated: IsolatedGit, tree: string, paths: readonly string[]): Promise<string[]> {
  const args = ['ls-tree', '-z', '-d', '--full-tree', tree]
  const listed = await isolated.gitOn(args, [...new Set(paths.flatMap(dirsAbove))], { okExitCodes: [128] })
  return [...listed.toString('latin1').matchAll(/(?:^|\0)\d+ tree (\w+)\t/g)].map(([, id = '']) => id)
}

/** Git knows it without an object. */
const emptyTrees = {
  sha1: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  sha256: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
} as const

/** The mode where there is nothing. */
const gone = '000000'
const isTree = (mode: string): boolean => mode === '040000'

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

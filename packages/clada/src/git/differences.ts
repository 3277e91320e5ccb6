import fs from 'node:fs'
import path from 'node:path'
import { dirsAbove, unsafeTreeName } from '../core/paths.ts'
import type { InMemory } from '../core/recorder.ts'
import { findCommittable } from './savable.ts'
import { gitError, splitNul } from './git-program.ts'
import type { IsolatedGit, IsolatedCall } from './isolated-git.ts'
import { listSparse } from './index-file.ts'
import { treeContents, type TreeEntry, treeEntryState } from './tree-contents.ts'
import { isStateName } from '../core/reserved-names.ts'

/** A path that differs between two trees. */
export interface Difference {
  readonly name: string
  readonly from: InMemory
  readonly to: InMemory
  /** Object ids of the contents. */
  readonly oids: readonly [string, string]
}

/** The changes on the disk from one commit to another. Nested repositories stay as they are. */
export async function diffCommits(isolated: IsolatedGit, from: string, to: string): Promise<Difference[]> {
  const all = await pathsBetween(isolated, from, to)
  const names = all.map(({ name }) => name)
  const skipped = await listSparse(isolated, names)
  const found = all.filter(
    ({ name, sides }) =>
      !sides.some(({ mode }) => mode === repositoryMode) && !name.split('/').some(isStateName) && !skipped.has(name),
  )
  // The attributes of each commit decide about its line endings; if they are equal, those on the disk are used.
  const apart = names.some((name) => path.posix.basename(name) === '.gitattributes')
  const contents = [
    await contentsOfSide(isolated, found, 0, apart ? await attributesOf(isolated, from) : {}),
    await contentsOfSide(isolated, found, 1, apart ? await attributesOf(isolated, to) : {}),
  ] as const
  return found.map(({ name, sides: [before, after] }) => ({
    name,
    from: treeEntryState(before, contents[0].get(`${before.oid} ${name}`)),
    to: treeEntryState(after, contents[1].get(`${after.oid} ${name}`)),
    oids: [before.oid, after.oid],
  }))
}

interface Between {
  readonly name: string
  readonly sides: readonly [TreeEntry, TreeEntry]
}

/**
 * The paths that differ between two commits, and both sides of each. All names are safe to write: a tree that no
 * checkout would accept is refused here, before anything is changed.
 */
export async function pathsBetween(isolated: IsolatedGit, from: string, to: string): Promise<Between[]> {
  const { out } = await isolated.git(['diff-tree', '-r', '-z', '--no-renames', '--ignore-submodules=all', from, to])
  const words = splitNul(out)
  const found: Between[] = []
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [oldMode = '', newMode = '', oldOid = '', newOid = ''] = (words[at] ?? '').slice(1).split(' ')
    const sides = [
      { mode: oldMode, oid: oldOid },
      { mode: newMode, oid: newOid },
    ] as const
    found.push({ name: words[at + 1] ?? '', sides })
  }
  const odd = found.find(({ name }) => name.includes('\ufffd'))
  if (odd !== undefined && !Buffer.from(out.toString()).equals(out))
    throw gitError(
      `${odd.name} has a name that is not UTF-8, so clada cannot write it`,
      'Use git checkout for this commit.',
    )
  refuseUnsafe(found)
  return found
}

function refuseUnsafe(found: readonly Between[]): void {
  const coming = new Set<string>()
  for (const { name, sides } of found) {
    const isComing = sides[1].mode !== absentMode
    const reason = unsafeTreeName(name) ?? (isComing && coming.has(name) ? 'it occurs twice' : undefined)
    if (reason !== undefined) throw unsafeCommit(name, reason)
    if (isComing) coming.add(name)
  }
  for (const name of coming) {
    const parent = dirsAbove(name).find((dir) => coming.has(dir))
    if (parent !== undefined) throw unsafeCommit(name, `'${parent}' above it is not a directory`)
  }
}

const unsafeCommit = (name: string, reason: string): Error =>
  gitError(
    `refusing to write ${JSON.stringify(name)}, a name in that commit: ${reason}`,
    'Nothing was changed. The commit was made to write outside the project: do not check it out.',
  )

/** The modes of an absent path and of a submodule. */
export const absentMode = '000000'
const repositoryMode = '160000'

async function contentsOfSide(
  isolated: IsolatedGit,
  found: readonly Between[],
  side: 0 | 1,
  how: IsolatedCall,
): Promise<Map<string, Buffer>> {
  const wanted = found.map(({ name, sides }) => ({ name, ...sides[side] }))
  const { filtered } = await findCommittable(
    isolated,
    wanted.map(({ name }) => name),
    how,
  )
  for (const [name, filter] of filtered)
    throw gitError(
      `${name} needs its filter '${filter}', which would run a program`,
      'Use git checkout for this commit.',
    )
  return treeContents(isolated, wanted, how)
}

/** A working tree that has only the attributes files of a commit. */
async function attributesOf(isolated: IsolatedGit, commit: string): Promise<IsolatedCall> {
  const cwd = isolated.file(`attributes-of-${commit}`)
  fs.mkdirSync(cwd, { recursive: true })
  const how = { env: { GIT_INDEX_FILE: `${cwd}.index`, GIT_WORK_TREE: cwd }, cwd }
  await isolated.git(['read-tree', commit], how)
  const { out } = await isolated.git(['ls-files', '-z', '--', ':(glob)**/.gitattributes'], how)
  if (out.length > 0) await isolated.git(['checkout-index', '-z', '--stdin'], { ...how, input: out })
  return how
}

/**
 * The object ids that git would give to the files on the disk: contents that differ only in converted parts, such as
 * line endings, have the same id.
 */
export async function oidsOnDisk(isolated: IsolatedGit, names: readonly string[]): Promise<Map<string, string>> {
  const inLines = names.filter((name) => !/["\n]/.test(name))
  const { out } =
    inLines.length === 0
      ? { out: Buffer.alloc(0) }
      : await isolated.git(['hash-object', '--stdin-paths'], { input: `${inLines.join('\n')}\n` })
  const oids = out.toString().split('\n')
  const found = new Map(inLines.map((name, at) => [name, oids[at] ?? '']))
  for (const name of names.filter((one) => !found.has(one)))
    found.set(name, (await isolated.git(['hash-object', `--path=${name}`, '--', name])).out.toString().trim())
  return found
}

/** The mode of a file that git creates. */
export const modeOfNew = (executable: boolean): number => (executable ? 0o777 : 0o666) & ~process.umask()

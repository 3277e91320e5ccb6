import fs from 'node:fs'
import path from 'node:path'
import { dirsAbove } from '../core/paths.ts'
import { unsafeTreeName } from '../core/own-names.ts'
import type { Inspected } from '../core/recorder.ts'
import { eligible } from './eligible.ts'
import { gitStop, namesIn } from './git-program.ts'
import type { Room, RoomCall } from './room.ts'
import { leftOutNow } from './sparse.ts'
import { contentsOf, type Side, stateOf } from './tree-contents.ts'

/** One path that two trees have otherwise. */
export interface Difference {
  readonly name: string
  readonly from: Inspected
  readonly to: Inspected
  /** What git calls the contents. */
  readonly oids: readonly [string, string]
}

/** What has to change on the disk to get from one commit to another. Repositories inside this one stay as they are. */
export async function differences(room: Room, from: string, to: string): Promise<Difference[]> {
  const all = await pathsBetween(room, from, to)
  const names = all.map(({ name }) => name)
  const asleep = await leftOutNow(room, names)
  const found = all.filter(
    ({ name, sides }) =>
      !sides.some(({ mode }) => mode === repositoryMode) && !name.split('/').includes('.clada') && !asleep.has(name),
  )
  // Each commit's own attributes decide about its line endings; while they are the same, those on the disk do.
  const apart = names.some((name) => path.posix.basename(name) === '.gitattributes')
  const contents = [
    await sideOf(room, found, 0, apart ? await attributesOf(room, from) : {}),
    await sideOf(room, found, 1, apart ? await attributesOf(room, to) : {}),
  ] as const
  return found.map(({ name, sides: [before, after] }) => ({
    name,
    from: stateOf(before, contents[0].get(`${before.oid} ${name}`)),
    to: stateOf(after, contents[1].get(`${after.oid} ${name}`)),
    oids: [before.oid, after.oid],
  }))
}

interface Between {
  readonly name: string
  readonly sides: readonly [Side, Side]
}

/**
 * The paths in which two commits differ, and each side of them. Every name is safe to write: a tree that no checkout
 * would accept stops here, before anything is touched.
 */
export async function pathsBetween(room: Room, from: string, to: string): Promise<Between[]> {
  const { out } = await room.git(['diff-tree', '-r', '-z', '--no-renames', '--ignore-submodules=all', from, to])
  const words = namesIn(out)
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
    throw gitStop(
      `${odd.name} has a name that is no UTF-8, so clada cannot write it`,
      'Use git checkout for this commit.',
    )
  refuseUnsafe(found)
  return found
}

function refuseUnsafe(found: readonly Between[]): void {
  const coming = new Set<string>()
  for (const { name, sides } of found) {
    const isComing = sides[1].mode !== absentMode
    const reason = unsafeTreeName(name) ?? (isComing && coming.has(name) ? 'it is there twice' : undefined)
    if (reason !== undefined) throw unsafeCommit(name, reason)
    if (isComing) coming.add(name)
  }
  for (const name of coming) {
    const parent = dirsAbove(name).find((dir) => coming.has(dir))
    if (parent !== undefined) throw unsafeCommit(name, `'${parent}' above it is not a directory`)
  }
}

const unsafeCommit = (name: string, reason: string): Error =>
  gitStop(
    `refusing to write ${JSON.stringify(name)}, a name in that commit: ${reason}`,
    'Nothing was changed. The commit was made to write outside the project: do not check it out.',
  )

/** How git writes that nothing is there, and that another repository is. */
export const absentMode = '000000'
const repositoryMode = '160000'

async function sideOf(room: Room, found: readonly Between[], side: 0 | 1, how: RoomCall): Promise<Map<string, Buffer>> {
  const wanted = found.map(({ name, sides }) => ({ name, ...sides[side] }))
  const { filtered } = await eligible(
    room,
    wanted.map(({ name }) => name),
    how,
  )
  for (const [name, filter] of filtered)
    throw gitStop(
      `${name} would have to go through its filter '${filter}', which would run a program`,
      'Use git checkout for this commit.',
    )
  return contentsOf(room, wanted, how)
}

/** Makes git see the attributes of a commit: a working tree with nothing else in it. */
async function attributesOf(room: Room, commit: string): Promise<RoomCall> {
  const cwd = room.file(`attributes-of-${commit}`)
  fs.mkdirSync(cwd, { recursive: true })
  const how = { env: { GIT_INDEX_FILE: `${cwd}.index`, GIT_WORK_TREE: cwd }, cwd }
  await room.git(['read-tree', commit], how)
  const { out } = await room.git(['ls-files', '-z', '--', ':(glob)**/.gitattributes'], how)
  if (out.length > 0) await room.git(['checkout-index', '-z', '--stdin'], { ...how, input: out })
  return how
}

/**
 * What git would call the files on the disk: two contents are the same to it when they differ only in what it converts
 * anyway, as line endings.
 */
export async function oidsOnDisk(room: Room, names: readonly string[]): Promise<Map<string, string>> {
  const inLines = names.filter((name) => !/["\n]/.test(name))
  const { out } =
    inLines.length === 0
      ? { out: Buffer.alloc(0) }
      : await room.git(['hash-object', '--stdin-paths'], { input: `${inLines.join('\n')}\n` })
  const oids = out.toString().split('\n')
  const found = new Map(inLines.map((name, at) => [name, oids[at] ?? '']))
  for (const name of names.filter((one) => !found.has(one)))
    found.set(name, (await room.git(['hash-object', `--path=${name}`, '--', name])).out.toString().trim())
  return found
}

/** The rights that a file gets when git makes it. */
export const modeOfNew = (executable: boolean): number => (executable ? 0o777 : 0o666) & ~process.umask()

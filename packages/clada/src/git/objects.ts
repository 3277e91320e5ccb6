import fs from 'node:fs'
import path from 'node:path'
import { hasCode } from '../core/platform.ts'
import { renameFile, syncFile, syncFiles } from '../state/own-files.ts'
import type { GitObject } from './object-reader.ts'
import type { IsolatedGit } from './isolated-git.ts'
import { inRepository, refuseLinks, type Repository } from './repository.ts'
import { ProblemError } from '../core/problem.ts'

export interface CommitParts {
  readonly tree: string
  readonly parents: readonly string[]
  readonly message: string
  /** Environment variables of git. */
  readonly identity: Readonly<Record<string, string>>
}

export function writeCommit(isolated: IsolatedGit, { tree, parents, message, identity }: CommitParts): string {
  const lines = [
    `tree ${tree}`,
    ...parents.map((parent) => `parent ${parent}`),
    `author ${identity['GIT_AUTHOR_NAME']} <${identity['GIT_AUTHOR_EMAIL']}> ${identity['GIT_AUTHOR_DATE']}`,
    `committer ${identity['GIT_COMMITTER_NAME']} <${identity['GIT_COMMITTER_EMAIL']}> ${identity['GIT_COMMITTER_DATE']}`,
  ]
  return writeObject(isolated, 'commit', Buffer.from(`${lines.join('\n')}\n\n${message}`))
}

type ObjectType = 'blob' | 'tree' | 'commit'

/** The object id of a content. */
export const objectId = ({ config }: IsolatedGit, type: ObjectType, body: Buffer): string =>
  process
    .getBuiltinModule('node:crypto')
    .createHash(config.hash)
    .update(headerOf(type, body))
    .update(body)
    .digest('hex')

/**
 * Writes an object in git's format, without starting git for each, and returns its id. Git sees it after `syncObjects`;
 * until then it is read with `readObject`.
 */
export function writeObject(isolated: IsolatedGit, type: ObjectType, body: Buffer): string {
  const { randomBytes } = process.getBuiltinModule('node:crypto')
  const { deflateSync } = process.getBuiltinModule('node:zlib')
  const id = objectId(isolated, type, body)
  const objects = path.join(isolated.repository.commonDir, 'objects')
  const dir = path.join(objects, id.slice(0, 2))
  const file = path.join(dir, id.slice(2))
  const whole = Buffer.concat([headerOf(type, body), body])
  if (isolated.made.has(id) || holds(file, whole)) return id
  // With the permissions of the objects directory: others may share the repository.
  const open = fs.statSync(objects).mode & 0o7777
  if (fs.mkdirSync(dir, { recursive: true }) !== undefined) fs.chmodSync(dir, open)
  // A name that git cleans up if this process dies.
  const temp = path.join(dir, `tmp_obj_clada_${randomBytes(6).toString('hex')}`)
  isolated.made.set(id, { type, bytes: body, temp, file })
  const fd = fs.openSync(temp, 'wx')
  try {
    // The tree of a large directory is mostly ids, which cannot be compressed: to try takes longer than all the rest.
    const level = type === 'tree' && whole.length > 1 << 18 ? 0 : 1
    fs.writeFileSync(fd, deflateSync(whole, { level, chunkSize: Math.max(1 << 14, whole.length) }))
    fs.fchmodSync(fd, open & 0o444)
  } finally {
    fs.closeSync(fd)
  }
  return id
}

/**
 * Brings the objects that were written to the disk, all together and in other threads, and gives them their names. The
 * names of those that git has written (`byGit`) are synced too: git itself does not do that.
 */
export async function syncObjects({ made, repository }: IsolatedGit, byGit: readonly string[] = []): Promise<void> {
  const all = [...made.values()]
  await syncFiles(all.map(({ temp }) => temp))
  for (const { temp, file } of all) renameFile(temp, file)
  made.clear()
  const objects = path.join(repository.commonDir, 'objects')
  const dirs = [...all.map(({ file }) => path.dirname(file)), ...byGit.map((id) => path.join(objects, id.slice(0, 2)))]
  await syncFiles([...new Set([objects, ...dirs])])
}

/** Brings the names of all objects to the disk, where it is not known which git has written. */
export function syncObjectNames({ repository }: IsolatedGit): Promise<void> {
  const objects = path.join(repository.commonDir, 'objects')
  const dirs = fs.readdirSync(objects).filter((name) => /^[0-9a-f]{2}$/.test(name))
  return syncFiles([objects, ...dirs.map((name) => path.join(objects, name))])
}

/** By its id or any other name that git understands. */
export async function readObject({ made, objects }: IsolatedGit, name: string): Promise<GitObject> {
  const own = made.get(name)
  return own === undefined ? objects.read(name) : { id: name, type: own.type, bytes: own.bytes }
}

/** Whether an object is there and whole: a power cut may have emptied it. */
function holds(file: string, whole: Buffer): boolean {
  const { inflateSync } = process.getBuiltinModule('node:zlib')
  try {
    return inflateSync(fs.readFileSync(file)).equals(whole)
  } catch {
    return false
  }
}

/** Removes a loose object that is not what its name says, so that git writes it again. Says whether there was one. */
export function dropDamaged({ repository, config }: IsolatedGit, id: string): boolean {
  const { createHash } = process.getBuiltinModule('node:crypto')
  const { inflateSync } = process.getBuiltinModule('node:zlib')
  const file = path.join(repository.commonDir, 'objects', id.slice(0, 2), id.slice(2))
  if (!fs.existsSync(file)) return false
  try {
    if (
      createHash(config.hash)
        .update(inflateSync(fs.readFileSync(file)))
        .digest('hex') === id
    )
      return false
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EACCES')) return false
  }
  fs.rmSync(file, { force: true })
  return true
}

const headerOf = (type: ObjectType, { length }: Buffer): Buffer => Buffer.from(`${type} ${length}\0`)

/** A commit as git stores it. */
export interface Commit {
  readonly id: string
  readonly tree: string
  readonly parents: readonly string[]
  /** Name, email and time, as git stores them. */
  readonly author: string
  /** Seconds since 1970. */
  readonly time: number
  readonly message: string
  /** As git stores it, as latin1. */
  readonly header: string
  readonly body: string
}

/** Commits by their ids, in the same order. */
export async function readCommits(repository: Repository, ids: readonly string[]): Promise<Commit[]> {
  if (ids.length === 0) return []
  const { out } = await inRepository(repository, ['cat-file', '--batch'], { input: `${ids.join('\n')}\n` })
  let at = 0
  return ids.map((id) => {
    const end = out.indexOf(10, at)
    const size = Number(out.subarray(at, end).toString().split(' ')[2])
    const raw = out.subarray(end + 1, end + 1 + size)
    at = end + 1 + size + 1
    return parseCommit(id, raw)
  })
}

/** A signature has several lines, all but the first with a leading space. */
export const signature = /^gpgsig(?:-sha256)? .*(?:\n .*)*\n?/gm

export const isSigned = ({ header }: Commit): boolean => header.search(signature) !== -1

function parseCommit(id: string, raw: Buffer): Commit {
  const text = raw.toString('latin1')
  const headerEnd = text.indexOf('\n\n')
  const header = text.slice(0, headerEnd)
  const [, time = '0'] = /^committer .* (\d+) [+-]\d{4}$/m.exec(header) ?? []
  return {
    id,
    tree: /^tree (\S+)/.exec(header)?.[1] ?? '',
    parents: [...header.matchAll(/^parent (\S+)$/gm)].map(([, parent = '']) => parent),
    author: /^author (.*)$/m.exec(header)?.[1] ?? '',
    time: Number(time),
    message: raw.subarray(headerEnd + 2).toString('utf8'),
    header,
    body: text.slice(headerEnd),
  }
}

/**
 * Packs loose objects when there are many: each takes a block of the disk, while a pack has the differences of versions.
 * Only git's own commands for that run, so no hook and no gc. The loose ones are removed once the pack is on the disk.
 */
export async function packObjects(isolated: IsolatedGit): Promise<void> {
  const objects = path.join(isolated.repository.commonDir, 'objects')
  if (looseIn(objects, sample).length * dirs < mostLoose) return
  const loose = fs.readdirSync(objects).flatMap((dir) => looseIn(objects, dir))
  const packs = path.join(objects, 'pack')
  try {
    refuseLinks(isolated.repository)
    const args = ['pack-objects', '-q', '--local', '--non-empty', '--delta-base-offset', path.join(packs, 'pack')]
    await isolated.git(args, { input: `${loose.join('\n')}\n`, lowPriority: true })
    await syncFile(packs)
    await isolated.git(['prune-packed', '-q'])
  } catch (error) {
    // An object that cannot be read, or a full disk: everything stays as it is.
    if (!(error instanceof ProblemError)) throw error
  }
}

/** Their names are evenly distributed, so one directory tells how many there are, as git's own gc estimates it. */
const sample = '17'
const dirs = 256
const mostLoose = 2048

function looseIn(objects: string, dir: string): string[] {
  if (!/^[0-9a-f]{2}$/.test(dir)) return []
  try {
    const names = fs.readdirSync(path.join(objects, dir))
    return names.filter((name) => /^(?:[0-9a-f]{38}|[0-9a-f]{62})$/.test(name)).map((name) => dir + name)
  } catch {
    return []
  }
}

import fs from 'node:fs'
import path from 'node:path'
import { hasCode } from '../core/errors.ts'
import { syncFile, syncFiles } from '../state/own-files.ts'
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

/** What git is started with to sign a commit. */
export interface Signature {
  readonly settings: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** Makes a commit of a tree. */
export async function commitTree(
  isolated: IsolatedGit,
  { tree, parents, message, identity }: CommitParts,
  signature?: Signature,
): Promise<string> {
  const settings = signature?.settings.flatMap((setting) => ['-c', setting]) ?? []
  const args = [...settings, 'commit-tree', ...(signature === undefined ? [] : ['-S']), tree]
  const above = parents.flatMap((parent) => ['-p', parent])
  const call = { env: { ...identity, ...signature?.env }, input: message, syncsEach: true }
  const { out } = await isolated.git([...args, ...above, '-F', '-'], call)
  return out.toString().trim()
}

/** Stores a commit as it is, and returns its id. */
export async function storeCommit(isolated: IsolatedGit, raw: Buffer): Promise<string> {
  const args = ['hash-object', '-t', 'commit', '-w', '--stdin']
  return (await isolated.git(args, { input: raw, syncsEach: true })).out.toString().trim()
}

/** Brings the names of objects to the disk: git itself syncs what is in them only. */
export function syncObjectNames({ repository }: IsolatedGit, ids: readonly string[]): Promise<void> {
  const objects = path.join(repository.commonDir, 'objects')
  const names = [...new Set([...ids.map((id) => id.slice(0, 2)), 'pack'])]
  return syncFiles([objects, ...names.map((name) => path.join(objects, name))])
}

/** The same where it is not known which git has written. */
export function syncAllObjectNames(isolated: IsolatedGit): Promise<void> {
  const dirs = fs.readdirSync(path.join(isolated.repository.commonDir, 'objects'))
  return syncObjectNames(
    isolated,
    dirs.filter((name) => /^[0-9a-f]{2}$/.test(name)),
  )
}

/** Removes a loose object that is not what its name says, so that git writes it again. Says whether there was one. */
export function dropDamaged({ repository, config }: IsolatedGit, id: string): boolean {
  const file = path.join(repository.commonDir, 'objects', id.slice(0, 2), id.slice(2))
  const stat = fs.statSync(file, { throwIfNoEntry: false })
  if (stat === undefined || stat.isDirectory()) return false
  try {
    // A pipe would be waited for.
    if (stat.isFile() && stat.size <= mostLooseBytes && objectIdOf(fs.readFileSync(file), config.hash) === id)
      return false
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EACCES')) return false
  }
  fs.rmSync(file, { force: true })
  return true
}

/** Git puts larger files into packs. A repository may bring a few megabytes of this name that become any number. */
const mostLooseBytes = 768 * 1024 ** 2

function objectIdOf(deflated: Buffer, hash: string): string {
  const { createHash } = process.getBuiltinModule('node:crypto')
  const { inflateSync } = process.getBuiltinModule('node:zlib')
  return createHash(hash)
    .update(inflateSync(deflated, { maxOutputLength: mostLooseBytes }))
    .digest('hex')
}

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

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { isInside } from '../core/paths.ts'
import { foldedName } from '../core/reserved-names.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import { now } from '../core/time-limit.ts'
import { isAlive, jsonOf, ownOwner, ownerFrom, putFile, readOwn, removeFile } from './own-files.ts'
import { makePrivateDir, stateHome } from './user-state.ts'

/**
 * Registers a file whose text a process of this user runs. What a reply or a program writes there would run with the
 * approvals of that process, so every other process of the user blocks it, in whatever project.
 * @throws if the user's state directory cannot be used
 */
export function registerWatched(file: string): () => void {
  const entry = path.join(registry(), `${process.pid}-${Math.random().toString(36).slice(2)}.json`)
  makePrivateDir(path.dirname(entry))
  putFile(entry, JSON.stringify({ path: file, owner: ownOwner(), system: ownSystem() }))
  known = undefined
  const beat = setInterval(() => fs.utimes(entry, new Date(), new Date(), () => {}), beatMs).unref()
  return () => {
    clearInterval(beat)
    removeFile(entry)
    known = undefined
  }
}

/** Paths of all watched files, and their paths below roots that are reached by another path than the watcher's. */
export function watchedPaths(roots: readonly string[]): string[] {
  const files = watchedFiles()
  if (files.length === 0) return []
  return files.flatMap((file) => [file, ...roots.flatMap((root) => aliasBelow(root, file) ?? [])])
}

/**
 * Whether a path, by whatever spelling, link or mount, leads to a watched file: by what is there now, because editors replace
 * the file with every save.
 */
export function isWatched(absolute: string): boolean {
  const files = watchedFiles()
  if (files.length === 0) return false
  const name = foldedName(absolute)
  const identity = fileIdentity(absolute)
  const place = directoryAndName(absolute)
  return files.some(
    (file) =>
      foldedName(file) === name ||
      (identity !== undefined && fileIdentity(file) === identity) ||
      (place !== undefined && directoryAndName(file) === place),
  )
}

const registry = (): string => path.join(stateHome(), 'watching')

let known: { readonly at: number; readonly files: readonly string[] } | undefined

/** Looked up again after 20 ms: every path of every action is compared with them. */
function watchedFiles(): readonly string[] {
  const time = now()
  if (known === undefined || time - known.at > 20) known = { at: time, files: readRegistry() }
  return known.files
}

function readRegistry(): string[] {
  const dir = registry()
  let names: string[]
  try {
    names = fs.readdirSync(dir)
  } catch {
    // Nothing was ever watched, or nothing could be registered.
    return []
  }
  return names.flatMap((name) => {
    if (!name.endsWith('.json')) return []
    const file = path.join(dir, name)
    const watched = liveEntry(file)
    if (watched !== undefined) return [watched]
    removeDead(file)
    return []
  })
}

/** The path in an entry, while its process lives. A process elsewhere, such as in a container, shows it by the time. */
function liveEntry(file: string): string | undefined {
  const entry = jsonOf(readOwn(file))
  const owner = isRecord(entry) ? ownerFrom(entry['owner']) : undefined
  if (!isRecord(entry) || typeof entry['path'] !== 'string' || owner === undefined) return undefined
  const changed = fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
  const lives = entry['system'] === ownSystem() ? isAlive(owner) : Date.now() - changed < 4 * beatMs
  return lives ? entry['path'] : undefined
}

function removeDead(file: string): void {
  try {
    removeFile(file)
  } catch {
    // It is ignored anyway.
  }
}

const beatMs = 15_000

let system: string | undefined

/** Process ids mean something only on the same machine and in the same container. */
function ownSystem(): string {
  system ??= `${os.hostname()} ${linkOf('/proc/self/ns/pid')}`
  return system
}

function linkOf(file: string): string {
  try {
    return fs.readlinkSync(file)
  } catch {
    return ''
  }
}

const fileIdentity = (file: string): string | undefined => deviceAndInode(bigStat(file, 'lstatSync'))

function directoryAndName(file: string): string | undefined {
  const dir = deviceAndInode(bigStat(path.dirname(file), 'statSync'))
  return dir === undefined ? undefined : `${dir}/${foldedName(path.basename(file))}`
}

/** The path below a root of a file whose path does not lead through it, such as with a second mount. */
function aliasBelow(root: string, file: string): string | undefined {
  if (isInside(file, root)) return undefined
  const top = deviceAndInode(bigStat(root, 'statSync'))
  for (let dir = path.dirname(file); top !== undefined; dir = path.dirname(dir)) {
    if (deviceAndInode(bigStat(dir, 'statSync')) === top) return path.join(root, path.relative(dir, file))
    if (dir === path.dirname(dir)) break
  }
  return undefined
}

const deviceAndInode = (stat: fs.BigIntStats | undefined): string | undefined => stat && `${stat.dev}:${stat.ino}`

function bigStat(file: string, how: 'lstatSync' | 'statSync'): fs.BigIntStats | undefined {
  try {
    return fs[how](file, { bigint: true, throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

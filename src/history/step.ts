import fs from 'node:fs'
import path from 'node:path'
import type { Inspected } from '../core/recorder.ts'
import { eligible } from './eligible.ts'
import { gitStop } from './git-program.ts'
import { addTo } from './index-commit.ts'
import { copyIndex, copyWithTime, takeIndexLock } from './index-file.ts'
import { identityOf } from './message.ts'
import { jsonOf, ownDir, putFile, readOwn } from '../state/own-files.ts'
import { inRepository, type Repository } from './repository.ts'
import type { Room } from './room.ts'
import { savable, statusOf } from './status.ts'
import { leftOutNow } from './sparse.ts'
import { contentsOf, type Side, stateOf } from './tree-contents.ts'

/** Where the project was before `clada back`, and what was uncommitted at each place it left. */
export interface BackState {
  /** Null when it was on no branch. */
  readonly branch: string | null
  /** From the newest commit to where it is now. */
  readonly way: readonly string[]
  /** By commit: what was uncommitted there, as a commit of its own. */
  readonly saved: Readonly<Record<string, string>>
  /** Set while files are being changed: a process that died in between has left some as they were. */
  readonly moving?: boolean
}

export const backFile = (stateDir: string): string => path.join(stateDir, 'back.json')

export function readBack(stateDir: string): BackState | undefined {
  const found = jsonOf(readOwn(backFile(stateDir)))
  return isBackState(found) ? found : undefined
}

function isBackState(value: unknown): value is BackState {
  if (typeof value !== 'object' || value === null || !('way' in value) || !Array.isArray(value.way)) return false
  return 'saved' in value && typeof value.saved === 'object' && value.saved !== null && 'branch' in value
}

/** The way back is over. */
export const endBack = (stateDir: string): void => fs.rmSync(backFile(stateDir), { force: true })

export const writeBack = (stateDir: string, state: BackState): void =>
  putFile(backFile(stateDir), JSON.stringify(state))

/** The index as it was when a commit was left. */
export function keptIndex(stateDir: string, commit: string): string | undefined {
  const file = indexCopy(stateDir, commit)
  return fs.existsSync(file) ? file : undefined
}

const indexCopy = (stateDir: string, commit: string): string => path.join(ownDir(stateDir, 'back'), `index-${commit}`)

/** What differs from a commit, as a commit on top of it; undefined when nothing does. The index is copied beside. */
export async function saveUncommitted(
  room: Room,
  head: string,
  { root, closed, stateDir }: { root: string; closed: (relative: string) => boolean; stateDir: string },
): Promise<{ commit: string; paths: readonly string[] } | undefined> {
  const { repository } = room
  const { inIndex, dirty } = await statusOf(room)
  const names = [...new Set([...inIndex, ...dirty])]
  const { paths } = await eligible(room, savable(repository.top ?? root, names, root, closed))
  if (paths.length === 0 && inIndex.length === 0) return undefined
  const index = room.file('index-save')
  copyIndex(path.join(repository.gitDir, 'index'), index)
  copyWithTime(index, indexCopy(stateDir, head))
  const env = { GIT_INDEX_FILE: index }
  await room.git(['read-tree', '-i', '-m', head], { env })
  await addTo(room, paths, env)
  const tree = (await room.git(['write-tree'], { env })).out.toString().trim()
  const message = 'clada: uncommitted before clada back\n'
  const made = await room.git(['commit-tree', tree, '-p', head, '-F', '-'], { input: message, env: identityOf(null) })
  const commit = made.out.toString().trim()
  await inRepository(repository, ['update-ref', savedRef(head), commit])
  return { commit, paths }
}

const savedRef = (at: string): string => `refs/clada/back/${at}`

export async function forgetSaved(repository: Repository, stateDir: string, at: string): Promise<void> {
  await inRepository(repository, ['update-ref', '-d', savedRef(at)])
  fs.rmSync(indexCopy(stateDir, at), { force: true })
}

/** One path that two trees have otherwise. */
export interface Difference {
  readonly name: string
  readonly from: Inspected
  readonly to: Inspected
}

/** What has to change on the disk to get from one commit to another. Repositories inside this one stay as they are. */
export async function differences(room: Room, from: string, to: string): Promise<Difference[]> {
  const { out } = await room.git(['diff-tree', '-r', '-z', '--no-renames', '--ignore-submodules=all', from, to])
  const words = out.toString().split('\0')
  const asleep = await leftOutNow(
    room,
    words.filter((_, at) => at % 2 === 1),
  )
  const found: { name: string; sides: [Side, Side] }[] = []
  for (let at = 0; at + 1 < words.length; at += 2) {
    const [oldMode = '', newMode = '', oldOid = '', newOid = ''] = (words[at] ?? '').slice(1).split(' ')
    const name = words[at + 1] ?? ''
    if (oldMode !== '160000' && newMode !== '160000' && !name.split('/').includes('.clada') && !asleep.has(name))
      found.push({
        name,
        sides: [
          { mode: oldMode, oid: oldOid },
          { mode: newMode, oid: newOid },
        ],
      })
  }
  const { filtered } = await eligible(
    room,
    found.map(({ name }) => name),
  )
  for (const [name, filter] of filtered)
    throw gitStop(`${name} would have to go through its filter '${filter}', which would run a program`)
  const contents = await contentsOf(
    room,
    found.flatMap(({ name, sides }) => sides.map((side) => ({ name, ...side }))),
  )
  return found.map(({ name, sides: [before, after] }) => ({
    name,
    from: stateOf(before, contents.get(`${before.oid} ${name}`)),
    to: stateOf(after, contents.get(`${after.oid} ${name}`)),
  }))
}

/** The index becomes that of a commit, or one that was kept. */
export async function installIndex(room: Room, commit: string, kept: string | undefined): Promise<void> {
  const index = path.join(room.repository.gitDir, 'index')
  const copy = room.file('index-new')
  if (kept !== undefined) copyWithTime(kept, copy)
  else {
    copyIndex(index, copy)
    const env = { GIT_INDEX_FILE: copy }
    await room.git(['read-tree', '-i', '-m', commit], { env })
    await room.git(['update-index', '-q', '--refresh'], { env, fine: [1] })
  }
  await takeIndexLock(copy, `${index}.lock`)
  fs.renameSync(`${index}.lock`, index)
}

/** Where HEAD points: at a commit, or at a branch again. */
export async function pointHead(
  repository: Repository,
  to: { commit: string; branch: string | null },
  why: string,
): Promise<void> {
  if (to.branch === null) await inRepository(repository, ['update-ref', '--no-deref', '-m', why, 'HEAD', to.commit])
  else await inRepository(repository, ['symbolic-ref', '-m', why, 'HEAD', to.branch])
}

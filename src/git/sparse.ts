import fs from 'node:fs'
import path from 'node:path'
import { Stop } from '../core/problem.ts'
import { namesIn } from './git-program.ts'
import type { Room } from './room.ts'
import { type Side, sidesIn } from './tree-contents.ts'

/** Paths that a sparse checkout leaves out are there after all. */
export async function wake(room: Room, paths: readonly string[], env: Record<string, string>): Promise<void> {
  await mark(room, '--no-skip-worktree', await asleepAmong(room, paths, env), env)
}

/** Which of these paths a sparse checkout leaves out: they are in the index alone, and not on the disk. */
export async function leftOutNow(room: Room, paths: readonly string[]): Promise<ReadonlySet<string>> {
  if (!room.config.sparse || paths.length === 0) return new Set()
  const { top = '' } = room.repository
  const isThere = (name: string): boolean => fs.lstatSync(path.join(top, name), { throwIfNoEntry: false }) !== undefined
  return new Set((await asleepAmong(room, paths)).filter((name) => !isThere(name)))
}

/** Which of these paths git looks past, because somebody told it to. */
export const hiddenAmong = (room: Room, paths: readonly string[]): Promise<string[]> =>
  marked(room, paths, '-v', /^[a-zS] /)

const asleepAmong = (room: Room, paths: readonly string[], env = {}): Promise<string[]> =>
  marked(room, paths, '-t', /^S /, env)

async function marked(room: Room, paths: readonly string[], how: '-t' | '-v', mark: RegExp, env = {}) {
  const lines = namesIn(await room.gitOn(['ls-files', how, '-z'], paths, { env }))
  return lines.filter((line) => mark.test(line)).map((line) => line.slice(2))
}

/**
 * What a commit holds of paths that are not on the disk. To somebody who took such a path out of a sparse checkout
 * again it is not gone: it is left out as before.
 */
export async function leftOut(room: Room, commit: string | undefined, gone: readonly string[]) {
  if (!room.config.sparse || commit === undefined || gone.length === 0) return new Map<string, Side>()
  try {
    return new Map((await sidesIn(room, `${commit}^`, gone)).map(({ name, ...side }) => [name, side]))
  } catch (error) {
    // The first commit has none before it, and one that was squashed may be gone.
    if (error instanceof Stop) return new Map<string, Side>()
    throw error
  }
}

/** Puts paths into an index as they are left out of a sparse checkout. */
export async function putToSleep(
  room: Room,
  asleep: ReadonlyMap<string, Side>,
  env: Record<string, string>,
): Promise<void> {
  if (asleep.size === 0) return
  const input = [...asleep].map(([name, { mode, oid }]) => `${mode} ${oid}\t${name}\0`).join('')
  await room.git(['update-index', '-z', '--index-info'], { input, env })
  await mark(room, '--skip-worktree', [...asleep.keys()], env)
}

async function mark(room: Room, how: string, names: readonly string[], env: Record<string, string>): Promise<void> {
  if (names.length > 0) await room.git(['update-index', how, '-z', '--stdin'], { input: names.join('\0') + '\0', env })
}

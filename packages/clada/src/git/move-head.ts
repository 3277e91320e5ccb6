import fs from 'node:fs'
import path from 'node:path'
import type { KeptIndex, HeadMove } from '../store/record.ts'
import type { ContentStore } from '../store/content-store.ts'
import { readStats, setModified } from '../state/own-files.ts'
import { copyIndex, replaceIndex } from './index-file.ts'
import type { IsolatedGit } from './isolated-git.ts'
import { moveRef, pointHead, type Repository } from './repository.ts'

/** The index that HEAD gets: that of a tree, or one that was kept. `stays`: both commits have the same files. */
export type NewIndex = 'stays' | { readonly tree: string } | KeptBytes

export interface KeptBytes extends Pick<KeptIndex, 'time'> {
  readonly bytes: Buffer
}

/** As it is; undefined if there is none. */
export function readIndex({ gitDir }: Repository): KeptBytes | undefined {
  const file = path.join(gitDir, 'index')
  const stat = readStats(file)
  return stat && { bytes: fs.readFileSync(file), time: stat.mtimeMs }
}

/** Undefined if its content is missing or damaged. */
export function readKept({ digest, time }: KeptIndex, contents: ContentStore): KeptBytes | undefined {
  const bytes = contents.read(digest)
  return bytes && { bytes, time }
}

/**
 * Moves HEAD together with the index: after a crash both have moved, or neither. The branch moves along if HEAD stays on it.
 * Files are in place by then, so that git sees them as unchanged.
 */
export async function moveHead(
  isolated: IsolatedGit,
  { before, after }: HeadMove,
  why: string,
  index: NewIndex,
): Promise<void> {
  const { repository } = isolated
  const { commit } = after
  const move = async (): Promise<boolean> => {
    if (before.branch !== after.branch) await pointHead(repository, { commit, branch: after.branch ?? null }, why)
    else if (before.commit !== commit) await moveRef(repository, 'HEAD', commit, before.commit, why)
    return true
  }
  if (index === 'stays') await move()
  else await replaceIndex(repository, { copy: await prepareIndex(isolated, index), commit, move })
}

async function prepareIndex(isolated: IsolatedGit, index: Exclude<NewIndex, 'stays'>): Promise<string> {
  const copy = isolated.file('index-new')
  const env = { GIT_INDEX_FILE: copy }
  // A kept one may refer to another file that is gone, as a split index does: then it is as git left it.
  const refresh = () => isolated.git(['update-index', '-q', '--refresh'], { env, okExitCodes: [1, 128] })
  if ('tree' in index) {
    copyIndex(path.join(isolated.repository.gitDir, 'index'), copy)
    await isolated.git(['read-tree', '-i', '-m', index.tree], { env })
    await refresh()
    if (await forgetSizes(isolated, env)) await refresh()
  } else {
    fs.rmSync(copy, { force: true })
    fs.writeFileSync(copy, index.bytes)
    setModified(copy, index.time)
    await refresh()
  }
  return copy
}

/**
 * git takes a file for changed without reading it if its size differs from the one in the index. After a step back a file
 * with mixed line endings has those of `eol=crlf`, and `clada forward` was refused because of it.
 */
async function forgetSizes(isolated: IsolatedGit, env: Readonly<Record<string, string>>): Promise<boolean> {
  const { out: differing } = await isolated.git(['diff-files', '--name-only', '-z'], { env })
  const names = new Set(differing.toString('latin1').split('\0'))
  if (names.size < 2) return false
  const { out: entries } = await isolated.git(['ls-files', '--stage', '-z'], { env })
  const lines = entries
    .toString('latin1')
    .split('\0')
    .filter((line) => names.has(line.slice(line.indexOf('\t') + 1)) && line !== '')
  const input = Buffer.from(lines.map((line) => `${line}\0`).join(''), 'latin1')
  await isolated.git(['update-index', '-z', '--index-info'], { input, env })
  return true
}

import fs from 'node:fs'
import path from 'node:path'
import { fingerprintOf } from '../core/hash.ts'
import { Stop } from '../core/problem.ts'
import type { Inspected } from '../core/recorder.ts'
import { pathFrom } from '../core/paths.ts'
import { type PathRecord, isolatedDir, type State } from '../journal/record.ts'
import { type SnapshotOptions, takeSnapshot } from '../git/snapshot.ts'
import { differences } from '../git/differences.ts'

/** A program that had begun and was not seen to end. */
export interface Program {
  /** The action that started it. */
  readonly action: number
  /** The project before it, among git's objects. */
  readonly tree: string | undefined
}

/**
 * What is otherwise now than before the program, together with what the journal knows. Whether the program did it or
 * another process since is unknown; what was there is kept, so that it can be undone. Undefined when git cannot say.
 */
export async function changedSince(
  { action, tree }: Program,
  dir: string,
  place: Omit<SnapshotOptions, 'dir'>,
  known: readonly PathRecord[],
): Promise<PathRecord[] | undefined> {
  if (tree === undefined) return undefined
  const paths = new Map(known.map((entry) => [entry.path, entry]))
  let image = nextImage(dir)
  try {
    const now = await takeSnapshot({ ...place, dir: path.join(dir, isolatedDir) })
    for (const { name, from, to } of await differences(now.isolated, tree, now.tree)) {
      const short = pathFrom(place.root, path.join(now.top, name))
      const { before, steps } = paths.get(short) ?? { before: kept(from, dir, () => image++), steps: [] }
      paths.set(short, { path: short, before, after: printed(to), steps: [...steps, { by: action }] })
    }
    return [...paths.values()]
  } catch (error) {
    if (error instanceof Stop) return undefined
    throw error
  } finally {
    fs.rmSync(path.join(dir, isolatedDir), { recursive: true, force: true })
  }
}

const nextImage = (dir: string): number =>
  1 + Math.max(-1, ...fs.readdirSync(dir).map((name) => (/^\d+$/.test(name) ? Number(name) : -1)))

function kept(state: Inspected, dir: string, nextName: () => number): State {
  if (state.type !== 'file') return state
  const image = String(nextName())
  fs.writeFileSync(path.join(dir, image), state.bytes, { flag: 'wx', mode: 0o600 })
  return { type: 'file', mode: state.mode, image }
}

const printed = (state: Inspected): State =>
  state.type === 'file' ? { type: 'file', mode: state.mode, print: fingerprintOf(state.bytes) } : state

import path from 'node:path'
import { isBelowAny } from '../core/paths.ts'
import { fingerprintOf } from '../core/hash.ts'
import { Stop } from '../core/problem.ts'
import type { Inspected } from '../core/recorder.ts'
import type { DiskTree } from './disk-tree.ts'
import type { Location } from './walk.ts'
import type { Model } from './replacement.ts'
import type { Step } from './staged-tree.ts'
import type { Look } from './tree.ts'

/** A path, and what shall be there. */
export interface Restoration {
  readonly at: Location
  readonly to: Inspected
  /** What the file must be until then, as `fingerprintOf` has it. */
  readonly expect?: string | undefined
  /** Mode and owner, when they are not to stay as they are. */
  readonly like?: Model | undefined
  /** That it is read-only is not the owner's wish: it was left so by what is undone. */
  readonly readOnly?: 'left so' | undefined
}

/**
 * The steps that bring paths to a state: first what is in the way goes, from the leaves up, then directories come,
 * from the root down, then files, and in the end directories that their owner may not write to. A directory with files of others stays.
 */
export function restoreSteps(restorations: readonly Restoration[], disk: DiskTree): Step[] {
  const removals: Step[] = []
  const dirs: Step[] = []
  const files: Step[] = []
  const narrowed: Step[] = []
  const going = new Set<string>()
  const looks = looksAt(restorations, disk)
  for (const { at, to, expect, like, readOnly } of restorations.toSorted(deepestFirst)) {
    const now = looks.get(at.absolute)
    const stays = now !== undefined && now.type === to.type && to.type !== 'symlink'
    if (now !== undefined && !stays) {
      if (now.type === 'directory' && !isEmptied(at, disk, going)) continue
      removals.push(now.type === 'directory' ? { kind: 'remove-dir', at } : { kind: 'remove', at, expect, readOnly })
      going.add(at.absolute)
    }
    const moded =
      now !== undefined && to.type === 'directory' && to.mode !== undefined && to.mode !== (now.mode & 0o7777)
    if (to.type === 'directory' && (!stays || moded)) {
      dirs.push({ kind: 'make-dir', at, mode: to.mode === undefined ? undefined : to.mode | forOwner })
      if (to.mode !== undefined && (to.mode & forOwner) !== forOwner)
        narrowed.push({ kind: 'make-dir', at, mode: to.mode })
    }
    if (to.type === 'symlink') files.push({ kind: 'make-link', at, target: to.target })
    if (to.type !== 'file') continue
    const base = stays ? disk.read(at, Infinity) : null
    // Thousands of files must not hold thousands of descriptors.
    base?.release()
    if (base !== null && expect !== undefined && fingerprintOf(base.bytes) !== expect)
      throw new Stop({ kind: 'changed-meanwhile', path: at.given })
    files.push({ kind: 'write', at, bytes: to.bytes, base, like, readOnly })
  }
  return [...removals, ...dirs.reverse(), ...files, ...narrowed]
}

/** Something may have to be put into a directory before it gets the mode that it had. */
const forOwner = 0o700

/** What is at each place. A path through a link counts as absent until a directory takes its name. */
function looksAt(restorations: readonly Restoration[], disk: DiskTree): Map<string, Look | undefined> {
  const links = new Set<string>()
  const looks = new Map<string, Look | undefined>()
  for (const { at } of restorations.toSorted(deepestFirst).reverse()) {
    const look = isBelowAny(at.absolute, links) ? undefined : disk.look(at)
    if (look?.type === 'symlink') links.add(at.absolute)
    looks.set(at.absolute, look)
  }
  return looks
}

function isEmptied(at: Location, disk: DiskTree, going: ReadonlySet<string>): boolean {
  return disk.names(at).every(({ name }) => going.has(path.join(at.absolute, name)))
}

function deepestFirst(a: Restoration, b: Restoration): number {
  return b.at.parts.length - a.at.parts.length || (a.at.absolute < b.at.absolute ? -1 : 1)
}

import type { WriteNote } from '../core/files.ts'
import path from 'node:path'
import { isBelowAny } from '../core/paths.ts'
import { ProblemError } from '../core/problem.ts'
import type { DiskTree } from './disk-tree.ts'
import type { Location } from './walk.ts'
import type { ModeAndOwner, Replacement } from './replacement.ts'
import type { Step } from './staged-tree.ts'
import type { Announced, EntryInfo } from './tree.ts'
import { digestOf } from '../core/digest.ts'
import { type InMemory, mostInMemory } from '../core/recorder.ts'

/**
 * Brings staged steps to the disk, all of them or none. Everything that needs room is written first, under
 * temporary names, so that a full disk is met before anything has changed. Then the steps are taken in order,
 * and if one is refused the ones before it are undone.
 */
export async function landTogether(all: readonly Step[], disk: DiskTree): Promise<WriteNote[]> {
  const { steps, passed } = foldWrites(all)
  const safety = new Safety(disk, steps.some((step) => step.kind === 'remove-dir') ? 'root' : 'beside')
  const noted: WriteNote[] = []
  const replacements = new Map<Step, Replacement>()
  try {
    const early = stepsWithStablePlace(steps)
    // Directories first: writing a file's successor beside it makes them, before their own step does.
    for (const step of early) if (step.kind === 'make-dir') safety.keep(step.at)
    for (const step of early) {
      if (step.kind !== 'write') continue
      disk.actFor(step)
      replacements.set(step, disk.prepare(step.at, step.bytes, step.base, step))
    }
    // All of them, also after a failure: giving up would close descriptors that are still being synced.
    const waiting = [...replacements.values()]
    for (let at = 0; at < waiting.length; at += atOnce)
      await allOf(waiting.slice(at, at + atOnce).map(async (replacement) => replacement.write()))
    await disk.announce(steps.flatMap(announcementOf))
    for (const step of steps) {
      for (const at of placesChangedBy(step)) safety.keep(at)
      disk.actFor(step)
      for (const earlier of passed.get(step) ?? []) disk.passed(earlier)
      const note = await (replacements.get(step)?.commit() ?? take(step, disk))
      if (note !== undefined) noted.push(note)
    }
  } catch (error) {
    for (const replacement of replacements.values()) replacement.discard()
    safety.restore()
    throw error
  } finally {
    disk.ofProgram = false
  }
  safety.forget()
  return noted
}

/** The first failure, once all have ended: whatever is still under way could not be undone. */
async function allOf<T>(all: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(all)
  return Promise.all(all)
}

/** More files at the same time would need more descriptors than a process has. */
const atOnce = 64

type Write = Extract<Step, { kind: 'write' }>

/** Of several texts of one file only the last is written; the others are recorded as steps on the way to it. */
function foldWrites(all: readonly Step[]): { steps: readonly Step[]; passed: ReadonlyMap<Step, readonly Write[]> } {
  const steps = new Set<Step>()
  const passed = new Map<Step, Write[]>()
  const last = new Map<string, Write>()
  for (const step of all) {
    if (step.kind !== 'write') {
      // It may have to do with any of the files so far.
      if (step.kind !== 'make-dir') last.clear()
      steps.add(step)
      continue
    }
    const before = last.get(step.at.absolute)
    const whole = before === undefined ? step : { ...step, base: before.base, like: step.like ?? before.like }
    if (before !== undefined) {
      steps.delete(before)
      const earlier = passed.get(before) ?? []
      passed.delete(before)
      earlier.push(before)
      passed.set(whole, earlier)
    }
    steps.add(whole)
    last.set(step.at.absolute, whole)
  }
  return { steps: [...steps], passed }
}

/** The places that a step changes. */
export function placesChangedBy(step: Step): Location[] {
  switch (step.kind) {
    case 'write':
    case 'place':
    case 'remove':
    case 'remove-dir':
    case 'make-dir':
    case 'make-link':
      return [step.at]
    case 'rename':
      return [step.from, step.to]
    case 'copy':
      return [step.to]
  }
}

/** Files announce themselves when they are written, and new directories need not. */
function announcementOf(step: Step): Announced[] {
  const { by, ofProgram = false } = step
  const whose = { by, ofProgram }
  if (step.kind === 'remove' || step.kind === 'remove-dir')
    return [{ at: step.at, becomes: { type: 'absent' }, ...whose }]
  if (step.kind === 'make-link') return [{ at: step.at, becomes: { type: 'moved' }, ...whose }]
  if (step.kind !== 'rename') return []
  return [
    { at: step.from, becomes: { type: 'absent' }, moved: 'moved', ...whose },
    { at: step.to, becomes: { type: 'moved' }, ...whose },
  ]
}

/** Steps whose place is there from the beginning to the end. The others wait until their turn comes. */
function stepsWithStablePlace(steps: readonly Step[]): Step[] {
  const gone = new Set<string>()
  const found: Step[] = []
  for (const step of steps) {
    if (step.kind === 'remove' || step.kind === 'remove-dir') gone.add(step.at.absolute)
    else if (step.kind === 'rename') gone.add(step.from.absolute)
    else if (step.kind !== 'copy' && !isBelowAny(step.at.absolute, gone)) found.push(step)
  }
  return found
}

async function take(step: Step, disk: DiskTree): Promise<WriteNote | undefined> {
  if (step.kind === 'write') return disk.write(step.at, step.bytes, step.base, step)
  if (step.kind === 'place') return disk.place(step.at, step.content, step)
  if (step.kind === 'make-link') disk.makeLink(step.at, step.target)
  if (step.kind === 'rename') disk.rename(step.from, step.to)
  else if (step.kind === 'remove') disk.remove(step.at, step)
  else if (step.kind === 'remove-dir') disk.removeDir(step.at)
  else if (step.kind === 'make-dir') disk.makeDir(step.at, step.mode)
  else if (step.kind === 'copy') await disk.copy(step.from, step.to)
  return undefined
}

/** Remembers each place as it was before the first step touched it. */
class Safety {
  readonly #disk: DiskTree
  readonly #where: 'beside' | 'root'
  readonly #copies: { at: Location; restore: () => void; forget: () => void }[] = []
  readonly #kept = new Set<string>()

  constructor(disk: DiskTree, where: 'beside' | 'root') {
    this.#disk = disk
    this.#where = where
  }

  keep(at: Location): void {
    if (this.#kept.has(at.absolute)) return
    this.#kept.add(at.absolute)
    this.#copies.push({ at, ...this.#disk.keepCopy(at, this.#where) })
  }

  restore(): void {
    const lost: string[] = []
    for (const { at, restore } of this.#copies.reverse()) {
      try {
        restore()
      } catch {
        lost.push(at.given)
      }
    }
    if (lost.length > 0) throw new ProblemError({ kind: 'half-landed', paths: lost })
  }

  forget(): void {
    for (const { forget } of this.#copies) forget()
  }
}

/** What shall be at a path. A large file is copied from where its content is kept. */
export type WantedContent = InMemory | LargeFile

interface LargeFile {
  readonly type: 'file'
  readonly mode: number
  readonly bytes?: undefined
  readonly digest: string
  readonly from: string
}

/** A path, and what shall be there. */
export interface Restoration {
  readonly at: Location
  readonly to: WantedContent
  /** What the file must be until then, as `digestOf` has it. */
  readonly expect?: string | undefined
  /** Mode and owner, when they are not to stay as they are. */
  readonly like?: ModeAndOwner | undefined
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
    if (to.bytes === undefined || (stays && now.size > mostInMemory)) {
      files.push({ kind: 'place', at, content: to.bytes ?? { file: to.from, mode: to.mode }, expect, like, readOnly })
      continue
    }
    const base = stays ? disk.read(at, Infinity) : null
    // Thousands of files must not hold thousands of descriptors.
    base?.release()
    if (base !== null && expect !== undefined && digestOf(base.bytes) !== expect)
      throw new ProblemError({ kind: 'changed-meanwhile', path: at.given })
    files.push({ kind: 'write', at, bytes: to.bytes, base, like, readOnly })
  }
  return [...removals, ...dirs.reverse(), ...files, ...narrowed]
}

/** Something may have to be put into a directory before it gets the mode that it had. */
const forOwner = 0o700

/** What is at each place. A path through a link counts as absent until a directory takes its name. */
function looksAt(restorations: readonly Restoration[], disk: DiskTree): Map<string, EntryInfo | undefined> {
  const links = new Set<string>()
  const looks = new Map<string, EntryInfo | undefined>()
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

const deepestFirst = (a: Restoration, b: Restoration): number => b.at.parts.length - a.at.parts.length

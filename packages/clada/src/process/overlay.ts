import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Staged } from '../core/effects.ts'
import { dirsAbove, isBelowAny, isInside } from '../core/paths.ts'
import { isAlive, jsonOf, ownerFrom, ownOwner, readOwn } from '../state/own-files.ts'
import { stateHome, makePrivateDir } from '../state/user-state.ts'
import type { Cache, Mounts } from './bounds.ts'
import { collectEffects, type Collected, longestPath } from './effects.ts'
import { findProgram, systemPath } from './programs.ts'
import { runProcess } from './run-process.ts'
import { platform } from '../core/platform.ts'
import type { WatchedWrites, WriteLimits } from './write-limits.ts'

/** How a path of the project looks to a program, when not as it is. */
export interface Mask {
  readonly path: string
  readonly as: 'unreadable' | 'missing' | { readonly text: string }
}

/** Files layered over the project before a program starts. */
export interface Layers {
  readonly masks: readonly Mask[]
  /** Directories outside the project that a program may write to, although what is there does not change. */
  readonly caches: readonly Cache[]
  /** A directory outside the project that a program may write to, and whose changes count. */
  readonly beside?: Beside | undefined
  /**
   * Directories that programs see as they are and cannot write to. Through an overlay a socket or a named pipe leads
   * nowhere, whoever made it and however: it has no list, and a mount that is read-only keeps nobody from using one.
   */
  readonly shown: readonly string[]
  /** What is not on the disk yet, relative to the root. A directory comes before what is in it. */
  readonly staged: readonly Staged[]
  readonly limits: WriteLimits
}

/** A directory outside the project whose changes count, and the names in it that programs do not see. */
export interface Beside {
  readonly dir: string
  readonly missing: readonly string[]
}

/** The programs that mount, where this system has all of them. */
interface Mounting {
  readonly unshare: string
  readonly sh: string
  readonly mknod: string
}

/**
 * An overlay over the project: programs see the project and write to a private directory of ours, which is then by
 * construction the complete list of what they changed. The mounts are made in a user and mount namespace of their own
 * and end with the program; nothing of it is visible in the project.
 */
export class Overlay {
  readonly #root: string
  readonly #dir: string
  readonly #masks: readonly Mask[]
  readonly #mounting: Mounting
  /** What is mounted besides the project: the caches, and the directory beside the project last. */
  readonly #further: readonly Further[]
  readonly #beside: Beside | undefined
  readonly #shown: readonly string[]
  readonly #staged: readonly Staged[]
  readonly #limits: WriteLimits
  #view: number | undefined
  #before: number | undefined
  #viewBeside: number | undefined
  #began = 0

  private constructor(
    root: string,
    dir: string,
    { masks, caches, beside, shown, staged, limits }: Layers,
    by: Mounting,
  ) {
    this.#root = root
    this.#dir = dir
    this.#masks = masks
    const empty = path.join(path.dirname(dir), emptyDir)
    this.#further = [
      ...caches.map((cache, at) => cacheLayers(cache, `${at}/upper`, empty)),
      ...(beside === undefined ? [] : [besideOf(beside, `${caches.length}/upper`, path.join(dir, 'unseen'))]),
    ]
    this.#beside = beside
    this.#shown = shown
    this.#staged = staged
    this.#limits = limits
    this.#mounting = by
  }

  /** Undefined where this system cannot mount any. Whether it really can is known when the program has started. */
  static async open(root: string, layers: Layers): Promise<Overlay | undefined> {
    const mounting = mountingPrograms()
    const place = mounting === undefined ? undefined : placeFor(root)
    if (mounting === undefined || place === undefined) return undefined
    sweep(place)
    const dir = fs.mkdtempSync(path.join(place, 'run-'))
    const overlay = new Overlay(root, dir, layers, mounting)
    try {
      fs.writeFileSync(path.join(dir, ownerFile), JSON.stringify(ownOwner()))
      for (const name of ['upper', 'work', 'mask', 'staged']) fs.mkdirSync(path.join(dir, name))
      fs.mkdirSync(overlay.#mergedAt(''), { recursive: true })
      likeDirectory(root, path.join(dir, 'upper'))
      await overlay.#putMasks()
      if (layers.beside !== undefined && layers.beside.missing.length > 0) await overlay.#putUnseen(layers.beside)
      if (layers.staged.length > 0) await overlay.#putStaged()
      if (layers.caches.length + layers.shown.length > 0) fs.mkdirSync(path.join(place, emptyDir), { recursive: true })
      for (const [at, { dir: lower }] of overlay.#further.entries()) {
        for (const name of ['upper', 'work']) fs.mkdirSync(path.join(dir, String(at), name), { recursive: true })
        fs.mkdirSync(overlay.#mergedAt(at), { recursive: true })
        if (lower === layers.beside?.dir) likeDirectory(lower, overlay.#upperBeside())
      }
      for (const at of layers.shown.keys()) fs.mkdirSync(overlay.#mergedAt(at, 'shown'), { recursive: true })
      return overlay
    } catch (error) {
      overlay.close()
      throw error
    }
  }

  /** Where a directory of the real system is found inside, once the mounts are there. */
  get mounts(): Mounts {
    return {
      root: this.#mergedAt(''),
      further: this.#further.map(({ dir }, at) => [dir, this.#mergedAt(at)] as const),
      shown: this.#shown.map((dir, at) => [dir, this.#mergedAt(at, 'shown')] as const),
    }
  }

  /** The same program, started after the mounts are made. Directories are named by descriptors: options have no quoting. */
  wrap(file: string, args: readonly string[]): { file: string; args: string[]; cwd: string } {
    // Volatile: without it the end of every mount would wait until the whole disk is synced. What lands is synced by us.
    const mount = (lower: string, to: string): string =>
      `mount -t overlay overlay -o userxattr,volatile,lowerdir=${lower},upperdir=/proc/self/fd/7,workdir=/proc/self/fd/8 ${to}`
    const found = `${this.#staged.length === 0 ? '' : '/proc/self/fd/5:'}/proc/self/fd/6`
    const script = [
      ...(this.#staged.length === 0
        ? []
        : [`mount -t overlay overlay -o userxattr,lowerdir=${found} ../before 5<staged 6<"$1" || exit ${unmounted}`]),
      `${mount(`/proc/self/fd/9:${found}`, '../merged')} 5<staged 6<"$1" 7<upper 8<work 9<mask || exit ${unmounted}`,
      'shift',
      ...this.#further.map(
        ({ lower }, at) =>
          `${mount(lower.length === 1 ? '/proc/self/fd/5' : '/proc/self/fd/5:/proc/self/fd/6', `../merged${at}`)} 7<"$1" 8<${at}/work 5<"$2" 6<"$3" || exit ${unmounted}; shift 3`,
      ),
      // Some file systems cannot be layered.
      ...this.#shown.map(
        (_, at) =>
          `mount -t overlay overlay -o userxattr,lowerdir=/proc/self/fd/5:/proc/self/fd/6 ../shown${at} 5<../${emptyDir} 6<"$1" 2>/dev/null || mount --rbind "$1" ../shown${at} || exit ${unmounted}; shift`,
      ),
      'exec "$@"',
    ].join('\n')
    const dirs = this.#further.flatMap(({ upper, lower: [first, second = first] }) => [upper, first, second])
    const { unshare, sh } = this.#mounting
    return {
      file: unshare,
      args: ['-Urm', sh, '-c', script, 'sh', this.#root, ...dirs, ...this.#shown, file, ...args],
      cwd: this.#dir,
    }
  }

  /** Holds what the program sees, so that it can be looked at when its namespaces are gone. */
  hold(pid: number): string {
    // Through a file: the clock of the file system is coarser than ours.
    fs.writeFileSync(path.join(this.#dir, 'began'), '')
    this.#began = fs.statSync(path.join(this.#dir, 'began')).ctimeMs
    this.#view ??= fs.openSync(`/proc/${pid}/root${this.#mergedAt('')}`, 'r')
    if (this.#beside !== undefined)
      this.#viewBeside ??= fs.openSync(`/proc/${pid}/root${this.#mergedAt(this.#further.length - 1)}`, 'r')
    if (this.#staged.length > 0) this.#before ??= fs.openSync(`/proc/${pid}/root${this.#mergedAt('', 'before')}`, 'r')
    return `/proc/self/fd/${this.#view}`
  }

  /**
   * What the program changed. Only after it has ended. `again`: changes by others until then count as theirs.
   * `isChecked`: where the caller finds out itself what others have changed.
   * @throws TooMuchWritten
   */
  collect(further: 'again' | 'none' = 'none', isChecked: (path: string) => boolean = () => false): Collected {
    if (this.#view === undefined) return { effects: [], notKept: [], stripped: [] }
    const views = {
      lower: this.#before === undefined ? this.#root : `/proc/self/fd/${this.#before}`,
      upper: path.join(this.#dir, 'upper'),
      merged: `/proc/self/fd/${this.#view}`,
      unseen: new Set(this.#masks.flatMap(({ path: name, as }) => (as === 'missing' ? [name] : []))),
      began: this.#began,
      limits: this.#limits,
      isChecked,
    }
    try {
      return collectEffects(views)
    } finally {
      if (further === 'none') this.#letGo()
    }
  }

  /** The same for the directory beside the project, where the caller finds out what others have changed. */
  collectBeside(): Collected {
    if (this.#viewBeside === undefined || this.#beside === undefined) return { effects: [], notKept: [], stripped: [] }
    return collectEffects({
      lower: this.#beside.dir,
      upper: this.#upperBeside(),
      merged: `/proc/self/fd/${this.#viewBeside}`,
      unseen: new Set(this.#beside.missing),
      began: this.#began,
      limits: this.#limits,
      isChecked: () => true,
    })
  }

  /** Where on the disk the program writes. Caches of tools do not count. */
  get writes(): WatchedWrites {
    const uppers = this.#further.flatMap(({ upper }) => (path.isAbsolute(upper) ? [] : [upper]))
    return { dirs: ['upper', ...uppers].map((name) => path.join(this.#dir, name)), limits: this.#limits }
  }

  /** When the program began, by the clock of the file system. */
  get began(): number {
    return this.#began
  }

  /** A file of ours that is gone with the layers. */
  file(name: string): string {
    return path.join(this.#dir, name)
  }

  close(): void {
    this.#letGo()
    void removeTree(this.#dir)
  }

  /** The same for all runs, each in its own namespace: the kernel takes long to remove what was mounted over. */
  #mergedAt(at: number | '', name = 'merged'): string {
    return path.join(path.dirname(this.#dir), `${name}${at}`)
  }

  #upperBeside(): string {
    return path.join(this.#dir, String(this.#further.length - 1), 'upper')
  }

  #letGo(): void {
    for (const view of [this.#view, this.#before, this.#viewBeside]) if (view !== undefined) fs.closeSync(view)
    this.#view = undefined
    this.#before = undefined
    this.#viewBeside = undefined
  }

  /** A layer between the project and what the program writes. Directories in it look like those that they cover. */
  async #putMasks(): Promise<void> {
    const mask = path.join(this.#dir, 'mask')
    const missing = this.#masks.some(({ as }) => as === 'missing') ? await this.#missing() : undefined
    const dirs = [...new Set(this.#masks.flatMap(({ path: name }) => dirsAbove(name)))].sort()
    for (const dir of dirs) fs.mkdirSync(path.join(mask, dir), { recursive: true })
    for (const { path: name, as } of this.#masks) {
      const at = path.join(mask, name)
      if (as === 'missing' && missing !== undefined) fs.linkSync(missing, at)
      else fs.writeFileSync(at, typeof as === 'object' ? as.text : '', { mode: typeof as === 'object' ? 0o444 : 0 })
    }
    for (const dir of [...dirs.reverse(), '']) likeDirectory(path.join(this.#root, dir), path.join(mask, dir))
  }

  /** The same for the directory beside the project, of which nothing is shown in another way. */
  async #putUnseen({ dir, missing: names }: Beside): Promise<void> {
    const unseen = path.join(this.#dir, 'unseen')
    const missing = await this.#missing()
    if (missing === undefined) throw new Error('no device for a hidden name could be made')
    const dirs = [...new Set(names.flatMap((name) => dirsAbove(name)))].sort()
    for (const name of ['', ...dirs]) fs.mkdirSync(path.join(unseen, name))
    for (const name of names) fs.linkSync(missing, path.join(unseen, name))
    for (const name of [...dirs.reverse(), '']) likeDirectory(path.join(dir, name), path.join(unseen, name))
  }

  /** A layer over the project with what is not on the disk yet, so that the program finds it there. */
  async #putStaged(): Promise<void> {
    const layer = path.join(this.#dir, 'staged')
    fs.mkdirSync(this.#mergedAt('', 'before'), { recursive: true })
    const missing = this.#staged.some(({ is }) => is.type === 'absent') ? await this.#missing() : undefined
    const made = new Map<string, number | undefined>()
    const notDirectories = new Set<string>()
    for (const { path: name, is } of this.#staged) {
      // Of a directory that is gone nothing more has to be said.
      if (isBelowAny(name, notDirectories)) continue
      for (const dir of dirsAbove(name)) if (!made.has(dir)) made.set(dir, undefined)
      const at = path.join(layer, name)
      fs.mkdirSync(is.type === 'directory' ? at : path.dirname(at), { recursive: true })
      if (is.type === 'directory') {
        made.set(name, is.mode)
        continue
      }
      notDirectories.add(name)
      if (is.type === 'link') fs.symlinkSync(is.target, at)
      else if (is.type === 'file') {
        fs.writeFileSync(at, is.bytes ?? '')
        fs.chmodSync(at, is.bytes === undefined ? 0 : is.mode & 0o1777)
      } else if (missing === undefined) throw new Error('no device for a deleted file could be made')
      else fs.linkSync(missing, at)
    }
    for (const [dir, mode] of [...made].sort(([a], [b]) => (a < b ? 1 : -1))) {
      if (mode === undefined) likeDirectory(path.join(this.#root, dir), path.join(layer, dir))
      else fs.chmodSync(path.join(layer, dir), mode & 0o1777)
    }
    likeDirectory(this.#root, layer)
  }

  /** The device by which an overlay says that nothing is there. Made once; every further one is a link to it. */
  async #missing(): Promise<string | undefined> {
    const file = path.join(path.dirname(this.#dir), 'missing')
    const isThere = (): boolean => fs.lstatSync(file, { throwIfNoEntry: false })?.isCharacterDevice() ?? false
    if (isThere()) return file
    const call = { args: [file, 'c', '0', '0'], cwd: '/', env: {}, timeoutMs: 5000, outputBytes: 1000 }
    await runProcess({ file: this.#mounting.mknod, ...call, scope: 'group' })
    return isThere() ? file : undefined
  }
}

/** A directory that is mounted besides the project. */
interface Further {
  readonly dir: string
  /** Where what is written goes, relative to the layers of this run if it ends with them. */
  readonly upper: string
  /** What is below it, the first one on top. */
  readonly lower: readonly [string, ...string[]]
}

const besideOf = ({ dir, missing }: Beside, upper: string, unseen: string): Further => ({
  dir,
  upper,
  lower: missing.length === 0 ? [dir] : [unseen, dir],
})

/** Of a cache, from above: what this run writes, what the project has kept, the user's own. */
function cacheLayers({ dir, layer, writes }: Cache, upper: string, empty: string): Further {
  const [first, ...others] = (writes === 'kept' ? [dir] : [layer, dir]).filter(leadsToDirectory)
  return { dir, upper: writes === 'kept' ? layer : upper, lower: [first ?? empty, ...others] }
}

/** The exit code of a start whose mounts were refused. */
const unmounted = 97

/** Whether it was the mounts that were refused, and what was said about it. */
export function whyUnmounted(end: { exitCode: number | null; stderr: string; status: string }): string | undefined {
  if (end.exitCode === 0 || end.status.includes('"child-pid"') || end.stderr.startsWith('bwrap: ')) return undefined
  return end.stderr.trim() || `exit ${end.exitCode}`
}

let programs: Mounting | 'none' | undefined

function mountingPrograms(): Mounting | undefined {
  programs ??= findMounting()
  return programs === 'none' ? undefined : programs
}

function findMounting(): Mounting | 'none' {
  const [unshare, sh, mknod, mount] = ['unshare', 'sh', 'mknod', 'mount'].map((name) => findProgram(name, systemPath))
  const missing = unshare === undefined || sh === undefined || mknod === undefined || mount === undefined
  return !platform.layers || missing ? 'none' : { unshare, sh, mknod }
}

const known = new Map<string, Promise<boolean>>()

/** Whether programs can work on layers over a project. Tried once, with a program that does nothing. */
export function canLayer(root: string): Promise<boolean> {
  const before = known.get(root) ?? tryLayers(root)
  known.set(root, before)
  return before
}

async function tryLayers(root: string): Promise<boolean> {
  const layers = await Overlay.open(root, {
    masks: [],
    caches: [],
    shown: [],
    staged: [],
    limits: { bytes: 0, entries: 0 },
  })
  if (layers === undefined) return false
  try {
    const call = { ...layers.wrap('/usr/bin/true', []), env: {}, timeoutMs: 5000, outputBytes: 1000 }
    const end = await runProcess({ ...call, scope: 'group' })
    if (end.exitCode === 0) return true
  } finally {
    layers.close()
  }
  return giveUpPlace(root) ? tryLayers(root) : false
}

/** Places for the layers of a project. Another project may have no file system mounted in it, and layers in the same place. */
const refusedAt = new Set<string>()
const refusalKey = (place: string, root: string): string => `${place}\0${root}`

/** Mounts were refused: the next place is tried, and this one not again for this project in this process. */
export function giveUpPlace(root: string): boolean {
  const place = placeFor(root)
  if (place !== undefined) refusedAt.add(refusalKey(place, root))
  return placeFor(root) !== undefined
}

const ownerFile = 'owner'
/** In the place of a layer that is not there. */
const emptyDir = 'empty'

export const leadsToDirectory = (dir: string): boolean =>
  fs.statSync(dir, { throwIfNoEntry: false })?.isDirectory() ?? false

/**
 * A private directory for the layers, on the same file system as the project where possible, so that what a program
 * wrote can be moved into place. The kernel refuses one inside the project.
 */
export function placeFor(root: string): string | undefined {
  const user = process.geteuid?.() ?? 0
  const places = [
    path.join(stateHome(), 'layers'),
    path.join(os.tmpdir(), `clada-layers-${user}`),
    `/var/tmp/clada-layers-${user}`,
  ]
  const usable = places.filter(
    (place) => !refusedAt.has(refusalKey(place, root)) && !isInside(place, root) && isPrivateDir(place),
  )
  const device = fs.statSync(root).dev
  return usable.find((place) => fs.statSync(place).dev === device) ?? usable[0]
}

function isPrivateDir(dir: string): boolean {
  try {
    makePrivateDir(dir)
    const stat = fs.lstatSync(dir)
    return stat.isDirectory() && stat.uid === process.geteuid?.() && (stat.mode & 0o077) === 0
  } catch {
    return false
  }
}

/** Removes the layers of processes that died. Their mounts ended with them. */
function sweep(place: string): void {
  for (const name of fs.readdirSync(place)) {
    if (!name.startsWith('run-')) continue
    const dir = path.join(place, name)
    const owner = ownerFrom(jsonOf(readOwn(path.join(dir, ownerFile))))
    const age = Date.now() - (fs.lstatSync(dir, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (owner === undefined ? age > 60_000 : !isAlive(owner)) void removeTree(dir)
  }
}

/**
 * Also what a program left without permissions. It is not waited for: the kernel takes long to remove directories that
 * were part of an overlay. What is left when this process ends is removed by the next one.
 */
async function removeTree(dir: string): Promise<void> {
  const remove = (): Promise<void> => fs.promises.rm(dir, { recursive: true, force: true })
  try {
    await remove().catch(() => {
      openAll(Buffer.from(dir))
      return remove()
    })
  } catch {
    // Another process of ours may be removing it as well.
  }
}

/** Makes everything removable: directories without permissions, and those too deep for the system to name. */
function openAll(top: Buffer): void {
  const pending = [top]
  let moved = 0
  for (let dir = pending.pop(); dir !== undefined; dir = pending.pop()) {
    fs.chmodSync(dir, 0o700)
    for (const entry of fs.readdirSync(dir, { withFileTypes: true, encoding: 'buffer' })) {
      if (!entry.isDirectory()) continue
      const inner = Buffer.concat([dir, Buffer.from('/'), entry.name])
      const higher = Buffer.concat([top, Buffer.from(`/deep-${moved}`)])
      const isDeep = inner.length > 2 * longestPath
      if (isDeep) {
        fs.chmodSync(inner, 0o700)
        fs.renameSync(inner, higher)
        moved++
      }
      pending.push(isDeep ? higher : inner)
    }
  }
}

function likeDirectory(model: string, dir: string): void {
  const stat = fs.statSync(model)
  fs.chmodSync(dir, stat.mode & 0o7777)
  try {
    if (stat.uid !== process.geteuid?.() || stat.gid !== process.getegid?.()) fs.chownSync(dir, stat.uid, stat.gid)
  } catch {
    // Only the superuser gives directories away.
  }
  fs.utimesSync(dir, stat.atime, stat.mtime)
}

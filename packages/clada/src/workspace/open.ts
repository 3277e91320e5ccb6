import { isUtf8 } from 'node:buffer'
import path from 'node:path'
import type { PathJudge } from '../core/effects.ts'
import { ProblemError } from '../core/problem.ts'
import type { Commits, FileState, Inspected, Recorder } from '../core/recorder.ts'
import type { Settings } from '../core/settings.ts'
import { Declarations } from './declared-encoding.ts'
import { type Change, changeBetween } from './disk-file.ts'
import { DiskTree } from './disk-tree.ts'
import { placesChangedBy, landTogether, type Restoration, restoreSteps, type WantedContent } from './land.ts'
import { SecondNames } from '../process/second-names.ts'
import { GitDirectories } from '../state/git-directory.ts'
import { isBlockedByName, type Location, locationOf, Locator } from './walk.ts'
import { Scratch } from './scratch.ts'
import { type StagedChange, StagedTree, type Step } from './staged-tree.ts'
import type { WriteNote } from '../core/files.ts'
import type { Landing, EntryInfo, ListedName } from './tree.ts'
import { type ActionFiles, type ExpectedFile, Workspace } from './workspace.ts'

export type { ActionFiles, Change, ExpectedFile, FileState, StagedChange, Landing, WantedContent }

/** Where actions work: on the disk, or on a stage over it. */
export interface Scope {
  readonly staged: boolean
  filesFor(onWrite: (landing: Landing) => void, expected?: ExpectedFile): ActionFiles
  /**
   * Notes what the action does that begins now; what is given back tells how files have changed. On a stage that is
   * everything since, so it must be asked before the next action begins. On the disk large files are left out, and
   * nothing is known without a recorder.
   */
  noting(): () => Change[]
  /** A stage of its own for actions that land whole or not at all. Until it lands, nothing else may be done. */
  group(): Promise<GroupScope>
}

/** A workspace for one run, with everything below it. */
export interface OpenWorkspace extends Scope {
  /** Whether there is anything under an absolute path inside the roots. */
  isThere(absolute: string): boolean
  /** Staged only: what would be different. */
  changes(): Change[]
  /** Staged only: brings everything to the disk, or nothing. Returns where displaced texts were saved. */
  landTogether(): Promise<WriteNote[]>
  /** clada's own corner of the project. Made if it is not there. */
  stateDir(): string
  /** What the user should know about the state directory, once it was asked for. */
  readonly notes: string[]
  /** Waits until no other execution changes files, where changes are recorded. */
  queue(): Promise<unknown> | undefined
  /** Waits until changes may be made, where they are recorded. */
  begin(): Promise<void>
  /** Removes what runs that died have left. For the holder of the lock. */
  sweep(): void
  /** Whether the content of a file is blocked, by its own or another name. */
  isBlocked(absolute: string): boolean
  /** What is at an absolute path. Without a check by the policy: not for models. */
  inspect(absolute: string): Inspected
  /** What is at a path, without its content; undefined where nothing is, or the path leads through a link. */
  look(absolute: string): EntryInfo | undefined
  /** The names in a directory; none where there is none. */
  names(absolute: string): ListedName[]
  /** Brings paths to a state, all of them or none. What is `committed` may have a repository as a fixture. */
  restore(wanted: readonly WantedState[], whose?: 'ours' | 'committed'): Promise<WriteNote[]>
  /** Waits until everything that was changed is on the disk, names included. */
  settle(): Promise<void>
  close(): Promise<void>
}

export interface GroupScope extends Scope {
  /** Makes changes that an action has made on another stage, or a part of them. */
  put(changes: readonly StagedChange[]): Promise<void>
  /** What is not landed is forgotten. */
  land(): Promise<WriteNote[]>
}

export interface WantedState extends Omit<Restoration, 'at'> {
  readonly absolute: string
}

async function beginSwept(scratch: Scratch, begin: (stateDir: string) => Promise<void>): Promise<void> {
  scratch.sweepTemporary()
  await begin(scratch.stateDir())
  scratch.sweep()
}

export function openWorkspace(
  settings: Settings,
  judge: PathJudge,
  over: 'disk' | 'staged',
  recorder?: Recorder,
  unsaved?: Readonly<Record<string, string>>,
): OpenWorkspace {
  const { limits } = settings
  const scratch = new Scratch(settings.root)
  const disk = new DiskTree(scratch, recorder)
  const acting = (): number => recorder?.acting ?? 0
  let begun: Promise<void> | undefined
  const begin =
    recorder === undefined
      ? undefined
      : (places: readonly Location[], commits?: Commits) => {
          begun ??= beginSwept(scratch, (stateDir) => recorder.begin(stateDir, commits))
          const further = places.filter(({ root }) => root !== settings.root)
          return further.length === 0 ? begun : begun.then(() => enterAll(further, recorder))
        }
  const contents = { holdLogin: (absolute: string) => disk.holdsLogin(locationOf(settings.root, absolute)) }
  const roots = [settings.root, ...settings.allowedRoots]
  const git = new GitDirectories()
  const names = new SecondNames(roots, {
    isBlocked: (absolute) => isBlockedByName(judge, contents, absolute),
    ownNames: (file) => recorder?.namesOf(file) ?? 0,
  })
  const locator = new Locator(judge, settings.symlinks, contents, { names, git, roots })
  // Restoring a link means the link, not its target. A commit may have a repository as a fixture.
  const places = {
    ours: new Locator(judge, 'refuse', contents, { git, roots }),
    committed: new Locator(judge, 'refuse', contents),
  }
  const below = unsaved === undefined ? disk : withUnsaved(disk, unsaved, { settings, locator })
  const staged = over === 'staged' ? new StagedTree(below, acting) : undefined
  const declarations = new Declarations(disk, settings.encoding)
  const workspace = new Workspace({
    declarations,
    tree: staged ?? disk,
    locator,
    limits,
    begin: staged === undefined ? begin : undefined,
    recorder,
  })
  const land = async (steps: readonly Step[]): Promise<WriteNote[]> => {
    if (steps.length > 0) await begin?.(steps.flatMap(placesChangedBy))
    return landTogether(steps, disk)
  }
  const stageOver = async (below: Workspace, tree: StagedTree | undefined): Promise<GroupScope> => {
    await below.waitForAll()
    const stage = new StagedTree(tree ?? disk, acting)
    const scope = new Workspace({ tree: stage, locator, limits, declarations })
    return {
      staged: true,
      filesFor: (onWrite, expected) => scope.filesFor(onWrite, expected),
      noting: () => stage.noting(),
      group: () => stageOver(scope, stage),
      put: (changes) => stage.keep(changes),
      land: async () => {
        below.forget(stage.touchedPaths())
        if (tree === undefined) return land(stage.steps)
        tree.take(stage)
        return []
      },
    }
  }
  return {
    staged: staged !== undefined,
    filesFor: (onWrite, expected) => workspace.filesFor(onWrite, expected),
    group: () => stageOver(workspace, staged),
    isThere: (absolute) => {
      const at = locator.locate({ given: absolute, absolute }, 'list')
      return (staged ?? disk).look(at) !== undefined
    },
    noting: () => {
      if (staged !== undefined) return staged.noting()
      const since = recorder?.noting()
      return () =>
        (since?.() ?? []).flatMap(({ absolute, before, after }) =>
          changeBetween(locationOf(settings.root, absolute), before, after),
        )
    },
    changes: () => staged?.changes() ?? [],
    landTogether: async () => (staged === undefined ? [] : land(staged.steps)),
    stateDir: () => scratch.stateDir(),
    notes: scratch.notes,
    queue: () => recorder?.queue(),
    begin: async () => begin?.([]),
    sweep: () => scratch.sweep(),
    isBlocked: (absolute) => locator.isBlocked(absolute),
    inspect: (absolute) => inspectUnlinked(disk, locationOf(settings.root, absolute)),
    look: (absolute) => lookOf(disk, locationOf(settings.root, absolute)),
    names: (absolute) => listedNames(disk, locationOf(settings.root, absolute)),
    restore: async (wanted, whose = 'ours') => {
      const located = wanted.map(({ absolute, ...state }) => ({
        at: places[whose].locate({ given: absolute, absolute }, 'write'),
        ...state,
      }))
      disk.isCheckout = whose === 'committed'
      return land(restoreSteps(located, disk)).finally(() => (disk.isCheckout = false))
    },
    settle: async () => {
      await workspace.waitForAll()
      await disk.settle()
      scratch.reviewOwnDisplaced()
    },
    close: async () => {
      await workspace.waitForAll()
      await disk.finish()
      await scratch.finish()
    },
  }
}

/** One after the other: each may wait for the lock of another repository. */
async function enterAll(places: readonly Location[], recorder: Recorder): Promise<void> {
  for (const { root, absolute } of places) await recorder.enter(root, path.dirname(absolute))
}

/** Files with the texts that an editor holds. What is blocked, new or not UTF-8 stays as it is on the disk. */
function withUnsaved(
  disk: DiskTree,
  unsaved: Readonly<Record<string, string>>,
  { settings, locator }: { readonly settings: Settings; readonly locator: Locator },
): StagedTree {
  const tree = new StagedTree(disk)
  for (const [given, text] of Object.entries(unsaved)) {
    try {
      const at = locator.locate({ given, absolute: path.resolve(settings.root, given) }, 'write')
      if (disk.look(at)?.type !== 'file') continue
      const base = disk.read(at, settings.limits.fileBytes)
      base.release()
      const { bytes, mode } = base
      // Editors show no byte order mark, and save it again.
      const mark = bytes.subarray(0, 3).equals(byteOrderMark) ? byteOrderMark : Buffer.alloc(0)
      if (isUtf8(bytes)) tree.hold(at, Buffer.concat([mark, Buffer.from(text)]), mode)
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
    }
  }
  return tree
}

const byteOrderMark = Buffer.from('\ufeff')

/** A path through a link is not this path: what was there is gone. */
function inspectUnlinked(disk: DiskTree, at: Location): Inspected {
  return unlessLinked(() => disk.inspect(at)) ?? { type: 'absent' }
}

const lookOf = (disk: DiskTree, at: Location): EntryInfo | undefined => unlessLinked(() => disk.look(at))

function listedNames(disk: DiskTree, at: Location): ListedName[] {
  try {
    return unlessLinked(() => disk.names(at)) ?? []
  } catch (error) {
    if (error instanceof ProblemError && error.problem.kind === 'os') return []
    throw error
  }
}

function unlessLinked<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch (error) {
    if (error instanceof ProblemError && error.problem.kind === 'path' && error.problem.rule === 'symlink_not_allowed')
      return undefined
    throw error
  }
}

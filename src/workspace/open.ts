import type { PathJudge } from '../core/decision.ts'
import type { Settings } from '../core/settings.ts'
import { DiskTree } from './disk-tree.ts'
import { landTogether } from './land.ts'
import { Locator } from './locate.ts'
import { Scratch } from './scratch.ts'
import { type Change, StagedTree } from './staged-tree.ts'
import type { WriteNote } from './tree.ts'
import { type ActionFiles, Workspace } from './workspace.ts'

export type { Change, WriteNote }

/** A workspace for one run, with everything below it. */
export interface OpenWorkspace {
  filesFor(onWrite: (landing: Promise<WriteNote>) => void): ActionFiles
  /** A stage of its own for actions that land whole or not at all. Until it lands, nothing else may be done. */
  group(): Promise<GroupScope>
  /** Staged only: what would be different. */
  changes(): Change[]
  /** Staged only: brings everything to the disk, or nothing. Returns where displaced texts were saved. */
  landTogether(): Promise<string[]>
  close(): Promise<void>
}

export interface GroupScope extends Pick<OpenWorkspace, 'filesFor'> {
  /** What is not landed is forgotten. */
  land(): Promise<string[]>
}

export function openWorkspace(settings: Settings, judge: PathJudge, over: 'disk' | 'staged'): OpenWorkspace {
  const { limits } = settings
  const scratch = new Scratch(settings.root)
  const disk = new DiskTree(scratch)
  const staged = over === 'staged' ? new StagedTree(disk) : undefined
  const locator = new Locator(judge, settings.symlinks)
  const workspace = new Workspace({ tree: staged ?? disk, locator, limits })
  return {
    filesFor: (onWrite) => workspace.filesFor(onWrite),
    group: async () => {
      await workspace.settle()
      const stage = new StagedTree(staged ?? disk)
      const scope = new Workspace({ tree: stage, locator, limits })
      return {
        filesFor: (onWrite) => scope.filesFor(onWrite),
        land: async () => {
          workspace.forget(stage.touched())
          if (staged === undefined) return landTogether(stage.steps, disk)
          staged.take(stage)
          return []
        },
      }
    },
    changes: () => staged?.changes() ?? [],
    landTogether: async () => (staged === undefined ? [] : landTogether(staged.steps, disk)),
    close: async () => {
      await workspace.settle()
      await disk.finish()
      scratch.finish()
    },
  }
}

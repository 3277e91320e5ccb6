import type { PathJudge } from '../core/decision.ts'
import type { Settings } from '../core/settings.ts'
import { DiskTree } from './disk-tree.ts'
import { landTogether } from './land.ts'
import { Locator } from './locate.ts'
import { Scratch } from './scratch.ts'
import { type Change, StagedTree } from './staged-tree.ts'
import type { WriteNote } from './tree.ts'
import { type ActionFiles, Workspace } from './workspace.ts'

export type { Change }

/** A workspace for one run, with everything below it. */
export interface OpenWorkspace {
  filesFor(onWrite: (landing: Promise<WriteNote>) => void): ActionFiles
  /** Staged only: what would be different. */
  changes(): Change[]
  /** Staged only: brings everything to the disk, or nothing. Returns where displaced texts were saved. */
  landTogether(): Promise<string[]>
  close(): Promise<void>
}

export function openWorkspace(settings: Settings, judge: PathJudge, over: 'disk' | 'staged'): OpenWorkspace {
  const scratch = new Scratch(settings.root)
  const disk = new DiskTree(scratch)
  const staged = over === 'staged' ? new StagedTree(disk) : undefined
  const locator = new Locator(judge, settings.symlinks)
  const workspace = new Workspace({ tree: staged ?? disk, locator, limits: settings.limits })
  return {
    filesFor: (onWrite) => workspace.filesFor(onWrite),
    changes: () => staged?.changes() ?? [],
    landTogether: async () => (staged === undefined ? [] : landTogether(staged.steps, disk)),
    close: async () => {
      await workspace.settle()
      await disk.finish()
      scratch.finish()
    },
  }
}

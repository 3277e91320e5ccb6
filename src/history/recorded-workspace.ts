import type { PathJudge } from '../core/effects.ts'
import type { Settings } from '../core/settings.ts'
import { openWorkspace, type OpenWorkspace } from '../workspace/open.ts'
import { History } from './history.ts'
import type { HistoryOptions } from './opening.ts'

/** The files of a project for one execution, and the history that records every change of them. */
export interface RecordedWorkspace {
  readonly history: History
  /** What actions see: the disk, or a stage over it. */
  readonly workspace: OpenWorkspace
  /** The disk, also where actions work on a stage. */
  readonly disk: OpenWorkspace
  close(): Promise<void>
}

export function openRecordedWorkspace(
  settings: Settings,
  judge: PathJudge,
  over: 'disk' | 'staged',
  options: Pick<HistoryOptions, 'settings' | 'kind' | 'about'>,
): RecordedWorkspace {
  const { root, allowedRoots } = settings
  const history = new History({
    ...options,
    root,
    allowedRoots,
    closed: (relative) => judge.closedBelow(relative),
    inspect: (absolute) => workspace.inspect(absolute),
  })
  const workspace: OpenWorkspace = openWorkspace(settings, judge, over, history)
  const disk = over === 'disk' ? workspace : openWorkspace(settings, judge, 'disk', history)
  const close = async (): Promise<void> => {
    await workspace.close()
    if (disk !== workspace) await disk.close()
  }
  return { history, workspace, disk, close }
}

import path from 'node:path'
import type { Settings } from '../core/settings.ts'
import { makePathJudge, pathPolicyOf } from '../policy/paths.ts'
import { openWorkspace } from '../workspace/open.ts'

/** The sizes of files of the project, in bytes; 0 for one that is gone. Nothing is read. */
export async function fileSizes(settings: Settings, names: readonly string[]): Promise<number[]> {
  const workspace = openWorkspace(settings, makePathJudge(pathPolicyOf(settings)), 'disk')
  try {
    return names.map((name) => workspace.look(path.resolve(settings.root, name))?.size ?? 0)
  } finally {
    await workspace.close()
  }
}

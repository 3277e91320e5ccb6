import fs from 'node:fs'
import path from 'node:path'
import { digestOf, shortDigestOf } from '../core/digest.ts'
import { stateName } from '../core/reserved-names.ts'
import { isDirectory, readStats, readOwn } from './own-files.ts'
import { stateHome, temporaryHome } from './user-state.ts'

/** Where earlier versions noted the steps back. */
export const oldBackName = 'back.json'

/** What the state directory of earlier versions had besides what projects share. */
export const oldStateNames: readonly string[] = [
  'history',
  'objects',
  'conflicts',
  'repo',
  'loops',
  'watch',
  'back',
  oldBackName,
]

/**
 * The state of a project as earlier versions kept it: in `.clada/`, which a clone can bring, or in the user's state directory
 * where that could not be used. `history/take-over.ts` moves it to where it is kept now.
 */
export function oldStateDir(root: string): string | undefined {
  const dirs = [path.join(root, stateName), homeOf(root)].filter(isDirectory)
  return dirs.find((dir) => oldStateNames.some((name) => hasFile(path.join(dir, name))))
}

const homeOf = (root: string): string => path.join(stateHome(), shortDigestOf(root))

/** Whether this user's clada made it: its id was noted in the user's own state directory. */
export const isOldStateOurs = (root: string): boolean =>
  oldStateDir(root) === homeOf(root) || vouchersOf(root).some(hasFile)

/** It counts as moved from now on. */
export function forgetOldState(root: string): void {
  for (const file of [...vouchersOf(root), path.join(root, stateName, 'id')]) fs.rmSync(file, { force: true })
}

function vouchersOf(root: string): string[] {
  const id = readOwn(path.join(root, stateName, 'id'))?.trim() ?? ''
  if (!/^[0-9a-f]{32}$/.test(id)) return []
  return [path.join(stateHome(), 'vouched'), temporaryHome()].map((dir) => path.join(dir, `${digestOf(root)}-${id}`))
}

const hasFile = (file: string): boolean => readStats(file) !== undefined

import fs from 'node:fs'
import path from 'node:path'
import { isOsError } from '../core/errors.ts'
import { stateName } from '../core/reserved-names.ts'
import { SettingsError } from '../core/settings.ts'
import { isDirectory, readStats } from './own-files.ts'
import { findState, makeState } from './project-state.ts'

/**
 * `.clada` in a project: the approved commands, which may be shared, the working set, and the output of the listener. A clone
 * can bring all of them, so none of them gives a permission.
 */
const filesDir = (root: string): string => path.join(root, stateName)

/** A file in `.clada` of the project, or among its state where the project has none; undefined if there is none. Makes nothing. */
export function findProjectFile(root: string, name: string): string | undefined {
  const state = findState(root)
  const files = [
    ...(isDirectory(filesDir(root)) ? [path.join(filesDir(root), name)] : []),
    ...(state === undefined ? [] : [path.join(state, name)]),
  ]
  return files.find(readStats)
}

/** `.clada` of the project, made where there is none; the state directory where that cannot be written to. */
export function makeProjectFiles(root: string): string {
  try {
    const dir = makeFilesDir(root)
    fs.accessSync(dir, fs.constants.W_OK)
    return dir
  } catch (error) {
    if (!isOsError(error) && !(error instanceof SettingsError)) throw error
    return makeState(root).dir
  }
}

/** With rules that keep all but the approved commands out of commits. @throws SettingsError if something else is there */
export function makeFilesDir(root: string): string {
  const dir = filesDir(root)
  // A link here could lead anywhere; a repository may have brought it along.
  if (!isDirectory(dir)) {
    if (readStats(dir) !== undefined)
      throw new SettingsError(`'${dir}' is not a directory, so nothing can be kept there. Remove it and try again.`)
    fs.mkdirSync(dir, { recursive: true })
  }
  const ignore = path.join(dir, '.gitignore')
  if (readStats(ignore) === undefined) fs.writeFileSync(ignore, ignored, { flag: 'wx' })
  return dir
}

const ignored = '# Made by clada. What users approved is the only thing worth sharing.\n*\n!allowed-commands.json\n'

import path from 'node:path'
import { isInside } from '../core/paths.ts'
import { dirsNamedBy, gitDirNear } from './git-dirs.ts'
import { deepestInclude, isInclude, parseSettings, settingPath } from './git-config-file.ts'
import { mostSettingsBytes, readLinked } from './own-files.ts'

/**
 * The files and directories that the settings of the repository around a directory name, absolute: further settings,
 * hooks, and rules for files. Git obeys what is in them.
 */
export function placesInGitSettings(dir: string): string[] {
  const found = gitDirNear(dir)
  if (found === undefined) return []
  const { top, gitDir } = found
  const places = new Set<string>()
  for (const one of new Set([gitDir, ...dirsNamedBy(top)]))
    for (const name of ['config', 'config.worktree']) addNamedIn(path.join(one, name), top, places, 0)
  // A whole project is not closed by a setting.
  return [...places].filter((place) => !isInside(top, place) && !isInside(dir, place))
}

/** With the settings that they include, as deep as git does. */
function addNamedIn(file: string, top: string, places: Set<string>, depth: number): void {
  if (depth > deepestInclude) return
  for (const { name, value } of parseSettings(readLinked(file, mostSettingsBytes) ?? '')) {
    const includes = isInclude(name)
    // A program without a slash is looked for in PATH.
    if (!includes && !(placeKeys.has(name) || (programKeys.has(name) && value.includes('/')))) continue
    // The first word of a command line.
    const named = programKeys.has(name) ? (value.split(' ')[0] ?? '') : value
    const absolute = settingPath(includes ? path.dirname(file) : top, named)
    if (places.has(absolute)) continue
    places.add(absolute)
    if (includes) addNamedIn(absolute, top, places, depth + 1)
  }
}

const placeKeys: ReadonlySet<string> = new Set([
  'core.hookspath',
  'core.attributesfile',
  'core.excludesfile',
  'init.templatedir',
])

const programKeys: ReadonlySet<string> = new Set([
  'core.fsmonitor',
  'core.sshcommand',
  'core.pager',
  'core.editor',
  'core.askpass',
  'gpg.program',
  'gpg.ssh.program',
  'gpg.x509.program',
  'diff.external',
])

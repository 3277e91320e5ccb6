import path from 'node:path'
import { withSlashes } from '../core/paths.ts'
import { foreignOwner } from '../process/git-owner.ts'
import { isIgnoredByGit } from '../process/tracked-files.ts'
import { nearestGitDirs } from '../state/git-dirs.ts'
import { appendToFile, readOwn, readStats } from '../state/own-files.ts'

/**
 * Lists a file in the ignore rules of its repository that no commit has (`info/exclude`), so that `git add -A` leaves it
 * alone. Nothing happens without a repository of the user's own, or if git ignores the file already. Returns the file that it
 * was added to.
 */
export function excludeFromGit(file: string): string | undefined {
  const found = nearestGitDirs(path.dirname(file))
  if (found === undefined || !('gitDir' in found) || foreignOwner(found.top, found) !== undefined) return undefined
  const info = path.join(found.commonDir, 'info')
  const rules = path.join(info, 'exclude')
  // A link there is the user's own affair.
  if (readStats(info)?.isDirectory() !== true || readStats(rules)?.isFile() !== true) return undefined
  if (isIgnoredByGit(file)) return undefined
  try {
    const before = readOwn(rules) ?? ''
    const name = withSlashes(path.relative(found.top, file)).replace(/[\\*?[]/g, '\\$&')
    appendToFile(rules, `${before === '' || before.endsWith('\n') ? '' : '\n'}/${name}\n`)
    return rules
  } catch {
    // Read-only, or gone since: then git lists the file as untracked.
    return undefined
  }
}

import path from 'node:path'
import { isInside, withSlashes } from '../core/paths.ts'
import { anchorPatterns } from '../policy/glob.ts'
import { makePathJudge, pathPolicyOf } from '../policy/paths.ts'
import { defaultDeniedPatterns } from '../policy/secret-files.ts'
import { type CladaOptions, settingsOf } from './settings.ts'

/**
 * The same options for what is inside both the project and some directories: the first of these is the root, the others
 * are allowed too. What is blocked stays blocked. Undefined where nothing is left.
 */
export function narrowTo(options: CladaOptions, dirs: readonly string[]): CladaOptions | undefined {
  const settings = settingsOf(options)
  const { root, allowedRoots, allowEscape } = settings
  const ours = [root, ...allowedRoots]
  const judge = makePathJudge(pathPolicyOf(settings))
  // Blocked by the name of a directory above, it stays blocked when a root begins below that directory.
  const isOpen = (dir: string): boolean =>
    ours.includes(dir) || judge.path(withSlashes(path.relative(root, dir)), dir, 'write').verdict === 'allow'
  const common = ours.flatMap((own) => dirs.flatMap((dir) => smallerOf(own, dir)))
  const [first, ...rest] = new Set([...common, ...(allowEscape ? dirs : [])].filter(isOpen))
  if (first === undefined) return undefined
  const bases = allowEscape ? [...ours, path.parse(root).root] : ours
  const deniedPatterns = anchorPatterns(options.deniedPatterns ?? defaultDeniedPatterns, bases)
  const partOf = options.partOf ?? root
  return { ...options, repoPath: first, partOf, allowedRoots: rest, allowEscape: false, deniedPatterns }
}

function smallerOf(own: string, dir: string): string[] {
  if (isInside(own, dir)) return [own]
  return isInside(dir, own) ? [dir] : []
}

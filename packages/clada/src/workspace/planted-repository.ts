import { join } from 'node:path'
import { adviseAskingUser, ProblemError } from '../core/problem.ts'
import { isRepositoryWith, repositoryPart } from '../state/git-directory.ts'
import type { ListedName, Tree } from './tree.ts'
import type { Location } from './walk.ts'

/**
 * Refuses the entry with which a directory would become a repository to git: whoever enters it then runs the programs
 * that its config names. Files come in any order, so the last one that is missing is refused, whichever it is.
 */
export function refusePlanted(tree: Pick<Tree, 'names'>, at: Location, as: 'directory' | 'other'): void {
  for (const [depth, name] of at.parts.entries()) {
    const isDirectory = depth < at.parts.length - 1 || as === 'directory'
    const piece = repositoryPart({ name, isDirectory })
    if (piece === undefined) continue
    const parts = at.parts.slice(0, depth)
    const dir = { ...at, parts, absolute: join(at.root, ...parts) }
    const others = entriesOf(tree, dir).filter((one) => one.name !== name)
    const having = others.map((one) => repositoryPart({ name: one.name, isDirectory: one.type === 'directory' }))
    if (isRepositoryWith(having) || !isRepositoryWith([...having, piece])) continue
    const shown = parts.length === 0 ? 'the root' : `'${parts.join('/')}'`
    throw new ProblemError({
      kind: 'path',
      rule: 'path_denied',
      path: at.given,
      reason: `with '${name}' git would take ${shown} for a repository, and run what its config names`,
      advice: adviseAskingUser('make the repository'),
    })
  }
}

/** Whether a path has a name that is looked at together with those beside it. */
export const mayPlant = ({ parts }: Pick<Location, 'parts'>): boolean =>
  parts.some((name) => repositoryPart({ name, isDirectory: false }) !== undefined)

/** Where there is no directory, nothing is beside the new entry. */
function entriesOf(tree: Pick<Tree, 'names'>, dir: Location): ListedName[] {
  try {
    return tree.names(dir)
  } catch (error) {
    if (error instanceof ProblemError) return []
    throw error
  }
}

import path from 'node:path'
import { isInside } from '../core/paths.ts'
import { dependsOnContent } from '../policy/holds-token.ts'
import { makePathJudge, pathPolicyOf } from '../policy/paths.ts'
import { type Blocked, blockedIn } from '../process/blocked-index.ts'
import { type ClosedPath, surveyOf } from '../process/survey.ts'
import type { CommandScope, Place } from './scope.ts'

type Scope = Pick<CommandScope, 'settings'>

/** Whether the content of a file below the root is closed by its name. */
export function closedNames({ settings }: Scope): (relative: string) => boolean {
  const judge = makePathJudge(pathPolicyOf(settings))
  return (relative) => judge.closedBelow(relative)
}

/** What programs must not read below the root, from the list that is kept of it. */
export function blockedBelow(scope: Scope): Blocked {
  return blockedIn(scope.settings.root, closedNames(scope), rulesOf(scope.settings), dependsOnContent)
}

/** Everything that decides which names are blocked. */
export const rulesOf = ({ deniedPatterns, reserved, userPlaces }: Scope['settings']): string[] => [
  ...deniedPatterns,
  '',
  ...reserved,
  '',
  ...userPlaces,
]

/** The names of closed files below some directories, second names of theirs included. */
export function closedBelow(dirs: readonly string[], place: Place, scope: CommandScope): string[] {
  const { root } = scope.settings
  const below = dirs.map((dir) => path.resolve(place.absolute, dir))
  const inProject = blockedBelow(scope).closed.map((one) => path.join(root, one.path))
  const found = [
    ...inProject.filter((file) => below.some((dir) => isInside(file, dir))),
    ...closedIn(
      below.filter((dir) => !isInside(dir, root)),
      scope,
    ).map((one) => one.path),
  ]
  return found.map((file) => path.basename(file))
}

/** What is closed in directories outside the project, by absolute path. What is inside the project is left out. */
export function closedIn(dirs: readonly string[], { settings }: Scope): ClosedPath[] {
  const judge = makePathJudge(pathPolicyOf(settings))
  return dirs.flatMap((dir) =>
    surveyOf(dir, (relative) => judge.closed(path.join(dir, relative)))
      .closed.map(({ path: name, type }) => ({ path: path.join(dir, name), type }))
      .filter((one) => !isInside(one.path, settings.root)),
  )
}

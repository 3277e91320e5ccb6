import path from 'node:path'
import { makePathJudge, pathPolicyOf } from '../policy/paths.ts'
import { isBelow } from '../process/programs.ts'
import { surveyOf } from '../process/survey.ts'
import type { CommandScope, Place } from './scope.ts'

/** Whether the content of a file below the root is closed by its name. */
export function closedNames({ settings }: Pick<CommandScope, 'settings'>): (relative: string) => boolean {
  const judge = makePathJudge(pathPolicyOf(settings))
  return (relative) => judge.closedBelow(relative)
}

/** The names of closed files below some directories, second names of theirs included. */
export function closedBelow(dirs: readonly string[], place: Place, scope: CommandScope): string[] {
  const { root } = scope.settings
  const below = dirs.map((dir) => path.resolve(place.absolute, dir))
  return surveyOf(root, closedNames(scope))
    .closed.filter(({ path: file }) => below.some((dir) => isBelow(path.join(root, file), dir)))
    .map(({ path: file }) => path.basename(file))
}

import { fail, ok, type Outcome } from '../core/action.ts'
import type { Files, PathArg } from '../core/files.ts'
import type { Problem } from '../core/problem.ts'
import { attempt } from './attempt.ts'

/** Several files as one text, each under its path. One that cannot be read fails the action, which says so and gives the others. */
export async function readSeveral(
  files: Files,
  paths: readonly PathArg[],
  shown: (text: string) => string,
): Promise<Outcome> {
  if (paths.length === 0) return fail({ kind: 'no-paths' })
  const read: string[] = []
  const texts: string[] = []
  const failures: { path: string; problem: Problem }[] = []
  for (const path of paths) {
    const file = await attempt(() => files.read(path))
    if ('ok' in file) failures.push({ path: path.given, problem: file.problem })
    else {
      read.push(path.given)
      texts.push(`=== ${path.given} ===\n${shown(file.text)}`)
    }
  }
  const data = { paths: read, content: texts.join('\n\n') }
  if (failures.length === 0) return ok(data)
  // What could be read is of use all the same.
  return fail({ kind: 'files-failed', doing: 'read', failures, done: read }, read.length > 0 ? data : undefined)
}

import { fail, ok, type Outcome } from '../core/action.ts'
import type { Files, PathArg } from '../core/files.ts'
import type { Problem } from '../core/problem.ts'
import { attempt } from './attempt.ts'

/** Several files as one text, each under its path. One that cannot be read fails the whole, and says which. */
export async function readSeveral(
  files: Files,
  paths: readonly PathArg[],
  shown: (text: string) => string,
): Promise<Outcome> {
  if (paths.length === 0) return fail({ kind: 'no-paths' })
  const texts: string[] = []
  const failures: { path: string; problem: Problem }[] = []
  for (const path of paths) {
    const file = await attempt(() => files.read(path))
    if ('ok' in file) failures.push({ path: path.given, problem: file.problem })
    else texts.push(`=== ${path.given} ===\n${shown(file.text)}`)
  }
  if (failures.length > 0) return fail({ kind: 'files-failed', doing: 'read', failures })
  return ok({ paths: paths.map((path) => path.given), content: texts.join('\n\n') })
}

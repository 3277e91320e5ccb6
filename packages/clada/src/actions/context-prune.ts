import { type ActionContext, defineAction, ok, type Touching, type WorkingEntry } from '../core/action.ts'
import { fileOfEntry } from '../core/line-range.ts'
import { withSlashes } from '../core/paths.ts'
import type { Problem } from '../core/problem.ts'
import { attempt } from './common.ts'
import { argOf, measureFile } from './structure-in-path.ts'
import { removedOutput } from './output.ts'

/** Files that this many executions did not need are dropped. */
const lookBack = 20

export const contextPrune = defineAction({
  name: 'context_prune',
  description: `Remove from the working set what no longer exists, and what the last ${lookBack} executions neither changed nor named.`,
  effect: 'meta',
  access: ['llm', 'user'],
  display: 'always',
  output: removedOutput,
  params: {},
  hints: { idempotent: true },
  returns: { removed: ['string'] },
  examples: [
    {
      title: 'removes files that no longer exist',
      before: {
        'a.txt': 'hello\n',
        '.clada/context.json':
          '{"version":1,"entries":[{"path":"a.txt","added":"2026-01-01T00:00:00.000Z"},{"path":"gone.txt","added":"2026-01-01T00:00:00.000Z"}]}',
      },
      params: {},
      data: { removed: ['ROOT/gone.txt'] },
    },
  ],
  async run(_, context) {
    const set = await context.workingSet()
    const executions = await set.executions(lookBack)
    const removed: string[] = []
    for (const entry of await set.entries()) {
      if (isForgotten(entry, executions) || (await hasVanished(entry, context))) removed.push(entry.path)
    }
    if (removed.length > 0) await set.change((now) => now.filter(({ path }) => !removed.includes(path)))
    return ok({ removed: removed.map((one) => withSlashes(one)) })
  },
})

/** To be added counts as to be touched. */
function isForgotten({ path, added }: WorkingEntry, executions: readonly Touching[]): boolean {
  const file = fileOfEntry(path)
  const touched = ({ paths, time }: Touching): boolean => paths.has(path) || paths.has(file) || time <= added
  return executions.length === lookBack && !executions.some(touched)
}

/** A file that may not be read, or that cannot be parsed right now, is still there. */
async function hasVanished({ path }: WorkingEntry, context: ActionContext): Promise<boolean> {
  const found = await attempt(() => measureFile(context, argOf(path)))
  return 'ok' in found && isGone(found.problem)
}

function isGone(problem: Problem): boolean {
  if (problem.kind === 'os') return problem.code === 'ENOENT' || problem.code === 'ENOTDIR'
  return problem.kind === 'structure' && (problem.code === 'TARGET_NOT_FOUND' || problem.code === 'FILE_NOT_FOUND')
}

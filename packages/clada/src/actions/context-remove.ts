import nodePath from 'node:path'
import { defineAction, fail, ok, path } from '../core/action.ts'
import { withSlashes } from '../core/paths.ts'
import { findClosestName } from '@clada/reply/text/closest-name.ts'
import type { PathArg } from '../core/files.ts'
import { namesMatching } from '../core/names-matching.ts'
import { spellingsOf } from './structure-in-path.ts'
import { globIn } from './path-set.ts'

export const contextRemove = defineAction({
  name: 'context_remove',
  description: 'Remove a file from the working set. The file itself is not deleted.',
  effect: 'meta',
  access: ['llm', 'user'],
  params: {
    path: path('The entry to remove, as context_list shows it, or a directory or glob. The file need not exist.'),
  },
  hints: { idempotent: true },
  returns: { path: 'string' },
  examples: [
    {
      title: 'removes a file',
      before: {
        'a.txt': 'hello\n',
        '.clada/context.json': '{"version":1,"entries":[{"path":"a.txt","added":"2026-01-01T00:00:00.000Z"}]}',
      },
      params: { path: 'a.txt' },
      data: { path: 'ROOT/a.txt' },
    },
    {
      title: 'removes what is in a directory',
      before: {
        'src/a.txt': 'hello\n',
        '.clada/context.json': '{"version":1,"entries":[{"path":"src/a.txt","added":"2026-01-01T00:00:00.000Z"}]}',
      },
      params: { path: 'src' },
      data: { path: 'ROOT/src' },
    },
    {
      title: 'fails when it is not in the working set',
      before: { 'a.txt': 'hello\n' },
      params: { path: 'a.txt' },
      code: 'invalid_parameter',
    },
  ],
  async run({ path }, { workingSet }) {
    const spellings = spellingsOf(path)
    const set = await workingSet()
    const entries = await set.entries()
    const named = entries.map((entry) => entry.path).filter((entry) => spellings.includes(entry))
    const meant =
      named.length > 0
        ? named
        : await entriesBelow(
            entries.map((entry) => entry.path),
            path,
          )
    const isMeant = (entry: { path: string }): boolean => meant.includes(entry.path)
    if (!entries.some(isMeant)) {
      const short = (absolute: string): string => nodePath.relative(path.base ?? '/', absolute)
      const close = findClosestName(
        short(path.absolute),
        entries.map((entry) => short(entry.path)),
      )
      const hint =
        close === undefined ? '' : `; did you mean ${withSlashes(nodePath.resolve(path.base ?? '/', close))}?`
      return fail({ kind: 'bad-param', param: 'path', message: `it is not in the working set${hint}` })
    }
    await set.change((now) => now.filter((entry) => !isMeant(entry)))
    return ok({ path: path.given })
  },
})

/** Those in a directory, or that match a glob. */
async function entriesBelow(entries: readonly string[], path: PathArg): Promise<readonly string[]> {
  const { base, pattern } = globIn(path) ?? { base: path }
  const fileOf = (entry: string): string => withSlashes(nodePath.relative(base.absolute, entry.split('@@')[0] ?? ''))
  const inside = entries.filter((entry) => !/^(?:\.\.(?:\/|$)|$)/.test(fileOf(entry)))
  if (pattern === undefined) return inside
  const matching = await namesMatching(inside.map(fileOf), pattern)
  return inside.filter((entry) => matching.includes(fileOf(entry)))
}

import nodePath from 'node:path'
import { defineAction, fail, ok, path } from '../core/action.ts'
import { slashed } from '../core/paths.ts'
import { closestName } from '@clada/reply/text/closest-name.ts'
import { spellingsOf } from './narrow.ts'

export const contextRemove = defineAction({
  name: 'context_remove',
  description: 'Remove a file from the working set. The file itself is not deleted.',
  effect: 'meta',
  access: ['llm', 'user'],
  params: { path: path('The entry to remove, as context_list shows it. The file need not exist.') },
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
      title: 'fails when it is not in the working set',
      before: { 'a.txt': 'hello\n' },
      params: { path: 'a.txt' },
      code: 'invalid_parameter',
    },
  ],
  async run({ path }, { workingSet }) {
    const spellings = spellingsOf(path)
    const set = await workingSet()
    const isMeant = (entry: { path: string }): boolean => spellings.includes(entry.path)
    const entries = await set.entries()
    if (!entries.some(isMeant)) {
      const short = (absolute: string): string => nodePath.relative(path.base ?? '/', absolute)
      const close = closestName(
        short(path.absolute),
        entries.map((entry) => short(entry.path)),
      )
      const meant = close === undefined ? '' : `; did you mean ${slashed(nodePath.resolve(path.base ?? '/', close))}?`
      return fail({ kind: 'bad-param', param: 'path', message: `it is not in the working set${meant}` })
    }
    await set.change((now) => now.filter((entry) => !isMeant(entry)))
    return ok({ path: path.given })
  },
})

import { defineAction, fail, ok, paths, text, type ActionContext } from '../core/action.ts'
import type { PathArg } from '../core/files.ts'
import type { Problem } from '../core/problem.ts'
import { attempt } from './attempt.ts'
import { type Replaced, replaceOccurrences } from './replace-occurrences.ts'

export const filesReplaceAllText = defineAction({
  name: 'files_replace_all_text',
  aliases: [],
  description: 'Replace every occurrence of a text in several files, each by itself.',
  effect: 'write',
  access: ['llm'],
  primary: 'paths',
  display: 'never',
  repairs: true,
  params: {
    paths: paths('Files to change, one a line.'),
    old_text: text('Text to find, copied exactly.'),
    new_text: text('Text to put in its place.'),
  },
  returns: { results: 'list of {path, replacements_made, error?}' },
  examples: [
    {
      title: 'changes each file',
      before: { 'a.txt': 'x', 'b.txt': 'x x', 'c.txt': 'none' },
      params: { paths: 'a.txt\nb.txt\nc.txt', old_text: 'x', new_text: 'y' },
      after: { 'a.txt': 'y', 'b.txt': 'y y' },
      data: { results: [{ replacements_made: 1 }, { replacements_made: 2 }, { replacements_made: 0 }] },
    },
    {
      title: 'one that is missing stops none of the others',
      before: { 'a.txt': 'x' },
      params: { paths: 'gone.txt\na.txt', old_text: 'x', new_text: 'y' },
      after: { 'a.txt': 'y' },
      code: 'file_not_found',
    },
  ],
  async run({ paths, old_text, new_text }, context) {
    if (paths.length === 0) return fail({ kind: 'no-paths' })
    if (old_text === '') return fail({ kind: 'empty-text', param: 'old_text' })
    // What is not in one file may be in the others as it stands.
    const literal: ActionContext = { ...context, repair: { ...context.repair, readings: 'off' } }
    const done: { path: PathArg; outcome: Replaced }[] = []
    for (const path of paths) {
      done.push({
        path,
        outcome: await attempt(() => replaceOccurrences(literal, { path, old_text, new_text }, 'any')),
      })
    }
    const results: { path: string; replacements_made: number; error?: string }[] = []
    const failures: { path: string; problem: Problem }[] = []
    for (const { path, outcome } of done) {
      const refused = outcome.ok ? await attempt(() => context.files.landed(path)) : outcome
      if (refused === undefined) {
        results.push({ path: path.given, replacements_made: outcome.ok ? outcome.replacements : 0 })
        continue
      }
      failures.push({ path: path.given, problem: refused.problem })
      results.push({ path: path.given, replacements_made: 0, error: context.explain(refused.problem) })
    }
    const changed = results.filter((result) => result.replacements_made > 0).map((result) => result.path)
    if (failures.length > 0)
      return fail({ kind: 'files-failed', doing: 'change', failures, done: changed }, { results })
    return ok(
      { results },
      changed.length === 0 ? ['old_text does not occur in any of the files; nothing was changed'] : [],
    )
  },
})

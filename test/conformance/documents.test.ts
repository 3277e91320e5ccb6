import { expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { skipWithout } from '../support/needs.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import data from './documents.json' with { type: 'json' }

const cases = data.documents.map((one) => ({ after: undefined, ...one }))

it.for(cases)('$name', async ({ text, before, results, after }, context) => {
  if (text.includes('action = "exec"')) skipWithout(context, 'sandbox')
  // No name has a quotation mark on Windows.
  if (text.includes('\\"hello')) skipWithout(context, 'posix')
  const files = Object.entries(before).map(([name, content]): [string, string] => [name, String(content)])
  const root = scratchDir(Object.fromEntries(files))
  const done = await new Clada({ repoPath: root, git: 'off' }).execute(text.replaceAll('{root}', root))
  expect(done.results.map(({ success, code }) => success || code)).toEqual(results)
  expect(done.success).toBe(results.length > 0 && results.every((result) => result === true))
  // Nothing disappears: a document without a result has a fault.
  if (results.length === 0) expect(done.parseErrors).toHaveLength(1)
  if (after !== undefined) expect(filesIn(root)).toMatchObject(after)
})

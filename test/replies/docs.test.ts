import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { formatReport } from '../../packages/clada/src/report/format.ts'
import { scratchDir } from '../support/scratch.ts'

const page = readFileSync(new URL('../../docs/not-executed.md', import.meta.url), 'utf8')
const examples = [...page.matchAll(/^~~~~ reply\n([^]*?)^~~~~\n\n~~~~ report\n([^]*?)\n~~~~$/gm)].map(
  ([, reply = '', report = '']) => ({ reply, report }),
)

it('has examples', () => expect(examples.length).toBe(page.split('~~~~ report').length - 1))

it.each(examples)('the page shows the report of $reply', async ({ reply, report }) => {
  const root = scratchDir({ 'greet.txt': 'Hello you\n' })
  const result = await new Clada({ repoPath: root, gitCommit: false }).execute(reply)
  expect(formatReport(result, 'llm').replaceAll(root, '/project')).toBe(report)
})

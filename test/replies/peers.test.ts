import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

/** Replies in the formats that other programs teach their models, one folder for each program. */
const folder = path.join(import.meta.dirname, 'peers')

const before = {
  'src/a.ts': "export const count = 1\nexport const name = 'a'\n",
  'src/old.ts': 'export const old = 1\n',
}
const counted = { ...before, 'src/a.ts': before['src/a.ts'].replace('count = 1', 'count = 2') }
const { 'src/old.ts': old, ...remaining } = before
const moved = { ...remaining, 'src/moved.ts': old }

/** What becomes of each without an answer, and the files after a yes. */
const expected: Readonly<Record<string, readonly [outcome: string, files: Readonly<Record<string, string>>]>> = {
  'aider/thought': ['listed', before],
  'aider/whole-file-in-code': ['proposed', counted],
  'aider/whole-file-in-codeblock': ['proposed', counted],
  'aider/whole-file-in-pre': ['proposed', counted],
  'aider/whole-file-in-source': ['proposed', counted],
  'aider/whole-file-in-sourcecode': ['proposed', counted],
  'cline/json-replace-in-file': ['applied', counted],
  'cline/json-two-blocks': ['applied', { ...counted, 'src/a.ts': counted['src/a.ts'].replace("'a'", "'b'") }],
  'code-web-chat/created': ['proposed', { ...before, 'src/new.ts': 'export const fresh = true\n' }],
  'code-web-chat/deleted': ['proposed', remaining],
  'code-web-chat/renamed': ['proposed', moved],
  'code-web-chat/renamed-and-edited': ['proposed', { ...moved, 'src/moved.ts': 'export const moved = 1\n' }],
  'code-web-chat/updated-diff': ['applied', counted],
  'code-web-chat/updated-search-replace': ['applied', counted],
  'code-web-chat/updated-truncated': ['proposed', counted],
  'code-web-chat/updated-whole': ['proposed', counted],
  'gemini/formatted-string': ['refused', before],
  'gemini/replace': ['applied', counted],
  'gemini/write-file': ['applied', counted],
  'mcp-superassistant/invoke': ['applied', counted],
  'mcp-superassistant/jsonl': ['applied', counted],
  'mcp-superassistant/jsonl-cut-off': ['refused', before],
  'qwen/function-cut-off': ['refused', before],
  'qwen/function-without-end': ['applied', counted],
}

const replies = fs
  .readdirSync(folder)
  .flatMap((peer) => fs.readdirSync(path.join(folder, peer)).map((file) => `${peer}/${path.basename(file, '.md')}`))

async function execute(name: string, proposals: 'ask' | 'apply') {
  const root = scratchDir(before)
  const reply = fs.readFileSync(path.join(folder, `${name}.md`), 'utf8')
  const clada = new Clada({ repoPath: root, gitCommit: false, matching: 'tolerant', relativePaths: true, proposals })
  return { ...(await clada.execute(reply)), files: filesIn(root) }
}

describe('a reply in the format of another program', () => {
  it('has an expectation for each file', () => expect(replies.toSorted()).toEqual(Object.keys(expected)))

  it.each(replies)('%s', async (name) => {
    const [outcome, files] = expected[name] ?? ['', {}]
    const asked = await execute(name, 'ask')
    const seen = asked.proposals
      ? 'proposed'
      : asked.success
        ? asked.executedActions > 0
          ? 'applied'
          : (asked.notExecuted ?? []).length > 0
            ? 'listed'
            : 'silent'
        : 'refused'
    expect({ outcome: seen, files: (await execute(name, 'apply')).files }).toEqual({ outcome, files })
  })
})

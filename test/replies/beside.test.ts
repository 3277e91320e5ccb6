import { describe, expect, it } from 'vitest'
import { Clada, type CladaOptions } from '../../packages/clada/src/index.ts'
import { formatReport } from '../../packages/clada/src/report/format.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

const before = {
  'src/total.ts': 'export function total(n: number) {\n  return n\n}\n',
  'src/cart.ts': 'export const count = () => 0\n',
}

async function executed(reply: string, options: CladaOptions = {}) {
  const root = scratchDir(before)
  const result = await new Clada({ repoPath: root, gitCommit: false, ...options }).execute(reply)
  return { ...result, files: filesIn(root), report: formatReport(result, 'llm').replaceAll(root, 'ROOT') }
}

const edit = [
  'src/total.ts',
  '```ts',
  '<<<<<<< SEARCH',
  '  return n',
  '=======',
  '  return withTax(n)',
  '>>>>>>> REPLACE',
  '```',
].join('\n')
const edited = 'export function total(n: number) {\n  return withTax(n)\n}\n'
const native = '<---WRITE file="notes.txt"--->\nx\n<---END--->'
const tax = 'Create `src/tax.ts`:\n\n```ts\nexport const tax = 0.2\n```'

describe('a whole file beside blocks', () => {
  it.each([
    ['a block of another tool', edit],
    ['a native block', native],
  ])('is a proposal beside %s', async (_, block) => {
    for (const reply of [`${block}\n\n${tax}\n`, `${tax}\n\n${block}\n`]) {
      const { success, proposals, files } = await executed(reply)
      expect({ success, proposals: proposals?.map(({ path, kind }) => [path, kind]) }).toEqual({
        success: false,
        proposals: [['src/tax.ts', 'create']],
      })
      expect(Object.keys(files)).not.toContain('src/tax.ts')
    }
  })

  it('is written with --proposals apply, and the blocks run as well', async () => {
    const { success, files } = await executed(`${edit}\n\n${tax}\n`, { proposals: 'apply' })
    expect({ success, files }).toEqual({
      success: true,
      files: { ...before, 'src/total.ts': edited, 'src/tax.ts': 'export const tax = 0.2\n' },
    })
  })

  it('stops the commands after it while it waits, not those before it', async () => {
    const run = '<---RUN--->\ncat src/cart.ts\n<---END--->'
    const { results } = await executed(`${run}\n\n${tax}\n\n${run}\n`)
    expect(results.map(({ action, success, code }) => [action, success, code])).toEqual([
      ['run', true, undefined],
      ['file_write', false, 'review_required'],
      ['run', false, 'skipped'],
    ])
  })

  it.each([
    ['what the file holds already', `${native}\n\nsrc/cart.ts\n\n\`\`\`ts\nexport const count = () => 0\n\`\`\`\n`],
    [
      'the file after the edit above it',
      `${edit}\n\n\`src/total.ts\` now:\n\n\`\`\`ts title="src/total.ts"\n${edited}\`\`\`\n`,
    ],
    ['the file after the edit below it', `\`\`\`ts title="src/total.ts"\n${edited}\`\`\`\n\n${edit}\n`],
    ['a part of the file after the edit', `${edit}\n\n\`\`\`ts title="src/total.ts"\n  return withTax(n)\n}\n\`\`\`\n`],
  ])('is a listing if it shows %s', async (_, reply) => {
    const { success, notExecuted, proposals } = await executed(reply)
    expect({ success, proposals, reasons: notExecuted?.map(({ reason }) => reason) }).toEqual({
      success: true,
      proposals: undefined,
      reasons: ['listing'],
    })
  })
})

describe('a block of another tool beside native ones', () => {
  it('is a listing if it shows what the native block has done', async () => {
    const own = '<---SEARCH file="src/total.ts"--->\n  return n\n<---REPLACE--->\n  return withTax(n)\n<---END--->'
    const diff =
      '```diff\n--- a/src/total.ts\n+++ b/src/total.ts\n@@ -1,3 +1,3 @@\n export function total(n: number) {\n-  return n\n+  return withTax(n)\n }\n```'
    for (const reply of [`${own}\n\n${diff}\n`, `${diff}\n\n${own}\n`]) {
      const { success, files, notExecuted } = await executed(reply)
      expect({ success, text: files['src/total.ts'] }).toEqual({ success: true, text: edited })
      expect(notExecuted).toMatchObject([{ path: 'src/total.ts', reason: 'listing' }])
    }
  })

  it('that would start a program starts none before a yes', async () => {
    const call = '<execute_command>\n<command>touch made.txt</command>\n</execute_command>'
    const { results, files } = await executed(`${native}\n\n${call}\n`)
    expect(results.map(({ action, success, code }) => [action, success, code])).toEqual([
      ['file_write', true, undefined],
      ['run', false, 'review_required'],
    ])
    expect(Object.keys(files)).not.toContain('made.txt')
  })

  it('that reads is answered', async () => {
    const call = '<read_file>\n<path>src/cart.ts</path>\n</read_file>'
    const { success, report } = await executed(`${native}\n\n${call}\n`)
    expect(success).toBe(true)
    expect(report).toContain('export const count = () => 0')
  })
})

it('lists code under a sentence about a file beside blocks too, and fails nothing', async () => {
  const spoken = 'The count function in `src/cart.ts` works like this:\n\n```ts\nexport const count = () => 1\n```'
  const { success, notExecuted } = await executed(`${edit}\n\n${spoken}\n`)
  expect(success).toBe(true)
  expect(notExecuted).toMatchObject([{ path: 'src/cart.ts', what: 'code', reason: 'example' }])
})

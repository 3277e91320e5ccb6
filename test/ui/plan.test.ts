import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Clada } from '../../packages/clada/src/index.ts'
import type { ReviewChoices } from '../../packages/clada/src/core/review.ts'
import { turnAll } from '../../packages/clada/src/ui/history-view.ts'
import { type Planned, planOf } from '../../packages/clada/src/ui/plan.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'

function projectOf(files: Readonly<Record<string, string>>) {
  const options = { repoPath: scratchDir(files), git: 'off', relativePaths: true } as const
  return { root: options.repoPath, options, clada: new Clada(options), rules: [] }
}

const sham = (lines: string): string => `#!SHAM [@three-char-SHA-256: abc]\n${lines}\n#!END_SHAM_abc\n\n`

describe('a plan', () => {
  const planned = (text: string): Promise<Planned> => {
    const project = projectOf({ 'a.txt': 'one\n' })
    return planOf({ ...project, id: 7, text, name: 'x', revision: 3, done: new Map(), choices: {} })
  }
  it.each([
    ['<---WRITE file="b.txt"--->\nx\n<---END--->\n', { state: 'ready', task: '1' }, { success: true }],
    [
      '<---SEARCH file="a.txt"--->\ntwo\n<---REPLACE--->\nx\n<---END--->\n',
      { state: 'fails', task: '1', why: 'expected 1 occurrences but found 0' },
      { success: false, code: 'match_count_mismatch', error: 'expected 1 occurrences but found 0' },
    ],
    [
      '<---WRITE file=".env"--->\nx\n<---END--->\n',
      { state: 'refused', task: '1', why: expect.stringContaining('.env') },
      { success: false, code: 'path_denied', error: expect.stringContaining('.env') },
    ],
    [
      '<---RUN--->\nnpm test\n<---END--->\n',
      { state: 'approval', runs: 'npm test', why: expect.stringContaining('npm test') },
      { success: false, code: 'approval_required', error: expect.stringContaining('npm test') },
    ],
    ['<---RUN--->\ngit status\n<---END--->\n', { state: 'ready', runs: 'git status' }, { success: true }],
    ['<---RUN--->\nls\n<---END--->\n', { state: 'ready' }, { success: true }],
  ])('of %j', async (text, block, result) => {
    const { plan, detail } = await planned(text)
    expect(plan).toMatchObject({ reply: 7, revision: 3, blocks: [block] })
    expect(detail(0)?.result).toMatchObject(result)
    const said: Readonly<Record<string, unknown>> = { ...plan.blocks[0], ...detail(0)?.result }
    for (const name of ['why', 'runs', 'code', 'error'])
      expect(said[name] !== undefined, name).toBe(name in block || name in result)
  })
})

describe('a file that is moved', () => {
  const move = (from: string, to: string): string =>
    sham(`action = "file_move"\nold_path = "${from}"\nnew_path = "${to}"`)
  const edit = (file: string, before: string, after: string): string =>
    sham(`action = "file_replace_text"\npath = "${file}"\nold_text = "${before}"\nnew_text = "${after}"`)
  const look = (text: string): Promise<Planned> => {
    const project = projectOf({ 'a.txt': 'one\ntwo\n' })
    fs.writeFileSync(path.join(project.root, 'b.png'), Buffer.of(0x89, 0x50, 0xff))
    return planOf({ ...project, id: 1, text, name: '', revision: 1, done: new Map(), choices: {} })
  }
  const moved = { path: 'to/a.txt', from: 'a.txt', change: 'modify' }

  it('is one change of no lines', async () => {
    const { plan } = await look(move('a.txt', 'to/a.txt'))
    const files = [{ ...moved, added: 0, removed: 0 }]
    expect(plan).toMatchObject({ files, blocks: [{ files }] })
  })

  it('counts the lines that are edited before and after', async () => {
    const text =
      edit('a.txt', 'one', '1') + move('a.txt', 'm.txt') + move('m.txt', 'to/a.txt') + edit('to/a.txt', 'two', '2')
    const { plan, file } = await look(text)
    expect(plan.files).toEqual([{ ...moved, added: 2, removed: 2 }])
    expect(file('to/a.txt')).toMatchObject({ before: 'one\ntwo\n', after: '1\n2\n', from: 'a.txt' })
  })

  it('offers only the move of one that is no text', async () => {
    const { plan, detail } = await look(move('b.png', 'c.png'))
    expect(plan.files).toEqual([{ path: 'c.png', from: 'b.png', change: 'modify', added: 0, removed: 0 }])
    expect(detail(0)?.files).toMatchObject([{ from: 'b.png', binary: true, hunks: [{ kind: 'move' }] }])
  })
})

it('says in a list why a block fails without the name that the row has', async () => {
  const project = projectOf({ 'a.txt': 'a\n' })
  const text =
    sham('action = "file_write"\npath = "/etc/x"\ncontent = "x"') +
    sham('action = "files_read"\npaths = <<\'EOT_SHAM_abc\'\na.txt\nnowhere.txt\nEOT_SHAM_abc')
  const { plan } = await planOf({ ...project, id: 1, text, name: '', revision: 1, done: new Map(), choices: {} })
  expect(plan.blocks.map(({ why }) => why)).toEqual([
    "Path not allowed: it is outside the project, and it matches the denied pattern '/etc'",
    'Read 1 of 2 files (1 failed)',
  ])
})

it('takes the hunks that fit of a patch with one that does not, after that choice', async () => {
  const project = projectOf({ 'a.txt': 'one\ntwo\n' })
  const text = '```diff\n--- a/a.txt\n+++ b/a.txt\n@@\n one\n-two\n+three\n@@\n-nowhere\n+x\n```\n'
  const look = (choices: ReviewChoices): Promise<Planned> =>
    planOf({ ...project, id: 1, text, name: '', revision: 1, done: new Map(), choices })
  const before = await look({})
  expect(before.plan.blocks).toMatchObject([{ state: 'fails', files: [] }])
  expect(before.detail(0)).toMatchObject({ fitting: 1, files: [] })
  const choices = { blocks: { '1': { patches: 'good' } } } as const
  const after = await look(choices)
  expect(after.plan.blocks).toMatchObject([{ state: 'repaired', decided: 'only the hunks that fit' }])
  const { success, results } = await project.clada.execute(text, { review: choices })
  expect({ success, files: filesIn(project.root) }).toEqual({ success: false, files: { 'a.txt': 'one\nthree\n' } })
  expect(results[0]?.code).toBe('match_count_mismatch')
})

describe('the prose around a block', () => {
  it('is what the model wrote, without fences and the markers of a group', async () => {
    const project = projectOf({})
    const write = (name: string): string => `<---WRITE file="${name}"--->\nx\n<---END--->`
    const text = `Two files:\n\n<---TASKS atomic="true"--->\n${write('a.txt')}\n${write('b.txt')}\n<---END--->\n\nThen:\n\n${write('c.txt')}\n\nDone.\n`
    const { detail } = await planOf({ ...project, id: 1, text, name: '', revision: 1, done: new Map(), choices: {} })
    expect([0, 1, 2].map((key) => detail(key)?.prose)).toEqual([
      { above: 'Two files:', below: '' },
      { above: '', below: '' },
      { above: 'Then:', below: 'Done.' },
    ])
  })

  const code = '```js\nexport const b = 1\n```\n'
  const readme = 'Use it:\n\n```js\nb()\n```\n'
  it.each([
    ['a sentence', `Hello.\n\nHere is \`b.js\`:\n\n${code}`, 'Hello.\n\nHere is `b.js`:'],
    [
      'a heading and a sentence',
      `### \`b.js\`\n\nIt has one constant.\n\n${code}`,
      '### `b.js`\n\nIt has one constant.',
    ],
    ['none in the info of a fence', 'Then:\n\n```js b.js\nconst a = 1\n```\n', 'Then:'],
    ['none in a tag', `Then:\n\n<file path="b.md">\n${readme}</file>\n`, 'Then:'],
    ['none in a heredoc', `Then:\n\n\`\`\`\`bash\ncat > b.md <<'EOF'\n${readme}EOF\n\`\`\`\`\n`, 'Then:'],
  ])('has the words that announce a proposal: %s', async (_, text, above) => {
    const project = projectOf({})
    const asked = { ...project, id: 1, text, name: '', revision: 1, done: new Map(), choices: {} }
    const { plan, detail } = await planOf(asked)
    expect(plan.blocks).toMatchObject([{ action: 'file_write' }])
    expect(detail(0)?.prose).toEqual({ above, below: '' })
  })
})

describe('executions that are undone together', () => {
  it('are undone all or not at all', async () => {
    const project = projectOf({})
    const { clada, root } = project
    for (const name of ['a.txt', 'b.txt'])
      await clada.perform('file_write', { path: path.join(root, name), content: `${name}\n` })
    fs.writeFileSync(path.join(root, 'a.txt'), 'changed\n')
    expect(await turnAll(project, 'undo', [1, 2], false)).toMatchObject({
      success: false,
      executions: [],
      restored: [],
    })
    expect(filesIn(root)).toEqual({ 'a.txt': 'changed\n', 'b.txt': 'b.txt\n' })
    expect(await turnAll(project, 'undo', [1, 2], true)).toMatchObject({ success: true, executions: [2, 1] })
    expect(await turnAll(project, 'redo', [2, 1], true)).toMatchObject({ success: true, executions: [1, 2] })
    expect(filesIn(root)['b.txt']).toBe('b.txt\n')
  })
})

it('says of a part of a file that it is one', async () => {
  const file =
    'function one() {\n  return 1\n}\n\nfunction two() {\n  return 2\n}\n\nfunction three() {\n  return 3\n}\n'
  const { options, ...project } = projectOf({ 'a.js': file })
  const agreed = { ...options, proposals: 'apply' } as const
  const text = '**a.js**\n\n```js\nfunction two() {\n  return 2.5\n}\n```\n'
  const { plan, detail } = await planOf({
    ...project,
    options: agreed,
    clada: new Clada(agreed),
    id: 1,
    text,
    name: '',
    revision: 1,
    done: new Map(),
    choices: {},
  })
  expect(plan.blocks).toMatchObject([{ state: 'part', warnings: 1, files: [{ path: 'a.js', added: 1, removed: 1 }] }])
  expect(detail(0)?.warnings).toEqual(["the text is a part of the file: it replaces 'function two()'; the rest stays"])
})

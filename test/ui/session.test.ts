import fs from 'node:fs'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { Transcript } from '../../packages/clada/src/loop/transcript.ts'
import { taughtNames } from '@clada/reply/syntax/table.ts'
import { timelineOf } from '../../packages/clada/src/ui/history-view.ts'
import { projectFacts } from '../../packages/clada/src/ui/prompting.ts'
import { Listeners } from '../../packages/clada/src/ui/server.ts'
import { PageSession } from '../../packages/clada/src/ui/session.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { entered, request, served } from './page-server.ts'

const write = (name: string): string => `<---WRITE file="${name}"--->\n${name}\n<---END--->\n`

function session(files: Readonly<Record<string, string>> = {}) {
  const root = scratchDir(files)
  const own = new PageSession({
    options: { repoPath: root, git: 'off', relativePaths: true },
    root,
    inputBytes: 100_000,
    inputFile: path.join(root, 'input.md'),
    rules: [],
    report: {},
    send: () => undefined,
  })
  const apply = async (): Promise<void> => {
    own.apply(null, own.plan?.revision ?? 0)
    await own.settled()
  }
  return { root, own, apply }
}

const halfOf = (before: string): string =>
  `f.js\n\`\`\`\n<<<<<<< SEARCH\n${before}\n=======\nx\n>>>>>>> REPLACE\n\`\`\`\n`
const halves = halfOf('  one()') + halfOf('nowhere')

describe('the replies of a page', () => {
  it('stay in its list when others are opened, and can be opened again', async () => {
    const { own } = session()
    for (const name of ['a', 'b']) await own.open(write(name), name)
    await own.open('no blocks', 'c')
    await own.open(write('d'), 'd')
    const listed = own.state().replies.map(({ name, blocks }) => [name, blocks])
    expect(listed).toEqual([
      ['d', 1],
      ['b', 1],
      ['a', 1],
    ])
    const [, , { id = 0 } = {}] = own.state().replies
    await own.reopen(id)
    expect(own.text).toBe(write('a'))
    await expect(own.reopen(99)).rejects.toThrow('no longer in the list')
  })

  it('are looked at without being shown', async () => {
    const { own } = session()
    expect((await own.look(write('a'))).plan).toMatchObject({ reply: 0, revision: 0, blocks: [{ state: 'ready' }] })
    expect(own.plan).toBeNull()
  })

  it('are answered with what was applied, until it is undone', async () => {
    const { own, apply } = session()
    await own.open(write('a'), 'a')
    expect(own.answer()).toContain('Nothing was applied yet')
    await apply()
    expect(own.answer()).toMatch(/^=== CLADA RESULTS/)
    await own.undo({})
    expect(own.answer()).toContain('Nothing was applied yet')
  })

  it('show a block as not applied when its action alone is undone, and apply it again', async () => {
    const { root, own, apply } = session()
    const applied = () => own.plan?.blocks.map(({ outcome }) => outcome?.success)
    await own.open(write('a') + write('b') + write('c'), 'x')
    own.apply(['2'], own.plan?.revision ?? 0)
    await own.settled()
    await apply()
    expect(applied()).toEqual([true, true, true])
    await own.undo({ number: 2, action: 2 })
    expect(applied()).toEqual([true, true, undefined])
    expect(own.answer()).toContain('left out by the user')
    expect(filesIn(root)).toEqual({ a: 'a', b: 'b' })
    await apply()
    expect(applied()).toEqual([true, true, true])
    expect(filesIn(root)).toEqual({ a: 'a', b: 'b', c: 'c' })
  })

  it('are answered with why a block fails after a program, and with no example as left out', async () => {
    const { own } = session({ 'a.txt': 'a\n' })
    const edit = '<---SEARCH file="a.txt"--->\nnowhere\n<---REPLACE--->\nx\n<---END--->\n'
    const example = 'For example `b.ts` could be:\n\n```ts\nexport const b = 1\n```\n'
    await own.open(`<---RUN--->\nnpm test\n<---END--->\n${edit}${write('c')}${example}`, 'x')
    expect(own.plan?.blocks.map(({ state, why }) => [state, why])).toEqual([
      ['approval', "'npm test' is not approved"],
      ['unknown', undefined],
      ['ready', undefined],
      ['skipped', expect.any(String)],
    ])
    expect(own.detail(1).warnings).toEqual([
      "unknown: it depends on 'npm test', which is not run in a preview",
      'as things are: file_edit: expected 1 occurrences but found 0',
    ])
    own.apply(null, own.plan?.revision ?? 0)
    await expect.poll(() => own.questions.list(), { interval: 5 }).toHaveLength(1)
    own.questions.answer(own.questions.list()[0]?.id ?? 0, 'no')
    await own.settled()
    expect(own.plan?.blocks.map(({ state, outcome }) => [state, outcome?.success])).toEqual([
      ['approval', false],
      ['fails', undefined],
      ['ready', true],
      ['skipped', undefined],
    ])
    expect(own.answer()).toMatch(/❌ file_edit a\.txt/)
    expect(own.answer()).not.toContain('left out by the user')
  })

  it('are applied without a block that was left out', async () => {
    const { root, own, apply } = session()
    await own.open(write('a') + write('b'), 'x')
    await own.decide('1', { leaveOut: true })
    await apply()
    expect(filesIn(root)).toEqual({ b: 'b' })
  })
})

describe('what is applied is what was shown, where it was shown', () => {
  const edit = (old: string, fresh: string): string =>
    `<---SEARCH file="f.js"--->\n${old}\n<---REPLACE--->\n${fresh}\n<---END--->\n`
  const sham = (action: string, params: string): string =>
    `#!SHAM [@three-char-SHA-256: abc]\naction = "${action}"\npath = "f.js"\n${params}\n#!END_SHAM_abc\n`
  const file = 'function a() {\n  one()\n}\n\nfunction b() {\n  two()\n}\n'
  const moved = 'function a() {\n  two()\n}\n\nfunction b() {\n  one()\n}\n'
  const other = write('other.txt')

  it.each([
    ['an edit', edit('  one()', '  one(1)') + other, moved],
    [
      'a new line',
      sham('file_replace_text', 'old_text = "  one()\\n"\nnew_text = "  one()\\n  more()\\n"') + other,
      moved,
    ],
    ['a deleted line', sham('file_replace_text', 'old_text = "  one()\\n"\nnew_text = ""') + other, moved],
    // The half that fits would be applied.
    ['half of an edit', halves, `// New\n${file}`],
    ['the same edit between other lines', edit('  one()', '  one(1)') + other, `// New\n${file}`],
  ])('and a file that was changed since is refused: %s', async (_, text, now) => {
    const { root, own } = session({ 'f.js': file })
    for (const tasks of [['1'], null]) {
      await own.open(text, 'x')
      fs.writeFileSync(path.join(root, 'f.js'), now)
      own.apply(tasks, own.plan?.revision ?? 0)
      await own.settled()
      expect(own.state().remarks).toEqual([expect.stringContaining('Nothing was applied')])
      expect(filesIn(root)).toEqual({ 'f.js': now })
      fs.writeFileSync(path.join(root, 'f.js'), file)
    }
  })

  it.each([
    // Alone it would replace another bracket than the one that was shown.
    [
      'a line by its number',
      edit('function a', '// A\nfunction a'),
      sham('file_replace_lines', 'lines = "3"\nnew_content = "} // end"'),
    ],
    [
      'a line after a number',
      edit('function a', '// A\nfunction a'),
      sham('file_insert_lines', 'after = "2"\ncontent = "x()"'),
    ],
    ['deleted lines', edit('function a() {\n  one()\n}\n', ''), sham('file_delete_lines', 'lines = "4"')],
  ])('and a block that would land elsewhere without another is refused: %s', async (_, first, second) => {
    const twice = `}\n${file.replace('two', 'one')}}\n}\n`
    const { root, own } = session({ 'f.js': twice })
    await own.open(first + second, 'x')
    expect(own.plan?.blocks.map(({ state }) => state)).toEqual(['ready', 'ready'])
    own.apply(['2'], own.plan?.revision ?? 0)
    await own.settled()
    expect(own.state().remarks).toEqual([expect.stringContaining('block 2 builds on another block')])
    expect(filesIn(root)).toEqual({ 'f.js': twice })
  })

  it('and a block whose lines only moved with another that is left for later is applied', async () => {
    const { root, own } = session({ 'f.js': file })
    await own.open(edit('function a', '// A\nfunction a') + edit('  two()', '  two(2)'), 'x')
    own.apply(['2'], own.plan?.revision ?? 0)
    await own.settled()
    expect(filesIn(root)).toEqual({ 'f.js': file.replace('two()', 'two(2)') })
    own.apply(['1'], own.plan?.revision ?? 0)
    await own.settled()
    expect(filesIn(root)).toEqual({ 'f.js': `// A\n${file.replace('two()', 'two(2)')}` })
  })

  it('and blocks that move a file and edit it there are applied without the others', async () => {
    const { root, own } = session({ 'f.js': file })
    const text = `<move from="f.js" to="g.js"/>\n${edit('  one()', '  one(1)').replace('f.js', 'g.js')}${other}`
    await own.open(text, 'x')
    own.apply(['1', '2'], own.plan?.revision ?? 0)
    await own.settled()
    expect(filesIn(root)).toEqual({ 'g.js': file.replace('one()', 'one(1)') })
  })

  it('and a file that is changed while a question waits is refused', async () => {
    const { root, own } = session({
      'f.js': file,
      'g.txt': 'First.\nSecond.\nThe third one.\nThe last one is small.\n',
    })
    await own.open(
      `**g.txt**\n\`\`\`\nThe third one.\nThe last one is large.\n\`\`\`\n\n**f.js**\n\`\`\`js\n${file.replace('one', 'three')}\`\`\`\n`,
      'x',
    )
    own.apply(null, own.plan?.revision ?? 0)
    await expect.poll(() => own.questions.list(), { interval: 5 }).toHaveLength(1)
    fs.writeFileSync(path.join(root, 'f.js'), moved)
    own.questions.answer(own.questions.list()[0]?.id ?? 0, 'no')
    await own.settled()
    expect(filesIn(root)).toMatchObject({ 'f.js': moved })
    expect(own.answer()).toContain('changed')
  })
})

describe('a part of a file that is proposed as the whole of it', () => {
  const file = 'Import of goods.\n\nThe first of all.\nIt is small.\n\nThe second one.\nIt is large.\n'
  const text = '**a.txt**\n```\nThe second one.\nIt is very large.\n```\n'

  it.each([
    ['as it is', []],
    ['after a decision about another block', [['2', { leaveOut: true }]]],
  ] as const)('is not ready, and is applied only after a yes of its own: %s', async (_, decisions) => {
    const { root, own } = session({ 'a.txt': file })
    const plan = await own.open(`${text}\n**b.py**\n\`\`\`python\nb = 1\n\`\`\`\n`, 'x')
    expect(plan.blocks.map(({ state }) => state)).toEqual(['approval', 'ready'])
    expect(plan.blocks[0]?.why).toContain('it lacks the beginning')
    for (const [task, choice] of decisions) await own.decide(task, choice)
    own.apply(null, own.plan?.revision ?? 0)
    await expect.poll(() => own.questions.list(), { interval: 5 }).toMatchObject([{ lacks: 'beginning' }])
    own.questions.answer(own.questions.list()[0]?.id ?? 0, 'no')
    await own.settled()
    expect(own.plan?.blocks[0]?.outcome?.why).toBe('You refused the proposal')
    expect(filesIn(root)).toMatchObject({ 'a.txt': file })
  })

  it('will fail if it is empty', async () => {
    const { own } = session({ 'a.txt': file })
    const { blocks } = await own.open('**a.txt**\n```\n```\n', 'x')
    expect(blocks).toMatchObject([{ state: 'fails', why: expect.stringContaining('it is empty') }])
  })
})

it('the timeline names the loops of the project', async () => {
  const { root, own } = session()
  expect((await timelineOf(own.project)).loops).toEqual({})
  Transcript.begin(root, { id: 'one', started: '2026-01-01', task: 'Count.', model: 'm' })
  expect((await timelineOf(own.project)).loops).toEqual({ one: { number: 1, task: 'Count.', ended: undefined } })
})

it('a prompt can be had in each syntax that the user allows', async () => {
  const { project } = session({ 'a.txt': 'a' }).own
  expect((await projectFacts(project)).syntaxes).toEqual(taughtNames)
  const options = { ...project.options, syntaxes: ['csl'] as const }
  expect((await projectFacts({ ...project, options })).syntaxes).toEqual(['csl'])
})

it('the history says why an action failed without codes of the system', async () => {
  const { clada } = session().own.project
  await clada.execute(
    '#!SHAM [@three-char-SHA-256: del]\naction = "file_delete"\npath = "a.txt"\n#!END_SHAM_del\n' + write('b'),
  )
  expect((await clada.execution(1))?.actions.map(({ error }) => error)).toEqual(["There is no file 'a.txt'", undefined])
})

it('of several files for the working set, those that are no text are left out and named', async () => {
  const { own, root } = session({ 'a.txt': 'a\n' })
  fs.writeFileSync(path.join(root, 'b.png'), Buffer.of(0x89, 0x50, 0xff))
  expect(await own.changeContext('add', ['b.png', 'a.txt'])).toEqual({
    entries: [{ path: 'a.txt', tokens: 1, problem: undefined }],
    leftOut: ["'b.png' is not valid UTF-8 (byte 0, line 1)"],
  })
  await expect(own.changeContext('add', ['b.png'])).rejects.toThrow(/^'b\.png' is not valid UTF-8/)
})

it('a tab hears what is sent while it is open', async () => {
  const counts: number[] = []
  const listeners = new Listeners((count) => void counts.push(count))
  const response = new ServerResponse(new IncomingMessage(new Socket()))
  const heard: string[] = []
  response.write = (chunk: unknown) => heard.push(String(chunk)) > 0
  listeners.send('state', 0)
  listeners.add(response)
  listeners.send('result', 1)
  listeners.send('state', 2)
  listeners.close()
  listeners.send('state', 3)
  expect(heard.join('')).toBe('event: result\ndata: 1\n\nevent: state\ndata: 2\n\n')
  expect(counts).toEqual([1])
})

it('several executions are undone with one request, and one line is a place', async () => {
  const root = scratchDir({ 'a.txt': 'x\nx\n' })
  const page = await served(root, { git: 'off' })
  const { cookie, key } = await entered(page)
  const headers = { cookie, origin: page.origin, host: new URL(page.origin).host, 'x-clada': key }
  const post = async (target: string, value: unknown) => {
    const isText = typeof value === 'string'
    const body = isText ? value : JSON.stringify(value)
    const type = { 'content-type': isText ? 'text/markdown' : 'application/json' }
    const answer = await request(page, target, { method: 'POST', headers: { ...headers, ...type }, body })
    return { status: answer.status, value: JSON.parse(answer.body) }
  }
  const apply = async (text: string): Promise<void> => {
    const { value } = await post('/api/document?name=x', text)
    await post('/api/apply', { tasks: null, revision: value.revision })
    const state = () => request(page, '/api/state', { headers }).then(({ body }) => JSON.parse(body).running)
    await expect.poll(state, { interval: 10 }).toBeNull()
  }
  for (const name of ['b', 'c']) await apply(write(name))
  expect(filesIn(root)).toEqual({ 'a.txt': 'x\nx\n', b: 'b', c: 'c' })
  expect(await post('/api/undo', { numbers: [1, 2] })).toMatchObject({ status: 200, value: { executions: [2, 1] } })
  expect(filesIn(root)).toEqual({ 'a.txt': 'x\nx\n' })

  await post('/api/document?name=x', '<---SEARCH file="a.txt"--->\nx\n<---REPLACE--->\ny\n<---END--->\n')
  const place = (line: number, endLine: number) =>
    post('/api/choice', { task: '1', choice: { place: { line, endLine } } })
  expect(await place(2, 1)).toMatchObject({ status: 400 })
  expect(await place(2, 2)).toMatchObject({ status: 200, value: { blocks: [{ state: 'ready' }] } })
})

import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { lockFileOf } from '../../packages/clada/src/store/lock.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { answerOf, connected, messagesTo, writing } from './client.ts'
import { skipWithout } from '../support/needs.ts'

describe('execute', () => {
  it('carries out a document and answers with the report and the result', async () => {
    const root = scratchDir({ 'a.txt': 'two\n' })
    const { call } = await connected(root)
    const document = `Sure.\n\n${writing(root, ['x.txt'])}\n#!SHAM [@three-char-SHA-256: bad]\naction = "file_reed"\n#!END_SHAM_bad\n`
    const { text, values, isError } = await call('execute', { document })
    expect(isError).toBe(true)
    expect(text).toContain('b0000 ✅ file_write')
    expect(text).toContain('Did you mean file_read?')
    expect(values).toMatchObject({
      success: false,
      totalBlocks: 2,
      executedActions: 1,
      results: [{ action: 'file_write', success: true, data: { path: `${root}/x.txt` } }],
      parseErrors: [{ blockId: 'bad', code: 'unknown_action' }],
    })
    expect(filesIn(root)).toEqual({ 'a.txt': 'two\n', 'x.txt': 'x.txt' })
  })

  it('is whole or nothing when asked', async () => {
    const root = scratchDir()
    const { call } = await connected(root)
    const document = writing(root, ['x.txt', '../outside.txt'])
    expect((await call('execute', { document, atomic: true })).values).toMatchObject({ success: false })
    expect(filesIn(root)).toEqual({})
    expect((await call('execute', { document, atomic: false })).values).toMatchObject({ success: false })
    expect(filesIn(root)).toEqual({ 'x.txt': 'x.txt' })
  })

  it('looks for the syntax that was asked for', async () => {
    const root = scratchDir()
    const { call } = await connected(root)
    const document = `${writing(root, ['x.txt'])}\n<write path="y.txt">\n<![CDATA[y]]>\n</write>\n`
    expect((await call('execute', { document, syntax: 'cml' })).values).toMatchObject({ success: true, totalBlocks: 1 })
    expect(Object.keys(filesIn(root))).toEqual(['y.txt'])
  })

  it('finds no more than the user allows, whatever the client asks for', async () => {
    const root = scratchDir()
    const { client, call } = await connected(root, { args: ['--syntax', 'sham', '--atomic'] })
    const document = '<write path="y.txt"><![CDATA[y]]></write>\n'
    expect(await call('execute', { document, syntax: 'cml' })).toMatchObject({
      isError: true,
      values: {
        code: 'invalid_parameter',
        error: 'Invalid value: the user allows blocks of sham only, and not of cml',
        details: { advice: "Parameter 'syntax': Leave it out, and write the blocks in sham." },
      },
    })
    const both = writing(root, ['a.txt']) + '\n' + writing(root, ['b.txt']).replace('file_write', 'file_delete')
    expect(await call('execute', { document: both, atomic: false })).toMatchObject({ isError: true })
    expect(filesIn(root)).toEqual({})
    await expect(client.getPrompt({ name: 'clada', arguments: { syntax: 'cml' } })).rejects.toThrow(
      'The user allows blocks of sham only, and not of cml.',
    )
  })

  it('tells how far it is, to those who ask', async () => {
    const root = scratchDir()
    const { client, heard } = await connected(root)
    // As they arrive: the client itself forgets what comes together with the answer.
    const told = messagesTo(client)
    const document = writing(root, ['a', 'b', 'c'])
    await client.callTool({ name: 'execute', arguments: { document } }, { onprogress: () => {} })
    expect(told.filter((message) => 'method' in message && message.method === 'notifications/progress')).toMatchObject(
      ['a', 'b', 'c'].map((name, at) => ({
        params: { progress: at + 1, message: `✅ file_write ${root}/${name}` },
      })),
    )
    await client.callTool({ name: 'execute', arguments: { document } })
    expect(heard.filter(({ method }) => method === 'notifications/progress')).toEqual([])
  })

  it('stops when it is cancelled; the rest is skipped and the report says so', async (context) => {
    skipWithout(context, 'sandbox')
    const root = scratchDir()
    const { client, call } = await connected(root)
    const sleeping = `#!SHAM [@three-char-SHA-256: slp]\naction = "exec"\nlang = "bash"\ncode = "sleep 20"\n#!END_SHAM_slp\n`
    const document = `${writing(root, ['first.txt'])}\n${sleeping}\n${writing(root, ['never.txt'])}`
    const stop = new AbortController()
    const onprogress = (): void => stop.abort('enough')
    const running = client.callTool(
      { name: 'execute', arguments: { document } },
      {
        signal: stop.signal,
        onprogress,
      },
    )
    await expect(running).rejects.toThrow('enough')
    // The next call waits until the cancelled one has ended.
    expect((await call('ls', { path: '.' })).isError).toBe(false)
    expect(filesIn(root)).toEqual({ 'first.txt': 'first.txt' })
    expect(fs.existsSync(lockFileOf(root) ?? '')).toBe(false)
    const { contents } = await client.readResource({ uri: 'clada://history' })
    expect(JSON.parse(String(contents[0] && 'text' in contents[0] && contents[0].text))).toMatchObject([
      { number: 1, done: 1, failed: 2, interrupted: false },
    ])
  })

  it('ends when its time is over', async (context) => {
    skipWithout(context, 'sandbox')
    const { call } = await connected(scratchDir(), { args: ['--total-timeout', '0.2'] })
    const { isError, text } = await call('exec', { lang: 'bash', code: 'sleep 20' })
    expect({ isError, text }).toEqual({ isError: true, text: expect.stringContaining('exec: Command stopped') })
  })

  it('drops a cancelled call that was still waiting', async (context) => {
    skipWithout(context, 'sandbox')
    const root = scratchDir()
    const { client, call } = await connected(root)
    const stop = new AbortController()
    const slow = client.callTool({ name: 'exec', arguments: { lang: 'bash', code: 'sleep 0.3' } })
    const waiting = client.callTool({ name: 'file_write', arguments: { path: 'x', content: 'x' } }, stop)
    await delay(50)
    stop.abort('changed my mind')
    await expect(waiting).rejects.toThrow('changed my mind')
    await slow
    await call('ls', { path: '.' })
    expect(filesIn(root)).toEqual({})
  })
})

describe('a dry run', () => {
  it('shows a diff and touches nothing', async () => {
    const root = scratchDir({ 'a.txt': 'one\ntwo\n' })
    const { call } = await connected(root)
    const document = '<<<FILE>>>\na.txt\n<<<SEARCH>>>\ntwo\n<<<REPLACE>>>\nthree\n<<<END>>>\n'
    const { text, values, isError } = await call('execute', { document, dry_run: true })
    expect(isError).toBe(false)
    expect(text).toMatch(/^diff --git a\/a\.txt b\/a\.txt\n/)
    expect(text).toContain('-two\n+three\n')
    expect(values).toMatchObject({
      success: true,
      diffs: [{ path: 'a.txt', change: 'modify' }],
      totalBlocks: 1,
    })
    expect(filesIn(root)).toEqual({ 'a.txt': 'one\ntwo\n' })
    expect(fs.existsSync(path.join(root, '.clada'))).toBe(false)
  })

  it('says which changes are proposals, which wait for a yes', async () => {
    const root = scratchDir({ 'a.txt': 'one\ntwo\n' })
    const { call } = await connected(root)
    const document = 'Replace `a.txt`:\n\n```\none\ntwo\nthree\n```\n'
    const { text, values } = await call('execute', { document, dry_run: true })
    expect(text).toContain("\na.txt is a proposal: it is applied only after the user's yes.\n")
    expect(values['proposals']).toEqual([{ line: 1, path: 'a.txt', kind: 'overwrite' }])
  })

  it.each([
    ['a new file', 'Create `b.txt`:\n\n```\nnew\n```\n', ['ask'], [{ line: 1, path: 'b.txt', kind: 'create' }]],
    ['an agreed one', 'Replace `a.txt`:\n\n```\none\ntwo\nthree\n```\n', ['apply'], undefined],
    [
      'an agreed one without content',
      'Replace `a.txt`:\n\n```\n```\n',
      ['apply'],
      [{ line: 1, path: 'a.txt', kind: 'overwrite', lacks: 'everything' }],
    ],
    ['a block', '<<<FILE>>>\na.txt\n<<<SEARCH>>>\ntwo\n<<<REPLACE>>>\n3\n<<<END>>>\n', ['ask'], undefined],
  ])('lists in its data what waits for a yes: %s', async (_, document, [how = ''], proposals) => {
    const { call } = await connected(scratchDir({ 'a.txt': 'one\ntwo\n' }), { args: ['--proposals', how] })
    const { text, values } = await call('execute', { document, dry_run: true })
    expect(values['proposals']).toEqual(proposals)
    expect(text.includes(' is a proposal: it is applied only')).toBe(proposals !== undefined)
  })

  it('says what would fail, and when nothing would change', async () => {
    const { call } = await connected(scratchDir({ 'a.txt': 'one\n' }))
    const failing = await call('execute', {
      dry_run: true,
      document: '<<<FILE>>>\na.txt\n<<<SEARCH>>>\nzwei\n<<<REPLACE>>>\n3\n<<<END>>>\n',
    })
    expect(failing.isError).toBe(true)
    expect(failing.text).toMatch(/^Nothing would change\.\n/)
    expect(failing.text).toContain('old_text not found')
  })
})

describe('calls at the same time', () => {
  it('are carried out one after another, each with its own answer', async () => {
    const root = scratchDir()
    const { client } = await connected(root, { args: ['--lock-timeout', '0'] })
    const names = Array.from({ length: 10 }, (_, at) => `f${at}.txt`)
    const answers = await Promise.all(
      names.map((name) => client.callTool({ name: 'file_write', arguments: { path: name, content: name } })),
    )
    expect(answers.map((answer) => answerOf(answer).values)).toMatchObject(
      names.map((name) => ({ success: true, data: { path: name } })),
    )
    expect(filesIn(root)).toEqual(Object.fromEntries(names.map((name) => [name, name])))
    const appended = Array.from({ length: 10 }, (_, at) => `${at}\n`)
    await Promise.all(
      appended.map((content) => client.callTool({ name: 'file_append', arguments: { path: 'log.txt', content } })),
    )
    expect(filesIn(root)['log.txt']).toBe(appended.join(''))
  })

  it('of two servers on one project wait for each other', async () => {
    const root = scratchDir()
    const [first, second] = [await connected(root), await connected(root)]
    const names = Array.from({ length: 6 }, (_, at) => `f${at}.txt`)
    const answers = await Promise.all(
      names.map((name, at) => (at % 2 === 0 ? first : second).call('file_write', { path: name, content: name })),
    )
    expect(answers.filter(({ isError }) => isError)).toEqual([])
    expect(Object.keys(filesIn(root))).toEqual(names)
  })
})

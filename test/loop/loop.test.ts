import fs from 'node:fs'
import path from 'node:path'
import { LLMock } from '@copilotkit/aimock'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Clada } from '../../packages/clada/src/api/clada.ts'
import type { LoopOptions } from '../../packages/clada/src/loop/loop.ts'
import {
  apiModel,
  type ChatMessage,
  type Model,
  ModelError,
  programModel,
} from '../../packages/clada/src/loop/model.ts'
import { messagesFor, Transcript } from '../../packages/clada/src/loop/transcript.ts'
import { type Answer, collected, event, looped, scripted, serving, sham, write } from './looping.ts'
import { estimateTokens } from '@clada/reply/text/lines.ts'
import { called } from '../support/in-process.ts'
import { filesIn, scratchDir, inState } from '../support/scratch.ts'

describe('a loop', () => {
  it('applies each reply, answers with the report, and ends with a reply without blocks', async () => {
    const root = scratchDir()
    const model = scripted(`First.\n${write('a.txt', 'one')}`, `${write('b.txt', 'two')}`, 'All done.')
    const { result, transcript, events } = await looped(root, model)
    const asked = events.flatMap((event) => (event.kind === 'round' ? [[event.round, event.tokens]] : []))
    const sizeOf = (messages: readonly ChatMessage[]) =>
      messages.reduce((sum, { content }) => sum + estimateTokens(content), 0)
    expect(asked).toEqual(model.asked.map((messages, at) => [at + 1, sizeOf(messages)]))
    expect(result).toEqual({ ending: 'no-blocks', rounds: 3, tokens: transcript.record.tokens })
    expect(filesIn(root)).toEqual({ 'a.txt': 'one', 'b.txt': 'two' })
    expect(model.asked[1]).toMatchObject([
      { role: 'user', content: 'PROMPT' },
      { role: 'assistant', content: expect.stringContaining('First.') },
      { role: 'user', content: expect.stringContaining('✅') },
    ])
    expect(transcript.turns().map(({ reply }) => reply.split('\n', 1)[0])).toEqual([
      'First.',
      '<---WRITE file="b.txt"--->',
      'All done.',
    ])
    expect(events.flatMap((event) => (event.kind === 'action' ? event.result.success : []))).toEqual([true, true])
  })

  it('is undone as a whole', async () => {
    const root = scratchDir({ 'a.txt': 'zero\n' })
    await looped(root, scripted(write('a.txt', 'one'), write('a.txt', 'two'), write('b.txt', 'x')))
    const clada = new Clada({ repoPath: root, gitCommit: false })
    expect(await clada.undo({ conversation: 'loop' })).toMatchObject({ success: true, executions: [3, 2, 1] })
    expect(filesIn(root)).toEqual({ 'a.txt': 'zero\n' })
    const other = scratchDir()
    await looped(other, scripted(write('a.txt', 'one')))
    expect(await new Clada({ repoPath: other, gitCommit: false }).undo({ conversation: 'loop' })).toMatchObject({
      summary: '1 execution',
    })
  })

  it('ends when the rounds, the tokens or the time are used up', async () => {
    const replies = Array.from({ length: 9 }, (_, at) => write('a.txt', `${at}`))
    const ending = async (limits: Partial<LoopOptions['limits']>) =>
      (await looped(scratchDir(), scripted(...replies), { limits: { rounds: 9, window: 8000, ...limits } })).result
    expect(await ending({ rounds: 2 })).toMatchObject({ ending: 'rounds', rounds: 2 })
    expect(await ending({ tokens: 30 })).toMatchObject({ ending: 'tokens' })
    expect(await ending({ timeMs: 1 })).toMatchObject({ ending: 'time' })
  })

  it('ends when three rounds come to the same', async () => {
    const failing = '<---EDIT file="no.txt"--->\n<---BEFORE--->\na\n<---AFTER--->\nb\n<---END--->\n'
    const { result } = await looped(scratchDir(), scripted(failing, failing, failing, failing))
    expect(result).toMatchObject({ ending: 'no-progress', rounds: 3 })
  })

  it('stops when it is told to, and keeps what was applied', async () => {
    const root = scratchDir()
    const stop = new AbortController()
    const model: Model = {
      name: 'slow',
      reply: async function* () {
        yield sham('file_write', 'path = "a.txt"\ncontent = "one"')
        yield write('b.txt', 'two').slice(0, 25)
        stop.abort()
        // Whoever does not listen is not waited for.
        await new Promise(() => undefined)
      },
    }
    const clada = { repoPath: root, gitCommit: false, relativePaths: true }
    const { result, transcript } = await looped(root, model, { signal: stop.signal, clada })
    expect(result).toMatchObject({ ending: 'stopped' })
    expect(filesIn(root)).toEqual({ 'a.txt': 'one' })
    expect(transcript.record.rounds).toBe(1)
  })

  it('asks again only as long as nothing was applied', async () => {
    const busy = new ModelError('busy', { afterMs: 1 })
    const root = scratchDir()
    const { result, events } = await looped(root, scripted(busy, busy, write('a.txt', 'one')))
    expect(result).toMatchObject({ ending: 'no-blocks', rounds: 2 })
    expect(events.filter(({ kind }) => kind === 'retry')).toHaveLength(2)
    expect((await looped(root, scripted(new ModelError('no such model')))).result).toMatchObject({
      ending: 'model',
      reason: 'no such model',
    })
  })

  it('goes on after a reply that was cut off, and applies no block twice', async () => {
    const root = scratchDir({ 'log.txt': '' })
    let asked = 0
    const append =
      '#!SHAM [@three-char-SHA-256: app]\naction = "file_append"\npath = "log.txt"\ncontent = "x"\n#!END_SHAM_app\n'
    const model: Model = {
      name: 'cut',
      reply: async function* () {
        if (asked++ > 0) return yield 'That was all.'
        yield append
        yield write('b.txt', 'half').slice(0, 28)
        throw new ModelError('the connection broke', {})
      },
    }
    const { result, transcript } = await looped(root, model, {
      clada: { repoPath: root, gitCommit: false, relativePaths: true },
    })
    expect(result).toMatchObject({ ending: 'no-blocks', rounds: 2 })
    expect(filesIn(root)).toEqual({ 'log.txt': 'x' })
    expect(transcript.turns()[0]?.report).toContain('Your reply was cut off')
  })
})

describe('the command of --until', () => {
  const until = 'node check.mjs'
  const check = "import fs from 'node:fs'\nprocess.exit(fs.existsSync('done.txt') ? 0 : 3)\n"
  const approved = (root: string) => ({
    repoPath: root,
    gitCommit: false,
    exec: 'unsandboxed' as const,
    approve: [until],
    conversation: { kind: 'loop' as const, id: 'one' },
  })

  it('ends the loop when it succeeds, and its failure is part of the report', async () => {
    const root = scratchDir({ 'check.mjs': check })
    const model = scripted(write('a.txt', 'x'), write('done.txt', 'x'), 'never asked')
    const { result, transcript, events } = await looped(root, model, { until, clada: approved(root) })
    expect(result).toMatchObject({ ending: 'until', rounds: 2, until: { before: false, after: true } })
    expect(model.asked).toHaveLength(2)
    const [first, second] = transcript.turns().map(({ report }) => report)
    expect(first).toContain('The task is done when `node check.mjs` succeeds. It does not yet')
    expect(second).not.toContain('The task is done')
    expect(events.flatMap((event) => (event.kind === 'until' ? event.success : []))).toEqual([false, false, true])
  })

  it('is not run again after a reply that does nothing', async () => {
    const root = scratchDir({ 'check.mjs': check })
    const { result, events } = await looped(root, scripted('Done.'), { until, clada: approved(root) })
    expect(result).toMatchObject({ ending: 'no-blocks', until: { before: false, after: false } })
    expect(events.filter(({ kind }) => kind === 'until')).toHaveLength(1)
  })

  it('that succeeds already needs no model', async () => {
    const root = scratchDir({ 'check.mjs': check, 'done.txt': '' })
    const model = scripted()
    expect((await looped(root, model, { until, clada: approved(root) })).result).toMatchObject({
      ending: 'until',
      rounds: 0,
      until: { before: true, after: true },
    })
    expect(model.asked).toEqual([])
  })

  it.each(['grep -q zzz a.txt', 'diff a.txt b.txt'])('is decided by its own exit code: %s', async (command) => {
    const root = scratchDir({ 'a.txt': 'one\n', 'b.txt': 'zzz\n' })
    const model = scripted(write('a.txt', 'zzz\n'))
    const { result, events } = await looped(root, model, { until: command })
    expect(result).toMatchObject({ ending: 'until', rounds: 1, until: { before: false, after: true } })
    const tried = events.find((one) => one.kind === 'until')
    expect(tried).toMatchObject({ success: false, result: { results: [{ data: { exit_code: 1 } }] } })
  })

  it('is refused before the first round where it can never run', async () => {
    const root = scratchDir({ 'a.txt': 'one\n' })
    const args = ['loop', 'swap', '--until', 'git diff --quiet', '--root', root, '--', 'cat']
    const { status, stdout, stderr } = await called(args)
    expect(status).toBe(2)
    expect(stdout).toMatch(
      /^Loop 1\. Ended after 0 rounds, 0 tokens: --until was refused: .*git diff may not be given --quiet/,
    )
    expect(stderr).not.toContain('round 1')
    expect(stdout).not.toContain('failed before')
  })
})

describe('a transcript', () => {
  const about = { id: 'one', started: '2026-01-01', task: 'task', model: 'm' }

  it('is on disk from the beginning', () => {
    const root = scratchDir()
    expect(Transcript.open(root, 1)).toBeUndefined()
    const transcript = Transcript.begin(root, about)
    const record = { version: 1, number: 1, rounds: 0, tokens: 0, ...about }
    expect(Transcript.open(root, 1)?.record).toEqual(record)
    expect(transcript.prompt).toBe('')
    transcript.keepPrompt('PROMPT')
    for (const reply of ['one', 'two']) transcript.keepTurn({ reply, report: 'done' }, 5)
    const opened = Transcript.open(root, 1)
    expect(opened?.record).toEqual({ ...record, rounds: 2, tokens: 10 })
    expect([opened?.prompt, opened?.turns().map(({ reply }) => reply)]).toEqual(['PROMPT', ['one', 'two']])
    expect([Transcript.begin(root, about).record.number, Transcript.last(root)]).toEqual([2, 2])
  })

  it.each(['no JSON', '7', 'null', '{"id":"one"}', JSON.stringify(about), '{"number":1,"rounds":0,"tokens":0}'])(
    'with the record %s is none',
    (record) => {
      const root = scratchDir()
      Transcript.begin(root, about)
      fs.writeFileSync(inState(root, 'loops/1/loop.json'), record)
      expect(Transcript.open(root, 1)).toBeUndefined()
    },
  )
})

describe('the window', () => {
  const long = (word: string): string => Array.from({ length: 50 }, () => `${word} ${'x'.repeat(70)}`).join('\n')
  const turns = [1, 2, 3].map((at) => ({ reply: long(`reply${at}`), report: long(`report${at}`) }))

  it('loses old reports first, then old replies, and never the task', () => {
    const texts = (window: number): string[] => messagesFor('TASK', turns, window).map(({ content }) => content)
    expect(texts(100_000)).toEqual(['TASK', ...turns.flatMap(({ reply, report }) => [reply, report])])
    const [task, reply1, report1, , report2, , report3] = texts(5000)
    expect(task).toBe('TASK')
    expect(reply1).toBe(turns[0]?.reply)
    expect(report1).toContain('[shortened]')
    expect(report2).toContain('[shortened]')
    expect(report3).toBe(turns[2]?.report)
    const [, olderReply, , newestReply] = texts(4200)
    expect([olderReply, newestReply]).toEqual([expect.stringContaining('[shortened]'), turns[1]?.reply])
    const least = texts(100)
    expect(least[0]).toBe('TASK')
    expect(least.join('').length).toBeLessThan(12_000)
    expect(least.at(-1)?.length).toBeLessThan(turns[2]?.report.length ?? 0)
    const [, short] = messagesFor('TASK', [{ reply: 'short', report: 'short' }, ...turns], 100)
    expect(short?.content).toBe('short')
  })
})

describe('a program as the model', () => {
  const signal = new AbortController().signal
  const replyOf = async (model: Model, messages: readonly ChatMessage[]): Promise<string> =>
    (await collected(model.reply(messages, signal))).join('')

  it('reads the conversation on stdin', async () => {
    const echo = programModel([process.execPath, '-e', 'process.stdin.pipe(process.stdout)'])
    expect(
      await replyOf(echo, [
        { role: 'user', content: 'PROMPT' },
        { role: 'assistant', content: 'reply' },
        { role: 'user', content: 'report' },
      ]),
    ).toBe('PROMPT\n\n=== YOUR REPLY 1 ===\nreply\n\n=== REPORT 1 ===\nreport')
  })

  it('that fails says how', async () => {
    const failing = programModel([process.execPath, '-e', 'console.error("no quota"); process.exit(4)'])
    await expect(replyOf(failing, [])).rejects.toThrow(/exit code 4:\nno quota$/)
    await expect(replyOf(programModel(['no-such-program-here']), [])).rejects.toEqual(
      new ModelError('no-such-program-here was not found in PATH'),
    )
  })
})

describe('a server as the model', () => {
  const streaming =
    (text: string): Answer =>
    (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const whole = [...text].map((one) => event(one)).join('') + event('', 'stop') + 'data: [DONE]\n\n'
      // In pieces that end anywhere, also inside a character.
      const bytes = Buffer.from(whole)
      for (let at = 0; at < bytes.length; at += 61) response.write(bytes.subarray(at, at + 61))
      response.end()
    }

  it('streams, with the key of the user', async () => {
    const seen: (string | undefined)[] = []
    const { url } = await serving((response, body, request) => {
      seen.push(request.url, request.headers.authorization, JSON.parse(body).model)
      streaming('Grüße ✅')(response, body, request)
    })
    const model = apiModel({ url, model: 'm', key: 'secret' })
    const text = (await collected(model.reply([], new AbortController().signal))).join('')
    expect(text).toBe('Grüße ✅')
    expect(seen).toEqual(['/v1/chat/completions', 'Bearer secret', 'm'])
  })

  it('is any server that speaks the protocol', async () => {
    const mock = new LLMock({ port: 0, chunkSize: 5, logLevel: 'silent' })
    mock.onTurn(0, /.*/s, { content: `Writing.\n${write('a.txt', 'one')}` })
    mock.onTurn(1, /✅/, { content: 'Done.' })
    mock.nextRequestError(429, { message: 'slow down', type: 'rate_limit_error' })
    await mock.start()
    onTestFinished(() => mock.stop())
    const root = scratchDir()
    const { result } = await looped(root, apiModel({ url: `${mock.url}/v1`, model: 'm', key: 'k' }))
    expect(result).toMatchObject({ ending: 'no-blocks', rounds: 2 })
    expect(filesIn(root)).toMatchObject({ 'a.txt': 'one' })
    expect(mock.getRequests().map(({ response }) => response?.status)).toEqual([429, 200, 200])
  })

  it('drives a loop through failures that pass', async () => {
    const root = scratchDir()
    const { url, count } = await serving(
      (response) => response.writeHead(429, { 'retry-after': '0' }).end('slow down'),
      (response) => response.writeHead(503, { 'retry-after': '0' }).end(),
      streaming(write('a.txt', 'one')),
      streaming('Done.'),
    )
    const { result } = await looped(root, apiModel({ url, model: 'm' }))
    expect(result).toMatchObject({ ending: 'no-blocks', rounds: 2 })
    expect(count()).toBe(4)
    expect(filesIn(root)).toEqual({ 'a.txt': 'one' })
  })

  it.each([
    [401, {}, undefined],
    [408, {}, { afterMs: undefined }],
    [429, { 'retry-after': '2' }, { afterMs: 2000 }],
    [500, { 'retry-after': 'soon' }, { afterMs: undefined }],
    [503, { 'retry-after': '900' }, { afterMs: 120_000 }],
  ])('that answers with %i and %j may be asked again: %j', async (status, headers, retry) => {
    const { url } = await serving((response) => response.writeHead(status, headers).end())
    const reply = collected(apiModel({ url, model: 'm' }).reply([], new AbortController().signal))
    expect(await reply.catch((error: unknown) => error instanceof ModelError && error.retry)).toEqual(retry)
  })

  const broken: [string, Answer, string][] = [
    ['refuses', (response) => response.writeHead(401).end('bad key'), 'answered with 401: bad key'],
    [
      'refuses with a reason',
      (response) => response.writeHead(401).end('{"error":{"message":"bad key","type":"auth"}}'),
      'answered with 401: bad key',
    ],
    ['refuses as Ollama does', (response) => response.writeHead(404).end('{"error":"no model m"}'), ': no model m'],
    ['sends nonsense', (response) => response.end('data: {nonsense\n\n'), 'not JSON'],
    ['sends an error', (response) => response.end('data: {"error":{"message":"overloaded"}}\n\n'), 'overloaded'],
    ['ends too early', (response) => response.end(event('half')), 'in the middle of the reply'],
    ['stops at its longest reply', (response) => response.end(event('half', 'length')), 'longest length'],
    ['leads elsewhere', (response) => response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end(), 'redirect'],
    ['breaks the connection', (response) => response.write(event('x'), () => response.destroy()), 'connection broke'],
  ]
  it.each(broken)('that %s is an error that says so', async (_, answer, words) => {
    const { url } = await serving(answer)
    const reply = apiModel({ url, model: 'm', key: 'k' }).reply([], new AbortController().signal)
    await expect(collected(reply)).rejects.toThrow(words)
  })

  const key = 'sk-abcdefghijklmnop0123456789'
  // The longest that is shown of each, with room for a part of the key.
  const quoting: [string, Answer][] = [
    ['refuses', (response) => response.writeHead(401).end('x'.repeat(490) + key)],
    ['sends nonsense', (response) => response.end(`data: {${'x'.repeat(189)}${key}\n\n`)],
    ['sends an error', (response) => response.end(`data: {"error":"${'x'.repeat(489)}${key}"}\n\n`)],
  ]
  it.each(quoting)('that %s shows no part of the key', async (_, answer) => {
    const { url } = await serving(answer)
    const reply = collected(apiModel({ url, model: 'm', key }).reply([], new AbortController().signal))
    const error = await reply.then(String, String)
    expect(error).toContain('[key]')
    expect(error).not.toContain(key.slice(0, 3))
  })
})

describe('clada loop', () => {
  /** Answers by how many reports it has seen. */
  const modelProgram = `
let text = ''
process.stdin.on('data', (part) => (text += part)).on('end', () => {
  const round = text.split('=== REPORT').length
  const replies = ${JSON.stringify([write('a.txt', 'one'), write('a.txt', 'two'), 'Done.'])}
  process.stdout.write(replies[round - 1] ?? 'Nothing.')
})`

  it('prints a summary with the diff; can be replayed and undone', async () => {
    const root = scratchDir({ 'a.txt': 'zero\n', 'count.ts': 'export function count() {}\n' })
    const clada = (...args: string[]) => called([...args.slice(0, 1), '--root', root, ...args.slice(1)])
    const model = path.join(scratchDir({ 'model.cjs': modelProgram }), 'model.cjs')
    const { stdout, stderr } = await clada('loop', 'Count.', '--no-git', '--', process.execPath, model)
    expect(stdout).toContain('Loop 1. Ended after 3 rounds')
    expect(stdout).toContain('-zero\n+two')
    expect(stderr).toContain('--- round 2')
    expect(filesIn(root)['a.txt']).toBe('two')
    const { prompt, record } = Transcript.open(path.resolve(root), 1) ?? {}
    expect(record).toMatchObject({ task: 'Count.', ended: 'no-blocks', rounds: 3 })
    expect(prompt).toMatch(/\n## The project\n[^]*count\.ts[^]*function count[^]*\nYour task: Count\.\n/)
    expect((await clada('undo', '--loop')).stdout).toContain('Undone: 2 executions (1, 2)')
    expect(filesIn(root)['a.txt']).toBe('zero\n')
    expect((await clada('loop', '--replay', '1', '--no-git')).stdout).toContain('Loop 2. Ended after 3 rounds')
    expect(filesIn(root)['a.txt']).toBe('two')
  })

  it.each([
    ['Name the task', []],
    ['Name the model', ['x']],
    ['--model', ['x', '--api', 'http://127.0.0.1:1/v1']],
    ['must be an address', ['x', '--api', 'file:///x', '--model', 'm']],
    ['not set', ['x', '--api', 'http://h/v1', '--model', 'm', '--api-key-env', 'NO_SUCH']],
    ['There is no loop 7', ['--resume', '7', '--', 'cat']],
  ])('says what is missing in the call: %s', async (why, args) => {
    expect((await called(['loop', '--root', scratchDir(), ...args])).stderr).toContain(why)
  })
})

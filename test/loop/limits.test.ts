import fs from 'node:fs'
import type http from 'node:http'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { apiModel, ModelError, programModel } from '../../packages/clada/src/loop/model.ts'
import { called } from '../support/in-process.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { type Answer, collected, event, looped, scripted, serving, sham, write } from './looping.ts'

const limits = { rounds: 10, window: 8000 }

/** A program that writes its process ids to a file, one per line. Killed after the test, whatever became of it. */
function program(script: string): { readonly command: string[]; readonly living: () => number[] } {
  const dir = scratchDir({ 'model.sh': script })
  const file = path.join(dir, 'pids')
  fs.writeFileSync(file, '')
  const pids = (): number[] => fs.readFileSync(file, 'utf8').split('\n').filter(Boolean).map(Number)
  const living = (): number[] => pids().filter((pid) => fs.existsSync(`/proc/${pid}/exe`) && isRunning(pid))
  onTestFinished(() => {
    for (const pid of living()) process.kill(pid, 'SIGKILL')
  })
  return { command: ['sh', path.join(dir, 'model.sh'), file], living }
}

const isRunning = (pid: number): boolean => !/\) Z /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))

/** Programs that would run for ever. Each writes the ids of its processes to the file that is its first argument. */
const stubborn: Readonly<Record<string, string>> = {
  'ignores SIGTERM': 'trap "" TERM HUP INT; echo $$ >> $1; while :; do sleep 1; done',
  'ignores SIGTERM and writes on and on': 'trap "" TERM; echo $$ >> $1; while :; do echo x; done',
  'has a child that ignores SIGTERM': 'sh -c \'trap "" TERM; echo $$ >> $0; while :; do sleep 1; done\' $1 & wait',
  'has a child in a session of its own': "setsid sh -c 'echo $$ >> $0; while :; do sleep 1; done' $1 & wait",
  'has a child without its environment':
    "env -i /usr/bin/setsid /bin/sh -c 'echo $$ >> $0; while :; do /bin/sleep 1; done' $1 & wait",
  'stopped itself': 'echo $$ >> $1; kill -STOP $$',
}

/** Programs that end, and leave something behind. */
const leaving: Readonly<Record<string, string>> = {
  'a background child': '(echo $$ >> /dev/null; while :; do sleep 1; done) & echo $! >> $1; echo Done.',
  'a child that holds the output open': "sh -c 'echo $$ >> $0; exec sleep 3600' $1 & sleep 0.2; echo Done.",
  'a daemon': "setsid sh -c 'echo $$ >> $0; exec sleep 3600' $1 < /dev/null > /dev/null 2>&1 & sleep 0.2; echo Done.",
  'a child of nohup': "nohup sh -c 'echo $$ >> $0; exec sleep 3600' $1 > /dev/null 2>&1 & sleep 0.2; echo Done.",
}

describe.skipIf(process.platform !== 'linux')('a program as the model', () => {
  it.each(Object.entries(stubborn))('that %s is ended when the time is used up', async (_, script) => {
    const { command, living } = program(script)
    const stop = new AbortController()
    const ending = looped(scratchDir(), programModel(command), {
      signal: stop.signal,
      limits: { ...limits, timeMs: 600_000 },
    })
    await expect.poll(living).not.toEqual([])
    stop.abort(new Error('enough'))
    expect((await ending).result).toMatchObject({ ending: 'stopped' })
    expect(living()).toEqual([])
  })

  it('is ended by the clock alone', async () => {
    const { command, living } = program(stubborn['ignores SIGTERM'] ?? '')
    const { result } = await looped(scratchDir(), programModel(command), { limits: { ...limits, timeMs: 500 } })
    expect(result).toMatchObject({ ending: 'time' })
    expect(living()).toEqual([])
  })

  it.each(Object.entries(leaving))('that leaves %s has ended, and so has that', async (_, script) => {
    const { command, living } = program(script)
    const { result } = await looped(scratchDir(), programModel(command))
    expect(result).toMatchObject({ ending: 'no-blocks', rounds: 1 })
    expect(living()).toEqual([])
  })

  it('is found by the name of a link, and called by it', async () => {
    const bin = scratchDir({ 'tool.sh': '#!/bin/sh\nbasename "$0"\n' })
    fs.chmodSync(path.join(bin, 'tool.sh'), 0o755)
    fs.symlinkSync('tool.sh', path.join(bin, 'my-model'))
    const before = process.env['PATH']
    process.env['PATH'] = `${bin}:${before}`
    onTestFinished(() => void (process.env['PATH'] = before))
    expect((await collected(programModel(['my-model']).reply([], new AbortController().signal))).join('')).toBe(
      'my-model\n',
    )
  })
})

describe('the tokens of a loop', () => {
  const used = async (model: Parameters<typeof looped>[1], root = scratchDir(), tokens = 2000) => {
    let characters = 0
    const { result, events } = await looped(root, model, { limits: { ...limits, tokens } })
    for (const one of events) if (one.kind === 'text') characters += one.text.length
    return { result, characters }
  }

  it('are not exceeded by a reply that does not end', async () => {
    const root = scratchDir()
    const endless = {
      name: 'endless',
      reply: async function* () {
        yield sham('file_write', `path = "${root}/a.txt"\ncontent = "whole"`)
        yield '#!SHAM [@three-char-SHA-256: def]\naction = "file_write"\npath = "b.txt"\ncontent = "'
        for (;;) yield 'x'.repeat(1000)
      },
    }
    const { result, characters } = await used(endless, root)
    expect(result).toMatchObject({ ending: 'tokens', rounds: 1, tokens: 2000 })
    expect(characters).toBeLessThanOrEqual(8000)
    // A block that was complete before is done; the one that was cut off is not.
    expect(filesIn(root)).toEqual({ 'a.txt': 'whole' })
  })

  it('are not exceeded by one piece of any size', async () => {
    const { result, characters } = await used(scripted(''), scratchDir(), 1)
    expect(result).toMatchObject({ ending: 'tokens', rounds: 0, reason: 'the prompt alone has 2' })
    expect(characters).toBe(0)
    const piece = {
      name: 'large',
      reply: async function* () {
        yield 'x'.repeat(16_000_000)
      },
    }
    expect((await used(piece)).characters).toBe(8000 - 8)
  })

  it('count what failed attempts have sent and received', async () => {
    let attempts = 0
    const failing = {
      name: 'failing',
      reply: async function* () {
        attempts++
        yield 'x'.repeat(7000)
        throw new ModelError('busy', { afterMs: 0 })
      },
    }
    const { result } = await used(failing)
    expect(result).toMatchObject({ ending: 'tokens', tokens: 2000 })
    expect(attempts).toBe(2)
  })

  it.skipIf(process.platform === 'win32')('end a program that writes on and on', async () => {
    const { result, characters } = await used(programModel(['yes', 'some words']))
    expect(result).toMatchObject({ ending: 'tokens' })
    expect(characters).toBeLessThanOrEqual(8000)
  })

  it('end the stream of a server', async () => {
    const { url, sent } = await flooding(event('some words '))
    const { result, characters } = await used(apiModel({ url, model: 'm' }))
    expect(result).toMatchObject({ ending: 'tokens' })
    expect(characters).toBeLessThanOrEqual(8000)
    expect(await sent()).toBeLessThan(50_000_000)
  })
})

/** A server that sends the same bytes as long as anybody listens. */
async function flooding(text: string, status = 200) {
  let total = 0
  const gone: Promise<void>[] = []
  const piece = Buffer.from(text.length > 10_000 ? text : text.repeat(Math.ceil(10_000 / text.length)))
  const { url, count } = await serving((response) => {
    response.writeHead(status)
    gone.push(new Promise((resolve) => response.once('close', resolve)))
    const more = (): void => {
      while (!response.destroyed) {
        total += piece.length
        if (!response.write(piece)) return void response.once('drain', more)
      }
    }
    more()
  })
  return { url, count, sent: async () => (await Promise.all(gone), total) }
}

describe('the answer of a server', () => {
  it.each([401, 400, 404])('is read to its beginning when it refuses with %i and does not end', async (status) => {
    const { url, sent } = await flooding('wrong ', status)
    const reply = collected(apiModel({ url, model: 'm' }).reply([], new AbortController().signal))
    await expect(reply).rejects.toThrow(new RegExp(`^the model answered with ${status}: (?:wrong ){50}`))
    expect(await sent()).toBeLessThan(50_000_000)
  })

  it.each([401, 500])('is not waited for when it refuses with %i and says no more', async (status) => {
    const { url } = await serving((response) => void response.writeHead(status).write('so far'))
    const reply = collected(apiModel({ url, model: 'm' }).reply([], new AbortController().signal))
    await expect(reply).rejects.toThrow(`the model answered with ${status}: so far`)
  })

  it('is no stream of events when one event does not end', async () => {
    const { url, sent } = await flooding(`data: ${'x'.repeat(20_000)}`)
    const reply = collected(apiModel({ url, model: 'm' }).reply([], new AbortController().signal))
    await expect(reply).rejects.toThrow('not a stream of events')
    expect(await sent()).toBeLessThan(50_000_000)
  })
})

describe('the key for a server', () => {
  const key = 'sk-0123456789abcdefghij'
  const echo =
    (text: (key: string) => string, status = 200): Answer =>
    (response: http.ServerResponse, _, request) => {
      response.writeHead(status)
      response.end(text((request.headers.authorization ?? '').replace('Bearer ', '')))
    }
  const echoes: [string, Answer][] = [
    ['the body of an error', echo((given) => `{"error":"Incorrect API key provided: ${given}"}`, 401)],
    ['the body of an error that passes', echo((given) => `busy, ${given}`, 503)],
    ['an error in the stream', echo((given) => `data: {"error":{"message":"bad ${given}"}}\n\n`)],
    ['an event that is not JSON', echo((given) => `data: <${given}>\n\n`)],
    ['a reply', echo((given) => event(`Your key is ${given}.`) + event('', 'stop'))],
    [
      'a reply, letter by letter',
      echo((given) => [...`Key: ${given}${given}!`].map((one) => event(one)).join('') + event('', 'stop')),
    ],
    [
      'a reply that ends with it',
      echo((given) => event('Key: ') + event(given.slice(0, 5)) + event(given.slice(5), 'stop')),
    ],
    ['a block', echo((given) => event(write('a.txt', given)) + event('', 'stop'))],
  ]

  it.each(echoes)('is not repeated from %s', async (_, answer) => {
    process.env['CLADA_TEST_KEY'] = key
    onTestFinished(() => void delete process.env['CLADA_TEST_KEY'])
    const root = scratchDir()
    const { url } = await serving(answer)
    const args = [
      'loop',
      'task',
      '--root',
      root,
      '--no-git',
      '--api',
      url,
      '--model',
      'm',
      '--rounds',
      '1',
      '--time',
      '2',
    ]
    const { stdout, stderr } = await called([...args, '--api-key-env', 'CLADA_TEST_KEY'])
    expect(`${stdout}${stderr}`).toContain('Ended')
    const kept = fs.readdirSync(root, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
    const files = kept.map((one) => fs.readFileSync(path.join(one.parentPath, one.name), 'latin1'))
    expect([stdout, stderr, ...files].join('\n')).not.toContain(key)
  })

  it('changes nothing in a reply when it is an ordinary word', async () => {
    for (const word of ['ollama', 'sk-no-key-required', 'k']) {
      const { url } = await serving(
        echo(() => event(`${word} is fun; ${word.slice(0, -1)}`) + event(word.slice(-1), 'stop')),
      )
      const model = apiModel({ url, model: 'm', key: word })
      const reply = await collected(model.reply([], new AbortController().signal))
      expect(reply.join('')).toBe(`${word} is fun; ${word}`)
    }
  })

  it('does not hold back a reply that only begins like it', async () => {
    const { url } = await serving(echo(() => event('sk-012') + event('34 and s') + event('k', 'stop')))
    const model = apiModel({ url, model: 'm', key })
    expect((await collected(model.reply([], new AbortController().signal))).join('')).toBe('sk-01234 and sk')
  })
})

describe('a reply beyond the largest document', () => {
  it.each<[string, () => AsyncIterable<string>]>([
    [
      'in large parts',
      async function* () {
        for (;;) yield 'x'.repeat(100_000)
      },
    ],
    [
      'in lines',
      async function* () {
        for (;;) yield 'text\n'.repeat(10_000)
      },
    ],
    [
      'after a block',
      async function* () {
        yield write('a.txt', 'whole')
        for (;;) yield 'x'.repeat(100_000)
      },
    ],
  ])('ends the loop as a failure, %s', async (_, reply) => {
    const root = scratchDir()
    const { result } = await looped(
      root,
      { name: 'endless', reply },
      {
        clada: { repoPath: root, gitCommit: false, relativePaths: true, limits: { inputBytes: 1_000_000 } },
      },
    )
    expect(result).toMatchObject({ ending: 'model', rounds: 1, reason: expect.stringMatching(/^input_too_large: /) })
  })
})

it.each(['-5', '0', '-1e9'])('a server that asks to wait for %s seconds is not waited for', async (seconds) => {
  const { url } = await serving((response) => response.writeHead(429, { 'retry-after': seconds }).end('busy'))
  const model = apiModel({ url, model: 'm' })
  const error: unknown = await collected(model.reply([], new AbortController().signal)).catch((one: unknown) => one)
  expect(error instanceof ModelError && error.retry).toEqual({ afterMs: 0 })
})

import { describe, expect, it } from 'vitest'
import type { RpcParams } from '../../packages/clada/src/mcp/protocol.ts'
import { RunningCalls, type RunningCall } from '../../packages/clada/src/mcp/running-calls.ts'
import type { McpOptions } from '../../packages/clada/src/mcp/session.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { connected, modern, serverFor } from './client.ts'
import { envelope, legacyWire, type Wire, wireTo } from './wire.ts'

const forms = { elicitation: { form: {} } }
const script = { 'make.sh': 'echo made >> made.txt\n', 'sub/x.txt': 'x' }
const command = { command: 'bash make.sh' }

const run = (given: RpcParams = command, more: RpcParams = {}, tool = 'run'): RpcParams => ({
  ...envelope(forms),
  name: tool,
  arguments: given,
  ...more,
})

const yes = { answer: { action: 'accept', content: { answer: 'once' } } }
const no = { answer: { action: 'decline' } }

interface Asked {
  readonly root: string
  readonly wire: Wire
  readonly given: McpOptions
  readonly requestState: string
  made(): string | undefined
}

/** A call that has asked whether a command may run. */
async function asked(more: Partial<McpOptions> = {}): Promise<Asked> {
  const root = scratchDir(script)
  const given = { ...serverFor(root), ...more }
  const wire = await wireTo(given)
  const question = await wire.ask('tools/call', run())
  expect(question).toMatchObject({
    resultType: 'input_required',
    inputRequests: {
      answer: {
        method: 'elicitation/create',
        params: { mode: 'form', message: expect.stringContaining('bash make.sh') },
      },
    },
    requestState: expect.stringMatching(/^[\w-]{43}$/),
  })
  return {
    root,
    wire,
    given,
    requestState: String(question['requestState']),
    made: () => filesIn(root)['made.txt'],
  }
}

const refused = { code: -32602, message: expect.stringContaining('requestState cannot be used') }

describe('a question of revision 2026-07-28', () => {
  it('is answered by the same call with its state, once', async () => {
    const { wire, requestState, made } = await asked()
    expect(made()).toBeUndefined()
    const answered = await wire.ask('tools/call', run(command, { requestState, inputResponses: yes }))
    expect(answered).toMatchObject({ resultType: 'complete', isError: false })
    expect(made()).toBe('made\n')
  })

  it('is answered whatever the order of the arguments', async () => {
    const root = scratchDir(script)
    const wire = await wireTo(serverFor(root))
    const { requestState } = await wire.ask('tools/call', run({ command: 'bash make.sh', dir: '.' }))
    const again = run({ dir: '.', command: 'bash make.sh' }, { requestState, inputResponses: yes })
    expect(await wire.ask('tools/call', again)).toMatchObject({ isError: false })
  })

  it('is put again where the answer is missing, under another state', async () => {
    const { wire, requestState, made } = await asked()
    for (const inputResponses of [undefined, {}, { other: {} }, { answer: 'yes' }]) {
      const { wire: own, requestState: state, made: ownMade } = await asked()
      const again = await own.ask('tools/call', run(command, { requestState: state, inputResponses }))
      expect(again).toMatchObject({ resultType: 'input_required' })
      await expect(
        own.ask('tools/call', run(command, { requestState: state, inputResponses: yes })),
      ).rejects.toMatchObject(refused)
      expect(ownMade()).toBeUndefined()
      await own.ask('tools/call', run(command, { requestState: again['requestState'], inputResponses: no }))
    }
    await wire.ask('tools/call', run(command, { requestState, inputResponses: no }))
    expect(made()).toBeUndefined()
  })

  it.each([
    ['declined', { action: 'decline' }],
    ['closed', { action: 'cancel' }],
    ['answered with something else', { action: 'accept', content: { answer: 'sudo' } }],
    ['answered with nothing', { action: 'accept' }],
    ['answered in another form', { answer: 'once' }],
  ])('that is %s leaves nothing', async (_, answer) => {
    const { wire, requestState, made } = await asked()
    const done = await wire.ask('tools/call', run(command, { requestState, inputResponses: { answer } }))
    expect(done).toMatchObject({ isError: true, structuredContent: { code: 'approval_required' } })
    expect(made()).toBeUndefined()
  })

  it('is not put to a client that cannot ask', async () => {
    const root = scratchDir(script)
    const { ask } = await wireTo(serverFor(root))
    const answer = await ask('tools/call', { ...run(), ...envelope() })
    expect(answer).toMatchObject({ resultType: 'complete', structuredContent: { code: 'approval_required' } })
  })

  it('may be followed by another one', async () => {
    const root = scratchDir({ 'package.json': '{"name":"p","version":"1.0.0"}' })
    const wire = await wireTo({ ...serverFor(root), question: ({ about, command: line }) => `${about}: ${line}` })
    const install = { command: 'npm ci' }
    const first = await wire.ask('tools/call', run(install))
    const second = await wire.ask(
      'tools/call',
      run(install, { requestState: first['requestState'], inputResponses: yes }),
    )
    expect(second).toMatchObject({
      resultType: 'input_required',
      inputRequests: { answer: { params: { message: expect.stringContaining('network') } } },
    })
    expect(second['requestState']).not.toBe(first['requestState'])
    const last = run(install, { requestState: second['requestState'], inputResponses: no })
    expect(await wire.ask('tools/call', last)).toMatchObject({ resultType: 'complete' })
  })
})

describe('an attack on the answer', () => {
  it('by replaying it has no effect', async () => {
    const refusedFirst = await asked()
    const { wire, requestState } = refusedFirst
    await wire.ask('tools/call', run(command, { requestState, inputResponses: no }))
    for (let nth = 0; nth < 3; nth++)
      await expect(wire.ask('tools/call', run(command, { requestState, inputResponses: yes }))).rejects.toMatchObject(
        refused,
      )
    expect(refusedFirst.made()).toBeUndefined()

    const allowed = await asked()
    const again = run(command, { requestState: allowed.requestState, inputResponses: yes })
    const answers = await Promise.allSettled([1, 2, 3].map(() => allowed.wire.ask('tools/call', again)))
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expect(allowed.wire.ask('tools/call', again)).rejects.toMatchObject(refused)
    expect(allowed.made()).toBe('made\n')
  })

  it('by altering the state has no effect', async () => {
    const { wire, requestState, made } = await asked()
    const flipped = requestState.startsWith('A') ? `B${requestState.slice(1)}` : `A${requestState.slice(1)}`
    const altered = [
      flipped,
      requestState.slice(0, -1),
      `${requestState}A`,
      ` ${requestState}`,
      requestState.toUpperCase(),
      '',
      '__proto__',
      'constructor',
      Buffer.from(JSON.stringify({ approved: true })).toString('base64url'),
    ].filter((state) => state !== requestState)
    for (const state of altered)
      await expect(
        wire.ask('tools/call', run(command, { requestState: state, inputResponses: yes })),
      ).rejects.toMatchObject(refused)
    for (const state of [7, true, {}, [requestState]])
      await expect(
        wire.ask('tools/call', run(command, { requestState: state, inputResponses: yes })),
      ).rejects.toMatchObject({ code: -32602 })
    expect(made()).toBeUndefined()
  })

  it.each([
    ['another tool', 'exec', { lang: 'bash', code: 'echo made > made.txt' }],
    ['another tool with the same arguments', 'file_write', command],
    ['a document', 'execute', { document: '<---RUN--->\nbash make.sh\n<---END--->' }],
    ['another command', 'run', { command: 'bash make.sh x' }],
    ['one more argument', 'run', { ...command, dir: '.' }],
    ['another root', 'run', { ...command, root: 'sub' }],
    ['the same root by another name', 'run', { ...command, root: '.' }],
    ['no arguments', 'run', {}],
    ['arguments that are a list', 'run', [command]],
  ])('by using it for %s has no effect', async (_, tool, given) => {
    const { wire, root, requestState } = await asked()
    const before = filesIn(root)
    const attack = run(given as RpcParams, { requestState, inputResponses: yes }, tool)
    await expect(wire.ask('tools/call', attack)).rejects.toMatchObject(refused)
    expect(filesIn(root)).toEqual(before)
    // The question is still open for the call that asked it.
    const own = run(command, { requestState, inputResponses: no })
    expect(await wire.ask('tools/call', own)).toMatchObject({ structuredContent: { code: 'approval_required' } })
    expect(filesIn(root)).toEqual(before)
  })

  it('by using it for a server with another root has no effect', async () => {
    const one = await asked()
    const other = await asked()
    for (const [wire, requestState] of [
      [one.wire, other.requestState],
      [other.wire, one.requestState],
    ] as const)
      await expect(wire.ask('tools/call', run(command, { requestState, inputResponses: yes }))).rejects.toMatchObject(
        refused,
      )
    expect([one.made(), other.made()]).toEqual([undefined, undefined])
  })

  it('from another connection has no effect', async () => {
    const { given, requestState, made } = await asked()
    const answer = run(command, { requestState, inputResponses: yes })
    const other = await wireTo(given)
    await expect(other.ask('tools/call', answer)).rejects.toMatchObject(refused)
    const older = await legacyWire(given)
    const { name, arguments: values } = answer
    const plain = { name, arguments: values, requestState, inputResponses: yes }
    expect(await older.ask('tools/call', plain)).toMatchObject({ structuredContent: { code: 'approval_required' } })
    expect(made()).toBeUndefined()
  })

  it('from another process has no effect', async () => {
    const root = scratchDir(script)
    const setting = { mode: modern, capabilities: forms }
    const [one, other] = [await connected(root, setting), await connected(root, setting)]
    const call = { name: 'run', arguments: command }
    const question = await one.client.callTool(call, { allowInputRequired: true })
    const { requestState } = question as unknown as { requestState: string }
    expect(requestState).toMatch(/^[\w-]{43}$/)
    await expect(other.client.callTool({ ...call, requestState, inputResponses: yes } as never)).rejects.toMatchObject(
      refused,
    )
    expect(filesIn(root)['made.txt']).toBeUndefined()
  })

  it('that comes too late has no effect', async () => {
    const { wire, requestState, made } = await asked({ patienceMs: 40 })
    // The next call waits until the first has given up.
    const next = await wire.ask('tools/call', run({ path: 'make.sh' }, {}, 'file_read'))
    expect(next).toMatchObject({ resultType: 'complete', isError: false })
    await expect(wire.ask('tools/call', run(command, { requestState, inputResponses: yes }))).rejects.toMatchObject(
      refused,
    )
    expect(made()).toBeUndefined()
  })

  it('without a state is none, and the call asks anew in the place of the one before', async () => {
    const { wire, requestState, made } = await asked()
    const forged = await wire.ask('tools/call', run(command, { inputResponses: yes }))
    expect(forged).toMatchObject({ resultType: 'input_required' })
    expect(forged['requestState']).not.toBe(requestState)
    await expect(wire.ask('tools/call', run(command, { requestState, inputResponses: yes }))).rejects.toMatchObject(
      refused,
    )
    expect(made()).toBeUndefined()
    // What it asks now can be answered, and only this call runs.
    const { requestState: state } = forged
    await wire.ask('tools/call', run(command, { requestState: state, inputResponses: yes }))
    expect(made()).toBe('made\n')
  })

  it('on what the command runs, between question and answer, has no effect', async () => {
    const root = scratchDir(script)
    const wire = await wireTo(serverFor(root))
    const { requestState } = await wire.ask('tools/call', run())
    const evil = await wireTo({ ...serverFor(root), patienceMs: 100 })
    // Another client cannot change it meanwhile: the project is the first call's until it ends.
    const write = run({ path: 'make.sh', content: 'echo evil >> made.txt\n' }, {}, 'file_write')
    const writing = evil.ask('tools/call', write)
    await wire.ask('tools/call', run(command, { requestState, inputResponses: yes }))
    await writing
    expect(filesIn(root)['made.txt']).toBe('made\n')
  })
})

describe('a call that waits for an answer', () => {
  const identity = { tool: 'run', arguments: '', root: '/p' }
  const request = () => ({ signal: new AbortController().signal, tell: () => undefined })
  const asking = async (running: RunningCall) => ({ got: await running.ask({}, new AbortController().signal) })

  it('gives up sooner when another call comes', async () => {
    const calls = new RunningCalls({ patienceMs: 60_000, hurryMs: 20 })
    let running: RunningCall | undefined
    const first = await calls.start(identity, request(), (one) => asking((running = one)))
    expect(first).toMatchObject({ resultType: 'input_required' })
    calls.hurry()
    expect(await running?.result).toEqual({ got: undefined })
    expect(() => calls.resume(String(first['requestState']), identity, yes, request())).toThrow('cannot be used')
  })

  it('gives up at once for the same call anew, and for no other', async () => {
    const calls = new RunningCalls({ patienceMs: 60_000, hurryMs: 60_000 })
    const started: RunningCall[] = []
    const start = (call = identity): Promise<RpcParams> =>
      calls.start(call, request(), (one) => asking(started[started.push(one) - 1] ?? one))
    const first = await start()
    const others = [{ tool: 'exec' }, { arguments: 'x' }, { root: '/q' }]
    const left = await Promise.all(others.map((other) => start({ ...identity, ...other })))
    const again = await start({ ...identity })
    expect(() => calls.resume(String(first['requestState']), identity, yes, request())).toThrow('cannot be used')
    expect(await started[0]?.result).toEqual({ got: undefined })
    for (const [at, other] of others.entries()) {
      const call = { ...identity, ...other }
      expect(await calls.resume(String(left[at]?.['requestState']), call, yes, request())).toEqual({ got: yes.answer })
    }
    expect(await calls.resume(String(again['requestState']), identity, yes, request())).toEqual({ got: yes.answer })
  })

  it('ends with the request that waits for it, and not while none does', async () => {
    const calls = new RunningCalls({ patienceMs: 60_000, hurryMs: 60_000 })
    const stop = new AbortController()
    let running: RunningCall | undefined
    const first = await calls.start(identity, { signal: stop.signal, tell: () => undefined }, async (one) => {
      running = one
      await one.ask({}, new AbortController().signal)
      return { got: await one.ask({}, new AbortController().signal) }
    })
    stop.abort()
    expect(running?.signal.aborted).toBe(false)
    const again = new AbortController()
    const second = await calls.resume(String(first['requestState']), identity, yes, {
      signal: again.signal,
      tell: () => undefined,
    })
    const last = new AbortController()
    last.abort(new Error('enough'))
    const { requestState } = second
    await calls.resume(String(requestState), identity, {}, { signal: last.signal, tell: () => undefined })
    expect(running?.signal.aborted).toBe(true)
    expect(await running?.result).toEqual({ got: undefined })
  })

  it('that was answered elsewhere goes on, and the client still gets its result', async () => {
    const calls = new RunningCalls({ patienceMs: 60_000, hurryMs: 60_000 })
    const elsewhere = new AbortController()
    const first = await calls.start(identity, request(), async (one) => {
      await one.ask({}, elsewhere.signal)
      return { done: true }
    })
    elsewhere.abort()
    expect(await calls.resume(String(first['requestState']), identity, yes, request())).toEqual({ done: true })
  })
})

import fs from 'node:fs'
import path from 'node:path'
import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { Approvals } from '../../packages/clada/src/approvals/approvals.ts'
import { skipWithoutLayers } from '../support/needs.ts'
import { filesIn, scratchDir } from '../support/scratch.ts'
import { type Connected, connected, type Setting } from './client.ts'

const project = (): string => scratchDir({ 'make.sh': 'echo made > made.txt\n' })
const command = 'bash make.sh'

interface Asked extends Connected {
  readonly questions: ElicitRequest['params'][]
}

async function answering(root: string, answer: ElicitResult, setting: Setting = {}): Promise<Asked> {
  const questions: ElicitRequest['params'][] = []
  const made = await connected(root, {
    ...setting,
    capabilities: { elicitation: {} },
    prepare: (client) =>
      client.setRequestHandler('elicitation/create', ({ params }) => {
        questions.push(params)
        return answer
      }),
  })
  return { ...made, questions }
}

describe('a command that is not approved', () => {
  it('is refused with the line that approves it, where nobody can be asked', async () => {
    const root = project()
    const { call } = await connected(root)
    const { text, values, isError } = await call('run', { command })
    expect(isError).toBe(true)
    expect(text).toContain(`clada approve "bash make.sh" --root "${root}"`)
    expect(values).toMatchObject({ code: 'approval_required', details: { command } })
    expect(filesIn(root)).toEqual({ 'make.sh': 'echo made > made.txt\n' })
  })

  it('runs once when the user says so, and asks again the next time', async () => {
    const root = project()
    const { call, questions } = await answering(root, { action: 'accept', content: { answer: 'once' } })
    expect((await call('run', { command })).isError).toBe(false)
    expect(filesIn(root)['made.txt']).toBe('made\n')
    await call('run', { command })
    expect(questions).toHaveLength(2)
    expect(questions[0]?.message).toContain(root)
    expect(questions[0]?.message).toContain(`    ${command}\n`)
    expect(questions[0]?.message).toContain('Yes allows whatever this runs')
    expect(questions[0]).toMatchObject({
      requestedSchema: {
        properties: { answer: { enum: expect.arrayContaining(['once', 'always', 'no']) } },
        required: ['answer'],
      },
    })
  })

  it('is tried when the user says so, who then sees what it changed (needs layers)', async (context) => {
    await skipWithoutLayers(context)
    const root = project()
    const { call, questions } = await answering(root, { action: 'accept', content: { answer: 'try' } })
    // The second question does not offer it, so that it is no answer.
    expect((await call('run', { command })).values).toMatchObject({ success: false, code: 'approval_required' })
    expect(filesIn(root)).toEqual({ 'make.sh': 'echo made > made.txt\n' })
    expect(questions).toHaveLength(2)
    expect(questions[0]?.message).not.toContain('made.txt')
    expect(questions[1]?.message).toContain('exit 0, 1 file changed. Nothing is kept yet.\n    + made.txt')
    const kept = { title: 'Approve it and keep this result?', enum: ['once', 'always', 'no'] }
    expect(questions).toMatchObject([
      { requestedSchema: { properties: { answer: { enum: ['once', 'always', 'no', 'try'] } } } },
      { requestedSchema: { properties: { answer: kept } } },
    ])
  })

  it('does not run where nobody can be asked', async () => {
    const root = project()
    const { call } = await connected(root, { env: { XDG_STATE_HOME: scratchDir() } })
    expect((await call('run', { command })).values).toMatchObject({ code: 'approval_required' })
    expect(filesIn(root)).toEqual({ 'make.sh': 'echo made > made.txt\n' })
  })

  it('runs from then on when the user says always', async () => {
    const root = project()
    const { call, questions } = await answering(root, { action: 'accept', content: { answer: 'always' } })
    await call('run', { command })
    expect((await call('run', { command })).isError).toBe(false)
    expect(questions).toHaveLength(1)
    expect(fs.readFileSync(path.join(root, '.clada/allowed-commands.json'), 'utf8')).toContain(command)
  })

  it('is asked about the network by a question of its own', async () => {
    const root = scratchDir({ 'package.json': '{"name":"p","version":"1.0.0"}' })
    const { call, questions } = await answering(root, { action: 'accept', content: { answer: 'always' } })
    await call('run', { command: 'npm ci' })
    expect(questions.map(({ message }) => /network/.test(message))).toEqual([false, true])
    expect(new Approvals(root).list().vouchers).toMatchObject([{ command: 'npm ci', network: true }])
  })

  it.each<[string, ElicitResult, string]>([
    ['declines', { action: 'decline' }, 'The user refused'],
    ['says no', { action: 'accept', content: { answer: 'no' } }, 'The user refused'],
    ['says something else', { action: 'accept', content: { answer: 'sudo' } }, 'The user refused'],
    ['says nothing', { action: 'accept', content: {} }, 'The user refused'],
    ['closes the question', { action: 'cancel' }, 'clada approve "bash make.sh"'],
  ])('does not run when the user %s', async (_, answer, told) => {
    const root = project()
    const { call } = await answering(root, answer)
    const { text, values } = await call('run', { command })
    expect(values).toMatchObject({ success: false, code: 'approval_required' })
    expect(text).toContain(told)
    expect(filesIn(root)).toEqual({ 'make.sh': 'echo made > made.txt\n' })
  })

  it('is shown with nothing hidden', async () => {
    const { call, questions } = await answering(project(), { action: 'decline' })
    await call('run', { command: 'bash "m\u0430ke.sh          x" y' })
    expect(questions[0]?.message).toContain('(10 spaces)')
    expect(questions[0]?.message).toContain('(not ASCII: U+0430)')
  })
})

describe('a page that is open', () => {
  it('is asked at the same time; whoever answers first is heard', async () => {
    const root = project()
    const state = scratchDir()
    // The approval socket is found in the user's state directory, which tests of a whole process must share.
    const before = process.env['XDG_STATE_HOME']
    process.env['XDG_STATE_HOME'] = state
    const { openApprovalSocket } = await import('../../packages/clada/src/approvals/socket.ts')
    const socket = await openApprovalSocket(root, async () => 'once')
    try {
      const env = { XDG_STATE_HOME: state }
      expect((await (await connected(root, { env })).call('run', { command })).isError).toBe(false)
      let withdrawn: AbortSignal | undefined
      const slow = await connected(root, {
        env,
        capabilities: { elicitation: {} },
        prepare: (client) =>
          client.setRequestHandler('elicitation/create', (_, { mcpReq: { signal } }) => {
            withdrawn = signal
            return new Promise(() => undefined)
          }),
      })
      expect((await slow.call('run', { command })).isError).toBe(false)
      expect(withdrawn?.aborted).toBe(true)
    } finally {
      socket?.close()
      if (before === undefined) delete process.env['XDG_STATE_HOME']
      else process.env['XDG_STATE_HOME'] = before
    }
  })
})

describe('a whole file that a reply proposes', () => {
  const document = 'Here is the new `a.txt`:\n\n```\nnew\n```\n'

  it.each([
    ['once', 'new\n', true],
    ['no', 'old\n', false],
  ])('is shown as a diff in the client, and the answer %s counts', async (answer, content, success) => {
    const root = scratchDir({ 'a.txt': 'old\n' })
    const { call, questions } = await answering(root, { action: 'accept', content: { answer } })
    expect((await call('execute', { document })).values).toMatchObject({ success })
    expect(filesIn(root)).toMatchObject({ 'a.txt': content })
    expect(questions).toHaveLength(1)
    expect(questions[0]?.message).toContain('-old\n+new')
    expect(questions[0]).toMatchObject({ requestedSchema: { properties: { answer: { title: 'Apply it?' } } } })
  })
})

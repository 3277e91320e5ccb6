import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { needs } from '../support/needs.ts'
import type { TrialRun } from '../../packages/clada/src/core/commands.ts'
import { askApprovalSocket, openApprovalSocket } from '../../packages/clada/src/approvals/socket.ts'

const root = '/home/ada/project'
const request = {
  root,
  command: 'npm test',
  program: '/usr/bin/npm',
  bound: 'package.json',
  canTry: true,
  unsandboxed: false,
  changed: false,
  about: 'command',
  repository: false,
} as const

let state: string
beforeEach(() => {
  state = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-ask-'))
  process.env['XDG_STATE_HOME'] = state
})
afterEach(() => {
  delete process.env['XDG_STATE_HOME']
  fs.rmSync(state, { recursive: true, force: true })
})

describe('the approval socket', () => {
  // A named pipe of Windows could be made by another user first.
  needs('posix')

  it('has no answer when nobody sits there', async () => {
    expect(await askApprovalSocket(request)).toBeUndefined()
  })

  it('answers another process with what it was asked', async () => {
    const asked: unknown[] = []
    const socket = await openApprovalSocket(root, async (one) => (asked.push(one), 'always'))
    expect(await askApprovalSocket(request)).toBe('always')
    expect(asked).toEqual([request])
    socket?.close()
    expect(await askApprovalSocket(request)).toBeUndefined()
  })

  it('is asked whole, however long the question is, and not at all for a caller that is gone', async () => {
    const asked: unknown[] = []
    const socket = await openApprovalSocket(root, async (one) => (asked.push(one), 'once'))
    expect(await askApprovalSocket(request, AbortSignal.abort())).toBeUndefined()
    // Of three bytes each, so that a piece ends inside of one.
    const long = { ...request, diff: '€'.repeat(100_000) }
    expect(await askApprovalSocket(long)).toBe('once')
    expect(asked).toEqual([long])
    socket?.close()
  })

  it('shows what a command has tried, and never part of it', async () => {
    const asked: unknown[] = []
    const socket = await openApprovalSocket(root, async (one) => (asked.push(one), 'once'))
    const send = (changed: readonly unknown[]) => {
      const tried: TrialRun = JSON.parse(JSON.stringify({ exitCode: 0, changed, more: 0, output: 'ok' }))
      return askApprovalSocket({ ...request, about: 'tried', tried })
    }
    const known = { path: 'a.txt', change: 'modify' }
    expect(await send([known])).toBe('once')
    expect(asked).toMatchObject([{ tried: { changed: [known] } }])
    for (const unknown of ['b.txt', null, { path: 1, change: 'modify' }, { path: 'b.txt', change: 'swap' }])
      expect(await send([known, unknown])).toBeUndefined()
    socket?.close()
  })

  it('belongs to one page at a time, and to the next when that is gone', async () => {
    const first = await openApprovalSocket(root, async () => 'once')
    expect(await openApprovalSocket(root, async () => 'no')).toBeUndefined()
    expect(await askApprovalSocket(request)).toBe('once')
    first?.close()
    const second = await openApprovalSocket(root, async () => 'no')
    expect(await askApprovalSocket(request)).toBe('no')
    second?.close()
  })

  it('is taken over from a process that died without leaving', async () => {
    const socket = await openApprovalSocket(root, async () => 'once')
    const [name] = fs.readdirSync(path.join(state, 'clada/ask'))
    const address = path.join(state, 'clada/ask', name ?? '')
    socket?.close()
    fs.writeFileSync(address, '')
    const next = await openApprovalSocket(root, async () => 'once')
    expect(await askApprovalSocket(request)).toBe('once')
    next?.close()
  })

  it('tells whoever sits there that the asker is gone', async () => {
    let gone: AbortSignal | undefined
    const socket = await openApprovalSocket(root, (_, signal) => {
      gone = signal
      return new Promise(() => {})
    })
    const stop = new AbortController()
    const answer = askApprovalSocket(request, stop.signal)
    await expect.poll(() => gone).toBeDefined()
    stop.abort()
    expect(await answer).toBeUndefined()
    await expect.poll(() => gone?.aborted).toBe(true)
    socket?.close()
  })

  it('leaves the asker without an answer when it closes, and never says yes to nonsense', async () => {
    const socket = await openApprovalSocket(root, () => new Promise(() => {}))
    const [name] = fs.readdirSync(path.join(state, 'clada/ask'))
    const address = path.join(state, 'clada/ask', name ?? '')
    const heard = await new Promise<string>((resolve) => {
      let text = ''
      const caller = net.connect(address, () => caller.write('{"root":"/elsewhere","command":"rm"}\n'))
      caller.on('data', (chunk) => (text += String(chunk)))
      caller.on('close', () => resolve(text))
    })
    expect(heard).toBe('')
    const answer = askApprovalSocket(request)
    setTimeout(() => socket?.close(), 50)
    expect(await answer).toBeUndefined()
  })

  it('is closed to other users', async () => {
    const socket = await openApprovalSocket(root, async () => 'once')
    const dir = path.join(state, 'clada/ask')
    expect(fs.statSync(dir).mode & 0o777).toBe(0o700)
    expect(fs.statSync(path.join(dir, fs.readdirSync(dir)[0] ?? '')).mode & 0o777).toBe(0o600)
    socket?.close()
  })

  it('is nowhere when there is no place for it', async () => {
    process.env['XDG_STATE_HOME'] = path.join(state, 'file')
    fs.writeFileSync(path.join(state, 'file'), '')
    expect(await openApprovalSocket(root, async () => 'once')).toBeUndefined()
    expect(await askApprovalSocket(request)).toBeUndefined()
    // Inside the project a document could answer.
    expect(await askApprovalSocket({ ...request, root: state })).toBeUndefined()
  })
})

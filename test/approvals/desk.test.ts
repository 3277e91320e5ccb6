import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { askDesk, openDesk } from '../../src/approvals/desk.ts'

const root = '/home/ada/project'
const request = {
  root,
  command: 'npm test',
  runs: 'vitest run',
  changed: false,
  about: 'command',
  installs: false,
  repository: false,
} as const

let state: string
beforeEach(() => {
  state = fs.mkdtempSync(path.join(os.tmpdir(), 'clada-desk-'))
  process.env['XDG_STATE_HOME'] = state
})
afterEach(() => {
  delete process.env['XDG_STATE_HOME']
  fs.rmSync(state, { recursive: true, force: true })
})

describe('the desk', () => {
  it('has no answer when nobody sits there', async () => {
    expect(await askDesk(request)).toBeUndefined()
  })

  it('answers another process with what it was asked', async () => {
    const asked: unknown[] = []
    const desk = await openDesk(root, async (one) => (asked.push(one), 'always'))
    expect(await askDesk(request)).toBe('always')
    expect(asked).toEqual([request])
    desk?.close()
    expect(await askDesk(request)).toBeUndefined()
  })

  it('belongs to one page at a time, and to the next when that is gone', async () => {
    const first = await openDesk(root, async () => 'once')
    expect(await openDesk(root, async () => 'no')).toBeUndefined()
    expect(await askDesk(request)).toBe('once')
    first?.close()
    const second = await openDesk(root, async () => 'no')
    expect(await askDesk(request)).toBe('no')
    second?.close()
  })

  it('is taken over from a process that died without leaving', async () => {
    const desk = await openDesk(root, async () => 'once')
    const [name] = fs.readdirSync(path.join(state, 'clada/desk'))
    const address = path.join(state, 'clada/desk', name ?? '')
    desk?.close()
    fs.writeFileSync(address, '')
    const next = await openDesk(root, async () => 'once')
    expect(await askDesk(request)).toBe('once')
    next?.close()
  })

  it('tells whoever sits there that the asker is gone', async () => {
    let gone: AbortSignal | undefined
    const desk = await openDesk(root, (_, signal) => {
      gone = signal
      return new Promise(() => {})
    })
    const stop = new AbortController()
    const answer = askDesk(request, stop.signal)
    await expect.poll(() => gone).toBeDefined()
    stop.abort()
    expect(await answer).toBeUndefined()
    await expect.poll(() => gone?.aborted).toBe(true)
    desk?.close()
  })

  it('leaves the asker without an answer when it closes, and never says yes to nonsense', async () => {
    const desk = await openDesk(root, () => new Promise(() => {}))
    const [name] = fs.readdirSync(path.join(state, 'clada/desk'))
    const address = path.join(state, 'clada/desk', name ?? '')
    const heard = await new Promise<string>((resolve) => {
      let text = ''
      const caller = net.connect(address, () => caller.write('{"root":"/elsewhere","command":"rm"}\n'))
      caller.on('data', (chunk) => (text += String(chunk)))
      caller.on('close', () => resolve(text))
    })
    expect(heard).toBe('')
    const answer = askDesk(request)
    setTimeout(() => desk?.close(), 50)
    expect(await answer).toBeUndefined()
  })

  it('is closed to other users', async () => {
    const desk = await openDesk(root, async () => 'once')
    const dir = path.join(state, 'clada/desk')
    expect(fs.statSync(dir).mode & 0o777).toBe(0o700)
    expect(fs.statSync(path.join(dir, fs.readdirSync(dir)[0] ?? '')).mode & 0o777).toBe(0o600)
    desk?.close()
  })

  it('is nowhere when there is no place for it', async () => {
    process.env['XDG_STATE_HOME'] = path.join(state, 'file')
    fs.writeFileSync(path.join(state, 'file'), '')
    expect(await openDesk(root, async () => 'once')).toBeUndefined()
    expect(await askDesk(request)).toBeUndefined()
  })
})

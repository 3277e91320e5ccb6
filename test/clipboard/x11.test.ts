import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listenToX11, openX11 } from '../../src/watch/clipboard/x11.ts'
import { scratchDir } from '../support/scratch.ts'

const idMask = 0x1fffff
const extension = { opcode: 138, event: 87 }

/** Whatever a server sends has 32 bytes, and an answer may have more. */
function sent(kind: number, numbers: readonly number[], more = 0): Buffer {
  const bytes = Buffer.alloc(32 + 4 * more, 0xff)
  bytes.fill(0, 0, 32)
  bytes[0] = kind
  bytes.writeUInt32LE(kind === 1 ? more : 7, 4)
  for (const [at, number] of numbers.entries()) bytes.writeUInt32LE(number, 8 + 4 * at)
  return bytes
}

const copyBy = (window: number): Buffer => sent(extension.event, [window])

/** A server that reports these events to whoever asks for copies. */
async function xServer(
  events: readonly Buffer[],
  refuses?: 'the client',
): Promise<{ port: number; greeting: () => Buffer }> {
  let greeting = Buffer.alloc(0)
  const server = net.createServer((socket) => {
    onTestFinished(() => void socket.destroy())
    let rest = Buffer.alloc(0)
    let [greeted, asked] = [false, false]
    const answer = (question: Buffer): void => {
      const opcode = question[0]
      if (opcode === 98) socket.write(sent(1, [1 | (extension.opcode << 8) | (extension.event << 16)]))
      else if (opcode === 16) socket.write(Buffer.concat([sent(1, [321], 2), ...(asked ? events : [])]))
      else if (question[1] === 0) socket.write(Buffer.concat([sent(3, []), sent(1, [5], 1)]))
      else asked = true
    }
    socket.on('data', (data) => {
      rest = Buffer.concat([rest, data])
      if (!greeted && rest.length >= 12) {
        const length = 12 + 4 * (Math.ceil(rest.readUInt16LE(6) / 4) + Math.ceil(rest.readUInt16LE(8) / 4))
        if (rest.length < length) return
        greeted = true
        greeting = rest.subarray(0, length)
        rest = rest.subarray(length)
        const head = Buffer.from([refuses === undefined ? 1 : 0, 0, 11, 0, 0, 0, 10, 0])
        const welcome = Buffer.alloc(40)
        welcome.writeUInt32LE(idMask, 8)
        welcome.writeUInt16LE(3, 16)
        socket.write(Buffer.concat([head, welcome]))
      }
      while (greeted && rest.length >= 4 && rest.length >= 4 * rest.readUInt16LE(2)) {
        const length = 4 * rest.readUInt16LE(2)
        answer(rest.subarray(0, length))
        rest = rest.subarray(length)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  return { port: typeof address === 'object' ? (address?.port ?? 0) : 0, greeting: () => greeting }
}

const field = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 255]), bytes])
const cookie = (host: string, display: string, secret: string): Buffer =>
  Buffer.concat([
    Buffer.from([1, 0]),
    ...[host, display, 'MIT-MAGIC-COOKIE-1', secret].map((one) => field(Buffer.from(one))),
  ])

describe('an X server on another machine', () => {
  const display = (port: number): string => `127.0.0.1:${port - 6000}.0`

  it('is told the cookie of its user, and reports who copies', async () => {
    // Emptied, another event, and two windows of one program.
    const { port, greeting } = await xServer([copyBy(0), sent(19, [99]), copyBy(0x400001), copyBy(0x4000ff)])
    const XAUTHORITY = path.join(scratchDir(), 'cookies')
    const number = String(port - 6000)
    const cookies = [
      cookie('other', '77', 'wrong'),
      cookie('other', number, 'foreign'),
      cookie(os.hostname(), number, 'secret'),
    ]
    fs.writeFileSync(XAUTHORITY, Buffer.concat(cookies))
    const owners: string[] = []
    const stop = await listenToX11(
      { DISPLAY: display(port), XAUTHORITY },
      (owner) => owners.push(owner),
      () => {},
    )
    await expect.poll(() => owners.length, { interval: 5 }).toBe(2)
    stop()
    expect(owners).toEqual([String(0x400000), String(0x400000)])
    expect(greeting().toString('latin1')).toContain('MIT-MAGIC-COOKIE-1\0\0secret')
  })

  it('may refuse', async () => {
    const { port } = await xServer([], 'the client')
    const listening = listenToX11(
      { DISPLAY: display(port), XAUTHORITY: '/nowhere' },
      () => {},
      () => {},
    )
    await expect(listening).rejects.toThrow('refused')
  })
})

describe.runIf(process.platform !== 'win32')('a program that reads the clipboard of X (not on Windows)', () => {
  it.each([
    ['xclip', 'Error: target TARGETS not available', ''],
    ['xsel', 'xsel: no owner', ''],
    ['xsel', 'cannot open display', 'cannot open display'],
    ['xclip', '', 'exit code 1'],
  ])('%s that fails with %j: %j', async (program, message, expected) => {
    const file = path.join(scratchDir({ [program]: `#!/bin/sh\nprintf '%s' '${message}' >&2\nexit 1\n` }), program)
    fs.chmodSync(file, 0o755)
    const find = (name: string): string | undefined => (name === program ? file : undefined)
    const clipboard = openX11({ find, env: { DISPLAY: ':0' }, patienceMs: 5000 })
    const read = clipboard?.read().catch((error: unknown) => (error instanceof Error ? error.message : ''))
    expect(await read).toBe(expected)
  })
})

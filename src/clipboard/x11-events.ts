import { once } from 'node:events'
import net from 'node:net'
import { cookieFor } from './x11-cookie.ts'

/**
 * Hears from an X server whenever a program takes the clipboard, which is what a copy is. No program that is commonly
 * installed tells this, so the few messages it takes are spoken here: a greeting, three questions and a wish.
 */
export function listenToX11(env: NodeJS.ProcessEnv, onCopy: (owner: string) => void, onEnd: () => void): () => void {
  const { address, number } = addressOf(env['DISPLAY'] ?? '')
  const socket = net.connect(address)
  let over = false
  const end = (): void => {
    if (over) return
    over = true
    socket.destroy()
    onEnd()
  }
  socket.on('error', end)
  socket.on('close', end)
  hear(socket, cookieFor(number, env), onCopy).catch(end)
  return () => {
    over = true
    socket.destroy()
  }
}

async function hear(socket: net.Socket, cookie: Buffer, onCopy: (owner: string) => void): Promise<never> {
  socket.write(greeting(cookie))
  const head = await take(socket, 8)
  const welcome = await take(socket, 4 * head.readUInt16LE(6))
  if (head[0] !== 1) throw new Error('refused')
  // Which bits of a number tell windows of one program apart; the others tell programs apart.
  const idMask = welcome.readUInt32LE(8)
  const vendor = padded(welcome.readUInt16LE(16))
  const formats = 8 * (welcome[21] ?? 0)
  const root = welcome.readUInt32LE(32 + vendor + formats)

  const fixes = await ask(socket, request(98, 0, name('XFIXES')))
  if (fixes[8] === 0) throw new Error('no XFIXES')
  const opcode = fixes[9] ?? 0
  const ownerChanged = fixes[10] ?? 0
  const clipboard = (await ask(socket, request(16, 0, name('CLIPBOARD')))).readUInt32LE(8)
  await ask(socket, request(opcode, 0, numbers(1, 0)))
  const newOwner = 1
  socket.write(request(opcode, 2, numbers(root, clipboard, newOwner)))
  for (;;) {
    const event = await message(socket)
    const owner = event.readUInt32LE(8)
    // The highest bit says that another program sent it. No owner: it was emptied.
    if (event[0] === ownerChanged && owner !== 0) onCopy(String((owner & ~idMask) >>> 0))
  }
}

/** Little-endian, as the letter says. */
function greeting(cookie: Buffer): Buffer {
  const kind = Buffer.from(cookie.length === 0 ? '' : 'MIT-MAGIC-COOKIE-1')
  const head = Buffer.alloc(12)
  head.write('l', 0, 'latin1')
  head.writeUInt16LE(11, 2)
  head.writeUInt16LE(kind.length, 6)
  head.writeUInt16LE(cookie.length, 8)
  return Buffer.concat([head, filled(kind), filled(cookie)])
}

function request(opcode: number, detail: number, body: Buffer): Buffer {
  const head = Buffer.from([opcode, detail, 0, 0])
  head.writeUInt16LE(1 + body.length / 4, 2)
  return Buffer.concat([head, body])
}

function name(text: string): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt16LE(text.length)
  return Buffer.concat([length, filled(Buffer.from(text))])
}

const numbers = (...values: readonly number[]): Buffer => Buffer.from(Uint32Array.from(values).buffer)

const padded = (length: number): number => Math.ceil(length / 4) * 4
const filled = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc(padded(bytes.length) - bytes.length)])

async function ask(socket: net.Socket, question: Buffer): Promise<Buffer> {
  socket.write(question)
  for (;;) {
    const answer = await message(socket)
    if (answer[0] === 1) return answer
    if (answer[0] === 0) throw new Error('refused')
  }
}

/** An answer may be longer than the 32 bytes that everything has. */
async function message(socket: net.Socket): Promise<Buffer> {
  const head = await take(socket, 32)
  const more = head[0] === 1 ? 4 * head.readUInt32LE(4) : 0
  return more === 0 ? head : Buffer.concat([head, await take(socket, more)])
}

async function take(socket: net.Socket, length: number): Promise<Buffer> {
  for (;;) {
    const bytes: Buffer | null = length === 0 ? Buffer.alloc(0) : socket.read(length)
    if (bytes?.length === length) return bytes
    if (bytes !== null || socket.readableEnded || socket.destroyed) throw new Error('the X server is gone')
    await once(socket, 'readable')
  }
}

/** `:0`, `:0.1`, `unix:0`, or with the name of a machine, as over SSH. */
function addressOf(display: string): { address: net.NetConnectOpts; number: string } {
  const [, host = '', number = '0'] = /^(.*):(\d+)(?:\.\d+)?$/.exec(display) ?? []
  const local = host === '' || host === 'unix'
  return {
    number,
    address: local ? { path: `/tmp/.X11-unix/X${number}` } : { host, port: 6000 + Number(number) },
  }
}

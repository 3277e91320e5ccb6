import { once } from 'node:events'
import net from 'node:net'
import { cookieFor } from './x11-cookie.ts'

/** As much of the X protocol as it takes to ask a server something. Little-endian, as the greeting says. */
export interface XServer {
  readonly socket: net.Socket
  readonly root: number
  /** What the numbers of this program's own windows begin with. */
  readonly idBase: number
  /** The bits of a window's number that tell apart the windows of one program; the others tell programs apart. */
  readonly idMask: number
}

export async function connectX11(env: NodeJS.ProcessEnv): Promise<XServer> {
  const { address, number } = addressOf(env['DISPLAY'] ?? '')
  const socket = net.connect(address)
  // Whoever waits for a message hears of it there.
  socket.on('error', () => {})
  try {
    socket.write(greeting(cookieFor(number, env)))
    const head = await take(socket, 8)
    const welcome = await take(socket, 4 * head.readUInt16LE(6))
    if (head[0] !== 1) throw new Error('the X server refuses')
    const vendor = padded(welcome.readUInt16LE(16))
    const formats = 8 * (welcome[21] ?? 0)
    return {
      socket,
      root: welcome.readUInt32LE(32 + vendor + formats),
      idBase: welcome.readUInt32LE(4),
      idMask: welcome.readUInt32LE(8),
    }
  } catch (error) {
    socket.destroy()
    throw error
  }
}

export async function atomOf(socket: net.Socket, text: string): Promise<number> {
  return (await ask(socket, request(16, 0, name(text)))).readUInt32LE(8)
}

export function request(opcode: number, detail: number, body: Buffer): Buffer {
  const head = Buffer.from([opcode, detail, 0, 0])
  head.writeUInt16LE(1 + body.length / 4, 2)
  return Buffer.concat([head, body])
}

export function name(text: string): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt16LE(text.length)
  return Buffer.concat([length, filled(Buffer.from(text))])
}

export const numbers = (...values: readonly number[]): Buffer => Buffer.from(Uint32Array.from(values).buffer)

export const filled = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes, Buffer.alloc(padded(bytes.length) - bytes.length)])

/** What is told meanwhile is passed over. */
export async function ask(socket: net.Socket, question: Buffer): Promise<Buffer> {
  socket.write(question)
  for (;;) {
    const answer = await message(socket)
    if (answer[0] === 1) return answer
    if (answer[0] === 0) throw new Error('the X server refuses')
  }
}

/** An answer may be longer than the 32 bytes that everything has. Rejects when the other side is gone. */
export async function message(socket: net.Socket): Promise<Buffer> {
  const head = await take(socket, 32)
  const more = head[0] === 1 ? 4 * head.readUInt32LE(4) : 0
  return more === 0 ? head : Buffer.concat([head, await take(socket, more)])
}

const padded = (length: number): number => Math.ceil(length / 4) * 4

function greeting(cookie: Buffer): Buffer {
  const kind = Buffer.from(cookie.length === 0 ? '' : 'MIT-MAGIC-COOKIE-1')
  const head = Buffer.alloc(12)
  head.write('l', 0, 'latin1')
  head.writeUInt16LE(11, 2)
  head.writeUInt16LE(kind.length, 6)
  head.writeUInt16LE(cookie.length, 8)
  return Buffer.concat([head, filled(kind), filled(cookie)])
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

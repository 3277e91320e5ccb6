import {
  type Clipboard,
  feedHelper,
  type Helper,
  type HelperEnd,
  type Machine,
  runHelper,
  textOf,
} from './clipboard.ts'
import { once } from 'node:events'
import net from 'node:net'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { homeDir } from '../../core/platform.ts'

/** An X server; on a Wayland desktop the one it keeps for older programs. */
export function openX11(machine: Machine): Clipboard | undefined {
  const { env, find } = machine
  const xclip = find('xclip')
  // The second choice: it cannot tell an image from text, and fails with large texts every now and then.
  const xsel = find('xsel')
  const program = xclip ?? xsel
  if (!env['DISPLAY'] || program === undefined) return undefined
  const fill: Helper = xclip === undefined ? [program, '-b', '-i'] : [xclip, ...ofClipboard, '-i']
  return {
    name: `${program} (X11)${xclip === undefined ? '; install xclip, which is more reliable with large texts' : ''}`,
    read: xclip === undefined ? readByXsel(program, machine) : readByXclip(xclip, machine),
    write: (text) => untilCopied(env, () => feedHelper(fill, text, machine)),
    listen: (onCopy, onEnd) => listenToX11(env, onCopy, onEnd),
  }
}

const ofClipboard = ['-selection', 'clipboard']

/** A program that owns an image may hand it out as text when it is asked for text, so it is asked first what it has. */
const readByXclip = (xclip: string, machine: Machine) => async (): Promise<string> => {
  const kinds = await runHelper([xclip, ...ofClipboard, '-o', '-t', 'TARGETS'], machine)
  if (kinds.exitCode !== 0) return nothingOrFailure(kinds)
  const offered = kinds.stdout.toString('latin1').split('\n')
  const kind = textKinds.find((name) => offered.includes(name))
  if (kind === undefined) return ''
  const end = await runHelper([xclip, ...ofClipboard, '-o', '-t', kind], machine)
  return end.exitCode === 0 ? textOf(end.stdout) : nothingOrFailure(end)
}

const readByXsel = (xsel: string, machine: Machine) => async (): Promise<string> => {
  const end = await runHelper([xsel, '-b', '-o'], machine)
  return end.exitCode === 0 ? textOf(end.stdout) : nothingOrFailure(end)
}

const textKinds = ['UTF8_STRING', 'text/plain;charset=utf-8', 'STRING', 'text/plain', 'TEXT']

/** An empty clipboard is an error to these programs. */
function nothingOrFailure({ stderr, exitCode }: HelperEnd): string {
  if (/not available|no owner/i.test(stderr)) return ''
  throw new Error(stderr || `exit code ${exitCode}`)
}

/**
 * Listens to the X server for new owners of the clipboard: each is a copy. No commonly installed program reports this,
 * so the server is asked directly. Rejects where it does not report it.
 */
export async function listenToX11(
  env: NodeJS.ProcessEnv,
  onCopy: (owner: string) => void,
  onEnd: () => void,
): Promise<() => void> {
  const server = await connectX11(env)
  const { socket } = server
  try {
    const event = await askForEvents(server)
    let over = false
    hear(server, event, onCopy).catch(() => over || onEnd())
    return () => {
      over = true
      socket.destroy()
    }
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/** These programs leave their work to a child, which may not have begun when they are done: it is waited for. */
async function untilCopied(env: NodeJS.ProcessEnv, work: () => Promise<void>): Promise<void> {
  let copied = (): void => {}
  const reported = new Promise<void>((done) => (copied = done))
  const stop = await listenToX11(env, copied, copied).catch(() => copied)
  const timer = setTimeout(copied, 1000)
  try {
    await work()
    await reported
  } finally {
    clearTimeout(timer)
    stop()
  }
}

/** The code of the event that reports a copy. */
async function askForEvents({ socket, root }: XServer): Promise<number> {
  const fixes = await ask(socket, request(98, 0, name('XFIXES')))
  const [present, opcode = 0, event = 0] = fixes.subarray(8)
  if (present === 0) throw new Error('the X server does not report copies')
  await ask(socket, request(opcode, 0, numbers(1, 0)))
  const clipboard = await atomOf(socket, 'CLIPBOARD')
  const newOwner = 1
  socket.write(request(opcode, 2, numbers(root, clipboard, newOwner)))
  // This request has no answer; the answer to the next one shows that it was processed.
  await atomOf(socket, 'CLIPBOARD')
  return event
}

async function hear({ socket, idMask }: XServer, code: number, onCopy: (owner: string) => void): Promise<never> {
  for (;;) {
    const event = await message(socket)
    const owner = event.readUInt32LE(8)
    // Without an owner it was emptied.
    if (event[0] === code && owner !== 0) onCopy(String((owner & ~idMask) >>> 0))
  }
}

/** As much of the X protocol as it takes to ask a server something. Little-endian, as the greeting says. */
interface XServer {
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
  // Reported by the read that is waiting.
  socket.on('error', () => {})
  try {
    socket.write(greeting(cookieFor(number, env)))
    const head = await take(socket, 8)
    const welcome = await take(socket, 4 * head.readUInt16LE(6))
    if (head[0] !== 1) throw new Error('the X server refused the request')
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

/** Events that arrive during that time are skipped. */
export async function ask(socket: net.Socket, question: Buffer): Promise<Buffer> {
  socket.write(question)
  for (;;) {
    const answer = await message(socket)
    if (answer[0] === 1) return answer
    if (answer[0] === 0) throw new Error('the X server refused the request')
  }
}

/** An answer may be longer than the 32 bytes that everything has. Rejects when the other side is gone. */
export async function message(socket: net.Socket): Promise<Buffer> {
  const head = await take(socket, 32)
  const more = head[0] === 1 ? 4 * head.readUInt32LE(4) : 0
  return Buffer.concat([head, await take(socket, more)])
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
    if (bytes !== null || socket.readableEnded || socket.destroyed) throw new Error('the X server has disconnected')
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

/** What proves to an X server that this is its user; empty where the server asks for nothing. */
function cookieFor(display: string, env: NodeJS.ProcessEnv): Buffer {
  try {
    return cookieIn(fs.readFileSync(env['XAUTHORITY'] ?? path.join(homeDir(), '.Xauthority')), display)
  } catch {
    return Buffer.alloc(0)
  }
}

/** Entries of a family and four fields: address, display, kind, secret. Each field follows its length, big-endian. */
function cookieIn(bytes: Buffer, display: string): Buffer {
  let at = 0
  const field = (): Buffer => {
    const start = at + 2
    at = start + bytes.readUInt16BE(at)
    return bytes.subarray(start, at)
  }
  const found: { host: string; secret: Buffer }[] = []
  while (at < bytes.length) {
    at += 2
    const [host, number, kind, secret] = [field(), field(), field(), field()].map((one) => one.toString('latin1'))
    const fits = (number === '' || number === display) && kind === 'MIT-MAGIC-COOKIE-1'
    if (fits) found.push({ host: host ?? '', secret: Buffer.from(secret ?? '', 'latin1') })
  }
  const own = found.find(({ host }) => host === os.hostname()) ?? found[0]
  return own?.secret ?? Buffer.alloc(0)
}

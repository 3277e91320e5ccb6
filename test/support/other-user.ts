import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** Another user of the machine; only the superuser can be one for a moment. */
export const nobody = { uid: 65_534, gid: 65_534, cwd: '/', env: {} } as const

export const canBeNobody = process.platform === 'linux' && process.getuid?.() === 0

/** How a program on the same machine can reach a server on 127.0.0.1. */
export const waysToLoopback: Readonly<Record<string, { readonly host: string; readonly localAddress?: string }>> = {
  'an IPv4 socket': { host: '127.0.0.1' },
  'an IPv6 socket to the mapped address': { host: '::ffff:127.0.0.1' },
  'the mapped address in hexadecimal': { host: '::ffff:7f00:1' },
  'the source 127.0.0.2': { host: '127.0.0.1', localAddress: '127.0.0.2' },
  'the last loopback source': { host: '127.0.0.1', localAddress: '127.255.255.254' },
  'an IPv6 socket with a mapped source': { host: '::ffff:127.0.0.1', localAddress: '::ffff:127.3.4.5' },
}

export interface Attempt {
  readonly port: number
  readonly path: string
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly host: string
  readonly localAddress?: string
}

/** The status of each answer. The name in the request is the usual one, whatever address it is sent to. */
export async function statusesAsNobody(attempts: readonly Attempt[]): Promise<number[]> {
  const script = `
    const http = require('node:http')
    const send = ({ body, headers, port, ...rest }) => new Promise((resolve, reject) => {
      const asked = http.request({ ...rest, port, agent: false, headers: { host: '127.0.0.1:' + port, ...headers } }, (answer) => {
        answer.resume()
        answer.on('end', () => resolve(answer.statusCode))
      })
      asked.on('error', reject)
      asked.end(body)
    })
    ;(async () => {
      const all = []
      for (const attempt of ${JSON.stringify(attempts)}) all.push(await send(attempt))
      process.stdout.write(JSON.stringify(all))
    })()`
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], nobody)
  return JSON.parse(stdout)
}

/** Sends a request and is gone before anybody can ask who it was. */
export async function sendAndLeaveAsNobody({ port, host, localAddress }: Attempt, request: string): Promise<void> {
  const script = `
    const socket = require('node:net').connect(${JSON.stringify({ port, host, localAddress })}, () =>
      socket.write(${JSON.stringify(request)}, () => process.exit(0)))`
  await promisify(execFile)(process.execPath, ['-e', script], nobody)
}

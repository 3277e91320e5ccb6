import http from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { openApprovalSocket } from '../approvals/socket.ts'
import { type CladaOptions, settingsOf } from '../config/settings.ts'
import type { ReportOptions } from '../report/parts.ts'
import { Companion } from './companion.ts'
import { isStranger } from '../state/user-state.ts'
import { Refusal, refuseForeign, Sessions } from './guard.ts'
import { routes } from './routes.ts'
import { Session } from './session.ts'

export interface PageOptions {
  readonly options: CladaOptions
  /** Where to listen; `preferred`: another port is used if it is taken. */
  readonly port: { readonly number: number; readonly kind: 'required' | 'preferred' }
  readonly inputFile: string
  /** Rules of the project for models, one sentence each. */
  readonly rules?: readonly string[]
  /** Options of the report for the model. */
  readonly report?: ReportOptions
  readonly document?: { readonly name: string; readonly text: string } | undefined
  /** Where the page's files are; found beside the program when not given. */
  readonly assets?: string
}

export interface PageServer {
  readonly port: number
  /** An address that opens the page once. The previous one is no longer valid. */
  address(): string
  /** Browser extensions that may ask. */
  readonly companion: Pick<Companion, 'code' | 'isPaired'>
  close(): Promise<void>
}

/** Serves the page on this machine only, to the browser that has the address. */
export async function servePage(given: PageOptions): Promise<PageServer> {
  const { options, port, inputFile, rules = [], report = {}, document, assets = assetsDir() } = given
  const settings = settingsOf(options)
  const { root, limits } = settings
  const files = readAssets(assets)
  // Others wait for an answer only as long as a page is open that could give one.
  let leaving: NodeJS.Timeout | undefined
  const listeners = new Listeners((count) => {
    clearTimeout(leaving)
    if (count === 0) leaving = setTimeout(() => session.questions.drop('other'), 3000).unref()
  })
  const { inputBytes } = limits
  const session = new Session({
    options,
    root,
    inputBytes,
    inputFile,
    rules,
    report,
    send: (event, data) => listeners.send(event, data),
  })
  const server = http.createServer({ maxHeaderSize: 16_384 }, (request, response) => {
    for (const [name, value] of Object.entries(commonHeaders)) response.setHeader(name, value)
    response.setHeader('content-security-policy', closedPolicy)
    answer(request, response).catch((error: unknown) => {
      if (response.headersSent) return void response.destroy()
      const refusal = error instanceof Refusal ? error : undefined
      // What was not read would be taken for the next request.
      response.setHeader('connection', 'close')
      const message = refusal?.message ?? `clada itself failed: ${error instanceof Error ? error.message : error}`
      sendJson(response, refusal?.status ?? 500, { error: message })
    })
  })
  const strangers = new WeakSet<Socket>()
  server.on('connection', (socket: Socket) => {
    if (isStranger(socket.remotePort ?? 0, socket.localPort ?? 0)) strangers.add(socket)
  })
  await listen(server, port)
  const own = (server.address() as AddressInfo).port
  const sessions = new Sessions(own)
  const socket = await openApprovalSocket(root, (request, gone) =>
    listeners.count === 0
      ? Promise.reject(new Error('no page is open'))
      : session.questions.ask(request, 'other', gone),
  )
  const address = (): string => `http://127.0.0.1:${own}/?token=${sessions.renew()}`
  const isOpen = (): boolean => listeners.count > 0
  const companion = new Companion({ session, root, port: own, inputBytes, address, isOpen })
  if (document === undefined) void session.warmUp()
  else await session.open(document.text, document.name)

  async function answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { method = '', url = '' } = request
    if (strangers.has(request.socket)) throw new Refusal(403, 'This page belongs to another user of this machine.')
    const [path = '', query = ''] = url.split('?', 2)
    if (path.startsWith('/companion/')) {
      const { status, body } = await companion.answer(request, path.slice('/companion/'.length))
      return sendJson(response, status, body)
    }
    refuseForeign({ method, path, headers: request.headers }, own)
    const params = new URLSearchParams(query)
    const known = sessions.knows(request.headers.cookie)
    if (method === 'GET' && path === '/') return visit(response, params.get('token'), known)
    const mayAsk = !path.startsWith('/api/') || sessions.holds(request.headers['x-clada'])
    if (!known || !mayAsk) throw new Refusal(401, 'clada ui does not know this tab: open the address that it printed.')
    if (method === 'GET' && path === '/api/events') {
      listeners.add(response)
      return sendTo(response, 'state', session.state())
    }
    const asset = method === 'GET' ? files.get(path) : undefined
    if (asset !== undefined) return sendAsset(response, asset)
    const route = routes[`${method} ${path}`]
    if (route === undefined) throw new Refusal(404, 'There is no such address.')
    sendJson(response, 200, (await route({ session, query: params, request, inputBytes })) ?? null)
  }

  /** The page itself, for those who are known or bring the token. The key goes with the token, and only once. */
  function visit(response: http.ServerResponse, token: string | null, known: boolean): void {
    const fits = token !== null && sessions.fits(token)
    if (!fits && !known) return sendText(response, 401, locked)
    const page = files.get('/index.html')
    if (page === undefined) throw new Refusal(404, 'The page is missing from this installation.')
    response.setHeader('content-security-policy', pagePolicy)
    if (!fits) return sendAsset(response, page)
    const { setCookie, key } = sessions.enter()
    response.setHeader('set-cookie', setCookie)
    sendAsset(response, withKey(page, key))
  }

  return {
    port: own,
    address,
    companion,
    close: async () => {
      clearTimeout(leaving)
      socket?.close()
      companion.close()
      await session.close()
      listeners.close()
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

const locked = `This page belongs to the user who started clada ui.
Open the address that it printed. It works once; for another press Enter where clada ui runs, or start it again.
`

async function listen(server: http.Server, { number, kind }: PageOptions['port']): Promise<void> {
  const attempt = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
        server.off('error', reject)
        resolve()
      })
    })
  try {
    await attempt(number)
  } catch (error) {
    if (kind === 'required') throw error
    await attempt(0)
  }
}

function sendAsset(response: http.ServerResponse, { type, bytes }: Asset): void {
  response.writeHead(200, { 'content-type': type, 'content-length': bytes.length })
  response.end(bytes)
}

function sendJson(response: http.ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify(value))
}

function sendText(response: http.ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' })
  response.end(text)
}

/** Headers of every answer: it must not be cached, framed, sniffed or passed on. */
const commonHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/**
 * Only our own scripts and styles, and none of them inline. No text can become markup: trusted types are required, and
 * there is no policy to make them.
 */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** For answers that are no page: they need nothing at all. */
const closedPolicy = "default-src 'none'; frame-ancestors 'none'"

export interface Asset {
  readonly type: string
  readonly bytes: Buffer
}

/** The page's files by their addresses. All are read here, so no address can lead anywhere else. */
export function readAssets(dir: string): ReadonlyMap<string, Asset> {
  const found = new Map<string, Asset>()
  for (const name of fs.readdirSync(dir)) {
    const type = types[path.extname(name)]
    if (type !== undefined) found.set(`/${name}`, { type, bytes: fs.readFileSync(path.join(dir, name)) })
  }
  return found
}

/** The page with the key that its tab keeps. */
export const withKey = ({ type, bytes }: Asset, key: string): Asset => ({
  type,
  bytes: Buffer.from(bytes.toString('utf8').replace('</head>', `<meta name="clada-key" content="${key}" /></head>`)),
})

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
}

/** Where the build puts the page: beside the program, or beside the directory that has its parts. */
export function assetsDir(): string {
  const here = path.dirname(fileURLToPath(import.meta.url))
  const places = [path.join(here, 'ui'), path.join(here, '../ui'), path.join(here, '../../dist/ui')]
  const found = places.find((place) => fs.existsSync(path.join(place, 'index.html')))
  if (found === undefined) throw new Error('The files of the page are missing from this installation.')
  return found
}

/** The tabs that listen. What is sent goes to all of them, as server-sent events. */
export class Listeners {
  readonly #open = new Set<ServerResponse>()
  #waiting = ''
  #timer: NodeJS.Timeout | undefined
  readonly #onCount: (count: number) => void

  constructor(onCount: (count: number) => void) {
    this.#onCount = onCount
  }

  get count(): number {
    return this.#open.size
  }

  add(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    // So that a tab notices when the server has ended without closing the connection.
    const beat = setInterval(() => response.write(': here\n\n'), 15_000)
    beat.unref()
    this.#open.add(response)
    this.#onCount(this.count)
    response.on('close', () => {
      clearInterval(beat)
      this.#open.delete(response)
      this.#onCount(this.count)
    })
  }

  /** The events of the same moment are sent at once: a run of a thousand actions would else wake every tab a thousand times. */
  send(event: string, data: unknown): void {
    if (this.#open.size === 0) return
    this.#waiting += textOf(event, data)
    if (event === 'state') this.#flush()
    else this.#timer ??= setTimeout(() => this.#flush(), 20)
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const response of this.#open) response.write(this.#waiting)
    this.#waiting = ''
  }

  close(): void {
    this.#flush()
    for (const response of this.#open) response.end()
    this.#open.clear()
  }
}

export function sendTo(response: ServerResponse, event: string, data: unknown): void {
  response.write(textOf(event, data))
}

/** JSON has no line breaks, so one event is one line of data. */
const textOf = (event: string, data: unknown): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

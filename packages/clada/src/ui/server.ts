import { randomBytes } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import http from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import fs from 'node:fs'
import path from 'node:path'
import { openApprovalSocket } from '../approvals/socket.ts'
import { type CladaOptions, settingsOf } from '../config/settings.ts'
import { installedFiles } from '../core/installation.ts'
import { hasCode } from '../core/errors.ts'
import type { ReportOptions } from '../report/parts.ts'
import { Companion } from './companion.ts'
import { isStranger } from '../state/connection-owner.ts'
import { codePath, PairingCode, RequestRefusal, refuseForeign, Sessions } from './guard.ts'
import { removeOpener, writeOpener } from './opener.ts'
import { readBody, routes } from './routes.ts'
import { PageSession } from './session.ts'

export interface PageOptions {
  readonly options: CladaOptions
  /** Where to listen; `preferred`: another port is used if it is taken. */
  readonly port: { readonly number: number; readonly kind: 'required' | 'preferred' }
  /**
   * A further name to answer to; its address is listened on as well. Connections whose owner the system does not name
   * are then let in with a code that a person types.
   */
  readonly host?: string | undefined
  readonly inputFile: string
  /** Rules of the project for models, one sentence each. */
  readonly rules?: readonly string[]
  /** Options of the report for the model. */
  readonly report?: ReportOptions
  readonly document?: { readonly name: string; readonly text: string } | undefined
  /** The directory of the page's files; that of the installation when not given. */
  readonly assets?: string
}

export interface PageServer {
  readonly port: number
  /** An address that opens the page once. The previous one is no longer valid. */
  address(): string
  /** The address of a file that leads a browser there: other users can read command lines, but not this file. */
  opener(address: string): string
  /** A code that opens the page once, for browsers elsewhere; undefined without a further name. */
  code(): string | undefined
  /** Browser extensions that may ask. */
  readonly companion: Pick<Companion, 'code' | 'isPaired'>
  close(): Promise<void>
}

/** Serves the page on this machine only, to the browser that has the address. */
export async function servePage(given: PageOptions): Promise<PageServer> {
  const { options, port, host, inputFile, rules = [], report = {}, document, assets } = given
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
  const session = new PageSession({
    options,
    root,
    inputBytes,
    inputFile,
    rules,
    report,
    send: (event, data) => listeners.send(event, data),
  })
  const onRequest: http.RequestListener = (request, response) => {
    for (const [name, value] of Object.entries(commonHeaders)) response.setHeader(name, value)
    response.setHeader('content-security-policy', closedPolicy)
    answer(request, response).catch((error: unknown) => {
      if (response.headersSent) return void response.destroy()
      const refusal = error instanceof RequestRefusal ? error : undefined
      // What was not read would be taken for the next request.
      response.setHeader('connection', 'close')
      const message = refusal?.message ?? `clada itself failed: ${error instanceof Error ? error.message : error}`
      sendJson(response, refusal?.status ?? 500, { error: message })
    })
  }
  const owned = new WeakSet<Socket>()
  const onConnection = (socket: Socket): void => {
    if (!isStranger(socket)) owned.add(socket)
  }
  const { servers, port: own } = await streamEvents(port, host, () =>
    http.createServer({ maxHeaderSize: 16_384 }, onRequest).on('connection', onConnection),
  )
  const sessions = new Sessions(own)
  const pageCode = host === undefined ? undefined : new PairingCode()
  const socket = await openApprovalSocket(root, (request, gone) =>
    listeners.count === 0
      ? Promise.reject(new Error('no page is open'))
      : session.questions.ask(request, 'other', gone),
  )
  const address = (): string => `http://127.0.0.1:${own}/?token=${sessions.renew()}`
  const isOpen = (): boolean => listeners.count > 0
  const companion = new Companion({ session, root, port: own, host, inputBytes, address, isOpen })
  if (document === undefined) void session.warmUp()
  else await session.open(document.text, document.name)

  async function answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { method = '', url = '' } = request
    const isOwned = owned.has(request.socket)
    if (!isOwned && pageCode === undefined) throw new RequestRefusal(403, refusedStranger)
    const [path = '', query = ''] = url.split('?', 2)
    if (path.startsWith('/companion/')) {
      const { status, body } = await companion.answer(request, path.slice('/companion/'.length))
      return sendJson(response, status, body)
    }
    refuseForeign({ method, path, headers: request.headers }, host)
    const params = new URLSearchParams(query)
    const known = sessions.knows(request.headers.cookie)
    if (method === 'GET' && path === '/') {
      if (isOwned && sessions.spend(params.get('token') ?? '')) return enter(response)
      if (known) return sendPage(response)
      return pageCode === undefined ? sendText(response, 401, locked) : sendForm(response)
    }
    if (method === 'POST' && path === codePath && pageCode !== undefined) {
      const form = new URLSearchParams(await readBody(request, 'application/x-www-form-urlencoded', 1000))
      pageCode.spend(form.get('code'))
      return enter(response)
    }
    const mayAsk = !path.startsWith('/api/') || sessions.holds(request.headers['x-clada'])
    if (!known || !mayAsk)
      throw new RequestRefusal(401, 'clada ui does not know this tab: open the address that it printed.')
    if (method === 'GET' && path === '/api/events') {
      listeners.add(response)
      return sendTo(response, 'state', session.state())
    }
    const asset = method === 'GET' ? files.get(path) : undefined
    if (asset !== undefined) return sendAsset(response, asset)
    const route = routes[`${method} ${path}`]
    if (route === undefined) throw new RequestRefusal(404, 'There is no such address.')
    sendJson(response, 200, (await route({ session, query: params, request, inputBytes })) ?? null)
  }

  /** The page with a key, for a browser that brought the token or the code. */
  function enter(response: http.ServerResponse): void {
    removeOpener(own)
    const { setCookie, key } = sessions.enter()
    response.setHeader('set-cookie', setCookie)
    sendPage(response, key)
  }

  function sendPage(response: http.ServerResponse, key?: string): void {
    const page = files.get('/index.html')
    if (page === undefined) throw new RequestRefusal(404, 'The page is missing from this installation.')
    const nonce = randomBytes(18).toString('base64')
    response.setHeader('content-security-policy', pagePolicy(nonce))
    sendAsset(response, withSecrets(page, nonce, key))
  }

  return {
    port: own,
    address,
    opener: (to) => writeOpener(own, to),
    code: () => pageCode?.renew(),
    companion,
    close: async () => {
      clearTimeout(leaving)
      removeOpener(own)
      socket?.close()
      companion.close()
      await session.close()
      listeners.close()
      await Promise.all(servers.map(closeServer))
    },
  }
}

const refusedStranger = `This page belongs to another user of this machine, or the system does not name the owner of your connection.
Start it with --host 127.0.0.1 to let browsers in with a code.`

const locked = `This page belongs to the user who started clada ui.
Open the address that it printed. It works once; for another press Enter where clada ui runs, or start it again.
`

/** Listens on the loopback address, and on that of a further name. */
async function streamEvents(
  { number, kind }: PageOptions['port'],
  host: string | undefined,
  makeServer: () => http.Server,
): Promise<{ readonly servers: readonly http.Server[]; readonly port: number }> {
  const further = host === undefined ? [] : [(await lookup(host.replaceAll(/^\[|\]$/g, ''))).address]
  const addresses = further.some((address) => wildcards.includes(address)) ? further : ['127.0.0.1', ...further]
  const servers: http.Server[] = []
  const attempt = async (first: number): Promise<number> => {
    let port = first
    try {
      for (const address of new Set(addresses)) {
        const server = makeServer()
        await new Promise<void>((resolve, reject) => {
          server.once('error', reject)
          server.listen({ port, host: address, exclusive: true }, () => {
            server.off('error', reject)
            resolve()
          })
        })
        servers.push(server)
        port = (server.address() as AddressInfo).port
      }
      return port
    } catch (error) {
      await Promise.all(servers.splice(0).map(closeServer))
      throw error
    }
  }
  try {
    return { port: await attempt(number), servers }
  } catch (error) {
    if (kind === 'required' || !hasCode(error, 'EADDRINUSE', 'EACCES')) throw error
    return { port: await attempt(0), servers }
  }
}

/** All addresses of the machine, the loopback ones among them. */
const wildcards: readonly string[] = ['0.0.0.0', '::']

async function closeServer(server: http.Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  await closed
}

function sendAsset(response: http.ServerResponse, { type, bytes }: Asset): void {
  response.writeHead(200, { 'content-type': type, 'content-length': bytes.length })
  response.end(bytes)
}

function sendJson(response: http.ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify(value))
}

/** Asks for the code that the terminal shows. */
function sendForm(response: http.ServerResponse): void {
  response.setHeader('content-security-policy', formPolicy)
  // Under the usual policy a browser would send the form with the origin "null".
  response.setHeader('referrer-policy', 'same-origin')
  response.writeHead(401, { 'content-type': 'text/html; charset=utf-8' })
  response.end(codeForm)
}

const codeForm = `<!doctype html>
<html lang="en">
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width" />
<title>clada</title>
<form method="post" action="${codePath}">
<p><label>The code that clada ui shows: <input name="code" autocomplete="off" autofocus required /></label> <button>Open</button></p>
</form>
</html>
`

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
 * Only our own scripts and styles. No script is inline, and no style without the nonce, by which the editor adds its own.
 * No text can become markup: trusted types are required, and there is no policy to make them.
 */
const pagePolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')

/** For the form that asks for the code, which may only be sent here. */
const formPolicy = "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

/** For answers that are no page: they need nothing at all. */
const closedPolicy = "default-src 'none'; frame-ancestors 'none'"

export interface Asset {
  readonly type: string
  readonly bytes: Buffer
}

/** The page's files by their addresses. All are read here, so no address can lead anywhere else. */
export function readAssets(dir = 'ui'): ReadonlyMap<string, Asset> {
  const files = installedFiles(dir)
  if (!files.has('index.html')) throw new Error('The files of the page are missing from this installation.')
  const found = new Map<string, Asset>()
  for (const [name, file] of files) {
    const type = types[path.extname(name)]
    if (type !== undefined) found.set(`/${name}`, { type, bytes: fs.readFileSync(file) })
  }
  return found
}

/** The page with the nonce for its styles, and the key that a new tab keeps. */
function withSecrets({ type, bytes }: Asset, nonce: string, key: string | undefined): Asset {
  const page = bytes.toString('utf8').replace('<link rel="stylesheet"', `<link nonce="${nonce}" rel="stylesheet"`)
  const meta = key === undefined ? '' : `<meta name="clada-key" content="${key}" />`
  return { type, bytes: Buffer.from(page.replace('</head>', `${meta}</head>`)) }
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
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
    this.#waiting += eventText(event, data)
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
  response.write(eventText(event, data))
}

/** JSON has no line breaks, so one event is one line of data. */
const eventText = (event: string, data: unknown): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

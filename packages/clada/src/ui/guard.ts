import { randomBytes, randomInt } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { digestOf, isSameSecret } from '../core/digest.ts'
import { hostName, isLoopbackHost, isOwnOrigin } from '../core/loopback.ts'

export interface PageRequest {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

/** Refuses every name but those of this machine's loopback, and the one that the user gave (DNS rebinding). */
export function refuseOtherNames({ host }: IncomingHttpHeaders, given?: string): void {
  if (isLoopbackHost(host) || (given !== undefined && hostName(host) === given.toLowerCase())) return
  throw new RequestRefusal(421, 'Wrong Host header: this server answers as 127.0.0.1, and as NAME with --host NAME.')
}

/**
 * Refuses everything that another web page could send: under another name than ours, from another origin, or by a plain
 * form. Does not identify the caller; `Sessions` does.
 */
export function refuseForeign({ method, path, headers }: PageRequest, given?: string): void {
  refuseOtherNames(headers, given)
  if (method !== 'GET' && method !== 'POST') throw new RequestRefusal(405, `${method} requests are not accepted here.`)
  const { origin } = headers
  if (origin !== undefined && !isOwnOrigin(origin, headers.host))
    throw new RequestRefusal(403, 'Requests from another origin are refused.')
  const from = headers['sec-fetch-site']
  // The address may be followed from anywhere, as a page of its own; everything else only from our page.
  const isVisit = method === 'GET' && path === '/' && (headers['sec-fetch-dest'] ?? 'document') === 'document'
  if (from !== undefined && from !== 'same-origin' && !isVisit)
    throw new RequestRefusal(403, 'Requests from another site are refused.')
  if (method === 'GET') return
  if (origin === undefined) throw new RequestRefusal(403, 'A request that changes something needs an Origin header.')
  // The form for the code is a plain one: it is for browsers that have no script of ours yet.
  if (headers['x-clada'] === undefined && path !== codePath)
    throw new RequestRefusal(403, 'A request that changes something must come from the page itself.')
}

/** Where the form for the code is sent. */
export const codePath = '/code'

/** A code that the terminal shows and a person types. It works once, and not after five wrong ones. */
export class PairingCode {
  #open: { readonly text: string; tries: number } | undefined

  /** A new code; the previous one is no longer valid. */
  renew(): string {
    const text = Array.from({ length: codeLength }, () => letters[randomInt(letters.length)]).join('')
    this.#open = { text, tries: 0 }
    return `${text.slice(0, 4)}-${text.slice(4)}`
  }

  /** @throws Refusal for anything but the code */
  spend(code: unknown): void {
    const open = this.#open
    const given = typeof code === 'string' ? code.toUpperCase().replaceAll(/[^A-Z0-9]/g, '') : ''
    if (open !== undefined && ++open.tries > mostTries) this.#open = undefined
    if (open === undefined || this.#open === undefined || !isSameSecret(given, open.text))
      throw new RequestRefusal(403, 'This is not the code. Press Enter where clada ui runs for another one.')
    this.#open = undefined
  }
}

/** Without letters that look alike. */
const letters = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789'
const codeLength = 8
const mostTries = 5

/**
 * The browsers that have access. A token or a code works once, and is exchanged for two secrets. The browser keeps a cookie, which
 * gives access to the page's own files only: browsers send it to every port of this machine. The tab keeps a key for the rest.
 */
export class Sessions {
  readonly #cookie: string
  readonly #cookies: string[] = []
  readonly #keys: string[] = []
  #token: string | undefined

  /** Browsers keep one jar for all ports, so the port is in the name. */
  constructor(port: number) {
    this.#cookie = `clada-${port}`
  }

  /** A new token; the previous one is no longer valid. */
  renew(): string {
    const token = newSecret()
    this.#token = digestOf(token)
    return token
  }

  /** Whether a token is the one that is still to be used. It is spent now. */
  spend(token: string): boolean {
    if (this.#token === undefined || !isSameSecret(digestOf(token), this.#token)) return false
    this.#token = undefined
    return true
  }

  /** Lets a browser in: returns the header that sets the cookie, and the key. */
  enter(): { readonly setCookie: string; readonly key: string } {
    const [secret, key] = [newSecret(), newSecret()]
    this.#cookies.push(digestOf(secret))
    this.#keys.push(digestOf(key))
    return { setCookie: `${this.#cookie}=${secret}; Path=/; HttpOnly; SameSite=Strict`, key }
  }

  knows(cookies: string | undefined): boolean {
    const given = (cookies ?? '').split(';').flatMap((pair) => {
      const [name, value] = pair.trim().split('=', 2)
      return name === this.#cookie && value !== undefined ? [digestOf(value)] : []
    })
    return given.some((one) => isAmong(one, this.#cookies))
  }

  holds(key: string | string[] | undefined): boolean {
    return typeof key === 'string' && isAmong(digestOf(key), this.#keys)
  }
}

const newSecret = (): string => randomBytes(32).toString('base64url')

const isAmong = (given: string, known: readonly string[]): boolean => known.some((one) => isSameSecret(given, one))

/** A request that is not done, with what the page shows. */
export class RequestRefusal extends Error {
  override readonly name = 'RequestRefusal'
  readonly status: number

  constructor(status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 421, message: string) {
    super(message)
    this.status = status
  }
}

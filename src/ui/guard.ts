import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export interface Asked {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

/**
 * Refuses everything that another web page could send: under another name than ours (DNS rebinding), from another
 * origin, or by a plain form. Does not identify the caller; `Sessions` does.
 */
export function refuseForeign({ method, path, headers }: Asked, port: number): void {
  const own = `127.0.0.1:${port}`
  if (headers.host !== own) throw new Refusal(421, `Wrong Host header: this server only answers as ${own}.`)
  if (method !== 'GET' && method !== 'POST') throw new Refusal(405, `${method} requests are not accepted here.`)
  const { origin } = headers
  if (origin !== undefined && origin !== `http://${own}`)
    throw new Refusal(403, 'Requests from another origin are refused.')
  const from = headers['sec-fetch-site']
  // The address may be followed from anywhere, as a page of its own; everything else only from our page.
  const isVisit = method === 'GET' && path === '/' && (headers['sec-fetch-dest'] ?? 'document') === 'document'
  if (from !== undefined && from !== 'same-origin' && !isVisit)
    throw new Refusal(403, 'Requests from another site are refused.')
  if (method === 'GET') return
  if (origin === undefined) throw new Refusal(403, 'A request that changes something needs an Origin header.')
  if (headers['x-clada'] === undefined)
    throw new Refusal(403, 'A request that changes something must come from the page itself.')
}

/**
 * The browsers that have access. A token works once, and is exchanged for two secrets. The browser keeps a cookie, which
 * gives access to the page's own files only: browsers send it to every port of this machine. The tab keeps a key for the rest.
 */
export class Sessions {
  readonly #cookie: string
  readonly #cookies: Buffer[] = []
  readonly #keys: Buffer[] = []
  #token: Buffer | undefined

  /** Browsers keep one jar for all ports, so the port is in the name. */
  constructor(port: number) {
    this.#cookie = `clada-${port}`
  }

  /** A new token; the previous one is no longer valid. */
  renew(): string {
    const token = newSecret()
    this.#token = digest(token)
    return token
  }

  /** Whether a token is the one that is still to be used. */
  fits(token: string): boolean {
    return this.#token !== undefined && timingSafeEqual(digest(token), this.#token)
  }

  /** Spends the token, and gives the header that sets the cookie, and the key. */
  enter(): { readonly setCookie: string; readonly key: string } {
    this.#token = undefined
    const [secret, key] = [newSecret(), newSecret()]
    this.#cookies.push(digest(secret))
    this.#keys.push(digest(key))
    return { setCookie: `${this.#cookie}=${secret}; Path=/; HttpOnly; SameSite=Strict`, key }
  }

  knows(cookies: string | undefined): boolean {
    const given = (cookies ?? '').split(';').flatMap((pair) => {
      const [name, value] = pair.trim().split('=', 2)
      return name === this.#cookie && value !== undefined ? [digest(value)] : []
    })
    return given.some((one) => isAmong(one, this.#cookies))
  }

  holds(key: string | string[] | undefined): boolean {
    return typeof key === 'string' && isAmong(digest(key), this.#keys)
  }
}

const newSecret = (): string => randomBytes(32).toString('base64url')

const isAmong = (given: Buffer, known: readonly Buffer[]): boolean => known.some((one) => timingSafeEqual(given, one))

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** A request that is not done, with what the page shows. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number

  constructor(status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 421, message: string) {
    super(message)
    this.status = status
  }
}

import { createHmac, randomBytes } from 'node:crypto'
import path from 'node:path'
import { digestOf, isSameSecret } from '../core/digest.ts'
import { readOwn } from '../state/own-files.ts'
import { keepForUser } from '../state/user-state.ts'
import { PairingCode, RequestRefusal } from './guard.ts'

export interface Paired {
  readonly id: string
  readonly key: string
  readonly origin: string
}

/**
 * The paired extensions. One is paired once, with a code that the terminal shows, and gets a key. The key itself is
 * never sent again: every request is signed with it, for one port and one time, and every answer too, so a program that
 * listens on the port later learns nothing and can say nothing.
 */
export class Pairing {
  readonly #port: number
  /** Where keys are kept; undefined for a project that contains the state directory, because it could write them. */
  readonly #dir: string | undefined
  readonly #unkept: Paired[] = []
  readonly #seen = new Map<string, number>()
  readonly #code = new PairingCode()

  constructor(port: number, dir: string | undefined) {
    this.#port = port
    this.#dir = dir
  }

  /** A new code to pair with. The previous one is no longer valid. */
  code(): string {
    return `${this.#port}-${this.#code.renew()}`
  }

  pair(code: unknown, origin: string): Paired {
    this.#code.spend(code)
    const paired = { id: randomBytes(9).toString('base64url'), key: randomBytes(32).toString('base64url'), origin }
    this.#keep([...this.all().slice(1 - mostPaired), paired])
    return paired
  }

  all(): readonly Paired[] {
    if (this.#dir === undefined) return this.#unkept
    try {
      const found: unknown = JSON.parse(readOwn(path.join(this.#dir, keysFile)) ?? '[]')
      return Array.isArray(found) ? found.filter(isPaired) : []
    } catch {
      return []
    }
  }

  forget(paired: Paired): void {
    this.#keep(this.all().filter(({ id }) => id !== paired.id))
  }

  /** The extension that signed a request, and a function that signs the answer. */
  signer(
    header: string | string[] | undefined,
    { route, text, origin }: { readonly route: string; readonly text: string; readonly origin: string },
  ): { readonly paired: Paired; readonly sign: (status: number, answer: string) => string } {
    const [id = '', time = '', nonce = '', mac = ''] = typeof header === 'string' ? header.split(' ') : []
    const paired = this.all().find((one) => one.id === id && one.origin === origin)
    const parts = ['clada request', route, String(this.#port), time, nonce, digestOf(text)]
    if (paired === undefined || !isSameSecret(macOf(paired.key, parts), mac))
      throw new RequestRefusal(401, 'This extension is not paired with clada.')
    const now = Date.now()
    for (const [one, until] of this.#seen) if (until < now) this.#seen.delete(one)
    if (!/^\d{13}$/.test(time) || Math.abs(now - Number(time)) > validFor || this.#seen.has(nonce))
      throw new RequestRefusal(403, 'This request is too old, or was sent twice.')
    this.#seen.set(nonce, now + 2 * validFor)
    const sign = (status: number, answer: string): string =>
      macOf(paired.key, ['clada answer', nonce, String(status), digestOf(answer)])
    return { paired, sign }
  }

  #keep(all: readonly Paired[]): void {
    if (this.#dir === undefined) this.#unkept.splice(0, Infinity, ...all)
    else keepForUser(path.join(this.#dir, keysFile), `${JSON.stringify(all, null, 1)}\n`)
  }
}

const mostPaired = 20
/** Milliseconds that the clocks of a request and of this process may differ. */
const validFor = 60_000
const keysFile = 'companions.json'

const macOf = (key: string, parts: readonly string[]): string =>
  createHmac('sha256', Buffer.from(key, 'base64url')).update(parts.join('\n')).digest('base64url')

function isPaired(value: unknown): value is Paired {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['id', 'key', 'origin'].every((name) => typeof Reflect.get(value, name) === 'string')
  )
}

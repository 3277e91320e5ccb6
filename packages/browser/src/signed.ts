/** How requests to clada and its answers are signed; `src/ui/companion.ts` has the other side. */

export interface CompanionKey {
  readonly id: string
  /** 32 bytes in base64url, shared with clada since the pairing and never sent again. */
  readonly key: string
}

export interface Signed {
  readonly nonce: string
  /** The value of the header `x-clada-companion`. */
  readonly header: string
}

export async function sign({ id, key }: CompanionKey, port: number, route: string, text: string): Promise<Signed> {
  const time = String(Date.now())
  const nonce = base64url(crypto.getRandomValues(new Uint8Array(18)))
  const mac = await macOf(key, ['clada request', route, String(port), time, nonce, await sha256(text)])
  return { nonce, header: [id, time, nonce, mac].join(' ') }
}

/** The JSON that clada gave as an answer to a request. @throws where anybody else may have given it */
export async function readSignedAnswer(
  { key }: CompanionKey,
  nonce: string,
  status: number,
  body: unknown,
): Promise<string> {
  const { answer, proof } = typeof body === 'object' && body !== null ? { answer: '', proof: '', ...body } : {}
  if (typeof answer !== 'string' || typeof proof !== 'string') throw new Error('not an answer')
  const expected = await macOf(key, ['clada answer', nonce, String(status), await sha256(answer)])
  if (expected !== proof) throw new Error('the answer is not from clada')
  return answer
}

export async function sha256(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

async function macOf(key: string, parts: readonly string[]): Promise<string> {
  const bytes = Uint8Array.from(atob(key.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
  const own = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  const mac = await crypto.subtle.sign('HMAC', own, new TextEncoder().encode(parts.join('\n')))
  return base64url(new Uint8Array(mac))
}

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

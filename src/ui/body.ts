import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { Refusal } from './refusal.ts'

/** What a request brings, up to a limit. Nothing of what is too long is kept. */
export async function readBody(request: IncomingMessage, type: string, limit: number): Promise<string> {
  const [given = ''] = (request.headers['content-type'] ?? '').split(';')
  if (given.trim() !== type) throw new Refusal(415, `This takes ${type}.`)
  const tooLong = new Refusal(413, `This has more than ${limit} bytes, the limit. Split it into several.`)
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLong
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > limit) throw tooLong
    chunks.push(bytes)
  }
  const whole = Buffer.concat(chunks)
  if (!isUtf8(whole)) throw new Refusal(400, 'This is not valid UTF-8. Save it as UTF-8 first.')
  return whole.toString('utf8')
}

export function jsonIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  } catch {
    // Said below.
  }
  throw new Refusal(400, 'This takes a JSON object.')
}

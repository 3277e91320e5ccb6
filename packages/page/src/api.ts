import type { RefusedReply } from '../../clada/src/ui/protocol.ts'
import { currentKey } from './session-key.ts'

/** The server did not do what it was asked, and says why. */
export class ApiError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export const get = <T>(path: string, signal?: AbortSignal): Promise<T> => fetchJson(path, signal ? { signal } : {})

export const post = <T = null>(path: string, value: object = {}): Promise<T> =>
  fetchJson(path, { method: 'POST', body: JSON.stringify(value), headers: { 'content-type': 'application/json' } })

/** A document is sent as it is: as JSON it would be twice as long. */
export const postText = <T>(path: string, text: string): Promise<T> =>
  fetchJson(path, { method: 'POST', body: text, headers: { 'content-type': 'text/markdown' } })

/** What the server says by itself from now on. */
export async function openEvents(): Promise<ReadableStream<Uint8Array>> {
  const response = await fetchAnswer('/api/events', {})
  if (response.body === null) throw new Error('The server does not respond.')
  return response.body
}

const fetchJson = async <T>(path: string, init: RequestInit): Promise<T> => (await fetchAnswer(path, init)).json()

/** What is said where the server cannot be reached; browsers have other words for it. */
export const noAnswer = 'clada ui does not answer.'

async function fetchAnswer(path: string, init: RequestInit): Promise<Response> {
  const headers = { ...init.headers, 'x-clada': currentKey() }
  const response = await fetch(path, { ...init, headers }).catch((error: unknown) => {
    throw error instanceof TypeError ? new Error(noAnswer) : error
  })
  if (response.ok) return response
  const value: unknown = await response.json()
  throw new ApiError(response.status, isRefused(value) ? value.error : `The server answered ${response.status}.`)
}

const isRefused = (value: unknown): value is RefusedReply =>
  typeof value === 'object' && value !== null && 'error' in value && typeof value.error === 'string'

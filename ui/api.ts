import type { Refused } from '../src/ui/protocol.ts'

/** The server did not do what it was asked, and says why. */
export class ApiError extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export const get = <T>(path: string, signal?: AbortSignal): Promise<T> => ask(path, signal ? { signal } : {})

export const post = <T = null>(path: string, value: object = {}): Promise<T> =>
  ask(path, { method: 'POST', body: JSON.stringify(value), headers: { 'content-type': 'application/json' } })

/** A document is sent as it is: as JSON it would be twice as long. */
export const postDocument = <T>(text: string, name: string): Promise<T> =>
  ask(`/api/document?name=${encodeURIComponent(name)}`, {
    method: 'POST',
    body: text,
    headers: { 'content-type': 'text/markdown' },
  })

async function ask<T>(path: string, init: RequestInit): Promise<T> {
  const response = await fetch(path, { ...init, headers: { ...init.headers, 'x-clada': '1' } })
  const value: unknown = await response.json()
  if (response.ok) return value as T
  throw new ApiError(response.status, isRefused(value) ? value.error : `The server answered ${response.status}.`)
}

const isRefused = (value: unknown): value is Refused =>
  typeof value === 'object' && value !== null && 'error' in value && typeof value.error === 'string'

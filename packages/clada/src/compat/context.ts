import { withoutUndefined } from '@clada/reply/core/optional.ts'
import { Clada } from '../api/clada.ts'
import type { CladaOptions } from '../config/settings.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'

/** An entry of the working set. */
export interface ContextEntry {
  path: string
  /** Bytes; missing where it cannot be read. */
  size?: number
}

/** Why a function of the context failed. */
export class ContextError extends Error {
  override readonly name = 'ContextError'
  readonly code: string

  constructor(message: string, code: string) {
    super(message)
    this.code = code
  }
}

/**
 * Adds a file to the working set, or a part of it: `file.ts:1-20`, `file.ts@@Class@@method`.
 * @throws ContextError
 */
export async function addPath(path: string, options: CladaOptions = {}): Promise<void> {
  await perform('context_add', { path }, options)
}

/**
 * Removes an entry from the working set.
 * @throws ContextError
 */
export async function removePath(path: string, options: CladaOptions = {}): Promise<void> {
  await perform('context_remove', { path }, options)
}

/**
 * The entries of the working set, in the order in which they were added.
 * @throws ContextError
 */
export async function listPaths(options: CladaOptions = {}): Promise<ContextEntry[]> {
  const entries = await perform('context_list', {}, options)
  return (Array.isArray(entries) ? entries : [])
    .filter(isRecord)
    .map(({ path, size }) =>
      withoutUndefined({ path: String(path), size: typeof size === 'number' ? size : undefined }),
    )
}

/**
 * Empties the working set.
 * @throws ContextError
 */
export async function clearContext(options: CladaOptions = {}): Promise<void> {
  await perform('context_clear', {}, options)
}

async function perform(action: string, params: Record<string, string>, options: CladaOptions): Promise<unknown> {
  const { results, parseErrors, fatalError } = await new Clada(options).perform(action, params)
  const [result] = results
  if (result?.success === true) return result.data
  const message = result?.error ?? fatalError ?? parseErrors[0]?.message ?? 'Nothing was done'
  throw new ContextError(message, result?.code ?? parseErrors[0]?.code ?? 'invalid_parameter')
}

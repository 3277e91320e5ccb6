import { withoutUndefined } from '@clada/reply/core/optional.ts'
import { Clada } from '../api/clada.ts'
import type { CladaOptions } from '../config/settings.ts'
import type { ActionResult } from '../core/result.ts'
import type { CladaAction } from './transform-to-action.ts'

/** The result of `executeFileOperation`. */
export interface FileOpResult {
  success: boolean
  data?: unknown
  error?: string
  /** The failure as an error, with the stack of where it was noticed. Not enumerable: a result has the three fields above. */
  readonly cause?: FileOpError
}

/** An error of a file operation, for callers that throw it. */
export class FileOpError extends Error {
  override readonly name = 'FileOpError'
  readonly code: string
  readonly path: string | undefined
  readonly operation: string | undefined

  constructor(message: string, code: string, path?: string, operation?: string) {
    super(message)
    this.code = code
    this.path = path
    this.operation = operation
  }
}

/** Runs one parsed action. Never throws. */
export async function executeFileOperation(action: CladaAction, options: CladaOptions = {}): Promise<FileOpResult> {
  try {
    return await performAction(action, options)
  } catch (error) {
    // Only what has not the shape of an action: JavaScript may call with anything.
    const reason = error instanceof Error ? error.message : String(error)
    return { success: false, error: `Unexpected error in executeFileOperation: ${reason}` }
  }
}

async function performAction(action: CladaAction, options: CladaOptions): Promise<FileOpResult> {
  const params = Object.fromEntries(
    Object.entries(action.parameters).flatMap(([name, value]) => paramTexts(name, value)),
  )
  const { results, parseErrors, fatalError } = await new Clada(options).perform(action.action, params)
  const [result] = results
  if (result === undefined)
    return { success: false, error: fatalError ?? parseErrors[0]?.message ?? 'Nothing was done' }
  const { success, data, code } = result
  const option = ` Pass { allowedRoots: ['/its/directory'] } as the second argument to allow it.`
  const error = code === 'path_escape' ? `${result.error}.${option}` : result.error
  const done = withoutUndefined({ success, data, error })
  return success ? done : Object.defineProperty(done, 'cause', { value: errorOf(result) })
}

/** A parameter as a block has it. One without a value is missing: its name must not become a file's content. */
function paramTexts(name: string, value: unknown): [name: string, text: string][] {
  if (value === undefined || value === null) return []
  if (!['string', 'number', 'boolean', 'bigint'].includes(typeof value))
    throw new TypeError(`${name} must be a text, a number or a boolean; it is of the type ${typeof value}`)
  return [[name, String(value)]]
}

function errorOf({ action, error = '', code = 'internal_error', details, failure }: ActionResult): FileOpError {
  const system = [failure?.head, failure?.tag].find((name) => name !== undefined && /^E[A-Z]+$/.test(name))
  const cause = new FileOpError(error, system ?? code, details?.path ?? failure?.subject, action)
  const stack = details?.stack ?? failure?.stack
  if (stack !== undefined) cause.stack = stack
  return cause
}

/** Does nothing: definitions are part of the program. For callers of the earlier library. */
export function clearActionSchemaCache(): void {}

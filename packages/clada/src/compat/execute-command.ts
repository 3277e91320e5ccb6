import { withoutUndefined } from '@clada/reply/core/optional.ts'
import { Clada } from '../api/clada.ts'
import type { CladaOptions } from '../config/settings.ts'
import { isRecord } from '@clada/reply/core/is-record.ts'
import type { CladaAction } from './transform-to-action.ts'

/** The result of `executeCommand`. */
export interface ExecResult {
  success: boolean
  stdout?: string
  stderr?: string
  exit_code?: number
  error?: string
}

/** The parameters of `exec`. */
export interface ExecParameters {
  readonly code: string
  readonly lang: string
  readonly version?: string
  readonly cwd?: string
  readonly timeout?: number
  readonly return_output?: boolean
}

/** Runs code as the action `exec` does: in the sandbox, unless the options say otherwise. Never throws. */
export async function executeCommand(
  command: ExecParameters | CladaAction,
  options: CladaOptions = {},
): Promise<ExecResult> {
  const given = 'parameters' in command ? command.parameters : command
  const { results, parseErrors, fatalError } = await new Clada(options).call('exec', { ...given })
  const [result] = results
  if (result === undefined)
    return { success: false, error: fatalError ?? parseErrors[0]?.message ?? 'Nothing was done' }
  const { stdout, stderr, exit_code } = isRecord(result.data) ? result.data : {}
  return withoutUndefined({
    success: result.success,
    stdout: typeof stdout === 'string' ? stdout : undefined,
    stderr: typeof stderr === 'string' ? stderr : undefined,
    exit_code: typeof exit_code === 'number' ? exit_code : undefined,
    error: result.error,
  })
}

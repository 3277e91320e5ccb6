import { isOsError } from '../core/os-error.ts'
import { isHeldElsewhere } from '../state/patient-rename.ts'
import { Stop } from '../core/problem.ts'

/** Runs file system calls and turns what the operating system refuses into a problem about the path the model knows. */
export function withOs<T>(op: string, given: string, body: () => T, dest?: string): T {
  try {
    return body()
  } catch (error) {
    throw osStop(error, op, given, dest)
  }
}

export function osStop(error: unknown, op: string, given: string, dest?: string): unknown {
  if (error instanceof Stop || !isOsError(error)) return error
  return new Stop({
    kind: 'os',
    code: error.code,
    op,
    path: given,
    // The message names the path the call was made with, which may lead through a descriptor.
    message: error.message.replace(/ '[^']*'( -> '[^']*')?$/, ` '${given}'`),
    ...(dest === undefined ? {} : { dest }),
    ...(isHeldElsewhere(error.code) ? { held: true } : {}),
  })
}

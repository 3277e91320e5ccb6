import { fail, type Outcome } from '../core/action.ts'
import { Stop } from '../core/problem.ts'

/** For actions on several files: what stops one must not stop the others. */
export async function attempt<T>(work: () => Promise<T>): Promise<T | (Outcome & { readonly ok: false })> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Stop) return fail(error.problem)
    throw error
  }
}

import { fail, ok, type Outcome } from '../core/action.ts'
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

/** Larger images are described only. */
const largestImage = 5 * 1024 * 1024

/** For actions that read one file: an image is described, and given whole to those who can show it. */
export async function orImage(path: string, work: () => Promise<Outcome>): Promise<Outcome> {
  const done = await attempt(work)
  if (done.ok || done.problem.kind !== 'not-text') return done
  const { described, image } = done.problem
  if (image === undefined || image.bytes.length > largestImage) return done
  return ok({ path, described, image: { type: image.type, base64: Buffer.from(image.bytes).toString('base64') } })
}

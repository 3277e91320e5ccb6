import { type ActionContext, fail, ok, type Outcome, text } from '../core/action.ts'
import type { PathArg, TextFile } from '../core/files.ts'
import { Stop } from '../core/problem.ts'
import type { Result, StructureFiles, StructureOperations } from '../structure/index.ts'

export const targetParam = text(
  'The structure, one line a level: `UserAuth` then `validate`. A name, or its header as it stands in the file.',
)
export const contentParam = text('The new text, at zero indent; it is indented for its place.')

/** Carries out an operation on the structures of files. Parsers are loaded here, and nowhere else. */
export async function onStructures<T>(
  { files }: ActionContext,
  paths: readonly PathArg[],
  work: (operations: StructureOperations, ...given: string[]) => Promise<Result<T>>,
  /** Of the first path. */
  expectHash?: string,
): Promise<Outcome> {
  const { structureOperations } = await import('../structure/index.ts')
  const read = new Map<string, TextFile>()
  const argOf = (given: string): PathArg => paths.find((path) => path.given === given) ?? { given, absolute: given }
  const port: StructureFiles = {
    read: async (given) => {
      try {
        const path = argOf(given)
        const file = await files.read(path, path === paths[0] ? { expectHash } : {})
        read.set(given, file)
        return file.text
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    },
    write: async (given, content) => {
      const file = read.get(given)
      if (file === undefined) await files.write(argOf(given), content)
      else await files.save(file, content)
    },
    isSame: (a, b) => argOf(a).absolute === argOf(b).absolute,
  }
  const result = await work(structureOperations(port), ...paths.map((path) => path.given))
  if (!result.ok) {
    const { error: code, message, details } = result.error
    return fail({ kind: 'structure', code, message, details })
  }
  return ok(
    result.data,
    result.warnings.map(({ type, message }) => `${type}: ${message}`),
  )
}

const isMissing = (error: unknown): boolean =>
  error instanceof Stop && error.problem.kind === 'os' && error.problem.code === 'ENOENT'

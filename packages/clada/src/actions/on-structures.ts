import { type ActionContext, type Succeeded, fail, type Failed, ok, text } from '../core/action.ts'
import type { PathArg, TextFile } from '../core/files.ts'
import { ProblemError } from '../core/problem.ts'
import { splitLines } from '@clada/reply/text/lines.ts'
import type { StructureFiles, StructureOperations } from '../structure/operations.ts'
import { type StructureResult, fileTooLarge, type Warning } from '../structure/structure.ts'
import { attempt } from './common.ts'
import { findElisionProblem, elisionProblem } from './replace-occurrences.ts'
import { mayElide } from '@clada/reply/text/elision-words.ts'

export const targetParam = text(
  'The structure, one line per level: `UserAuth` then `validate`. A name, or its header as in the file.',
)
export const contentParam = text('The new text, at zero indent; it is indented for its place.')

/** What an edit of a structure may have broken, for programs. */
export const structureWarnings = { 'warnings?': [{ type: 'string', message: 'string', 'details?': 'any' }] } as const

/** Runs an operation on the structures of files. Parsers are loaded here, and nowhere else. */
export async function onStructures<T extends object>(
  { files }: ActionContext,
  paths: readonly PathArg[],
  work: (operations: StructureOperations, ...given: string[]) => Promise<StructureResult<T>>,
  /** Of the first path. */
  expectHash?: string,
): Promise<Succeeded<T & { warnings?: readonly Warning[] }> | Failed> {
  const { structureOperations } = await import('../structure/operations.ts')
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
        if (isFileMissing(error)) return null
        throw structureRefusal(error, given, 'read')
      }
    },
    write: async (given, content) => {
      const file = read.get(given)
      try {
        if (file === undefined) await files.write(argOf(given), content)
        else await files.save(file, content)
        // What the disk refuses is an error of the operation, and a move must know before it goes on.
        await files.landed(argOf(given))
      } catch (error) {
        throw structureRefusal(error, given, 'write')
      }
    },
    remove: (given) => files.remove(argOf(given)),
    checkWritable: async (given) => void (await files.look(argOf(given), 'write')),
    isSame: (a, b) => argOf(a).absolute === argOf(b).absolute,
  }
  const result = await work(structureOperations(port), ...paths.map((path) => path.given))
  if (!result.ok) {
    const { error: code, message, details } = result.error
    return fail({ kind: 'structure', code, message, details })
  }
  // As text for people, and with their facts for programs.
  const data = result.warnings.length === 0 ? result.data : { ...result.data, warnings: result.warnings }
  const done = ok(
    data,
    result.warnings.map(({ type, message }) => `${type}: ${message}`),
  )
  const [only, ...others] = paths
  const isBroken = others.length === 0 && result.warnings.some(({ type }) => type === 'SYNTAX_BROKEN')
  return isBroken ? { ...done, brokenSyntax: only?.absolute } : done
}

/**
 * Content for a structure with the lines that its elisions left out, which are those of the structure where it is
 * replaced; undefined where there are none.
 */
export async function expandElisions(
  context: ActionContext,
  path: PathArg,
  content: string,
  replaced?: string,
): Promise<{ readonly content: string; readonly kept: readonly string[] } | Failed> {
  const file = mayElide(content) ? await attempt(() => context.files.read(path)) : undefined
  // What cannot be read is refused by the operation.
  if (file === undefined || 'ok' in file) return { content, kept: [] }
  const problem = await findElisionProblem(file, 'content', content)
  if (problem === undefined) return { content, kept: [] }
  if (replaced === undefined) return fail(problem)
  const found = await onStructures(context, [path], (operations, given) =>
    operations.read_structure(given ?? '', replaced),
  )
  const [only, ...others] = found.ok ? found.data.matches.map((match) => match.text) : []
  // Which structure is meant is for the operation to say.
  if (only === undefined || others.length > 0) return { content, kept: [] }
  const { resolveElisions } = await import('@clada/reply/text/elision.ts')
  const whole = resolveElisions(splitLines(only), content.split(/\r?\n/), path.given, file.text)
  if (whole.kind === 'undetermined')
    return fail(elisionProblem(path, ['content'], { ...whole, replaced: splitLines(only) }))
  return whole.kind === 'none' ? { content, kept: [] } : { content: whole.fresh.join('\n'), kept: whole.kept }
}

const isFileMissing = (error: unknown): boolean =>
  error instanceof ProblemError && error.problem.kind === 'os' && error.problem.code === 'ENOENT'

/** Missing permission and files that are too large in the words of the operations; anything else as it is. */
function structureRefusal(error: unknown, path: string, operation: 'read' | 'write'): unknown {
  if (!(error instanceof ProblemError)) return error
  if (error.problem.kind === 'too-large') {
    const { error: code, message, details } = fileTooLarge(path, error.problem.size, error.problem.limit).error
    return new ProblemError({ kind: 'structure', code, message, details })
  }
  if (error.problem.kind !== 'os') return error
  const { code } = error.problem
  if (code !== 'EACCES' && code !== 'EPERM' && code !== 'EROFS') return error
  const message = `${path} may not be ${operation === 'read' ? 'read' : 'written'} (${code}). Ask the user to change the permissions.`
  return Object.assign(new Error(message), { code, operation })
}

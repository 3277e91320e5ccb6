import nodePath from 'node:path'
import { type ActionContext, type Succeeded, fail, type Failed, ok } from '../core/action.ts'
import { splitLines, estimateTokens } from '@clada/reply/text/lines.ts'
import type { PathArg } from '../core/files.ts'
import { type FileLineRange, lineRangeIn } from '../core/line-range.ts'
import { withSlashes } from '../core/paths.ts'
import { ProblemError } from '../core/problem.ts'
import type { Result_for_read_structure } from '../structure/document.ts'
import type { StructureResult } from '../structure/structure.ts'
import { onStructures } from './on-structures.ts'
import { damagedProblem, type ReplaceParams } from './replace-occurrences.ts'

/** A structure inside a file: `doc.md@@## Section 2@@### Part 3`. */
export interface NarrowedPath {
  readonly path: PathArg
  /** One line a level. */
  readonly target: string
}

/** The structure that a path names, or undefined when it names a file. A file whose own name holds `@@` wins. */
export async function structureInPath({ files }: ActionContext, path: PathArg): Promise<NarrowedPath | undefined> {
  const [given = '', ...levels] = path.given.split('@@')
  if (levels.length === 0 || levels.some((level) => level.trim() === '')) return undefined
  try {
    await files.read(path)
    return undefined
  } catch (error) {
    if (!isNoFile(error)) throw error
  }
  const absolute = nodePath.resolve(path.base ?? '/', given)
  return { path: { given, absolute }, target: levels.map((level) => level.trim()).join('\n') }
}

/** Its text and its lines; it must be the only one that the target means. */
export async function readNarrowed(
  context: ActionContext,
  { path, target }: NarrowedPath,
): Promise<Succeeded<Result_for_read_structure> | Failed> {
  return onStructures(context, [path], async (operations, given = '') => {
    const found = await operations.read_structure(given, target)
    if (!found.ok || found.data.matches.length === 1) return found
    const { matches } = found.data
    const message = `'${target.replaceAll('\n', ' > ')}' means ${matches.length} structures of ${given}.`
    const details = {
      state: 'FILE_UNCHANGED' as const,
      matches: matches.map(({ line_range_inclusive }) => ({ line_range_inclusive })),
    }
    return { ok: false, error: { error: 'TARGET_AMBIGUOUS', message, details } }
  })
}

export function singleMatch({
  matches: [match],
}: Result_for_read_structure): { text: string; lines: string } | undefined {
  return match && { text: match.text, lines: match.line_range_inclusive.join('-') }
}

export async function replaceNarrowed(
  context: ActionContext,
  whole: PathArg,
  { path, target }: NarrowedPath,
  edit: ReplaceParams & { readonly expected: 'once' | number | undefined },
): Promise<Succeeded<{ path: string; replacements: number }> | Failed> {
  const { old_text, new_text, expected } = edit
  if (old_text === '') return fail({ kind: 'empty-text', param: 'old_text' })
  if (context.repair.damage.length > 0) return fail(damagedProblem('old_text', context.repair.damage))
  const outcome = await onStructures(
    context,
    [path],
    async (
      operations,
      given = '',
    ): Promise<StructureResult<{ readonly affected_lines: [number, number]; readonly total_replacements?: number }>> =>
      expected === 'once'
        ? operations.replace_text_in_structure(given, target, old_text, new_text)
        : operations.replace_all_text_in_structure(given, target, old_text, new_text, expected),
    edit.expect_hash,
  )
  if (!outcome.ok) return outcome
  return ok({ path: whole.given, replacements: outcome.data.total_replacements ?? 1 }, outcome.warnings)
}

function isNoFile(error: unknown): boolean {
  if (!(error instanceof ProblemError)) return false
  const { problem } = error
  if (problem.kind === 'os') return problem.code === 'ENOENT' || problem.code === 'ENOTDIR' || problem.code === 'EISDIR'
  return problem.kind === 'path' && problem.rule === 'invalid_parameter'
}

/** Something of the working set as it is now. */
export interface Measured {
  /** As the working set spells it. */
  readonly path: string
  /** In bytes of text. */
  readonly size: number
  readonly tokens: number
}

/** Reads what a path names, a file, some of its lines or one structure of it; stops like any other read where that may not be. */
export async function measureFile(context: ActionContext, path: PathArg): Promise<Measured> {
  const range = lineRangeIn(path.absolute)
  if (range !== undefined) return measureLines(context, path, range)
  const inside = await structureInPath(context, path)
  if (inside === undefined) {
    const { text } = await context.files.read(path)
    return { path: path.absolute, ...sizesOf(text) }
  }
  const found = await readNarrowed(context, inside)
  if (!found.ok) throw new ProblemError(found.problem)
  const spelled = [inside.path.absolute, ...inside.target.split('\n')].join('@@')
  return { path: spelled, ...sizesOf(singleMatch(found.data)?.text ?? '') }
}

async function measureLines({ files }: ActionContext, path: PathArg, range: FileLineRange): Promise<Measured> {
  const given = lineRangeIn(path.given)?.file ?? range.file
  const { text } = await files.read({ given, absolute: range.file })
  const lines = splitLines(text)
  const { first, last } = range
  const problem =
    first < 1 || first > last
      ? `lines ${first}-${last} are no range`
      : last > lines.length
        ? `${given} has only ${lines.length} lines`
        : undefined
  if (problem !== undefined) throw new ProblemError({ kind: 'bad-param', param: 'path', message: problem })
  return { path: path.absolute, ...sizesOf(lines.slice(first - 1, last).join('\n')) }
}

const sizesOf = (text: string): Omit<Measured, 'path'> => ({
  size: Buffer.byteLength(text),
  tokens: estimateTokens(text),
})

/** What a path may be called in the working set, whether or not anything is there. */
export function spellingsOf({ given, absolute, base = '/' }: PathArg): string[] {
  const [file = '', ...levels] = given.split('@@')
  return [absolute, [nodePath.resolve(base, file), ...levels.map((level) => level.trim())].join('@@')]
}

/** An entry as an action takes a path. */
export const argOf = (path: string): PathArg => ({ given: withSlashes(path), absolute: path })

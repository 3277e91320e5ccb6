import { fail, type Failed, forPrograms, ok, optional, type Outcome, rare, text } from '../core/action.ts'
import type { ValueOf } from '../core/shape.ts'
import { type Problem, ProblemError } from '../core/problem.ts'
import { type LineSpan, parseLineSpec } from '@clada/reply/text/lines.ts'
import { shortDigestOf } from '../core/digest.ts'

/** Reads report a hash; an edit that carries it fails instead of changing a file the model has not seen. */
export const expectHash = forPrograms(
  optional(text('Hash from an earlier read. The action fails if the file has changed since.')),
)

/** About a format that may replace files without naming what is in them. */
export const replacedWarning = (path: string): string =>
  `'${path}' already existed and was replaced; clada undo restores it`

/** For actions on several files: what stops one must not stop the others. */
export async function attempt<T>(work: () => Promise<T>): Promise<T | Failed> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ProblemError) return fail(error.problem)
    throw error
  }
}

/** Larger images are described only. */
const largestImage = 5 * 1024 * 1024

/** What they return of a file: its text, or what kind of image it is. */
export const readShape = {
  path: 'string',
  'content?': 'string',
  'hash?': 'string: of the whole file, for expect_hash',
  'lines?': 'string: those of the structure',
  'described?': 'string: an image in words, instead of content',
  'image?': { type: 'string', base64: 'string' },
} as const

type ImageData = Pick<ValueOf<typeof readShape>, 'path' | 'described' | 'image'>

/** For actions that read one file: an image is described, and given whole to those who can show it. */
export async function orImage<Data>(
  path: string,
  work: () => Promise<Outcome<Data>>,
): Promise<Outcome<Data | ImageData>> {
  const done = await attempt(work)
  if (done.ok || done.problem.kind !== 'not-text') return done
  const { described, image } = done.problem
  if (image === undefined || image.bytes.length > largestImage) return done
  return ok({ path, described, image: { type: image.type, base64: Buffer.from(image.bytes).toString('base64') } })
}

export interface GivenRange {
  readonly spec: string
  /** Counted from 1, both included. */
  readonly first: number
  readonly last: number
}

/** Lines of a file by `4` or `23-43`, or the problem with that. */
export function parseLineRange(spec: string, lines: readonly LineSpan[]): { range: GivenRange } | { problem: Problem } {
  const outside: Problem = { kind: 'lines-outside', spec, lineCount: lines.length, asked: 'write' }
  if (lines.length === 0) return { problem: outside }
  const parsed = parseLineSpec(spec)
  if ('error' in parsed) return { problem: { kind: 'lines-invalid', spec, reason: parsed.error } }
  if (parsed.last > lines.length) return { problem: outside }
  return { range: { spec, ...parsed } }
}

/** The text of lines as a model would copy it: without the last line break, with LF between. */
export function textOfLines(content: string, lines: readonly LineSpan[], { first, last }: GivenRange): string {
  return content.slice(lines[first - 1]?.start, lines[last - 1]?.end).replace(/\r\n|\r/g, '\n')
}

export const expectLines = rare(
  optional(text('The current text of these lines, or its hash. The action fails if they differ.')),
)

/** Line numbers grow stale silently; with the expected text given, a mismatch is an error. */
export function findStaleLine(
  path: string,
  content: string,
  lines: readonly LineSpan[],
  range: GivenRange,
  expect: string | undefined,
): Problem | undefined {
  if (expect === undefined) return undefined
  const actual = textOfLines(content, lines, range)
  if (expect.replace(/\r\n|\r/g, '\n').replace(/\n$/, '') === actual || expect === shortDigestOf(actual))
    return undefined
  return { kind: 'lines-differ', path, lines: range.spec, expected: expect, actual }
}

import { Source } from '@clada/reply/core/source.ts'
import { ProblemError } from '../core/problem.ts'
import type { Shifted } from '@clada/reply/text/fit.ts'
import type { Language } from './language.ts'
import { languageFor } from './languages.ts'
import { withOutline } from './outline.ts'

/**
 * A text whose new lines were shifted, with those inside strings as the edit has them: their spaces are content. Where
 * old lines inside strings are shifted in the edit as well, all of it was, and new lines stay shifted.
 */
export async function withStringsKept(
  path: string,
  before: string,
  after: string,
  { added, old }: Shifted,
): Promise<{ readonly text: string; readonly warnings: readonly string[] }> {
  const language = languageFor(path, after)
  const [inside, wasInside] = await Promise.all([linesInStrings(after, language), linesInStrings(before, language)])
  // In a text that does not parse any more a string may seem to go on where it does not.
  if (inside === undefined || wasInside === undefined || inside.errors > wasInside.errors)
    return { text: after, warnings: [stringsShifted] }
  const kept = added.filter(({ line }) => inside.lines.has(line))
  if (kept.length === 0) return { text: after, warnings: [] }
  if (old.some((line) => wasInside.lines.has(line))) return { text: after, warnings: [stringsShifted] }
  const lines = after.split('\n')
  for (const { line, given } of kept) lines[line] = given + (lines[line]?.endsWith('\r') ? '\r' : '')
  return { text: lines.join('\n'), warnings: [sure] }
}

export const stringsShifted = 'the inside of a string of several lines was shifted too: check it'
const sure = 'the inside of a string of several lines was not shifted: its spaces are as written'

/** The lines that begin inside a string, from 0; undefined where no parser can tell. */
async function linesInStrings(
  text: string,
  language: Language | undefined,
): Promise<{ readonly lines: ReadonlySet<number>; readonly errors: number } | undefined> {
  if (language === undefined || text.length > LARGEST) return undefined
  const source = new Source(text)
  try {
    return await withOutline(text, language, (outline) => {
      const lines = new Set<number>()
      for (const { start, end } of outline.verbatim({ start: 0, end: text.length })) {
        const at = source.lineAt(Math.max(0, start))
        // A heredoc may begin with a line of its own, after the spaces there.
        const first = text.slice(source.startOf(at), start + 1).trim() === '' ? at : at + 1
        for (let line = first; line <= source.lineCount && source.startOf(line) < end; line++) lines.add(line - 1)
      }
      return { lines, errors: outline.errors().length }
    })
  } catch (error) {
    if (error instanceof ProblemError) return undefined
    throw error
  }
}

/** Parsing more takes longer than an edit may. */
const LARGEST = 512 * 1024

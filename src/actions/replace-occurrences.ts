import { fail, ok, type Outcome } from '../core/action.ts'
import type { Files, PathArg, TextFile } from '../core/files.ts'
import type { Problem } from '../core/problem.ts'
import { applyReplacements, eolFor, findOccurrences, type Span } from '../text/edit.ts'
import { placesOf } from '../text/places.ts'

export interface Replacing {
  readonly path: PathArg
  readonly old_text: string
  readonly new_text: string
  readonly expect_hash?: string | undefined
}

/** How often the text must be there: `once` is told apart from a count of one, because it is said in other words. */
export type Expected = 'once' | 'any' | 'all' | number

export type Replaced = { readonly ok: true; readonly replacements: number } | (Outcome & { readonly ok: false })

/** Replaces a text in one file, or says exactly why not. All edits by text come through here. */
export async function replaceOccurrences(files: Files, edit: Replacing, expected: Expected): Promise<Replaced> {
  const { path, old_text, new_text } = edit
  if (old_text === '') return fail({ kind: 'empty-text', param: 'old_text' })
  const file = await files.read(path, { expectHash: edit.expect_hash })
  const spans = findOccurrences(file.text, old_text)
  const problem = await mismatch(file, edit, spans, expected)
  if (problem !== undefined) return fail(problem)

  if (spans.length > 0) {
    const changed = applyReplacements(file.text, spans, new_text, { eol: eolFor(file.text, old_text) })
    await files.save(file, changed)
  }
  return { ok: true, replacements: spans.length }
}

export const replacedIn = (path: PathArg, done: Replaced): Outcome =>
  done.ok ? ok({ path: path.given, replacements: done.replacements }) : done

async function mismatch(
  file: TextFile,
  { path, old_text, new_text }: Replacing,
  spans: readonly Span[],
  expected: Expected,
): Promise<Problem | undefined> {
  const found = spans.length
  if (expected === 'any' || (expected === 'all' && found > 0) || expected === found) return undefined
  if (expected === 'once' && found === 1) return undefined
  const missed = found === 0 ? await absence(file, old_text, new_text) : { nearest: [] }
  if (expected === 'once') {
    return found === 0
      ? { kind: 'text-absent', param: 'old_text', path: path.given, ...missed }
      : { kind: 'text-ambiguous', param: 'old_text', path: path.given, count: found, places: shown(file, spans) }
  }
  return { kind: 'count-differs', path: path.given, expected, found, places: shown(file, spans), ...missed }
}

/** What a model needs to know about a text that is not there. */
export async function absence(
  { text }: TextFile,
  wanted: string,
  replacement: string,
): Promise<Pick<Problem & { kind: 'text-absent' }, 'nearest' | 'applied'>> {
  // Loaded only here: most edits find their text.
  const { alreadyApplied, nearestPlaces } = await import('../text/nearest.ts')
  const nearest = await nearestPlaces(text, wanted)
  const applied = alreadyApplied(text, replacement)
  return applied === undefined ? { nearest } : { nearest, applied }
}

export const shown = (file: TextFile, spans: readonly Span[]) => placesOf(file.text, spans, { max: 50 })

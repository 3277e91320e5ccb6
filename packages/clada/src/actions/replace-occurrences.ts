import { runBounded } from '../core/time-limit.ts'
import { fail, type Failed, ok, type ActionContext, type Outcome, type Repair } from '../core/action.ts'
import type { ValueOf } from '../core/shape.ts'
import type { Elision } from '@clada/reply/core/place.ts'
import type { DamageKind } from '@clada/reply/core/diagnostic.ts'
import type { PathArg, TextFile } from '../core/files.ts'
import type { Absence, Problem } from '../core/problem.ts'
import type { PlaceChoice } from '../core/result.ts'
import { findOccurrences, replaceSpans, type Span } from '@clada/reply/text/edit.ts'
import { mayElide } from '@clada/reply/text/elision-words.ts'
import type { Shifted } from '@clada/reply/text/fit.ts'
import { splitLines } from '@clada/reply/text/lines.ts'
import { locateSpans } from '@clada/reply/text/places.ts'
import { damageWords } from '@clada/reply/text/undamage.ts'

export interface ReplaceParams {
  readonly path: PathArg
  readonly old_text: string
  readonly new_text: string
  readonly expect_hash?: string | undefined
}

/** How often the text must be there: `once` differs from a count of one in the message only. */
export type ExpectedCount = 'once' | 'any' | 'all' | number

export type Replaced =
  | {
      readonly ok: true
      readonly replacements: number
      readonly warnings: readonly string[]
      /** How the place was found, if not exactly as written. */
      readonly matched?: string
    }
  | Failed

/** Replaces a text in one file, or says exactly why not. All edits by text come through here. */
export async function replaceOccurrences(
  { files, repair }: Pick<ActionContext, 'files' | 'repair'>,
  given: ReplaceParams,
  expected: ExpectedCount,
): Promise<Replaced> {
  if (given.old_text === '') return fail({ kind: 'empty-text', param: 'old_text' })
  const file = await files.read(given.path, { expectHash: given.expect_hash, having: given.old_text })
  const done = await editText(file, given, expected, repair)
  if (!done.ok) return done
  const { text, ...replaced } = done
  if (replaced.replacements > 0) await files.save(file, text)
  return replaced
}

export type EditedText = (Replaced & { readonly ok: true; readonly text: string }) | Failed

/** The text of a file after one replacement. */
export async function editText(
  file: TextFile,
  given: ReplaceParams,
  expected: ExpectedCount,
  repair: Repair,
): Promise<EditedText> {
  if (given.old_text === '') return fail({ kind: 'empty-text', param: 'old_text' })
  const whole = await editWithoutElisions(file, given)
  if ('ok' in whole) return whole
  const { edit, kept } = whole
  const { old_text, new_text } = edit
  if (repair.place !== undefined) {
    const { editPlace } = await import('@clada/reply/text/places.ts')
    const text = editPlace(file.text, repair.place, old_text, new_text, repair)
    if (text === undefined) return fail(noSuchPlace(repair.place, file.text))
    return { ok: true, text, replacements: 1, warnings: kept }
  }
  const verbatim = findOccurrences(file.text, old_text)
  const damaged = repair.damage.length > 0
  if (verbatim.length === 0 || damaged) {
    const tolerant = await editThroughDamage(file.text, edit, expected, repair)
    if (tolerant.kind === 'done') {
      const { text, warnings } = await keepStrings(file, tolerant)
      const matched = tolerant.level === 'exact' ? {} : { matched: tolerant.level }
      return {
        ok: true,
        text,
        replacements: tolerant.count,
        warnings: [...kept, ...tolerant.warnings, ...warnings],
        ...matched,
      }
    }
    // Similar places are ignored where the edit is already applied.
    const isElsewhere =
      tolerant.kind === 'count' && tolerant.level === 'context' && (await hasNewText(file.text, new_text))
    if (!damaged && tolerant.kind !== 'absent' && !isElsewhere) {
      const problem = await countProblem(file, edit, tolerant.kind === 'count' ? tolerant.spans : [], expected)
      if (problem !== undefined) return fail(problem)
    }
  }
  // Neither is a damaged text to be taken for the one that is there, nor its absence for nothing to do.
  if (damaged && (verbatim.length > 0 || expected === 'any')) return fail(damagedProblem('old_text', repair.damage))
  const problem = await countProblem(file, edit, verbatim, expected)
  if (problem !== undefined) return fail(problem)
  const again = await applyOccurrences(file, edit, verbatim, repair)
  if (typeof again === 'object') return fail(again)

  const text = verbatim.length > 0 ? replaceSpans(file.text, verbatim, old_text, new_text) : file.text
  return { ok: true, text, replacements: verbatim.length, warnings: again === undefined ? kept : [...kept, again] }
}

const hasNewText = async (text: string, new_text: string): Promise<boolean> =>
  (await import('@clada/reply/text/nearest.ts')).findAppliedText(text, new_text) !== undefined

/** The lines that the user chose are not in the file. */
export const noSuchPlace = ({ line, endLine }: PlaceChoice, text: string): Problem => ({
  kind: 'lines-outside',
  spec: `${line}-${endLine}`,
  lineCount: splitLines(text).length,
  asked: 'write',
})

/** A text that was shifted without what must not be: strings of several lines. Few edits load the parsers for it. */
export async function keepStrings(
  { path, text: before }: TextFile,
  { text, shifted }: { readonly text: string; readonly shifted?: Shifted | undefined },
): Promise<{ readonly text: string; readonly warnings: readonly string[] }> {
  if (shifted === undefined) return { text, warnings: [] }
  const structure = await import('../structure/keep-strings.ts')
  return structure.withStringsKept(path.given, before, text, shifted)
}

/** An edit that is given a second time, where the first left its old text in the file; a warning where that is not sure. */
async function applyOccurrences(
  { text, path }: TextFile,
  { old_text, new_text }: ReplaceParams,
  [only, ...others]: readonly Span[],
  { matching, readings }: Repair,
): Promise<Problem | string | undefined> {
  const isPossible = new_text.length > old_text.length && new_text.includes(old_text) && text.includes(new_text)
  if (only === undefined || others.length > 0 || !isPossible || matching === 'exact' || readings === 'off')
    return undefined
  const { findTextInsideNew } = await import('@clada/reply/text/edit-text.ts')
  const place = findTextInsideNew(text, only, old_text, new_text)
  if (place === undefined) return undefined
  const lineAt = (offset: number): number => splitLines(text.slice(0, offset)).length
  const line = lineAt(place.start + 1)
  return place.isSure
    ? { kind: 'already-applied', path: path.given, line, endLine: lineAt(place.end - 1) }
    : (await import('@clada/reply/text/fit.ts')).addedAgainWarning(line)
}

/** An edit with the lines that its elisions left out. */
export async function editWithoutElisions<E extends ReplaceParams>(
  file: TextFile,
  edit: E,
): Promise<{ readonly edit: E; readonly kept: readonly string[] } | Failed> {
  const { path, old_text, new_text } = edit
  if (!mayElide(old_text + new_text)) return { edit, kept: [] }
  // Loaded only here: few edits leave lines out.
  const { resolveElisions } = await import('@clada/reply/text/elision.ts')
  const [old, fresh] = [old_text, new_text].map((text) => text.replaceAll('\r\n', '\n'))
  const found = resolveElisions((old ?? '').split('\n'), (fresh ?? '').split('\n'), path.given, file.text)
  if (found.kind === 'none') return { edit, kept: [] }
  if (found.kind === 'undetermined') {
    return fail({
      ...elisionProblem(path, ['new_text', 'old_text'], found),
      ...(await absence(file, old_text, new_text)),
    })
  }
  return { edit: { ...edit, old_text: found.old.join('\n'), new_text: found.fresh.join('\n') }, kept: found.kept }
}

/** Why a text that is added cannot be: it leaves lines out, and nothing says which. */
export async function findElisionProblem(file: TextFile, param: string, content: string): Promise<Problem | undefined> {
  if (!mayElide(content)) return undefined
  const { findNewElision } = await import('@clada/reply/text/elision.ts')
  const elision = findNewElision(content, file.path.given, file.text)
  return elision && elisionProblem(file.path, [param], elision)
}

/** `params` are those of the new and of the old text, where the action has one for that. */
export const elisionProblem = (
  path: PathArg,
  params: readonly [fresh: string, old?: string],
  { line, at, why, replaced }: Elision & { readonly replaced?: readonly string[] | undefined },
): Problem => ({
  kind: 'elision',
  path: path.given,
  param: (why === 'only-new' ? undefined : params[1]) ?? params[0],
  elision: { line, at, why },
  replaced: replaced === undefined || replaced.length > 60 ? undefined : replaced.join('\n'),
})

/** What edits by text return. */
export const replacedShape = {
  path: 'string',
  replacements: 'integer',
  'matched?': 'string: how the place was found, if not exactly as written',
} as const
export type ReplacedData = ValueOf<typeof replacedShape>

export const outcomeOfReplacement = (path: PathArg, done: Replaced): Outcome<ReplacedData> =>
  done.ok
    ? ok({ path: path.given, replacements: done.replacements, matched: done.matched || undefined }, done.warnings)
    : done

async function editThroughDamage(
  text: string,
  { old_text, new_text }: ReplaceParams,
  expected: ExpectedCount,
  repair: Repair,
) {
  // Loaded only here: most edits find their text.
  const { editTolerantly } = await import('@clada/reply/text/edit-text.ts')
  const wanted = expected === 'once' || expected === 'any' ? 1 : expected
  const tolerance: Repair = expected === 'any' ? { ...repair, matching: 'exact' } : repair
  return runBounded(() => editTolerantly(text, old_text, new_text, wanted, tolerance))
}

/** The markers of the block tell that its texts were damaged, and the file has one that looks so. */
export const damagedProblem = (param: string, kinds: readonly DamageKind[]): Problem => ({
  kind: 'bad-param',
  param,
  message: `the block was damaged in transit (${damageWords(kinds)}) and its original text cannot be recovered. Resend it inside a code block`,
})

async function countProblem(
  file: TextFile,
  { path, old_text, new_text }: ReplaceParams,
  spans: readonly Span[],
  expected: ExpectedCount,
): Promise<Problem | undefined> {
  const found = spans.length
  if (expected === 'any' || (expected === 'all' && found > 0) || expected === found) return undefined
  if (expected === 'once' && found === 1) return undefined
  const missed = found === 0 ? await absence(file, old_text, new_text) : { nearest: [] }
  const isOne = expected === 'once' || expected === 1
  if (found === 0 && isOne && missed.applied === undefined)
    Object.assign(missed, await resendReplacement(file, old_text, new_text, missed))
  if (expected === 'once') {
    return found === 0
      ? { kind: 'text-absent', param: 'old_text', path: path.given, ...missed }
      : { kind: 'text-ambiguous', param: 'old_text', path: path.given, count: found, places: shownPlaces(file, spans) }
  }
  const params = ['old_text']
  return {
    kind: 'count-differs',
    path: path.given,
    params,
    expected,
    found,
    places: shownPlaces(file, spans),
    ...missed,
  }
}

/** The texts as the file has them where they were probably meant, or where the edit was applied already. */
async function resendReplacement(
  { text }: TextFile,
  old_text: string,
  new_text: string,
  { nearest }: Absence,
): Promise<Pick<Absence, 'applied' | 'resend'>> {
  const { editLines } = await import('@clada/reply/text/edit-text.ts')
  const { makeHunkLines } = await import('@clada/reply/text/matcher.ts')
  const { findAppliedPlace, suggestEdit, sideText } = await import('@clada/reply/text/suggest-edit.ts')
  const lines = makeHunkLines(...editLines(old_text, new_text))
  const applied = runBounded(() => findAppliedPlace(text, lines, nearest))
  if (applied !== undefined) return { applied }
  const meant = runBounded(() => suggestEdit(text, lines, nearest))
  return meant === undefined ? {} : { resend: { old_text: sideText(meant, '-'), new_text: sideText(meant, '+') } }
}

/** The facts about a text that is not in the file, or not after a place in it. */
export async function absence({ text }: TextFile, wanted: string, replacement: string, from = 0): Promise<Absence> {
  if (text === '') return { nearest: [], emptyFile: true }
  // Loaded only here: most edits find their text.
  const { findAppliedText, findNearestPlaces } = await import('@clada/reply/text/nearest.ts')
  const above = from === 0 ? 0 : splitLines(text.slice(0, from)).length - 1
  const near = await findNearestPlaces(text.slice(from), wanted)
  const nearest = near.map((place) => ({ ...place, line: place.line + above, endLine: place.endLine + above }))
  const applied = findAppliedText(text, replacement)
  return applied === undefined ? { nearest } : { nearest, applied }
}

export const shownPlaces = (file: TextFile, spans: readonly Span[]) => locateSpans(file.text, spans, { max: 50 })

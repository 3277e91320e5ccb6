import { runBounded } from '../core/time-limit.ts'
import { defineAction, fail, ok, optional, path, type Repair, text } from '../core/action.ts'
import type { Files, PathArg, TextFile } from '../core/files.ts'
import type { PlaceChoice } from '../core/result.ts'
import { type HunkVerdict, type Problem, ProblemError } from '../core/problem.ts'
import type { NearPlace } from '@clada/reply/core/place.ts'
import { type AppliedHunks, applyHunks, type HunkFailure } from '@clada/reply/text/hunks-apply.ts'
import { type Hunk, type HunkLine, parseHunks, hunkSide } from '@clada/reply/text/hunks.ts'
import { dominantEol, splitLines } from '@clada/reply/text/lines.ts'
import { makeHunkLines } from '@clada/reply/text/matcher.ts'
import { locateSpans } from '@clada/reply/text/places.ts'
import { attempt, expectHash, replacedWarning } from './common.ts'
import { absence, damagedProblem, elisionProblem, noSuchPlace, keepStrings } from './replace-occurrences.ts'
import { mayElide } from '@clada/reply/text/elision-words.ts'
import { unlessEmpty } from '@clada/reply/core/optional.ts'

export const filePatch = defineAction({
  name: 'file_patch',
  description:
    'Apply the hunks of a diff to one file, all or none. Line numbers need not be right: the lines of context must be in the file exactly once.',
  effect: 'write',
  file: 'edited',
  repairs: true,
  params: {
    path: path('File to change.'),
    patch: text(
      'Hunks, each headed by a line `@@`. Lines begin with a space (unchanged), `-` (removed) or `+` (added). Empty only with new_path.',
    ),
    new_path: optional(path('Where the file goes then. Nothing may be there.')),
    expect_hash: expectHash,
  },
  returns: {
    path: 'string',
    hunks: 'integer: how many were applied',
    'new_path?': 'string',
    strategies: ['string: how the hunk was found'],
  },
  examples: [
    {
      title: 'changes two places',
      before: { 'a.txt': '1\n2\n3\n4\n5\n' },
      params: { path: 'a.txt', patch: '@@\n 1\n-2\n+two\n@@\n 4\n+four and a half\n 5' },
      after: { 'a.txt': '1\ntwo\n3\n4\nfour and a half\n5\n' },
      data: { hunks: 2, strategies: ['exact', 'exact'] },
    },
    {
      title: 'finds the place despite different indentation',
      before: { 'a.py': 'def f():\n    return 1\n' },
      params: { path: 'a.py', patch: '@@\n-return 1\n+if x:\n+    return 2' },
      after: { 'a.py': 'def f():\n    if x:\n        return 2\n' },
      data: { strategies: ['indentation'] },
    },
    {
      title: 'moves the file afterwards',
      before: { 'a.txt': 'one\n' },
      params: { path: 'a.txt', patch: '-one\n+two', new_path: 'b/c.txt' },
      after: { 'a.txt': null, 'b/c.txt': 'two\n' },
    },
    {
      title: 'changes nothing if a hunk matches two places',
      before: { 'a.txt': 'x\ny\nx\n' },
      params: { path: 'a.txt', patch: '@@\n-x\n+z\n@@\n-y\n+z' },
      code: 'match_count_mismatch',
    },
  ],
  async run({ path, patch, new_path, expect_hash }, { files, repair }) {
    const parsed = parseHunks(patch)
    if ('message' in parsed) return fail({ kind: 'bad-param', param: 'patch', message: parsed.message })
    const hunks = parsed.hunks.map(withoutByteOrderMark)
    if (hunks.length === 0 && new_path === undefined) {
      return fail({ kind: 'bad-param', param: 'patch', message: 'it contains no hunk' })
    }

    const file = await attempt(() => files.read(path, { expectHash: expect_hash, having: oldTextOf(hunks) }))
    if ('ok' in file) {
      if (!createsFile(file.problem, hunks)) return file
      if (repair.damage.length > 0) return fail(damagedProblem('patch', repair.damage))
      return create(files, path, hunks, { new_path, expect_hash })
    }
    if (repair.place !== undefined && linesAt(repair.place, file.text).length === 0)
      return fail(noSuchPlace(repair.place, file.text))
    const whole = await expandHunks(await withPlace(hunks, repair.place, file.text), file)
    if ('kind' in whole) return fail(whole)
    const levels = repair.readings === 'off' ? 'exact' : 'all'
    const isCodex = repair.rules === 'codex'
    const added = isCodex ? whole.hunks.filter(isAddition) : []
    const placed = whole.hunks.filter((hunk) => !added.includes(hunk))
    const { damage, indentation } = repair
    const matching = { levels, damage, indentation, copies: hunks.length === 1 ? repair.copies : undefined } as const
    const asLines = applyHunks(file.text, placed, matching)
    const byCr =
      isCodex && !asLines.ok && added.length === 0 && LONE_CR.test(file.text)
        ? applyHunks(file.text, placed, { ...matching, breaks: 'any' })
        : undefined
    const shifted = byCr?.ok ? { ...byCr, warnings: [...byCr.warnings, byCrWarning] } : asLines
    const strings = await keepStrings(file, shifted)
    const done = { ...shifted, text: strings.text, warnings: [...shifted.warnings, ...strings.warnings] }
    if (!done.ok) {
      const partly =
        repair.damage.length === 0 &&
        (repair.patches === 'good' || hunks.every(({ unique }) => unique)) &&
        done.applied.length > 0 &&
        new_path === undefined
      if (partly) await files.save(file, done.text)
      const problem = await problemOf(file, hunks, done, partly ? 'applied' : 'fits')
      return partly
        ? { ...fail(problem, patchData(path, done.applied, undefined)), warnings: done.warnings }
        : fail(problem)
    }

    // The destination is looked at first, so that a refusal leaves everything as it was.
    if (new_path !== undefined && !isCodex) await refuseExisting(files, new_path)
    const text = isCodex && !byCr?.ok ? withLinesAtEnd(done.text, file.text, added) : done.text
    const overwrote = await saveOrMove(files, file, text, new_path)
    const gotNewline = file.text !== '' && !file.text.endsWith('\n') && text.endsWith('\n') && !done.text.endsWith('\n')
    const applied = [...done.applied, ...added.map(() => ({ level: 'exact' }))]
    return ok(patchData(path, applied, new_path), [
      ...parsed.warnings,
      ...whole.kept,
      ...done.warnings,
      ...(gotNewline ? ['the file had no newline at its end and has one now, as Codex writes it'] : []),
      ...(overwrote && new_path !== undefined ? [replacedWarning(new_path.given)] : []),
    ])
  },
})

/**
 * A byte order mark that a reply copied with the first line of a file is that of the file, which keeps its own or has none.
 * Where other lines have one too, a program has put them there, and the old lines tell how to read the new ones.
 */
function withoutByteOrderMark(hunk: Hunk): Hunk {
  const isFirst = (side: HunkLine['mark'], at: number): boolean =>
    !hunk.lines.slice(0, at).some(({ mark }) => mark === ' ' || mark === side)
  const isMark = ({ mark, text }: HunkLine, at: number): boolean => text.startsWith('\ufeff') && isFirst(mark, at)
  const lines = hunk.lines.map((line, at) => (isMark(line, at) ? { ...line, text: line.text.slice(1) } : line))
  return lines.some(({ text }) => text.includes('\ufeff')) ? hunk : { ...hunk, lines }
}

const LONE_CR = /\r(?!\n)/
const byCrWarning = 'a CR without LF was read as a line break, as Codex reads files'

/** The lines of the first hunk that must be in the file. */
const oldTextOf = ([first]: readonly Hunk[]): string =>
  (first?.lines ?? []).flatMap(({ mark, text }) => (mark === '+' ? [] : [text])).join('\n')

const linesAt = ({ line, endLine }: PlaceChoice, text: string): string[] =>
  line < 1 ? [] : splitLines(text.replace(/\r?\n$/, '')).slice(line - 1, endLine)

/** The hunks with the one that the user placed as the file has it there. */
async function withPlace(hunks: readonly Hunk[], place: Repair['place'], text: string): Promise<readonly Hunk[]> {
  if (place === undefined) return hunks
  const { adoptFileLines } = await import('@clada/reply/text/places.ts')
  const { line, hunk: number = 1 } = place
  const there = linesAt(place, text)
  return hunks.map((hunk) =>
    hunk.number === number
      ? {
          ...hunk,
          above: [],
          atEnd: false,
          lines: adoptFileLines(hunk.lines, there, text),
          stated: { line, count: undefined },
        }
      : hunk,
  )
}

/** The hunks with the lines that their elisions left out. */
async function expandHunks(
  hunks: readonly Hunk[],
  file: TextFile,
): Promise<{ readonly hunks: readonly Hunk[]; readonly kept: readonly string[] } | Problem> {
  if (!hunks.some(({ lines }) => lines.some((line) => mayElide(line.text)))) return { hunks, kept: [] }
  // Loaded only here: few patches leave lines out.
  const { resolveElisions } = await import('@clada/reply/text/elision.ts')
  const whole: Hunk[] = []
  const kept: string[] = []
  for (const hunk of hunks) {
    const [old, fresh] = (['old', 'new'] as const).map((side) => hunkSide(hunk, side).map((line) => line.text))
    const found = resolveElisions(old ?? [], fresh ?? [], file.path.given, file.text)
    if (found.kind === 'undetermined') {
      const missed = await absence(file, (old ?? []).join('\n'), (fresh ?? []).join('\n'))
      return { ...elisionProblem(file.path, ['patch'], found), ...missed }
    }
    whole.push(found.kind === 'none' ? hunk : { ...hunk, lines: makeHunkLines(found.old, found.fresh) })
    if (found.kind === 'resolved') kept.push(...found.kept.map((line) => `hunk ${hunk.number}: ${line}`))
  }
  return { hunks: whole, kept }
}

function patchData(path: PathArg, applied: readonly { level: string }[], new_path: PathArg | undefined) {
  return {
    path: path.given,
    hunks: applied.length,
    new_path: new_path?.given,
    strategies: applied.map(({ level }) => level),
  }
}

/** The move keeps mode and byte order mark, which writing the text elsewhere would not. */
async function saveOrMove(files: Files, file: TextFile, text: string, new_path: PathArg | undefined): Promise<boolean> {
  if (new_path === undefined) return files.save(file, text).then(() => false)
  const { overwrote } = await files.move(file.path, new_path)
  await files.save(await files.read(new_path, file.json === undefined ? { notebooks: 'json' } : {}), text)
  return overwrote
}

/** New lines, and nothing that says where. */
const isAddition = ({ lines, above, stated }: Hunk): boolean =>
  lines.every(({ mark }) => mark === '+') && above.length === 0 && stated === undefined

/** A text with lines added at its end, which has a newline then; so has one whose last line was changed. */
function withLinesAtEnd(text: string, was: string, added: readonly Hunk[]): string {
  const lastOf = (all: string): string => all.slice(all.lastIndexOf('\n') + 1)
  if (added.length === 0 && lastOf(text) === lastOf(was)) return text
  const eol = dominantEol(was)
  const whole = text === '' || text.endsWith('\n') ? text : text + eol
  return whole + added.flatMap(({ lines }) => lines.map((line) => line.text + eol)).join('')
}

async function refuseExisting(files: Files, path: PathArg): Promise<void> {
  const there = await attempt(() => files.read(path))
  const { problem } = 'ok' in there ? there : { problem: undefined }
  if (isNoEntry(problem)) return
  const unreadable = problem?.kind === 'not-text' || problem?.kind === 'too-large'
  if (problem !== undefined && !unreadable) throw new ProblemError(problem)
  throw new ProblemError({ kind: 'os', code: 'EEXIST', op: 'rename', path: path.given })
}

const isNoEntry = (problem: Problem | undefined): boolean => problem?.kind === 'os' && problem.code === 'ENOENT'

/** Only what is surely meant for an empty file makes a new one; anything else has the wrong path. */
const createsFile = (problem: Problem, hunks: readonly Hunk[]): boolean =>
  isNoEntry(problem) &&
  hunks.length === 1 &&
  hunks.every(
    ({ lines, stated, above }) =>
      lines.every(({ mark }) => mark === '+') && above.length === 0 && (stated?.line ?? 0) === 0,
  )

async function create(
  files: Files,
  path: PathArg,
  hunks: readonly Hunk[],
  { new_path, expect_hash }: { new_path: PathArg | undefined; expect_hash: string | undefined },
) {
  const done = applyHunks('', hunks)
  if (!done.ok) throw new Error('an empty file takes every new line')
  await files.write(new_path ?? path, done.text, { ifExists: 'refuse', expectHash: expect_hash })
  return ok(patchData(path, done.applied, new_path), done.warnings)
}

async function problemOf(
  { path, text }: TextFile,
  hunks: readonly Hunk[],
  { failures: found, applied: good }: AppliedHunks,
  verdict: 'applied' | 'fits',
): Promise<Problem> {
  const { findAppliedPlace, suggestPatch } = await import('@clada/reply/text/suggest-edit.ts')
  const near = new Map<number, readonly NearPlace[]>()
  for (const failure of found.slice(0, MOST_NEAR))
    if (isLost(failure)) near.set(failure.hunk.number, await findNearestForHunk(text, failure.hunk))
  const failures = found.map((failure) => {
    const places = failure.reason === 'absent' ? (near.get(failure.hunk.number) ?? []) : []
    const line = runBounded(() => findAppliedPlace(text, failure.hunk.lines, places))
    return line === undefined ? failure : { applied: line, ...failure }
  })
  // What is in the file already is no reason: the report must be about what is missing.
  const first = failures.find((failure) => failure.applied === undefined) ?? failures[0]
  if (first === undefined) throw new Error('a failure without a reason')
  const { hunk, reason, spans, applied, other } = first
  const verdicts = hunks.map(({ number }): HunkVerdict => {
    const fits = good.find((one) => one.number === number)
    const failure = failures.find((one) => one.hunk.number === number)
    if (failure === undefined) return { hunk: number, verdict, line: fits?.line }
    if (failure.applied !== undefined) return { hunk: number, verdict: 'already-applied', line: failure.applied }
    const [place] = failure === first ? [] : (near.get(number) ?? [])
    const places = failure === first ? [] : locateSpans(text, failure.spans, { max: 50 })
    return {
      hunk: number,
      verdict: failure.reason,
      nearest: place,
      places: unlessEmpty(places),
    }
  })
  const patch = suggestPatch(text, hunks, {
    applied: good,
    failures,
    near,
    sent: verdict === 'fits' ? 'all' : 'failed',
  })
  return {
    kind: 'hunk-failed',
    path: path.given,
    hunk: hunk.number,
    total: hunks.length,
    lines: shownLines(hunk),
    reason,
    found: spans.length,
    places: locateSpans(text, spans, { max: 50 }),
    nearest: [...(near.get(hunk.number) ?? [])],
    verdicts,
    resend: patch === undefined ? undefined : { patch },
    applied,
    other,
  }
}

const isLost = ({ reason }: HunkFailure): boolean => reason === 'absent' || reason === 'unclear'

/** Of how many hunks the nearest place is looked for. */
const MOST_NEAR = 5
const SHOWN = 3
const WIDTH = 120

function shownLines({ lines }: Hunk): string {
  const shown = lines.slice(0, SHOWN).map(({ mark, text }) => `${mark}${text}`.trimEnd())
  if (lines.length > SHOWN) shown.push(' …')
  return shown.map((line) => (line.length > WIDTH ? `${line.slice(0, WIDTH)}…` : line)).join('\n')
}

async function findNearestForHunk(text: string, hunk: Hunk): Promise<NearPlace[]> {
  // Loaded only here: most hunks are found.
  const { findNearestPlaces } = await import('@clada/reply/text/nearest.ts')
  const wanted = hunkSide(hunk, 'old').map((line) => line.text)
  return findNearestPlaces(text, wanted.join('\n'), { param: 'the hunk' })
}

import {
  count,
  defineAction,
  fail,
  ok,
  optional,
  path,
  text,
  type ActionContext,
  type Failed,
  type Outcome,
  type Repair,
} from '../core/action.ts'
import type { PathArg, TextFile } from '../core/files.ts'
import type { Absence } from '../core/problem.ts'
import { findOccurrences, findRanges, replaceSpans, type RangeMarker, type Ranges } from '@clada/reply/text/edit.ts'
import { expectHash } from './common.ts'
import {
  type ReplacedData,
  replacedShape,
  absence,
  damagedProblem,
  shownPlaces,
  keepStrings,
} from './replace-occurrences.ts'
import { damageWarning } from '@clada/reply/text/undamage.ts'

interface RangeEdit {
  readonly path: PathArg
  readonly old_text_beginning: string
  readonly old_text_end: string
  readonly new_text: string
  readonly count: number | 'all' | undefined
  readonly expect_hash: string | undefined
}

export const fileReplaceTextRange = defineAction({
  name: 'file_replace_text_range',
  aliases: ['replace_text_range_in_file'],
  description:
    'Replace everything from one text to another, both included. Saves copying a long passage: its beginning and its end are enough.',
  effect: 'write',
  past: (target) => `edited ${target}`,
  everyday: true,
  within: 'file_replace_lines',
  repairs: true,
  params: {
    path: path('File to change.'),
    old_text_beginning: text('Text the passage begins with. Without `count` it must occur exactly once.'),
    old_text_end: text('Text the passage ends with. Without `count` it must occur exactly once after the beginning.'),
    new_text: text('Text to put in its place.'),
    count: optional(count('How many such passages there must be, each as short as possible, or `all`.')),
    expect_hash: expectHash,
  },
  returns: replacedShape,
  examples: [
    {
      title: 'replaces a function by its first and last line',
      before: { 'a.js': 'function f() {\n  one()\n  two()\n} // f\nrest()\n' },
      params: { path: 'a.js', old_text_beginning: 'function f() {', old_text_end: '} // f', new_text: 'const f = 1' },
      after: { 'a.js': 'const f = 1\nrest()\n' },
      data: { replacements: 1 },
    },
    {
      title: 'replaces several passages, each as short as possible',
      before: { 'a.txt': '<b>1</b> <b>2</b>\n' },
      params: { path: 'a.txt', old_text_beginning: '<b>', old_text_end: '</b>', new_text: '*', count: '2' },
      after: { 'a.txt': '* *\n' },
    },
  ],
  run: (edit, context) => replaceRange(context, edit),
})

async function replaceRange({ files, repair }: ActionContext, edit: RangeEdit): Promise<Outcome<ReplacedData>> {
  const { path, old_text_beginning: beginning, old_text_end: end } = edit
  if (beginning === '') return fail({ kind: 'empty-text', param: 'old_text_beginning' })
  if (end === '') return fail({ kind: 'empty-text', param: 'old_text_end' })
  const file = await files.read(path, { expectHash: edit.expect_hash, having: edit.old_text_beginning })
  const mode = edit.count === undefined ? 'unique' : 'counted'
  const found = findRanges(file.text, beginning, end, mode)
  const absent = found.kind === 'absent' || (found.kind === 'found' && found.ranges.length === 0)
  if (!absent && repair.damage.length > 0) return fail(damagedProblem('old_text_beginning', repair.damage))
  const repaired = absent && repair.readings === 'allowed' ? await repairRange(file, edit, mode, repair) : undefined
  if (repaired !== undefined) {
    const { found: ranges, wanted, replacement, kinds } = repaired
    await files.save(file, replaceSpans(file.text, ranges, wanted.join(''), replacement))
    return ok({ path: path.given, replacements: ranges.length }, [damageWarning('the passage', kinds)])
  }
  if (absent && (edit.count === undefined || edit.count === 1)) {
    // Loaded only here: most edits find their text.
    const { editRangeTolerantly } = await import('@clada/reply/text/edit-text.ts')
    const tolerant = editRangeTolerantly(file.text, beginning, end, edit.new_text, repair)
    if (tolerant.kind === 'done') {
      const { text, warnings } = await keepStrings(file, tolerant)
      await files.save(file, text)
      return ok({ path: path.given, replacements: 1 }, [...tolerant.warnings, ...warnings])
    }
  }
  if (found.kind !== 'found') return rangeProblem(file, edit, found)

  const { ranges } = found
  if (edit.count !== undefined && !(edit.count === 'all' ? ranges.length > 0 : ranges.length === edit.count)) {
    const missing = ranges.length > 0 ? undefined : findOccurrences(file.text, beginning)[0] ? 'end' : 'beginning'
    const near = missing === undefined ? { nearest: [] } : await missedMarker(file, edit, missing)
    return fail({
      kind: 'count-differs',
      path: path.given,
      params: [paramOf('beginning'), paramOf('end')],
      expected: edit.count,
      found: ranges.length,
      places: shownPlaces(file, ranges),
      missing: missing && paramOf(missing),
      ...near,
    })
  }
  await files.save(file, replaceSpans(file.text, ranges, beginning + end, edit.new_text))
  return ok({ path: path.given, replacements: ranges.length })
}

/** The passage through damage, if there is one such reading. */
async function repairRange({ text }: TextFile, edit: RangeEdit, mode: 'unique' | 'counted', repair: Repair) {
  const { findOnlyReading } = await import('@clada/reply/text/undamage-edit.ts')
  const wanted = [edit.old_text_beginning, edit.old_text_end]
  const reading = findOnlyReading(
    { wanted, replacement: edit.new_text },
    text,
    repair.damage,
    ([beginning = '', end = '']) => {
      const found = findRanges(text, beginning, end, mode)
      return found.kind === 'found' ? found.ranges : found.kind === 'ambiguous' ? found.spans : []
    },
  )
  return reading?.found.length === (typeof edit.count === 'number' ? edit.count : 1) ? reading : undefined
}

async function rangeProblem(
  file: TextFile,
  edit: RangeEdit,
  found: Exclude<Ranges, { kind: 'found' }>,
): Promise<Failed> {
  const param = paramOf(found.which)
  if (found.kind === 'empty') return fail({ kind: 'empty-text', param })
  const after = found.which === 'end' ? { after: 'old_text_beginning' } : {}
  const common = { param, path: edit.path.given, ...after }
  if (found.kind === 'ambiguous') {
    return fail({ kind: 'text-ambiguous', ...common, count: found.count, places: shownPlaces(file, found.spans) })
  }
  return fail({ kind: 'text-absent', ...common, ...(await missedMarker(file, edit, found.which)) })
}

/** An end counts only after the beginning. */
async function missedMarker(file: TextFile, edit: RangeEdit, which: RangeMarker): Promise<Absence> {
  if (which === 'beginning') return absence(file, edit.old_text_beginning, edit.new_text)
  const from = findOccurrences(file.text, edit.old_text_beginning, { max: 1 })[0]?.end ?? 0
  const earlier = findOccurrences(file.text.slice(0, from), edit.old_text_end)
  if (earlier.length > 0) return { nearest: [], tooEarly: shownPlaces(file, earlier) }
  return absence(file, edit.old_text_end, edit.new_text, from)
}

const paramOf = (which: RangeMarker): string => `old_text_${which}`

import { stringsShifted } from './keep-strings.ts'
import { formatCount } from '@clada/reply/core/words.ts'
import { Source } from '@clada/reply/core/source.ts'
import { applyReplacements, chooseEol, findOccurrences } from '@clada/reply/text/edit.ts'
import type { Tolerance } from '@clada/reply/text/edit-text.ts'
import { type NamedText, structureText } from './document.ts'
import { type Edited, editOne, finish, replacement, wholePut } from './edit.ts'
import {
  type TextChange,
  structureFailure,
  type StructureFailure,
  lineRangeOf,
  type Outline,
  type Structure,
  type Warning,
} from './structure.ts'

export interface Result_for_replace_text_in_structure {
  affected_lines: [number, number]
}

export interface Result_for_replace_all_text_in_structure {
  total_replacements: number
  affected_lines: [number, number]
}

/** Replaces a text that is in the structure exactly once. */
export async function replaceTextIn(
  document: NamedText,
  target: string,
  old_text: string,
  new_text: string,
  tolerance?: Tolerance,
): Promise<Edited<Result_for_replace_text_in_structure> | StructureFailure> {
  const refuse: Refuse = (count, lines) => {
    if (count === 1) return undefined
    return structureFailure(
      'TEXT_AMBIGUOUS',
      `old_text is in the structure ${count} times, on lines ${lines.join(', ')}.`,
      {
        occurrences: count,
        lines,
      },
    )
  }
  const done = await replaceWhere(document, target, old_text, new_text, refuse, undefined, tolerance)
  return 'ok' in done ? done : { ...done, data: { affected_lines: done.data.affected_lines } }
}

/** Replaces a text wherever it is in the structure; `expected_count`, if given, must be right. */
export function replaceAllTextIn(
  document: NamedText,
  target: string,
  old_text: string,
  new_text: string,
  expected_count?: number,
): Promise<Edited<Result_for_replace_all_text_in_structure> | StructureFailure> {
  return replaceWhere(
    document,
    target,
    old_text,
    new_text,
    (count, lines) => {
      if (expected_count === undefined || expected_count === count) return undefined
      return structureFailure(
        'COUNT_MISMATCH',
        `old_text is in the structure ${formatCount(count, 'time')}, not ${expected_count}.`,
        {
          expected: expected_count,
          found: count,
          lines,
        },
      )
    },
    expected_count,
  )
}

type Refuse = (count: number, lines: number[]) => StructureFailure | undefined

async function replaceWhere(
  document: NamedText,
  target: string,
  old_text: string,
  new_text: string,
  refuse: Refuse,
  expected?: number,
  tolerance?: Tolerance,
): Promise<Edited<Result_for_replace_all_text_in_structure> | StructureFailure> {
  if (old_text === '') return structureFailure('INVALID_PARAMETER', 'old_text is empty.')
  return editOne(document, target, new_text, async (outline, structure) => {
    const { source } = outline
    const own = source.text.slice(structure.start, structure.end)
    const spans = findOccurrences(own, old_text)
    if (spans.length === 0) {
      const asRead = await replaceAsRead(outline, structure, old_text, new_text, refuse)
      const tolerated =
        asRead === undefined && tolerance !== undefined
          ? await replaceTolerantly(outline, structure, old_text, new_text, tolerance)
          : undefined
      if (tolerated !== undefined)
        return finish(document, outline, [tolerated.change], tolerated.data, {
          around: structure,
          put: wholePut(tolerated.change),
          isSound: false,
          warnings: [tolerated.warning],
        })
      if (asRead === undefined)
        return expected === 0
          ? unchangedResult(document, outline, structure)
          : absent(outline, structure, old_text, new_text)
      if ('ok' in asRead) return asRead
      return finish(document, outline, [asRead.change], asRead.data, {
        around: structure,
        put: wholePut(asRead.change),
      })
    }
    const lines = spans.map(({ start }) => source.lineAt(structure.start + start))
    const refused = refuse(spans.length, lines)
    if (refused !== undefined) return refused
    const text = applyReplacements(own, spans, new_text, { eol: chooseEol(source.text, old_text) })
    const change: TextChange = { start: structure.start, end: structure.end, text }
    // Only the last replacement can end on a line that the others did not move yet.
    const first = lines[0] ?? 1
    const last = source.lineAt(structure.start + (spans.at(-1)?.end ?? 1) - 1) + countAddedLines(own, text)
    const affected_lines: [number, number] = [first, Math.max(first, last)]
    const data = { total_replacements: spans.length, affected_lines }
    return finish(document, outline, [change], data, { around: structure, put: wholePut(change), isSound: false })
  })
}

const countAddedLines = (before: string, after: string): number => after.split('\n').length - before.split('\n').length

/**
 * The text as `read_structure` shows it is at zero indent; who copies several lines from there means them at the
 * indentation they have.
 */
async function replaceAsRead(
  outline: Outline,
  structure: Structure,
  old_text: string,
  new_text: string,
  refuse: Refuse,
): Promise<{ change: TextChange; data: Result_for_replace_all_text_in_structure } | StructureFailure | undefined> {
  if (!old_text.trim().includes('\n')) return undefined
  const view = structureText(outline, structure)
  const spans = findOccurrences(view, old_text)
  if (spans.length === 0) return undefined
  const own = outline.source.text.slice(structure.start, structure.end)
  if ((await replacement(outline, structure, view)).text !== own) return undefined
  const first = outline.source.lineAt(structure.start)
  const inView = new Source(view)
  const lines = spans.map(({ start }) => first - 1 + inView.lineAt(start))
  const refused = refuse(spans.length, lines)
  if (refused !== undefined) return refused
  const changed = applyReplacements(view, spans, new_text, { eol: 'as-given' })
  const { text } = await replacement(outline, structure, changed)
  const last = first - 1 + inView.lineAt((spans.at(-1)?.end ?? 1) - 1) + countAddedLines(own, text)
  return {
    change: { start: structure.start, end: structure.end, text },
    data: { total_replacements: spans.length, affected_lines: [lines[0] ?? first, Math.max(lines[0] ?? first, last)] },
  }
}

/** The text by the levels of `text/matcher.ts`, in the lines of the structure. */
async function replaceTolerantly(
  { source }: Outline,
  structure: Structure,
  old_text: string,
  new_text: string,
  tolerance: Tolerance,
): Promise<{ change: TextChange; data: Result_for_replace_all_text_in_structure; warning: Warning } | undefined> {
  // Loaded only here: most edits find their text.
  const { editTolerantly } = await import('@clada/reply/text/edit-text.ts')
  const [first] = lineRangeOf(source, structure)
  const lineStart = source.startOf(first)
  const start = source.text.slice(lineStart, structure.start).trim() === '' ? lineStart : structure.start
  const own = source.text.slice(start, structure.end)
  const done = editTolerantly(own, old_text, new_text, 1, tolerance)
  if (done.kind !== 'done') return undefined
  const [before, after] = [own.split('\n'), done.text.split('\n')]
  const head = before.findIndex((line, at) => line !== after[at])
  let tail = 0
  while (tail < Math.min(before.length, after.length) - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++
  const line = first + Math.max(0, head)
  return {
    change: { start, end: structure.end, text: done.text },
    data: { total_replacements: 1, affected_lines: [line, Math.max(line, first + after.length - 1 - tail)] },
    warning: {
      type: 'TEXT_INEXACT',
      message: [...done.warnings, ...(done.shifted === undefined ? [] : [stringsShifted])].join('; '),
    },
  }
}

/** What a model needs to know to get it right the next time: what is most alike here, and where else the text is. */
async function absent(
  outline: Outline,
  structure: Structure,
  old_text: string,
  new_text: string,
): Promise<StructureFailure> {
  const { source } = outline
  const structure_lines = lineRangeOf(source, structure)
  const own = source.text.slice(source.startOf(structure_lines[0]), structure.end)
  // Loaded only here: most edits find their text.
  const { findAppliedText, findNearestPlaces } = await import('@clada/reply/text/nearest.ts')
  const above = structure_lines[0] - 1
  const near = await findNearestPlaces(own, old_text)
  const nearest = near.map((place) => ({ ...place, line: place.line + above, endLine: place.endLine + above }))
  const elsewhere = findOccurrences(source.text, old_text, { max: MOST }).map(({ start }) => source.lineAt(start))
  const applied = findAppliedText(own, new_text)
  const message = [
    `old_text is not in ${structure.header} (lines ${structure_lines.join('-')}).`,
    ...(applied === undefined ? [] : [` new_text is there already, on line ${applied + above}.`]),
    ...(elsewhere.length === 0
      ? []
      : [` It is on ${elsewhere.length > 1 ? 'lines' : 'line'} ${elsewhere.join(', ')}.`]),
  ]
  return structureFailure('TEXT_NOT_FOUND', message.join(''), {
    structure_lines,
    structure_matched: structure.header,
    nearest,
    elsewhere,
    already_applied_at_line: applied === undefined ? undefined : applied + above,
  })
}

/** Of places elsewhere. */
const MOST = 10

function unchangedResult(document: NamedText, outline: Outline, structure: Structure) {
  const [line] = lineRangeOf(outline.source, structure)
  const data: Result_for_replace_all_text_in_structure = { total_replacements: 0, affected_lines: [line, line] }
  return finish(document, outline, [], data, { around: null })
}

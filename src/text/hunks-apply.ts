import type { DamageKind } from '../core/block.ts'
import { Source } from '../core/source.ts'
import { dominantEol } from './line-endings.ts'
import type { Span } from './edit.ts'
import { type Hunk, sideOf } from './hunks.ts'
import { locate, type Placed } from './hunks-locate.ts'
import { FileLines, type Strategy } from './lenient-lines.ts'
import { countOf } from './undamage.ts'

export interface AppliedHunk {
  readonly number: number
  /** The line it was found on, from 1. */
  readonly line: number
  readonly strategy: Strategy
}

export interface HunkFailure {
  readonly hunk: Hunk
  readonly reason: 'absent' | 'ambiguous' | 'overlap' | 'no-context'
  /** All places of an ambiguous one. */
  readonly spans: readonly Span[]
  /** The line on which the new side stands already, from 1. */
  readonly applied?: number
  /** The hunk it overlaps. */
  readonly other?: number
}

export type AppliedHunks =
  | {
      readonly ok: true
      readonly text: string
      readonly applied: readonly AppliedHunk[]
      readonly warnings: readonly string[]
      /** Damage that old lines show where the file does not: new lines that show it too are not to be trusted. */
      readonly worn: readonly DamageKind[]
    }
  | { readonly ok: false; readonly failures: readonly HunkFailure[] }

/**
 * A text with all hunks applied, or why some cannot be. All are found in the text as it was. They may share lines of
 * context, but not lines that change. Bytes that no hunk changes stay; new lines end as most lines of the text do.
 */
export function applyHunks(text: string, hunks: readonly Hunk[]): AppliedHunks {
  const file = new FileLines(new Source(text))
  const placed: Placed[] = []
  const failures: HunkFailure[] = []
  for (const hunk of hunks) {
    const found = locate(hunk, file)
    if ('first' in found) placed.push(found)
    else failures.push(failureOf(hunk, file, found))
  }
  const changes = placed.flatMap((one) => changesOf(one) ?? [])
  changes.sort((a, b) => a.from - b.from || a.to - b.to)
  failures.push(...overlaps(changes))
  if (failures.length > 0) return { ok: false, failures: failures.sort((a, b) => a.hunk.number - b.hunk.number) }

  return {
    ok: true,
    text: spliced(file, changes),
    applied: placed.map(({ hunk, first, strategy }) => ({ number: hunk.number, line: first + 1, strategy })),
    warnings: placed.flatMap((one) => [...one.warnings, ...lenience(one), ...looseNote(one, file)]),
    worn: wornKinds(placed, file),
  }
}

function wornKinds(placed: readonly Placed[], file: FileLines): DamageKind[] {
  const lenient = placed.filter(({ strategy }) => strategy !== 'exact')
  return foldedKinds.filter((kind) =>
    lenient.some(({ hunk, first }) => {
      const old = sideOf(hunk, 'old').map(({ text }, at) => ({ text, there: file.line(first + at) }))
      const isWorn = ({ text, there }: (typeof old)[number]): boolean => countOf(text, kind) > countOf(there, kind)
      // Models leave blanks at the end of a line; damage leaves them on every one.
      return kind === 'breaks' ? old.every((line) => line.text === '' || isWorn(line)) : old.some(isWorn)
    }),
  )
}

/** What comparing loosely leaves out of account. */
const foldedKinds: readonly DamageKind[] = ['punctuation', 'spaces', 'invisible', 'breaks']

const forgiven: Readonly<Record<Strategy, string | undefined>> = {
  exact: undefined,
  'trailing-blanks': 'ignoring blanks at line ends',
  indentation: 'ignoring indentation; its new lines were indented as those around them',
  punctuation: 'taking typographic punctuation and odd blanks for plain ones',
}

function lenience({ hunk, first, strategy }: Placed): string[] {
  const how = forgiven[strategy]
  return how === undefined ? [] : [`hunk ${hunk.number} was found on line ${first + 1} only by ${how} (${strategy})`]
}

/** Only the last line of a file can be without a newline. */
function looseNote({ hunk, first }: Placed, file: FileLines): string[] {
  const end = first + sideOf(hunk, 'old').length
  if ((!hunk.bare.old && !hunk.bare.new) || end === file.count) return []
  return [`hunk ${hunk.number} says 'No newline at end of file' but is not at its end; the note was ignored`]
}

function failureOf(hunk: Hunk, file: FileLines, found: Exclude<ReturnType<typeof locate>, Placed>): HunkFailure {
  const height = Math.max(1, sideOf(hunk, 'old').length)
  const spans = found.problem === 'ambiguous' ? found.lines.map((line) => spanOf(file, line, height)) : []
  const applied = found.problem === 'absent' ? standing(hunk, file) : undefined
  return { hunk, reason: found.problem, spans, ...(applied !== undefined && { applied }) }
}

const spanOf = (file: FileLines, line: number, height: number): Span => ({
  start: file.startOf(line),
  end: file.startOf(line + height),
})

/** The line on which the new side stands; undefined also when it is too little to tell anything. */
function standing(hunk: Hunk, file: FileLines): number | undefined {
  const lines = sideOf(hunk, 'new').map(({ text }) => text)
  if (lines.join('').replace(/\s+/g, '').length < 4) return undefined
  const [line] = file.find(lines, 'trailing-blanks')
  return line === undefined ? undefined : line + 1
}

/** Lines `from` to before `to` go, and others come in their place. */
interface Splice {
  readonly from: number
  readonly to: number
  readonly added: readonly string[]
}

interface Change {
  readonly placed: Placed
  readonly from: number
  readonly to: number
  readonly splices: readonly Splice[]
}

function changesOf(placed: Placed): Change | undefined {
  const splices: Splice[] = []
  let at = placed.first
  let from = at
  let taken = 0
  let added: string[] = []
  const close = (): void => {
    if (at > from || added.length > 0) splices.push({ from, to: at, added })
    added = []
  }
  for (const { mark } of placed.hunk.lines) {
    if (mark === '+') added.push(placed.added[taken++] ?? '')
    else if (mark === '-') at++
    else {
      close()
      from = ++at
    }
  }
  close()
  const [first] = splices
  return first && { placed, from: first.from, to: splices.at(-1)?.to ?? first.to, splices }
}

function overlaps(changes: readonly Change[]): HunkFailure[] {
  const failures: HunkFailure[] = []
  let previous: Change | undefined
  for (const change of changes) {
    const before = previous
    if (before !== undefined && (change.from < before.to || (adds(before) && adds(change) && meet(before, change)))) {
      failures.push({
        hunk: change.placed.hunk,
        reason: 'overlap',
        spans: [],
        other: before.placed.hunk.number,
      })
    }
    if (before === undefined || change.to >= before.to) previous = change
  }
  return failures
}

/** Two that add at one point: which comes first, nobody said. */
const meet = (a: Change, b: Change): boolean => a.to === b.from
const adds = ({ splices }: Change): boolean => splices.every(({ from, to }) => from === to)

function spliced(file: FileLines, changes: readonly Change[]): string {
  const eol = dominantEol(file.text)
  const parts: string[] = []
  let at = 0
  for (const { placed, splices } of changes) {
    const end = placed.lineEnds === 'patch' ? '\n' : eol
    for (const { from, to, added } of splices) {
      parts.push(file.text.slice(file.startOf(at), file.startOf(from)))
      if (from === file.count && file.count > 0 && !file.text.endsWith('\n')) parts.push(end)
      for (const line of added) parts.push(line, end)
      at = to
    }
  }
  parts.push(file.text.slice(file.startOf(at)))
  const text = parts.join('')
  const last = changes.at(-1)
  return last === undefined || last.to < file.count ? text : ended(text, file, last, eol)
}

/** A text whose last line was changed, with a final newline or without: as the hunk says, or else as it was. */
function ended(text: string, file: FileLines, { placed, splices }: Change, eol: string): string {
  const { bare } = placed.hunk
  const kept = file.text === '' || file.text.endsWith('\n')
  const newline = bare.old || bare.new ? !bare.new : kept
  if (newline) return text === '' || text.endsWith('\n') ? text : text + eol
  // A CR that the patch wrote belongs to the line.
  const own = placed.lineEnds === 'patch' && (splices.at(-1)?.added.length ?? 0) > 0
  return own ? text.replace(/\n$/, '') : text.replace(/\r?\n$/, '')
}

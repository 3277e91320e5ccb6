import type { DamageKind } from '../core/block.ts'
import { type AppliedHunks, applyHunks } from './hunks-apply.ts'
import { type Hunk, type HunkLine, sideOf } from './hunks.ts'
import { onlyReading } from './undamage-edit.ts'
import { undamaged } from './undamage.ts'

type Applied = Extract<AppliedHunks, { ok: true }>

/**
 * A text with hunks applied that do not fit as they stand, or fit and yet show damage: with that undone, where this is
 * the only reading that fits and the new lines bear it. `certain` is as in `undamage-edit.ts`.
 */
export function onlyReadingOfHunks(
  text: string,
  hunks: readonly Hunk[],
  certain: readonly DamageKind[],
): (Applied & { readonly kinds: readonly DamageKind[] }) | undefined {
  const edit = {
    wanted: hunks.flatMap((hunk) => textOf(sideOf(hunk, 'old')) ?? []),
    replacement: hunks.flatMap((hunk) => textOf(addedBy(hunk)) ?? []).join('\n'),
  }
  const reading = onlyReading(edit, text, certain, (wanted) => {
    const read = rewritten(hunks, wanted, edit.replacement, [])
    return read !== undefined && applyHunks(text, read).ok ? [read] : []
  })
  if (reading === undefined) return undefined
  const read = rewritten(hunks, reading.wanted, reading.replacement, reading.kinds)
  const done = read && applyHunks(text, read)
  return done?.ok ? { ...done, kinds: reading.kinds } : undefined
}

/** Whether new lines show any of these kinds. */
export const addedShow = (hunks: readonly Hunk[], kinds: readonly DamageKind[]): boolean =>
  hunks.some((hunk) => addedBy(hunk).some(({ text }) => undamaged(text, kinds) !== text))

const addedBy = ({ lines }: Hunk): HunkLine[] => lines.filter(({ mark }) => mark === '+')

const textOf = (lines: readonly HunkLine[]): string | undefined =>
  lines.length === 0 ? undefined : lines.map(({ text }) => text).join('\n')

/** The hunks with other old lines, a text for each that has any, and with other new ones; undefined when they do not fit. */
function rewritten(
  hunks: readonly Hunk[],
  wanted: readonly string[],
  replacement: string,
  kinds: readonly DamageKind[],
): Hunk[] | undefined {
  const old = wanted.flatMap((text) => text.split('\n'))
  const added = replacement.split('\n')
  const count = (mark: '+' | 'old'): number =>
    hunks.reduce((sum, hunk) => sum + (mark === '+' ? addedBy(hunk) : sideOf(hunk, 'old')).length, 0)
  if (old.length !== count('old') || added.length !== Math.max(1, count('+'))) return undefined
  let atOld = 0
  let atAdded = 0
  return hunks.map((hunk) => ({
    ...hunk,
    above: hunk.above.map((line) => undamaged(line, kinds)),
    lines: hunk.lines.map(({ mark }) => ({ mark, text: (mark === '+' ? added[atAdded++] : old[atOld++]) ?? '' })),
  }))
}

import { runGuarded } from '../core/guard.ts'
import type { DamageKind } from '../core/diagnostic.ts'
import { characterClass } from './characters.ts'
import { dashes, findEscaped, hasOtherMarks, findDamageKinds, showsDamage, removeDamage } from './undamage.ts'

/** An edit by text: what to look for, in one or more pieces, and what to put there. */
export interface TextEdit {
  readonly wanted: readonly string[]
  readonly replacement: string
}

export interface RepairedEdit extends TextEdit {
  /** What was undone. */
  readonly kinds: readonly DamageKind[]
  /** Whether the new text is then what it was before the damage. */
  readonly sure: boolean
}

/**
 * Another way to read an edit whose text is not in the file: with some kinds of damage undone. It counts only when all
 * readings that are in the file lead to the same result, and when the new text bears it: an edit that is found and
 * writes something else is worse than one that is not found.
 *
 * `certain` are kinds that the markers of the block show: then those are undone in any case. `find` gives the places of
 * a text in the file.
 */
export function findOnlyReading<T>(
  edit: TextEdit,
  file: string,
  certain: readonly DamageKind[],
  find: (wanted: readonly string[]) => readonly T[],
): (RepairedEdit & { readonly found: readonly T[] }) | undefined {
  const matching = runGuarded(() => readingsOf(edit, file, certain)).flatMap((reading) => {
    const found = find(reading.wanted)
    return found.length > 0 ? [{ ...reading, found }] : []
  })
  // The reading that undoes least says what happened.
  const [only] = matching
  if (only === undefined || !matching.every(({ sure }) => sure)) return undefined
  const results = new Set(matching.map(({ found, replacement }) => JSON.stringify([found, replacement])))
  return results.size === 1 ? only : undefined
}

function readingsOf(edit: TextEdit, file: string, certain: readonly DamageKind[]): RepairedEdit[] {
  const readings = new Map<string, RepairedEdit>()
  const shown = findDamageKinds(edit.wanted.join('\n'))
  for (const kinds of subsetsOf(shown, certain)) {
    for (const dash of dashes) {
      const wanted = edit.wanted.map((text) => removeDamage(text, kinds, dash))
      const replacement = removeDamage(edit.replacement, kinds, dash)
      const key = JSON.stringify([wanted, replacement])
      if (readings.has(key) || wanted.includes('')) continue
      // A change of the quotes alone would change nothing.
      const sure = replacement !== wanted[0] && isVouchedByFile(edit, file, kinds, certain)
      readings.set(key, { wanted, replacement, kinds, sure })
    }
  }
  return [...readings.values()]
}

/** The sets of kinds to undo, the smallest first; never none, and always with those that are certain. */
function subsetsOf(shown: readonly DamageKind[], certain: readonly DamageKind[]): (readonly DamageKind[])[] {
  let sets: DamageKind[][] = [[]]
  for (const kind of shown) sets = [...sets, ...sets.map((set) => [...set, kind])]
  return sets
    .filter((set) => set.length > 0 && shown.every((kind) => !certain.includes(kind) || set.includes(kind)))
    .sort((a, b) => a.length - b.length)
}

/** Whether undoing these kinds makes of the new text what it was. */
function isVouchedByFile(
  { wanted, replacement }: TextEdit,
  file: string,
  kinds: readonly DamageKind[],
  certain: readonly DamageKind[],
): boolean {
  const text = wanted.join('\n')
  if (kinds.includes('punctuation') && !certain.includes('punctuation') && hasOtherMarks(replacement, text))
    return false
  return (
    findDamageKinds(replacement)
      .filter((kind) => !kinds.includes(kind))
      .every((kind) => !certain.includes(kind) && isMeant(replacement, text, file, kind)) &&
    kinds.every((kind) => {
      if (!showsDamage(replacement, kind)) return true
      if (isEscaping(kind)) return escapedAlike(text, replacement, kind)
      // Only the found text shows how many hyphens a dash replaces.
      if (kind === 'punctuation' && replacement.match(longDash)?.some((dash) => !text.includes(dash))) return false
      // Many characters become one, so the way back is a guess: a good one where the file has none of them.
      return !sharesTokens(replacement, file, kind)
    })
  )
}

/**
 * Whether what looks like damage of another kind is meant in the new text. Where one kind of damage is, another may be:
 * what is escaped would be escaped in the old text too, and dashes are written by hand; the rest must be in the file.
 */
function isMeant(replacement: string, text: string, file: string, kind: DamageKind): boolean {
  if (isEscaping(kind)) return showsDamage(text, kind)
  if (kind === 'breaks') return false
  return [...new Set(replacement)].every(
    (char) => !showsDamage(char, kind) || file.includes(char) || (!text.includes(char) && DASH_OR_DOTS.test(char)),
  )
}

const isEscaping = (kind: DamageKind): boolean => kind === 'entities' || kind === 'escapes'
const DASH_OR_DOTS = new RegExp(`[${characterClass('dash', 'dots')}]`)
const longDash = /[\u2012-\u2015]/g

/** Whether a program that escaped the text that is in the file has escaped the new text in the same way. */
function escapedAlike(wanted: string, replacement: string, kind: DamageKind): boolean {
  const both = findEscaped(`${wanted}\n${replacement}`, [kind])
  if ([...both.escaped].some((char) => both.plain.has(char))) return false
  // HTML escaping covers the whole text; which characters get a backslash differs between programs.
  if (kind === 'entities') return true
  const { escaped } = findEscaped(wanted, [kind])
  return [...findEscaped(replacement, [kind]).escaped].every((char) => escaped.has(char))
}

function sharesTokens(text: string, file: string, kind: DamageKind): boolean {
  if (kind === 'breaks') return showsDamage(file, kind)
  return [...new Set(text)].some((char) => showsDamage(char, kind) && file.includes(char))
}

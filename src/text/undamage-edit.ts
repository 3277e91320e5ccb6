import type { DamageKind } from '../core/block.ts'
import { dashes, escapedIn, kindsIn, shows, undamaged } from './undamage.ts'

/** An edit by text: what to look for, in one or more pieces, and what to put there. */
export interface TextEdit {
  readonly wanted: readonly string[]
  readonly replacement: string
}

interface Reading extends TextEdit {
  /** What was undone. */
  readonly kinds: readonly DamageKind[]
  /** Whether the new text is then what it was before the damage. */
  readonly sure: boolean
}

/**
 * Another way to read an edit whose text is not in the file: with one kind of damage undone, or with all. It counts
 * only when no other reading is in the file, and when the new text bears it: an edit that is found and writes
 * something else is worse than one that is not found.
 *
 * `certain` are kinds that the markers of the block show: then those are undone and no others. `find` gives the
 * places of a text in the file.
 */
export function onlyReading<T>(
  edit: TextEdit,
  file: string,
  certain: readonly DamageKind[],
  find: (wanted: readonly string[]) => readonly T[],
): (Reading & { readonly found: readonly T[] }) | undefined {
  const matching = readingsOf(edit, file, certain).flatMap((reading) => {
    const found = find(reading.wanted)
    return found.length > 0 ? [{ ...reading, found }] : []
  })
  const [only] = matching
  return matching.length === 1 && only?.sure ? only : undefined
}

function readingsOf(edit: TextEdit, file: string, certain: readonly DamageKind[]): Reading[] {
  const readings = new Map<string, Reading>()
  for (const kinds of kindSets(kindsIn(edit.wanted.join('\n')), certain)) {
    for (const dash of dashes) {
      const wanted = edit.wanted.map((text) => undamaged(text, kinds, dash))
      const key = JSON.stringify(wanted)
      if (readings.has(key) || wanted.includes('')) continue
      const replacement = undamaged(edit.replacement, kinds, dash)
      // Whoever changes nothing but the quotes would change nothing.
      const sure = replacement !== wanted[0] && vouched(edit, file, kinds, certain)
      readings.set(key, { wanted, replacement, kinds, sure })
    }
  }
  return [...readings.values()]
}

function kindSets(shown: readonly DamageKind[], certain: readonly DamageKind[]): (readonly DamageKind[])[] {
  if (certain.length > 0) return [shown.filter((kind) => certain.includes(kind))].filter((kinds) => kinds.length > 0)
  const sets: (readonly DamageKind[])[] = shown.map((kind) => [kind])
  return shown.length > 1 ? [...sets, shown] : sets
}

/** Whether undoing these kinds makes of the new text what it was. */
function vouched(
  { wanted, replacement }: TextEdit,
  file: string,
  kinds: readonly DamageKind[],
  certain: readonly DamageKind[],
): boolean {
  // Where one kind of damage is, another may be. That there is none can be told only of what is escaped: it would be
  // escaped twice, and not be in the file.
  const others = kindsIn(replacement).filter((kind) => !kinds.includes(kind))
  const text = wanted.join('\n')
  if (others.some((kind) => certain.includes(kind) || !isEscaping(kind) || !shows(text, kind))) return false
  return kinds.every((kind) => {
    if (!shows(replacement, kind)) return true
    if (isEscaping(kind)) return escapedAlike(text, replacement, kind)
    // Only what was found tells how many hyphens a dash stands for.
    if (kind === 'punctuation' && replacement.match(longDash)?.some((dash) => !text.includes(dash))) return false
    // Many characters become one, so the way back is a guess: a good one where the file has none of them.
    return !sharesTokens(replacement, file, kind)
  })
}

const isEscaping = (kind: DamageKind): boolean => kind === 'entities' || kind === 'escapes'
const longDash = /[\u2012-\u2015]/g

/** Whether a program that escaped the text that is in the file has escaped the new text in the same way. */
function escapedAlike(wanted: string, replacement: string, kind: DamageKind): boolean {
  const both = escapedIn(`${wanted}\n${replacement}`)
  if ([...both.escaped].some((char) => both.plain.has(char))) return false
  const { escaped } = escapedIn(wanted)
  // Whoever escapes one of these for HTML escapes all three.
  const html = kind === 'entities' ? ['<', '>', '&'] : []
  return [...escapedIn(replacement).escaped].every((char) => escaped.has(char) || html.includes(char))
}

function sharesTokens(text: string, file: string, kind: DamageKind): boolean {
  if (kind === 'breaks') return shows(file, kind)
  return [...new Set(text)].some((char) => shows(char, kind) && file.includes(char))
}

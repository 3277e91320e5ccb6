import type { Source } from '../core/source.ts'
import { filesSpokenOf, nameIn, nameInFence } from './foreign-name.ts'
import { fenceAt, rowAt } from './foreign-text.ts'

/** The file that is named above a head, and the line that names it. */
interface NamedAbove {
  readonly path: string
  readonly line: number
}

export type SeekName = (head: number, floor: number) => NamedAbove | undefined

/** Looks for names, and remembers the last: what ends one block is asked again for the next. */
export function nameSeeker(source: Source): SeekName {
  let last: { head: number; floor: number; named: NamedAbove | undefined } | undefined
  return (head, floor) => {
    if (last?.head !== head || last.floor !== floor) last = { head, floor, named: nameAbove(source, head, floor) }
    return last.named
  }
}

/** Lines above `floor` are not looked at. */
function nameAbove(source: Source, head: number, floor: number): NamedAbove | undefined {
  const inside = lineAbove(source, head, floor)
  if (inside === undefined) return undefined
  const opener = fenceAt(source, inside)
  if (opener === undefined) {
    const path = nameIn(rowAt(source, inside))
    if (path !== undefined) return { path, line: inside }
  }
  // Directly above, or with one line between that names nothing, such as a comment.
  const line = opener === undefined ? lineAbove(source, inside, floor) : inside
  const fence = opener ?? (line === undefined ? undefined : fenceAt(source, line))
  if (line === undefined || fence === undefined) return undefined
  const path = nameInFence(fence)
  if (path !== undefined) return { path, line }
  const above = lineAbove(source, line, floor)
  const name = above === undefined ? undefined : nameIn(rowAt(source, above))
  return above === undefined || name === undefined ? undefined : { path: name, line: above }
}

/** The nearest line above that is not blank, with at most one that is between them. */
function lineAbove(source: Source, line: number, floor: number): number | undefined {
  for (let above = line - 1; above >= Math.max(floor, line - 2); above--) {
    if (rowAt(source, above).trim() !== '') return above
  }
  return undefined
}

/**
 * A file that lines speak of, when they do not speak of `name`: whoever goes on with another file may say so in a
 * sentence.
 */
export function otherFile(source: Source, first: number, last: number, name: string): string | undefined {
  let other: string | undefined
  for (let line = first; line <= last; line++) {
    for (const file of filesSpokenOf(rowAt(source, line))) {
      if (isEndOf(file, name) || isEndOf(name, file)) return undefined
      other ??= file
    }
  }
  return other
}

const isEndOf = (end: string, path: string): boolean => path === end || path.endsWith(`/${end}`)

/** More between two blocks than this is not their frame. */
const FRAME = 8

/** Whether lines hold nothing but blanks, fences and, on the line given, a name. */
export function onlyFrame(source: Source, first: number, last: number, name: number | undefined): boolean {
  if (last - first >= FRAME) return false
  for (let line = first; line <= last; line++) {
    if (line !== name && fenceAt(source, line) === undefined && rowAt(source, line).trim() !== '') return false
  }
  return true
}

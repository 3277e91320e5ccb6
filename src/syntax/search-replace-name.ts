import type { Source } from '../core/source.ts'
import { nameIn, nameInFence } from './foreign-name.ts'
import { fenceOf, rowAt } from './foreign-text.ts'

/** The file that is named above a head, and the line that names it. Lines above `floor` are not looked at. */
export function nameAbove(source: Source, head: number, floor: number): { path: string; line: number } | undefined {
  const inside = lineAbove(source, head, floor)
  if (inside === undefined) return undefined
  if (fenceOf(rowAt(source, inside)) === undefined) {
    const path = nameIn(rowAt(source, inside))
    if (path !== undefined) return { path, line: inside }
  }
  // Directly above, or with one line between that names nothing, such as a comment.
  const fence = fenceOf(rowAt(source, inside)) === undefined ? lineAbove(source, inside, floor) : inside
  if (fence === undefined || fenceOf(rowAt(source, fence)) === undefined) return undefined
  const path = nameInFence(rowAt(source, fence))
  if (path !== undefined) return { path, line: fence }
  const above = lineAbove(source, fence, floor)
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

/** More between two blocks than this is not their frame. */
const FRAME = 8

/** Whether lines hold nothing but blanks, fences and, on the line given, a name. */
export function onlyFrame(source: Source, first: number, last: number, name: number | undefined): boolean {
  if (last - first >= FRAME) return false
  for (let line = first; line <= last; line++) {
    const text = rowAt(source, line)
    if (line !== name && text.trim() !== '' && fenceOf(text) === undefined) return false
  }
  return true
}

/** A part of a text and its replacement. */
export interface Change {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Changes do not overlap; of two at one place the first given comes first. */
export function applyChanges(text: string, changes: readonly Change[]): string {
  const pieces: string[] = []
  let at = 0
  for (const { start, end, text: put } of inOrder(changes)) {
    pieces.push(text.slice(at, start), put)
    at = end
  }
  pieces.push(text.slice(at))
  return pieces.join('')
}

/** Where the text that a change put in starts in the changed text. */
export function offsetAfter(changes: readonly Change[], wanted: Change): number {
  let moved = 0
  for (const change of inOrder(changes)) {
    if (change === wanted) return change.start + moved
    moved += change.text.length - (change.end - change.start)
  }
  throw new Error('the change is not one of the list')
}

/** Where a place of the text is in the changed one; what was taken out is where it was. */
export function placeAfter(changes: readonly Change[], offset: number): number {
  let moved = 0
  for (const { start, end, text } of inOrder(changes)) {
    if (end > offset) return Math.min(offset, start) + moved
    moved += text.length - (end - start)
  }
  return offset + moved
}

const inOrder = (changes: readonly Change[]): Change[] => changes.toSorted((a, b) => a.start - b.start || a.end - b.end)

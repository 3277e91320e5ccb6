import type { FileChange } from '../core/result.ts'
import type { ReviewedBlock, ReviewedFile, ReviewHunk } from '../core/review.ts'
import { diffLines } from '@clada/reply/text/line-diff.ts'
import { splitKeepingEnds } from '@clada/reply/text/lines.ts'

/**
 * Whether a block makes the same change at the same place as it was shown, although blocks before it may be missing now.
 * Ids of hunks do not say where they are: the same lines may be in another function.
 */
export function isSameChange(now: ReviewedBlock, shown: ReviewedBlock | undefined): boolean {
  const files = shown?.files ?? []
  return now.files.length === files.length && now.files.every((file, at) => isSameIn(file, files[at]))
}

function isSameIn(now: ReviewedFile, shown: ReviewedFile | undefined): boolean {
  if (shown === undefined || now.path !== shown.path || now.from !== shown.from) return false
  if (now.change !== shown.change || now.hunks.length !== shown.hunks.length) return false
  const placeOf = placesFrom(now, shown)
  return now.hunks.every((hunk, at) => {
    const other = shown.hunks[at]
    return other !== undefined && hunk.id === other.id && (hunk.kind !== 'lines' || isSamePlace(hunk, other, placeOf))
  })
}

/** For each line of a file the line that it was when it was shown. */
function placesFrom(now: FileChange, shown: FileChange): readonly (number | undefined)[] {
  const places: (number | undefined)[] = []
  let at = 0
  for (const { kind, count } of diffLines(splitKeepingEnds(now.before ?? ''), splitKeepingEnds(shown.before ?? ''))) {
    if (kind !== 'new') for (let nth = 0; nth < count; nth++) places.push(kind === 'same' ? at + nth : undefined)
    if (kind !== 'old') at += count
  }
  return places
}

function isSamePlace(now: ReviewHunk, shown: ReviewHunk, placeOf: readonly (number | undefined)[]): boolean {
  const lines = now.oldEnd - now.oldStart
  if (lines !== shown.oldEnd - shown.oldStart) return false
  if (lines > 0) return placeOf.slice(now.oldStart, now.oldEnd).every((place, nth) => place === shown.oldStart + nth)
  // New lines are where they were shown if a line next to them is.
  const isFirst = now.oldStart === 0 && shown.oldStart === 0
  const isBelow = now.oldStart > 0 && placeOf[now.oldStart - 1] === shown.oldStart - 1
  return isFirst || isBelow || placeOf[now.oldStart] === shown.oldStart
}

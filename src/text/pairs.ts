/**
 * Which elements of two lists correspond: the longest common subsequence, as pairs of indexes that both grow.
 * What is alike at both ends costs nothing; a middle of more than MOST cells counts as different throughout.
 */
export function commonPairs(before: readonly string[], after: readonly string[]): [number, number][] {
  const { head, tail } = commonEnds(before, after)
  const pairs: [number, number][] = Array.from({ length: head }, (_, at) => [at, at])
  pairs.push(...middlePairs(before, after, head, before.length - tail, after.length - tail))
  for (let at = tail; at > 0; at--) pairs.push([before.length - at, after.length - at])
  return pairs
}

/** How many elements are alike at the beginning and, after those, at the end. */
export function commonEnds(before: readonly string[], after: readonly string[]): { head: number; tail: number } {
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && before[head] === after[head]) head++
  let tail = 0
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++
  return { head, tail }
}

const MOST = 1_000_000

function middlePairs(
  before: readonly string[],
  after: readonly string[],
  head: number,
  oldEnd: number,
  newEnd: number,
): [number, number][] {
  const height = oldEnd - head
  const width = newEnd - head
  if (height === 0 || width === 0 || height * width > MOST) return []
  // Cell (i, j): the most pairs from line i of the old and line j of the new middle on.
  const row = width + 1
  const most = new Uint32Array((height + 1) * row)
  for (let i = height - 1; i >= 0; i--) {
    for (let j = width - 1; j >= 0; j--) {
      const same = before[head + i] === after[head + j]
      most[i * row + j] = same
        ? (most[(i + 1) * row + j + 1] ?? 0) + 1
        : Math.max(most[(i + 1) * row + j] ?? 0, most[i * row + j + 1] ?? 0)
    }
  }
  const pairs: [number, number][] = []
  for (let i = 0, j = 0; i < height && j < width;) {
    if (before[head + i] === after[head + j]) pairs.push([head + i++, head + j++])
    else if ((most[(i + 1) * row + j] ?? 0) >= (most[i * row + j + 1] ?? 0)) i++
    else j++
  }
  return pairs
}

/** Something whose items are compared by number: characters of a text, or lines that were numbered. */
export interface Sequence {
  readonly length: number
  at(index: number): number
}

export const characterSequence = (text: string): Sequence => ({
  length: text.length,
  at: (index) => text.charCodeAt(index),
})

export const numberSequence = (numbers: ArrayLike<number>): Sequence => ({
  length: numbers.length,
  at: (index) => numbers[index] ?? NaN,
})

/**
 * Every place where a pattern begins, overlaps included. By Knuth, Morris and Pratt: with `indexOf` a long repetitive
 * pattern costs the square of its length.
 */
export function* overlappingMatches(all: Sequence, pattern: Sequence, from = 0): Generator<number> {
  if (pattern.length === 0 || pattern.length > all.length) return
  const borders = bordersOf(pattern)
  let matched = 0
  for (let at = from; at < all.length; at++) {
    const item = all.at(at)
    while (matched > 0 && pattern.at(matched) !== item) matched = borders[matched - 1] ?? 0
    if (pattern.at(matched) === item) matched++
    if (matched < pattern.length) continue
    yield at - matched + 1
    matched = borders[matched - 1] ?? 0
  }
}

/** For each prefix of the pattern, the length of the longest shorter prefix that it also ends with. */
function bordersOf(pattern: Sequence): Uint32Array {
  const borders = new Uint32Array(pattern.length)
  let length = 0
  for (let at = 1; at < pattern.length; at++) {
    const item = pattern.at(at)
    while (length > 0 && pattern.at(length) !== item) length = borders[length - 1] ?? 0
    if (pattern.at(length) === item) length++
    borders[at] = length
  }
  return borders
}

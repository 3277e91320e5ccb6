/**
 * The name that was probably meant, or undefined when none is close. In this order: the same letters
 * whatever their case and separators; the same words, or letters, in another order (`write_file` for
 * `file_write`); a finding of the pen; most words in common.
 */
export function findClosestName(wanted: string, names: readonly string[]): string | undefined {
  const asked = nameShape(wanted.slice(0, MAX_LENGTH))
  if (asked.letters === '') return undefined

  const ranked = names.flatMap((name) => {
    const rank = nameDistance(asked, nameShape(name.slice(0, MAX_LENGTH)))
    return rank === undefined ? [] : [{ name, rank }]
  })
  const [best, second] = ranked.sort((a, b) => a.rank - b.rank)
  // Words in common point to one name or to none: `file` is in half of them.
  if (best !== undefined && best.rank >= BY_WORDS && second?.rank === best.rank) return undefined
  return best?.name
}

/** The end of a message about an unknown name. */
export function didYouMean(wanted: string, names: readonly string[], otherwise = ''): string {
  const close = findClosestName(wanted, names)
  return close === undefined ? otherwise : ` Did you mean ${close}?`
}

/** Longer input is cut: nothing that long is a mistyped name, and the distance takes the square of it. */
const MAX_LENGTH = 80

interface NameShape {
  letters: string
  words: string[]
}

function nameShape(name: string): NameShape {
  const words = name
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
  return { letters: words.join(''), words }
}

const BY_WORDS = 100

/** Smaller is closer. */
function nameDistance(asked: NameShape, name: NameShape): number | undefined {
  if (asked.letters === name.letters) return 0
  if (sortParts(asked.words) === sortParts(name.words)) return 1
  if (asked.letters.length > 4 && sortParts([...asked.letters]) === sortParts([...name.letters])) return 1

  const distance = editDistance(asked.letters, name.letters)
  const allowed = Math.max(1, Math.floor(Math.min(asked.letters.length, name.letters.length) / 4))
  if (distance <= allowed && distance < name.letters.length) return 1 + distance

  const spare = [...name.words]
  const shared = asked.words.filter((word) => {
    const index = spare.findIndex((other) => other === word || (word.length > 3 && editDistance(word, other) === 1))
    if (index !== -1) spare.splice(index, 1)
    return index !== -1
  }).length
  const overlap = (2 * shared) / (asked.words.length + name.words.length)
  return overlap > 0.6 ? BY_WORDS + Math.round(100 * (1 - overlap)) : undefined
}

function sortParts(parts: readonly string[]): string {
  return parts.toSorted().join(' ')
}

/** By Damerau and Levenshtein: two letters that changed places are one edit. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let best = Math.min((last[j - 1] ?? 0) + cost, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, (beforeLast[j - 2] ?? Infinity) + 1)
      row.push(best)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? a.length
}

/** A number with its noun: `1 file`, `2 files`. */
export const formatCount = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`

/** A text whose first letter is a capital. */
export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** With commas: `20,000`. `toLocaleString` reads the names of all languages first, which takes a third of a small run. */
export const groupDigits = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')

/**
 * Lines of at most `width` characters; a longer word has a line of its own. Takes words, not text: a parameter such as
 * `[delimiter=": "]` has a space inside and is still one word.
 */
export function wrapWords(words: readonly string[], width: number): string[] {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/**
 * Replaces up to `count` occurrences, all without it. What was put in is not searched again, and it is
 * put in as it is: `$&` is text.
 * @throws when `oldText` is empty, which would occur everywhere.
 */
export function replaceText(
  content: string,
  oldText: string,
  newText: string,
  count?: number,
): { result: string; replacements: number } {
  if (oldText === '') throw new Error('old_text cannot be empty')

  // Pieces are joined once at the end: building the result again for every occurrence is quadratic.
  const pieces: string[] = []
  let replacements = 0
  let from = 0
  while (count === undefined || replacements < count) {
    const at = content.indexOf(oldText, from)
    if (at === -1) break
    pieces.push(content.slice(from, at))
    from = at + oldText.length
    replacements++
  }
  pieces.push(content.slice(from))
  return { result: pieces.join(newText), replacements }
}

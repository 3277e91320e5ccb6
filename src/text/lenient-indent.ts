/** The blanks in front of a line. */
export function indentOf(line: string): string {
  return line.slice(0, line.length - line.trimStart().length)
}

/** A line as the patch has it, and the same line as the file has it. */
export type Pair = readonly [patch: string, file: string]

/**
 * Gives a new line the indentation it must have in the file, by how the old lines differ there; undefined where they
 * do not tell. In this order: the indentation that an old line of the same depth has; the same blanks more or fewer
 * on all lines; the same multiple, as from four blanks to one tab.
 */
export function reindenter(pairs: readonly Pair[]): (line: string) => string | undefined {
  const known = new Map<string, string>()
  for (const [patch, file] of pairs) {
    if (patch.trim() === '') continue
    const from = indentOf(patch)
    const to = indentOf(file)
    // One depth in the patch, two in the file: nobody knows which is meant.
    if ((known.get(from) ?? to) !== to) return () => undefined
    known.set(from, to)
  }
  const convert = difference(known) ?? multiple(known) ?? (() => undefined)
  return (line) => {
    if (line.trim() === '') return line
    const indent = indentOf(line)
    const there = known.get(indent) ?? convert(indent)
    return there === undefined ? undefined : there + line.slice(indent.length)
  }
}

type Convert = (indent: string) => string | undefined

function difference(known: ReadonlyMap<string, string>): Convert | undefined {
  const [first] = known
  if (first === undefined) return (indent) => indent
  const [from, to] = first
  if (to.endsWith(from)) {
    const more = to.slice(0, to.length - from.length)
    if ([...known].every(([patch, file]) => file === more + patch)) return (indent) => more + indent
  }
  if (from.endsWith(to)) {
    const fewer = from.slice(0, from.length - to.length)
    if ([...known].every(([patch, file]) => patch === fewer + file)) {
      return (indent) => (indent.startsWith(fewer) ? indent.slice(fewer.length) : undefined)
    }
  }
  return undefined
}

function multiple(known: ReadonlyMap<string, string>): Convert | undefined {
  const [deepest] = [...known].sort(([a], [b]) => b.length - a.length)
  if (deepest === undefined) return undefined
  const [from, to] = deepest
  const fromBlank = from[0]
  const toBlank = to[0]
  if (fromBlank === undefined || toBlank === undefined) return undefined
  const convert: Convert = (indent) => {
    const length = (indent.length * to.length) / from.length
    return Number.isInteger(length) && indent === fromBlank.repeat(indent.length) ? toBlank.repeat(length) : undefined
  }
  return [...known].every(([patch, file]) => convert(patch) === file) ? convert : undefined
}

/** How structures are shown: their text, an outline, or what an operation found instead of its target. */

/** The output of `read_structure` and `list_structures`. */
export function structureBody(data: Readonly<Record<string, unknown>>): string | undefined {
  if (Array.isArray(data['structures'])) return outlineLines(data['structures'], 0).join('\n')
  if (!Array.isArray(data['matches'])) return undefined
  if (data['matches'].length === 0) return ['[nothing found]', ...structureHelp(data)].join('\n')
  return data['matches']
    .filter(isRecord)
    .map(({ text, line_range_inclusive: lines }) => `lines ${rangeOf(lines)}:\n${String(text).replace(/\n$/, '')}`)
    .join('\n\n')
}

/** What helps to name the right structure. */
export function structureHelp(details: Readonly<Record<string, unknown>>): string[] {
  return ['matches', 'suggestions', 'parse_errors', 'occurrences'].flatMap((name) => {
    const found = details[name]
    if (!Array.isArray(found) || found.length === 0) return []
    return [`${name.replace('_', ' ')}:`, ...found.slice(0, 20).map((one) => `  ${shown(one)}`)]
  })
}

function shown(one: unknown): string {
  if (!isRecord(one)) return String(one)
  const { lines, line_range_inclusive, path, header, line, column, message } = one
  const range = lines ?? line_range_inclusive
  if (range !== undefined)
    return `lines ${rangeOf(range)}: ${Array.isArray(path) ? path.join(' > ') : String(path ?? header ?? '')}`
  return line === undefined ? JSON.stringify(one) : `line ${String(line)}, column ${String(column)}: ${String(message)}`
}

function outlineLines(entries: readonly unknown[], depth: number): string[] {
  return entries
    .filter(isRecord)
    .flatMap(({ header, kind, lines, children }) => [
      `${rangeOf(lines).padStart(9)}  ${'  '.repeat(depth)}${String(header)}  (${String(kind)})`,
      ...(Array.isArray(children) ? outlineLines(children, depth + 1) : []),
    ])
}

const rangeOf = (lines: unknown): string => (Array.isArray(lines) ? lines.join('-') : String(lines))

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The spaces and tabs before a line. */
export function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? ''
}

/** A line as the edit has it, and the same line as the file has it. */
export type LinePair = readonly [edit: string, file: string]

type Convert = (indent: string) => string | undefined

/**
 * Gives a new line the indentation it must have in the file, by how the old lines differ there; undefined where they
 * do not tell. All old lines must differ in the same way: by the same whitespace, by the same number of columns with
 * tabs of one width for spaces, or by the same multiple. Of a file that aligns with spaces after tabs, `steps` are all
 * lines of the edit: one that is more than a tab deeper than any other is aligned, in an unknown way.
 */
export function makeReindenter(
  pairs: readonly LinePair[],
  steps?: readonly string[],
): (line: string) => string | undefined {
  const known = new Map<string, string>()
  for (const [edit, file] of pairs) {
    if (edit.trim() === '' || file.trim() === '') continue
    const from = indentOf(edit)
    const to = indentOf(file)
    // One depth in the edit, two in the file: either may be meant.
    if ((known.get(from) ?? to) !== to) return () => undefined
    known.set(from, to)
  }
  const convert =
    indentDifference(known) ?? countColumns(known, steps?.map(indentOf)) ?? multiplyIndent(known) ?? (() => undefined)
  return (line) => {
    if (line.trim() === '') return line
    const indent = indentOf(line)
    const there = known.get(indent) ?? convert(indent)
    return there === undefined ? undefined : there + line.slice(indent.length)
  }
}

/** Whether old lines differ from the file's in one way only. */
export function isOneShift(pairs: readonly LinePair[]): boolean {
  const reindent = makeReindenter(pairs)
  return pairs.every(([edit, file]) => edit.trim() === '' || indentOf(reindent(edit) ?? 'x') === indentOf(file))
}

function indentDifference(known: ReadonlyMap<string, string>): Convert | undefined {
  const [first] = known
  if (first === undefined) return (indent) => indent
  const [from, to] = first
  if (to.endsWith(from)) {
    const more = to.slice(0, to.length - from.length)
    if ([...known].every(([edit, file]) => file === more + edit)) return (indent) => more + indent
  }
  if (from.endsWith(to)) {
    const fewer = from.slice(0, from.length - to.length)
    if ([...known].every(([edit, file]) => edit === fewer + file)) {
      return (indent) => (indent.startsWith(fewer) ? indent.slice(fewer.length) : undefined)
    }
  }
  return undefined
}

const widths = [4, 2, 8, 3, 1] as const

/** Tabs on one side, spaces on the other, and perhaps the same number of columns more or fewer. */
function countColumns(known: ReadonlyMap<string, string>, steps?: readonly string[]): Convert | undefined {
  const all = [...known]
  const files = all.map(([, file]) => file)
  const possible = widths.flatMap((width) => {
    const shifts = new Set(all.map(([edit, file]) => indentColumns(file, width) - indentColumns(edit, width)))
    const [shift = 0] = shifts
    return shifts.size === 1 ? [{ width, shift }] : []
  })
  if (possible.length === 0) return undefined
  // Tabs alone explain more than tabs and a shift.
  const unshifted = possible.filter(({ shift }) => shift === 0)
  const fits = unshifted.length > 0 ? unshifted : possible
  const tabbed = files.some((file) => file.includes('\t'))
  // Tabs of the file are indentation, spaces after them alignment; the reverse is not written.
  if (tabbed && !files.every((file) => /^\t* *$/.test(file))) return undefined
  if (tabbed && files.some((file) => /^ {2}/.test(file))) return undefined
  // As many spaces as a tab is wide would have been a tab.
  if (tabbed && fits.some(({ width }) => files.some((file) => file.replaceAll('\t', '').length >= width)))
    return undefined
  return (indent) => {
    const readings = new Set(
      fits.map(({ width, shift }) => {
        const wide = indentColumns(indent, width) + shift
        // One space after the tabs begins a line of a block comment; more would be a guess.
        if (wide < 0 || (tabbed && wide % width > 1)) return undefined
        if (tabbed && steps !== undefined && !isStep(indent, steps, width)) return undefined
        return tabbed ? '\t'.repeat(Math.floor(wide / width)) + ' '.repeat(wide % width) : ' '.repeat(wide)
      }),
    )
    const [only] = readings
    return readings.size === 1 ? only : undefined
  }
}

const isStep = (indent: string, steps: readonly string[], width: number): boolean =>
  steps.some((other) => {
    const deeper = indentColumns(indent, width) - indentColumns(other, width)
    return deeper > 0 && deeper <= width
  })

function indentColumns(indent: string, width: number): number {
  let at = 0
  for (const char of indent) at = char === '\t' ? at - (at % width) + width : at + 1
  return at
}

function multiplyIndent(known: ReadonlyMap<string, string>): Convert | undefined {
  const [deepest] = [...known].sort(([a], [b]) => b.length - a.length)
  if (deepest === undefined) return undefined
  const [from, to] = deepest
  const fromChar = from[0]
  const toChar = to[0]
  if (fromChar === undefined || toChar === undefined) return undefined
  // A depth that is not a multiple of those of the old lines may be the file's own already.
  const unit = [...known.keys()].reduce((all, { length }) => greatestDivisor(all, length), 0)
  const convert: Convert = (indent) => {
    const length = (indent.length * to.length) / from.length
    return indent.length % unit === 0 && Number.isInteger(length) && indent === fromChar.repeat(indent.length)
      ? toChar.repeat(length)
      : undefined
  }
  return [...known].every(([edit, file]) => convert(edit) === file) ? convert : undefined
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b))

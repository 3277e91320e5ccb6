import { Source } from '../core/source.ts'
import { findOccurrences, replaceSpans, type Span } from './edit.ts'
import { FileLines } from './file-lines.ts'
import { type Fit, repairWarning, type Rung, type Splice, withSplices } from './fit.ts'
import { fitsByRung, hunkOf, type Matching } from './matcher.ts'
import { onlyReading } from './undamage-edit.ts'
import { damageWarning } from './undamage.ts'

/** How an edit by text may be read. */
export interface Tolerance {
  /** `tolerant`: all rungs. `exact`: only as written, or through paste damage. */
  readonly matching: 'tolerant' | 'exact'
  /** `off`: nothing is repaired. */
  readonly readings: 'allowed' | 'off'
  readonly damage: Matching['damage']
}

/** How often the text must be there. */
export type Wanted = number | 'all'

export type TextEdited =
  | {
      readonly kind: 'done'
      readonly text: string
      readonly count: number
      readonly rung: Rung
      readonly warnings: readonly string[]
    }
  /** The first rung that found any place found another number of them, or does not tell what to write there. */
  | { readonly kind: 'count' | 'unclear'; readonly rung: Rung; readonly spans: readonly Span[] }
  | { readonly kind: 'absent' }

/**
 * A text with `old` replaced by `fresh` in a place that is not there as written: rungs 2 to 6 of `matcher.ts`, and
 * parts of lines through paste damage. `what` is what the text is called in warnings.
 */
export function editLoosely(
  text: string,
  old: string,
  fresh: string,
  wanted: Wanted,
  tolerance: Tolerance,
  what = 'old_text',
): TextEdited {
  if (tolerance.readings === 'off') return { kind: 'absent' }
  const read = (): TextEdited => throughDamage(text, old, fresh, wanted, tolerance, what)
  if (tolerance.matching === 'exact') return read()
  const [oldLines, newLines] = linesOf(old, fresh)
  const file = new FileLines(new Source(text))
  const lines = hunkOf(oldLines, newLines)
  let partsTried = false
  for (const fits of fitsByRung(lines, file, { rungs: 'all', damage: tolerance.damage })) {
    const rung = fits[0]?.rung ?? 'exact'
    // Parts of lines are found through damage only, on the rung for that.
    if (!partsTried && rung !== 'exact' && rung !== 'trailing-space' && rung !== 'indentation') {
      partsTried = true
      const part = read()
      if (part.kind !== 'absent') return part
    }
    return settled(fits, file, wanted, what)
  }
  return partsTried ? { kind: 'absent' } : read()
}

function settled(fits: readonly Fit[], file: FileLines, wanted: Wanted, what: string): TextEdited {
  const apart: Fit[] = []
  for (const fit of fits) {
    const last = apart.at(-1)
    if (last === undefined || fit.first >= last.first + last.height) apart.push(fit)
  }
  const rung = apart[0]?.rung ?? 'exact'
  const spans = apart.map(({ first, height }) => ({ start: file.startOf(first), end: file.startOf(first + height) }))
  if (wanted !== 'all' && apart.length !== wanted) return { kind: 'count', rung, spans }
  const splices: Splice[] = []
  for (const fit of apart) {
    if (fit.splices === undefined) return { kind: 'unclear', rung, spans }
    splices.push(...fit.splices)
  }
  const changed = withSplices(file, splices)
  // What was without a final newline stays so.
  const text = file.text.endsWith('\n') ? changed : changed.replace(/\r?\n$/, '')
  const warning = repairWarning(what, apart, file) ?? `${what} was found only without its last line break`
  return { kind: 'done', text, count: apart.length, rung, warnings: [warning] }
}

/** The lines of both texts. Line breaks that both begin with belong to the line above. */
function linesOf(old: string, fresh: string): [string[], string[]] {
  let from = old.replaceAll('\r\n', '\n')
  let to = fresh.replaceAll('\r\n', '\n')
  while (from.startsWith('\n') && to.startsWith('\n') && from.length > 1) [from, to] = [from.slice(1), to.slice(1)]
  if (!from.endsWith('\n')) return [from.split('\n'), to.split('\n')]
  if (to.endsWith('\n')) to = to.slice(0, -1)
  else if (to === '') return [from.slice(0, -1).split('\n'), []]
  return [from.slice(0, -1).split('\n'), to.split('\n')]
}

function throughDamage(
  text: string,
  old: string,
  fresh: string,
  wanted: Wanted,
  { damage }: Tolerance,
  what: string,
): TextEdited {
  const edit = { wanted: [old], replacement: fresh }
  const reading = onlyReading(edit, text, damage, ([one = '']) => findOccurrences(text, one))
  if (reading === undefined || reading.found.length !== (wanted === 'all' ? 1 : wanted)) return { kind: 'absent' }
  const [read = old] = reading.wanted
  return {
    kind: 'done',
    text: replaceSpans(text, reading.found, read, reading.replacement),
    count: reading.found.length,
    rung: 'characters',
    warnings: [damageWarning(what, reading.kinds)],
  }
}

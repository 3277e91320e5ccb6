import type { Source } from '@clada/reply/core/source.ts'
import { indentOf } from '@clada/reply/text/reindent.ts'
import { indentSteps, startsInSpan } from './indent.ts'
import type { Outline, Warning } from './structure.ts'

/**
 * The first new line whose indentation does not match its surroundings: tabs among spaces or spaces among tabs, a step
 * that the file does not have after a line that opens a block, or a line that is aligned with no line above it.
 * `before` is the text that was edited; `lines` are the first and the last line of the edit in `after`.
 */
export function inconsistentIndent(
  before: Source,
  after: Outline,
  [first, last]: readonly [number, number],
): Warning[] {
  const { source, language } = after
  const known = new Set(before.text.split(/\r?\n/))
  const style = styleOf(before.text, language.indentation)
  const strings = after.verbatim({ start: source.startOf(first), end: source.endOf(last) })
  const levels = new Set<string>()
  let above = ''
  for (let line = 1; line <= last; line++) {
    const text = source.line(line)
    if (text.trim() === '' || startsInSpan(strings, source.startOf(line))) continue
    const actual = indentOf(text)
    const expected =
      line < first || known.has(text)
        ? undefined
        : (oddCharacters(actual, style) ?? oddDepth(text, above, style, levels))
    if (expected !== undefined) return [indentWarning(line, expected, actual)]
    levels.add(actual)
    above = text
  }
  return []
}

interface IndentStyle {
  readonly characters: 'tabs' | 'spaces' | 'both'
  /** Steps after lines that open a block, most frequent first; none where depth is not looked at. */
  readonly steps: readonly string[]
}

function styleOf(text: string, indentation: 'units' | 'shift'): IndentStyle {
  const [tabs, spaces] = [/^\t/m.test(text), /^ {2}/m.test(text)]
  const characters = tabs === spaces ? 'both' : tabs ? 'tabs' : 'spaces'
  return { characters, steps: indentation === 'units' ? indentSteps(text.split(/\r?\n/)) : [] }
}

function oddCharacters(indent: string, { characters }: IndentStyle): string | undefined {
  const odd = { tabs: /^\t* {2}/, spaces: /\t/, both: / \t/ }[characters]
  if (!odd.test(indent)) return undefined
  return characters === 'both' ? indent.replaceAll(' ', '') : characters
}

/** Continued expressions are indented in many ways, so only lines that begin a statement are looked at. */
function oddDepth(
  text: string,
  above: string,
  { steps }: IndentStyle,
  levels: ReadonlySet<string>,
): string | undefined {
  const [step] = steps
  if (step === undefined || !/^\s*[\p{L}_@"'`#]/u.test(text) || continues.test(above)) return undefined
  const [own, outer] = [indentOf(text), indentOf(above)]
  if (own.length > outer.length) {
    if (opensBlock.test(above)) return steps.includes(own.slice(outer.length)) ? undefined : outer + step
    return endsStatement.test(above) ? outer : undefined
  }
  if (own.length === outer.length || levels.has(own)) return undefined
  const shorter = [...levels].filter(({ length }) => length < own.length)
  return shorter.toSorted((a, b) => b.length - a.length)[0]
}

/** As in `? {` below a condition. */
const continues = /^\s*[?:.&|+*/,]/
const opensBlock = /(?:[{:]|=>|\b(?:do|then|else|begin))\s*$/
const endsStatement = /[;}]\s*$/

const indentWarning = (line: number, expected_indent: string, actual_indent: string): Warning => ({
  type: 'INDENTATION_INCONSISTENT',
  message: `Line ${line} is indented with ${JSON.stringify(actual_indent)}, while its surroundings use ${/^\s*$/.test(expected_indent) ? JSON.stringify(expected_indent) : expected_indent}.`,
  details: { expected_indent, actual_indent, line },
})

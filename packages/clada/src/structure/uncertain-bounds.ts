import { indentOf } from '@clada/reply/text/reindent.ts'
import { layoutOf } from './layout.ts'
import {
  structureFailure,
  type StructureFailure,
  type SourceError,
  lineRangeOf,
  type Outline,
  type Structure,
} from './structure.ts'
import type { Span } from '@clada/reply/text/edit.ts'

/**
 * Refuses a structure whose bounds are not certain. Where the parser lost its way, a brace that is missing makes the
 * structures below a part of the one above, and deleting that deletes them all. Errors elsewhere in the file do not matter,
 * nor do errors where the lines are indented as the bounds say.
 */
export function refuseUncertain(outline: Outline, structure: Structure, path: string): StructureFailure | undefined {
  const errors = outline.errorsIn(surroundings(outline, structure))
  if (errors.length === 0 || isIndentedConsistently(outline, structure)) return undefined
  const [first] = errors
  const place = first === undefined ? '' : ` (line ${first.line}: ${first.message})`
  return structureFailure(
    'PARSER_FAILED',
    `Where ${structure.header} begins and ends in ${path} is not certain: the parser reports a syntax error${place}. Correct the error first, or edit by text or by lines.`,
    { parse_errors: errors.map(({ line, column, message }: SourceError) => ({ line, column, message })) },
  )
}

/** A structure with its neighbours, or up to the ends of what it is in. */
function surroundings({ source, structures }: Outline, structure: Structure): Span {
  const { parent } = structure
  const siblings = parent === null ? structures : parent.children
  const at = siblings.indexOf(structure)
  return {
    start: siblings[at - 1]?.start ?? parent?.start ?? 0,
    end: siblings[at + 1]?.end ?? parent?.end ?? source.text.length,
  }
}

/** Whether the lines of a structure are deeper than its first one, and no such line follows it. */
function isIndentedConsistently(outline: Outline, structure: Structure): boolean {
  const { source } = outline
  const { ownLines, indent } = layoutOf(outline, structure)
  if (!ownLines) return false
  const [, last] = lineRangeOf(source, structure)
  const isFixed = fixedLines(outline, structure)
  for (let line = source.lineAt(structure.headerStart) + 1; line <= last; line++) {
    const text = source.line(line)
    if (text.trim() === '' || isFixed(line) || isDeeper(text, indent)) continue
    if (!goesOn.test(text.trim()) || !text.startsWith(indent)) return false
  }
  for (let line = last + 1; line <= source.lineCount; line++) {
    const text = source.line(line)
    if (text.trim() !== '') return !isDeeper(text, indent) && !/^[)\]}]/.test(text.slice(indent.length))
  }
  return true
}

const isDeeper = (line: string, indent: string): boolean => indentOf(line).length > indent.length

/** Lines that are as deep as the first one of a structure and are part of it all the same. */
const goesOn =
  /^(?:[)\]}{]|#|\/[/*]|\*|<\/|(?:end|fi|done|esac|else|elif|elsif|except|rescue|ensure|finally|catch|then|do|case|default|when|public|private|protected)\b)/

/** Lines inside comments and strings, which are indented as they like. */
function fixedLines({ source, comments, verbatim }: Outline, structure: Structure): (line: number) => boolean {
  const inside = [
    ...verbatim(structure),
    ...comments.filter(({ start, end }) => end > structure.start && start < structure.end),
  ]
  return (line) => inside.some(({ start, end }) => start < source.startOf(line) && source.startOf(line) < end)
}

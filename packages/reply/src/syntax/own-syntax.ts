import type { Block } from '../core/block.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import type { Source } from '../core/source.ts'
import { makeDiagnostic, type Reader, type Reading, Texts } from './reader.ts'
import type { Syntax } from './syntax.ts'

/** A syntax of a program that uses clada: looked for besides those of clada, in its replies only. */
export interface OwnSyntax {
  /** In results and reports. Small letters, digits and hyphens. */
  readonly name: string
  /** In sentences. Default: the name. */
  readonly title?: string | undefined
  /** Matches a line on which a block may begin. */
  readonly opens: RegExp
  /**
   * Reads the block that begins on a line, by its index. Undefined where none does; then the line is prose. A block with a
   * `problem`, such as a missing end, is reported and not run.
   */
  read(lines: readonly string[], first: number): OwnBlock | undefined
  /** How to write it, for prompts; Markdown. */
  readonly teaching?: string | undefined
}

/** What a block of such a syntax asks for. */
export interface OwnBlock {
  /** The index of its last line. */
  readonly last: number
  /** In order. Values are texts, as in every block. */
  readonly calls: readonly { readonly action: string; readonly params: Readonly<Record<string, string>> }[]
  readonly problem?: string | undefined
}

/** As a row of the table. Its blocks wait for the end of the input, where nothing more can change what they are. */
export const ownSyntaxRow = (own: OwnSyntax): Syntax => ({
  kind: 'native',
  title: own.title ?? own.name,
  waits: true,
  opener: own.opens,
  // A line that it does not take is prose.
  marks: /(?!)/,
  paths: 'relative',
  ids: 'counted',
  coverage: 'own operations',
  reader: (source) => readerOf(own, source),
  throughDamage: () => undefined,
  corrected: () => undefined,
})

function readerOf(own: OwnSyntax, source: Source): Reader {
  // Without the flags by which an expression remembers where it was.
  const opens = new RegExp(own.opens.source, own.opens.flags.replaceAll(/[gy]/g, ''))
  let lines: readonly string[] | undefined
  let ahead = 0
  const linesOf = (): readonly string[] =>
    (lines ??= Array.from({ length: source.lineCount }, (_, at) => source.line(at + 1)))
  let count = 0
  return {
    seek(line) {
      if (ahead < line) ahead = line
      while (ahead <= source.lineCount && !opens.test(source.line(ahead))) ahead++
      return ahead <= source.lineCount ? ahead : Infinity
    },
    read(line) {
      const found = blockAt(own, linesOf(), line)
      if (found === undefined) return { blocks: [], diagnostics: [], next: line + 1 }
      return readingOf(own, source, line, found, () => String(++count))
    },
  }
}

/** Whatever goes wrong in it is a mistake in the text, so that the rest of the reply is read. */
function blockAt(own: OwnSyntax, lines: readonly string[], line: number): OwnBlock | undefined {
  try {
    const found = own.read(lines, line - 1)
    if (found === undefined) return undefined
    const { last } = found
    if (Number.isInteger(last) && last >= line - 1 && last < lines.length) return found
    return { last: line - 1, calls: [], problem: `the reader of ${own.name} gave ${last} as its last line` }
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error)
    return { last: line - 1, calls: [], problem: `the reader of ${own.name} failed: ${said}` }
  }
}

function readingOf(
  own: OwnSyntax,
  source: Source,
  line: number,
  { last, calls, problem }: OwnBlock,
  nextId: () => string,
): Reading {
  const endLine = last + 1
  const diagnostics: readonly Diagnostic[] =
    problem === undefined ? [] : [makeDiagnostic(source, line, { code: 'own-syntax', data: { said: problem } })]
  const raw = source.text.slice(source.startOf(line), source.endOf(endLine))
  const blocks = (calls.length === 0 && problem !== undefined ? [{ action: '', params: {} }] : calls).map(
    ({ action, params }): Block => ({
      syntax: own.name,
      id: nextId(),
      action,
      params: textsOf(params),
      startLine: line,
      endLine,
      diagnostics,
      raw,
    }),
  )
  return { blocks, diagnostics: [], next: endLine + 1 }
}

function textsOf(params: Readonly<Record<string, string>>): Texts {
  const texts = new Texts()
  for (const [name, value] of Object.entries(params)) texts[name] = String(value)
  return texts
}

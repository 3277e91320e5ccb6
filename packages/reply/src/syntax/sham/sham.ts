import type { Block } from '../../core/block.ts'
import type { Diagnostic } from '../../core/diagnostic.ts'
import { Source } from '../../core/source.ts'
import { refuse } from '../call.ts'
import { makeDiagnostic, type MakeReader, type ReadOptions, Texts } from '../reader.ts'
import { writeAssignment } from './assignment.ts'
import { correctSham, readDamagedSham } from './damage.ts'
import { type Follower, type FoundSham, type FoundBlock, readHeader } from './grammar.ts'
import {
  delimiterOf,
  endLine,
  ExactLines,
  headerLine,
  looksLikeHeader,
  type Name,
  parseHeader,
  seekHeader,
} from './lines.ts'
import { reportLesson, type Syntax, type Target } from '../syntax.ts'

const shamReader: MakeReader = (source, options) => {
  const { seek, read } = openSham(source, options)
  return {
    seek,
    read(line) {
      const found = read(line)
      const blocks = found.block === undefined ? [] : [shamBlock(source, found.block)]
      for (const follower of found.skipped) blocks.push(shamBlock(source, followerAt(source, follower)))
      const raw = found.block === undefined ? source.lines(line, Math.min(found.next - 1, source.lineCount)) : undefined
      const diagnostics =
        raw === undefined ? found.diagnostics : found.diagnostics.map((diagnostic) => ({ ...diagnostic, raw }))
      return { blocks, diagnostics, next: found.next }
    },
  }
}

/** The block rewritten, for reports: what was understood of it, in its own spelling. */
export function shamContentOf(block: Block): string {
  const source = new Source(block.raw)
  const found = openSham(source).read(1).block
  if (found === undefined) return block.raw.trimEnd()
  const lines = [source.line(1).trim()]
  const delimiter = delimiterOf(found.name)
  for (const [key, value] of Object.entries(found.properties)) {
    if (value.includes('\n') && !value.includes(delimiter)) lines.push(`${key} = <<'${delimiter}'`, value, delimiter)
    else lines.push(`${key} = ${JSON.stringify(value)}`)
  }
  lines.push(endLine(found.name))
  return lines.join('\n')
}

/**
 * What a report shows for a diagnostic: its block, or of a long one the header and the lines around the diagnostic. A block may have
 * a diagnostic in every line, so the whole of a long one is not repeated for each.
 */
export function shamContentOfDiagnostic(block: Block | undefined, diagnostic: Diagnostic): string {
  if (block === undefined) return diagnostic.excerpt.around.trimEnd()
  if (diagnostic.excerpt.around === '') return shamContentOf(block)
  const { raw } = block
  if (raw.length <= wholeUpTo) return raw.trimEnd()
  const header = raw.slice(0, raw.indexOf('\n')).trimEnd()
  const around = diagnostic.excerpt.around.split('\n')
  const from = around.findIndex((line) => line.trimEnd() === header)
  const lines = from === -1 ? [header, ...around] : around.slice(from)
  const next = lines.findIndex((line, at) => at > 0 && looksLikeHeader(line))
  return (next === -1 ? lines : lines.slice(0, next)).join('\n').trimEnd()
}

const wholeUpTo = 2000

/** The headers of a text, and what each opens. */
export function openSham(
  source: Source,
  options: ReadOptions = {},
): { seek(line: number): number; read(line: number): FoundSham } {
  const lines = new ExactLines(source)
  let ahead = 0
  return {
    seek: (line) => (ahead >= line ? ahead : (ahead = seekHeader(source, line))),
    read: (line) => readHeader(lines, line, options),
  }
}

function shamBlock(source: Source, found: FoundBlock): Block {
  const { name, properties, startLine, endLine, lastLine, diagnostics } = found
  const params = new Texts()
  for (const key in properties) if (key !== 'action') params[key] = properties[key] ?? ''
  return {
    syntax: 'sham',
    id: name.id,
    action: properties['action'] ?? '',
    params,
    startLine,
    endLine,
    diagnostics,
    // With the line breaks of the text: a slice costs nothing, a copy of every block would.
    raw: source.text.slice(source.startOf(startLine), source.endOf(lastLine)),
  }
}

/** A header after a truncated heredoc, as a block that cannot run. */
function followerAt(source: Source, { name, line }: Follower): FoundBlock {
  const { length } = source.line(line)
  const diagnostic = makeDiagnostic(source, line, { code: 'sham-follows', data: { id: name.id }, column: 1, length })
  return { name, properties: {}, startLine: line, endLine: null, lastLine: line, diagnostics: [diagnostic] }
}

/** Whatever the texts hold, reading the block gives them back. */
const targetOfSham = (title: string, keyword: Name['keyword']): Target => ({
  title,
  open: () => ({
    call: ({ action, params }, id) =>
      action === '' ? refuse('must name an action') : { text: writeSham(action, params, { keyword, id }) },
  }),
})

export function writeSham(
  action: string,
  params: Readonly<Record<string, string | number | boolean>>,
  name: Name,
): string {
  const delimiter = delimiterOf(name)
  const lines = [['action', action] as const, ...Object.entries(params)].map(([key, value]) =>
    writeAssignment(key, String(value), delimiter),
  )
  return [headerLine(name), ...lines, endLine(name)].join('\n')
}

/** The block with other parameters, under its own name. */
export function rewriteSham(raw: string, action: string, params: Readonly<Record<string, string>>): string | undefined {
  const header = parseHeader(raw.slice(0, raw.indexOf('\n')))
  return header && writeSham(action, params, header.name)
}

const rules = [
  'A block begins with the line `#!SHAM [@three-char-SHA-256: id]` and ends with the line `#!END_SHAM_id`. The id is 2 to 8 letters or digits, a new one for every block.',
  'Between them, one parameter per line: `name = value`, from the first column. No comments, nothing else.',
  'A value is `"text"` on one line, a JSON string (`\\"` `\\\\` `\\n`); or a heredoc: `name = <<\'EOT_SHAM_id\'`, then lines taken as they are, nothing escaped, then `EOT_SHAM_id` on a line of its own. Use a heredoc for several lines, quotes or backslashes. Numbers and true/false are quoted too.',
  'The line break before the delimiter is not part of the text: for a file that ends with a line break, leave an empty line before the delimiter.',
]

export const sham = {
  reminder: [
    'No blocks found. Write each action as a block of lines, each from the first column:',
    'first #!SHAM [@three-char-SHA-256: abc] with an id of your own, then action = "file_write" or another action,',
    'then name = "value" for each parameter, or name = <<\'EOT_SHAM_abc\' followed by lines of text and EOT_SHAM_abc,',
    'last #!END_SHAM_abc.',
  ],
  title: 'SHAM',
  aliases: ['nesl'],
  report: 'llm',
  kind: 'native',
  waits: false,
  opener: /^#!\s*(?:SHAM|NESL)/i,
  closer: /#!end_/i,
  marks: /^#!\s*(?:(?:SHAM|NESL)\b|END_\w)/i,
  reader: shamReader,
  throughDamage: () => readDamagedSham,
  corrected: correctSham,
  paths: 'absolute',
  ids: 'written',
  coverage: 'all actions',
  targets: { sham: targetOfSham('SHAM', 'SHAM'), nesl: targetOfSham('NESL', 'nesl') },
  lesson: () => ({ rules, answer: reportLesson('id') }),
} satisfies Syntax

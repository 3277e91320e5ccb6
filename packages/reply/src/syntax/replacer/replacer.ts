import type { Block } from '../../core/block.ts'
import type { Diagnostic, Finding } from '../../core/diagnostic.ts'
import type { Source } from '../../core/source.ts'
import { FenceMap, lastContentLine } from '../../regions/fences.ts'
import { betweenMarkers, type Call, interpretCall, refuse, type Rendered, whyUnfitForLines } from '../call.ts'
import { makeDiagnostic, type MakeReader, Texts } from '../reader.ts'
import { reportLesson, type Syntax } from '../syntax.ts'
import { makeDamageReader, Tokens } from '../tokens.ts'
import { isOpener, lexReplacer, markerStart, parseBlock, type ParsedBlock, type SectionName } from './grammar.ts'

const replacerReader: MakeReader = (source) => {
  const tokens = Tokens.exact(source, lexReplacer)
  let ahead = 0
  let count = 0
  return {
    seek: (line) => (ahead >= line ? ahead : (ahead = tokens.next(line)?.line ?? Infinity)),
    read(line) {
      const parsed = parseBlock(tokens, line)
      if (parsed !== undefined)
        return { blocks: [replacerBlock(source, parsed, String(++count))], diagnostics: [], next: parsed.last + 1 }
      const diagnostic = diagnosticOn(source, line, { code: 'replacer-stray-end' })
      return { blocks: [], diagnostics: [diagnostic], next: line + 1 }
    },
  }
}

const diagnosticOn = (source: Source, line: number, finding: Finding): Diagnostic =>
  makeDiagnostic(source, line, { ...finding, column: 1, length: source.line(line).trimEnd().length })

function replacerBlock(source: Source, { start, end, last, sections, findings }: ParsedBlock, id: string): Block {
  const texts: { [name in SectionName]?: string | undefined } = {}
  for (const section of sections) {
    const text = source.lines(section.line + 1, section.last)
    if (section.name === 'FILE')
      texts.FILE ??= text
        .split('\n')
        .find((line) => line.trim() !== '')
        ?.trim()
    else texts[section.name] = text
  }
  const { FILE: path, SEARCH: search, REPLACE: replace, OVERWRITE: overwrite } = texts
  const explanation = texts.EXPLANATION?.trim()
  const params = new Texts()
  let action = ''
  if (path !== undefined) params['path'] = path
  if (overwrite !== undefined) {
    action = 'file_write'
    params['content'] = overwrite
  } else if (search !== undefined || replace !== undefined) {
    action = 'file_replace_text'
    if (search !== undefined) params['old_text'] = search
    // A line of nothing but a space is how a deletion is written; that space is not to stay in the file.
    if (replace !== undefined) params['new_text'] = replace.trim() === '' ? '' : replace
  }
  return {
    syntax: 'replacer',
    id,
    action,
    params,
    startLine: start,
    endLine: end,
    diagnostics: findings.map((finding) => diagnosticOn(source, finding.line ?? start, finding)),
    raw: source.text.slice(source.startOf(start), source.endOf(end ?? lastInFence(source, start, last))),
    rootNameMayLead: true,
    explanation: explanation || undefined,
    warnings: replace === '' ? [emptyReplace] : undefined,
  }
}

/** The last line of a block that reaches to the end of the text because it is not closed, in the fence that it is in. */
function lastInFence(source: Source, start: number, last: number): number {
  if (last < source.lineCount) return last
  const around = new FenceMap(source).all.find((fence) => fence.first < start && start <= fence.last && fence.isClosed)
  return around === undefined ? last : lastContentLine(around)
}

const emptyReplace =
  'an empty <<<REPLACE>>> deletes the text of <<<SEARCH>>>; to delete without this warning, put a line with one space in it'

function writeReplacer(call: Call): Rendered {
  const meaning = interpretCall(call)
  if ('refused' in meaning) return meaning
  if (meaning.kind === 'write') {
    if (meaning.append) return refuse('cannot append')
    return writeSections(call, meaning.path, [['OVERWRITE', meaning.content]])
  }
  if (meaning.kind !== 'edit') return refuse(`cannot write ${call.action}`)
  const { old, replacement, count, path } = meaning
  const [search, end] = old
  if (end !== undefined) return refuse('cannot replace a range given by its beginning and end')
  if (count !== '1') return refuse('can only replace text that occurs exactly once')
  if (search.trim() === '') return refuse('needs a <<<SEARCH>>> that is not only white space')
  if (replacement !== '' && replacement.trim() === '')
    return refuse('reads a <<<REPLACE>>> of only white space as empty')
  // A blank line says that the deletion is meant; nothing at all would be warned of.
  return writeSections(call, path, [
    ['SEARCH', search],
    ['REPLACE', replacement === '' ? ' ' : replacement],
  ])
}

function writeSections({ explanation = '' }: Call, path: string, edit: readonly WrittenSection[]): Rendered {
  if (path === '' || path !== path.trim() || /[\r\n]/.test(path)) {
    return refuse('needs a path on one line, without white space around it')
  }
  const why: readonly WrittenSection[] = explanation === '' ? [] : [['EXPLANATION', explanation]]
  const sections: readonly WrittenSection[] = [...why, ['FILE', path], ...edit]
  for (const [, text] of sections) {
    const unfit = whyUnfitForLines(text)
    if (unfit !== undefined) return refuse(unfit)
    const marker = text.split('\n').find((line) => lexReplacer(line, 'exact') !== undefined)
    if (marker !== undefined) return refuse(`would end the content at its line ${marker}`)
  }
  return { text: `${sections.map(([name, text]) => `<<<${name}>>>\n${betweenMarkers(text)}`).join('')}<<<END>>>` }
}

type WrittenSection = readonly [name: SectionName, text: string]

/** A whole block through damage. Where another END follows, the one that was found may be content. */
const readThroughDamage = makeDamageReader(lexReplacer, (tokens, start) => {
  if (!isOpener(tokens.at(start)?.name)) return undefined
  let parsed = parseBlock(tokens, start)
  // Where the next EXPLANATION comes before the END, the two are read together, so that the mistake can be reported.
  while (parsed?.end === null && parsed.last < tokens.lineCount) parsed = parseBlock(tokens, parsed.last + 1)
  const end = parsed?.end ?? null
  if (end === null) return undefined
  const next = tokens.after(end)
  return next === undefined || isOpener(next.name) ? tokens.marked(start, end) : undefined
})

/** Blocks with the END that is missing before the next one or at the end of the text. */
function addMissingEnds(raw: string): string {
  const lines: string[] = []
  let path: readonly string[] = []
  let section: SectionName | 'END' = 'END'
  let first = 0
  const end = (): void => {
    // Empty lines before the next block separate the two.
    while (lines.at(-1)?.trim() === '') lines.pop()
    lines.push('<<<END>>>')
  }
  for (const row of raw.split(/\r?\n/)) {
    const name = lexReplacer(row, 'exact')?.name
    if (name !== undefined) {
      if (section === 'FILE') path = lines.slice(first)
      const isOpen = section === 'REPLACE' || section === 'OVERWRITE'
      if (isOpen && name !== 'END') {
        end()
        lines.push('')
        // A further edit of the same file.
        if (!isOpener(name)) lines.push('<<<FILE>>>', ...path)
      }
      section = name
      first = lines.length + 1
    }
    lines.push(row)
  }
  if (section === 'REPLACE' || section === 'OVERWRITE') end()
  return lines.join('\n')
}

const rules = [
  'Every block says why, names its file, and makes one change. Each marker has a line to itself, from the first column.',
  'Content is the lines between two markers, taken as they are, nothing escaped. The line break before the closing marker is not part of it: for a file that ends with a line break, leave an empty line before `<<<END>>>`. Content cannot contain a line that is a marker.',
  'To delete text, put one line with a single space below `<<<REPLACE>>>`.',
  'Blocks can only write and edit files. To see a file, to delete or move one, or to run a command, ask me.',
]

export const replacer = {
  reminder: [
    'No blocks found. Write each edit between markers, each marker alone on its line, from the first column:',
    'a line <<<FILE>>>, the path, <<<SEARCH>>>, the old lines, <<<REPLACE>>>, the new lines, <<<END>>>;',
    'for a whole file <<<OVERWRITE>>> and its lines instead of SEARCH and REPLACE.',
  ],
  title: "the replacer's syntax",
  report: 'llm',
  kind: 'native',
  waits: false,
  opener: /^<<</,
  marks: markerStart,
  closer: /<<<END>>>/i,
  reader: replacerReader,
  throughDamage: () => readThroughDamage,
  corrected: addMissingEnds,
  paths: 'relative',
  ids: 'counted',
  coverage: 'own operations',
  targets: {
    replacer: {
      title: "the replacer's syntax",
      explains: true,
      dropsRootName: true,
      open: () => ({ call: writeReplacer }),
    },
  },
  lesson: () => ({ rules, answer: reportLesson('number') }),
} satisfies Syntax

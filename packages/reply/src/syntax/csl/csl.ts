import type { Block, BlockGroup } from '../../core/block.ts'
import type { Diagnostic } from '../../core/diagnostic.ts'
import type { Source } from '../../core/source.ts'
import {
  betweenMarkers,
  type Call,
  type Edit,
  interpretCall,
  refuse,
  type Refused,
  type Rendered,
  whyUnfitForLines,
} from '../call.ts'
import { CslParser, type CslOperation, type CslTasks } from './grammar.ts'
import { isCloser, isOperation, lexCsl, cslMarkerStart, parseMarker } from './marker.ts'
import {
  readCall,
  checkOperation,
  checkTasks,
  isTrue,
  skippedDiagnostic,
  warnOfUnknownAttributes,
} from './operation.ts'
import type { Delimiters, MakeReader, ReadOptions } from '../reader.ts'
import { type Lesson, plainReportLesson, reportLesson, type Syntax, type SyntaxWriter } from '../syntax.ts'
import { makeDamageReader, Tokens } from '../tokens.ts'

const defaultDelimiters: Delimiters = { start: '<---', end: '--->' }

const cslReader: MakeReader = (source, options = {}) => {
  const tokens = Tokens.exact(source, lexCsl(options.cslDelimiters ?? defaultDelimiters))
  const parser = new CslParser(tokens, options)
  let ahead = 0
  return {
    seek: (line) => (ahead >= line ? ahead : (ahead = tokens.next(line)?.line ?? Infinity)),
    read(line) {
      const token = tokens.at(line)
      if (token === undefined) return { blocks: [], diagnostics: none, next: line + 1 }
      const found = parser.read(line, token)
      const { next } = found
      switch (found.kind) {
        case 'stray':
          return { blocks: [], diagnostics: found.diagnostics, next }
        case 'operation':
          return {
            blocks: [cslBlock(source, found.operation, diagnosticsOf(source, found.operation))],
            diagnostics: none,
            next,
          }
        case 'tasks':
          return { ...groupMembers(source, found.tasks), next }
      }
    },
    fatal: () => parser.fatal,
  }
}

/** An empty TASKS gives no block and takes no number. */
function groupMembers(
  source: Source,
  tasks: CslTasks,
): { blocks: Block[]; diagnostics: Diagnostic[]; emptyGroups?: readonly number[] } {
  const { line, attributes, operations } = tasks
  const own = [...tasks.diagnostics, ...checkTasks(source, tasks)]
  const diagnostics = operations.map((operation) => diagnosticsOf(source, operation))
  const because = whyNoneRuns(tasks, own, diagnostics)
  const group = { line, atomic: isTrue(attributes.get('atomic')?.value) }
  const warnings = warnOfUnknownAttributes('TASKS', attributes)
  const blocks = operations.map((operation, i) => {
    let found = diagnostics[i] ?? []
    if (found.length === 0 && because !== undefined) found = [skippedDiagnostic(source, operation, because)]
    // Once for all of them.
    return cslBlock(source, operation, found, group, i === 0 ? warnings : [])
  })
  return { blocks, diagnostics: own, emptyGroups: operations.length === 0 ? [line] : undefined }
}

/** Why none of the operations can run, if so. */
function whyNoneRuns(
  tasks: CslTasks,
  own: readonly Diagnostic[],
  diagnostics: readonly (readonly Diagnostic[])[],
): { readonly line: number; readonly name?: string } | undefined {
  const bad = tasks.operations[diagnostics.findIndex((found) => found.length > 0)]
  return bad === undefined ? own[0] && { line: own[0].range.line } : { line: bad.line, name: bad.name }
}

function diagnosticsOf(source: Source, operation: CslOperation): readonly Diagnostic[] {
  return operation.diagnostics.length > 0 ? operation.diagnostics : checkOperation(source, operation)
}

const none: readonly never[] = []

function cslBlock(
  source: Source,
  operation: CslOperation,
  diagnostics: readonly Diagnostic[],
  group?: BlockGroup,
  inherited: readonly string[] = none,
): Block {
  const { id, name, line, endLine, lastLine, attributes } = operation
  const { action, params } = readCall(operation)
  const unknown = warnOfUnknownAttributes(name, attributes)
  const block: { -readonly [key in keyof Block]: Block[key] } = {
    syntax: 'csl',
    id,
    label: name,
    action,
    params,
    startLine: line,
    endLine,
    diagnostics,
    raw: source.text.slice(source.startOf(line), source.endOf(lastLine)),
  }
  // Added, not spread: a copy of every block would cost more than reading it.
  if (group !== undefined) block.group = group
  if (inherited.length + unknown.length + operation.warnings.length > 0)
    block.warnings = [...inherited, ...unknown, ...operation.warnings]
  return block
}

/** A whole operation or TASKS through damage. Where another END follows, the one that was found may be content. */
const readThroughDamage = makeDamageReader(lexCsl(defaultDelimiters), (tokens, start) => {
  const first = tokens.at(start)
  if (first === undefined || !isOperation(first.name)) return undefined
  const found = new CslParser(tokens).read(start, first)
  if (found.kind === 'stray') return undefined
  // Of TASKS without an END nothing may run: the operations in it are repaired with it, so that the mistake is seen.
  const { endLine } = found.kind === 'operation' ? found.operation : closedPart(found.tasks)
  if (endLine === null) return undefined
  if (first.name === 'READ') return tokens.marked(start, endLine)
  const next = tokens.after(endLine, ({ name }) => isOperation(name) || isCloser(name))
  return isCloser(next?.name ?? '') ? undefined : tokens.marked(start, endLine)
})

const closedPart = (tasks: CslTasks): Pick<CslTasks, 'endLine'> =>
  tasks.endLine === null ? (tasks.operations.at(-1) ?? tasks) : tasks

/** An operation with its attributes in quotes and an END; undefined where another operation may begin in its content. */
function correctOperation(
  raw: string,
  { cslDelimiters: { start, end } = defaultDelimiters }: ReadOptions,
): string | undefined {
  const [first = '', ...rows] = raw.split(/\r?\n/)
  const [, name, attributes = ''] = /^(\w+)(.*)$/.exec(withoutEnds(first.trim(), start, end)) ?? []
  if (name === undefined) return undefined
  const written = attributes.replace(ATTRIBUTE, (_, key: string, value: string) => ` ${key}=${asQuoted(value)}`)
  const lines = [`${start}${name} ${written.trim()}`.trimEnd() + end, ...rows]
  if (rows.some((row) => row.trim() === `${start}END${end}`)) return lines.join('\n')
  const own = name === 'SEARCH' ? [`${start}TO${end}`, `${start}REPLACE${end}`] : []
  if (rows.some((row) => row.startsWith(start) && !own.includes(row.trim()))) return undefined
  // A fence that closes what opened above the block is no content.
  if (rows.filter((row) => /^\s*(?:`{3}|~{3})/.test(row)).length % 2 === 1) return undefined
  while (lines.at(-1)?.trim() === '') lines.pop()
  return [...lines, `${start}END${end}`].join('\n')
}

const withoutEnds = (line: string, start: string, end: string): string =>
  line.slice(line.startsWith(start) ? start.length : 0, line.endsWith(end) ? -end.length : line.length)

const ATTRIBUTE = /\s*([\w-]+)\s*=\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s"']+)/g

/** One backslash that escapes nothing makes every one of them plain. */
function asQuoted(value: string): string {
  const inner = /^(["'])(.*)\1$/s.exec(value)?.[2]
  if (inner === undefined) return quotedValue(value)
  return /\\(?!["'\\])/.test(inner) ? quotedValue(inner) : value
}

class CslWriter implements SyntaxWriter {
  readonly #delimiters: Delimiters

  constructor(delimiters: Delimiters) {
    this.#delimiters = delimiters
  }

  call(call: Call): Rendered {
    const meaning = interpretCall(call)
    if ('refused' in meaning) return meaning
    switch (meaning.kind) {
      case 'write': {
        const append = meaning.append ? ' append="true"' : ''
        return this.#operation(`WRITE file=${quotedValue(meaning.path)}${append}`, meaning.path, [
          { text: meaning.content, closers: ['END'] },
        ])
      }
      case 'edit':
        return this.#search(meaning)
      case 'run': {
        const { command, dir } = meaning
        if (command === '') return refuse('does not allow an empty RUN')
        const attribute = dir === undefined ? '' : ` dir=${quotedValue(dir)}`
        return this.#operation(`RUN${attribute}`, dir ?? '.', [{ text: command, closers: ['END'] }])
      }
      case 'read': {
        const { path, lines } = meaning
        const unfit = this.#unfitAttribute(path) ?? (lines === undefined ? undefined : this.#unfitAttribute(lines))
        const range = lines === undefined ? '' : ` lines=${quotedValue(lines)}`
        return unfit ?? { text: this.#marker(`READ file=${quotedValue(path)}${range}`) }
      }
      case 'exec': {
        const { lang, code, dir, timeout } = meaning
        if (code === '') return refuse('does not allow an empty EXEC')
        const unfit = [lang, ...(timeout === undefined ? [] : [timeout])].map((one) => this.#unfitAttribute(one))
        const found = unfit.find((one) => one !== undefined)
        if (found !== undefined) return found
        const more = `${dir === undefined ? '' : ` dir=${quotedValue(dir)}`}${timeout === undefined ? '' : ` timeout=${quotedValue(timeout)}`}`
        return this.#operation(`EXEC lang=${quotedValue(lang)}${more}`, dir ?? '.', [{ text: code, closers: ['END'] }])
      }
      case 'move':
      case 'remove':
        return refuse(`cannot write ${call.action}`)
    }
  }

  /** Several operations that succeed or fail together. */
  group(texts: readonly string[], { atomic }: { atomic: boolean }): string {
    return [this.#marker(`TASKS${atomic ? ' atomic="true"' : ''}`), ...texts, this.#marker('END')].join('\n')
  }

  #search({ path, old: [first, end], replacement, count }: Edit): Rendered {
    if (first === '' || end === '') return refuse('does not allow an empty SEARCH or TO')
    // As the models are taught it: one place is not worth a count.
    const times = count === '1' ? '' : ` count=${quotedValue(count)}`
    return this.#operation(`SEARCH file=${quotedValue(path)}${times}`, path, [
      { text: first, closers: ['TO', 'REPLACE', 'END'] },
      ...(end === undefined ? [] : [{ opens: 'TO', text: end, closers: ['REPLACE'] }]),
      { opens: 'REPLACE', text: replacement, closers: ['END'] },
    ])
  }

  #operation(opening: string, attribute: string, parts: readonly WrittenPart[]): Rendered {
    const unfit = this.#unfitAttribute(attribute) ?? this.#unfitPart(parts)
    if (unfit !== undefined) return unfit
    const lines = parts.map(({ opens, text }) => `${this.#marker(opens ?? opening)}\n${betweenMarkers(text)}`)
    return { text: `${lines.join('')}${this.#marker('END')}` }
  }

  #unfitAttribute(value: string): Refused | undefined {
    if (value === '') return refuse('does not allow an empty file or dir')
    if (/[\r\n]/.test(value)) return refuse('does not allow a line break in an attribute')
    const unfit = whyUnfitForLines(value)
    return unfit === undefined ? undefined : refuse(unfit)
  }

  #unfitPart(parts: readonly WrittenPart[]): Refused | undefined {
    for (const { text, closers } of parts) {
      const unfit = whyUnfitForLines(text)
      if (unfit !== undefined) return refuse(unfit)
      const marker = this.#closerIn(text, closers)
      if (marker !== undefined) return refuse(`would end the content at its line ${marker}`)
    }
    return undefined
  }

  /** The first line that would be read as a marker. */
  #closerIn(text: string, closers: readonly string[]): string | undefined {
    const { start } = this.#delimiters
    if (!text.includes(start)) return undefined
    return text.split('\n').find((line) => {
      if (!line.startsWith(start)) return false
      const marker = parseMarker(line, this.#delimiters)
      return marker !== undefined && closers.includes(marker.name)
    })
  }

  #marker(inner: string): string {
    return this.#delimiters.start + inner + this.#delimiters.end
  }
}

interface WrittenPart {
  /** The marker above it; the operation's own when there is none. */
  readonly opens?: string
  readonly text: string
  /** What is a marker in it. */
  readonly closers: readonly string[]
}

const quotedValue = (value: string): string => `"${value.replace(/["\\]/g, '\\$&')}"`

function lesson({ cslDelimiters: { start, end } = defaultDelimiters }: ReadOptions): Lesson {
  const mark = (inner: string): string => `\`${start}${inner}${end}\``
  return {
    rules: [
      `Markers are whole lines, from the first column; every operation ends with ${mark('END')}. Attributes are \`name="value"\`; write \`\\"\` and \`\\\\\` for a quote and a backslash in a value.`,
      `Content is the lines between two markers, taken as they are, nothing escaped. The line break before the closing marker is not part of it: for a file that ends with a line break, leave an empty line before ${mark('END')}.`,
      `Content cannot contain a line that is its own closing marker. Elsewhere no line may begin with \`${start}\` unless it is a marker: one malformed marker stops the whole reply.`,
      `Operations that depend on each other go between ${mark('TASKS')} and ${mark('END')}: the first failure skips the rest; with \`atomic="true"\` on TASKS, all files change or none.`,
    ],
    answer: [
      ...reportLesson('number'),
      plainReportLesson(
        '`[task-N] SUCCESS`, `ERROR` or `SKIP` with the reason, `[task-N:exec]` for what was printed, and `FATAL` where nothing ran',
      ),
    ],
  }
}

export const csl = {
  reminder: [
    'No blocks found. Write each operation between markers, each marker alone on its line, from the first column.',
    'An edit: <---SEARCH file="PATH"--->, the old lines, <---REPLACE--->, the new lines, <---END--->.',
    'A file: <---WRITE file="PATH"--->, its lines, <---END--->. A command: <---RUN--->, the command, <---END--->.',
  ],
  title: 'CSL',
  kind: 'native',
  // An error anywhere stops every operation.
  waits: true,
  opener: /^<-{2,}/,
  marks: cslMarkerStart,
  reader: cslReader,
  // Damage to delimiters that are not the usual ones cannot be recognised.
  throughDamage: ({ cslDelimiters }) => (cslDelimiters === undefined ? readThroughDamage : undefined),
  corrected: correctOperation,
  paths: 'relative',
  ids: 'counted',
  coverage: 'own operations',
  errorsMayBeProse: true,
  groups: { checked: 'whole', numbers: 'nested' },
  targets: {
    csl: { title: 'CSL', open: ({ cslDelimiters = defaultDelimiters }): SyntaxWriter => new CslWriter(cslDelimiters) },
  },
  lesson,
} satisfies Syntax

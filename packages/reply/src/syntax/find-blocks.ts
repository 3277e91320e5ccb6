import {
  type Block,
  type Document,
  type EmptyGroup,
  isComplete,
  type NotExecutedReason,
  type SkippedBlock,
} from '../core/block.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import { blankOut, type LineRange, rangeFinder, Source } from '../core/source.ts'
import { isQuotedWhole, unquoteWhole } from '../regions/quotations.ts'
import { commentsIn, mayHoldComment } from '../regions/comments.ts'
import { mayHoldTranscript, transcriptsIn } from '../regions/transcripts.ts'
import { mayHoldOutput, outputsIn } from '../regions/outputs.ts'
import { quotationsIn, reportsIn, reportSigns } from '../regions/reports.ts'
import { mayThink, thoughtsIn, withoutTokens } from '../regions/thoughts.ts'
import { unwrapWhole } from '../regions/wrapper.ts'
import { sortByLine, listInPassages, asSkippedBlock, findUnreadMarkers } from './skipped-blocks.ts'
import { flagEscapedTexts } from './damage.ts'
import { repairDocument, type Walks } from './repair.ts'
import { addOtherForms } from './other-forms.ts'
import { findProposedFiles } from './proposal/proposal.ts'
import { isConditional } from './conditional.ts'
import { Quotations } from './quoted-blocks.ts'
import { makeDiagnostic, type Reader, type Reading, type ReadOptions } from './reader.ts'
import { type SyntaxName, syntaxNames, syntaxOf } from './table.ts'
import { unlessEmpty } from '../core/optional.ts'

export interface FindOptions extends ReadOptions {
  /** The only syntaxes to look for; all by default. */
  readonly syntaxes?: readonly SyntaxName[] | undefined
  /** Names of syntaxes of the caller's own, which are looked for in any case. */
  readonly own?: readonly string[] | undefined
  /** Whether native blocks precede this text. */
  readonly nativeBefore?: boolean | undefined
  /** Whether whole files are looked for in a text without blocks; only `off` is asked for here. */
  readonly proposals?: 'ask' | 'apply' | 'off' | undefined
}

/** Every block in a text, in order of appearance. Never throws: a broken block is there with its diagnostics. */
export function findBlocks(given: Source, options: FindOptions = {}): Document {
  const { source, skipped } = blankOutReasoningAndReports(given, options, 'whole')
  const { notExecuted, ...found } = findIntendedBlocks(source, options, given)
  return { ...found, notExecuted: sortByLine([...skipped, ...notExecuted]) }
}

/** A text without reports of clada's own and thoughts of the model, what is in those, and the line of one that is open. */
export function blankOutReasoningAndReports(
  given: Source,
  options: FindOptions,
  extent: 'whole' | 'part',
): { source: Source; skipped: readonly SkippedBlock[]; open: number } {
  let source = given
  let open = Infinity
  const skipped: SkippedBlock[] = []
  const without = (
    passages: readonly LineRange[],
    document: Document,
    why: Pick<SkippedBlock, 'reason' | 'sign'>,
  ): void => {
    if (passages.length === 0) return
    const found = listInPassages(
      passages,
      withProposedFiles(source, document, options),
      why.reason,
      (name) => syntaxOf(name).title,
    )
    skipped.push(...found.map((one) => ({ ...one, ...why })))
    source = blankOut(source, passages)
  }
  let signs = reportSigns(source)
  if (signs.mayReport) {
    const document = readBlocks(source, options)
    const reports = reportsIn(source, document.blocks)
    const last = reports.at(-1)
    if (last !== undefined && last.last >= source.lineCount - 1) open = last.first
    without(reports, document, { reason: 'quoted' })
    if (reports.length > 0) signs = reportSigns(source)
  }
  // Whether a block comes from a piece of a report is seen by the whole text.
  if (extent === 'part') open = Math.min(open, signs.quoted)
  else if (signs.quoted !== Infinity) {
    const document = options.strict ? readBlocks(source, options) : readThroughDamage(source, options)
    const all = [...document.blocks, ...document.notExecuted.flatMap(({ block }) => block ?? [])]
    const blocks = all.sort((a, b) => a.startLine - b.startLine)
    const pieces = quotationsIn(source, blocks, options.nativeBefore ?? false)
    without(pieces, { ...document, blocks, notExecuted: [] }, { reason: 'quoted', sign: 'one-space' })
  }
  for (const { mayHold, find } of quoted) {
    if (!mayHold(source, extent)) continue
    const document = readBlocks(source, options)
    const passages = find(source, document)
    if (extent === 'part') open = Math.min(open, passages.open ?? Infinity)
    without(passages.closed, document, { reason: 'quoted' })
  }
  if (mayThink(source)) {
    const document = readBlocks(source, options)
    const thoughts = thoughtsIn(source, document, !options.nativeBefore)
    open = Math.min(open, thoughts.open ?? Infinity)
    without(thoughts.closed, document, { reason: 'thought' })
  }
  return { source: withoutTokens(source), skipped, open }
}

/** What is quoted by the lines around it. */
const quoted = [
  { mayHold: mayHoldOutput, find: outputsIn },
  { mayHold: mayHoldComment, find: commentsIn },
  { mayHold: mayHoldTranscript, find: transcriptsIn },
]

function findIntendedBlocks(source: Source, options: FindOptions, given: Source): Document {
  const document = options.strict ? readBlocks(source, options) : readThroughDamage(source, options, given)
  const read = addProposals(source, dropCallsInFiles(source, document, options), options)
  const whole = options.strict ? read : { ...read, blocks: flagEscapedTexts(source, read.blocks) }
  // A caller that asks for some syntaxes only gets no report of others.
  const isAsked = options.syntaxes !== undefined && (options.nativeBefore || whole.blocks.length > 0)
  return isAsked ? whole : addOtherForms(unwrapWhole(source), whole, otherFormsOptions(options))
}

/** For lines that nothing has read so far. */
export const otherFormsOptions = (options: FindOptions): Parameters<typeof addOtherForms>[2] => ({
  nativeBefore: options.nativeBefore ?? false,
  read(source) {
    const { blocks, notExecuted } = readBlocks(source, { ...options, own: [], nativeBefore: false })
    return sortByLine([
      ...blocks.map((block) => asSkippedBlock(block, syntaxOf(block.syntax).title, 'unreadable')),
      ...notExecuted,
      ...listProposedFiles(source, options),
    ])
  },
})

/** The whole files of a text. */
const listProposedFiles = (source: Source, options: FindOptions): SkippedBlock[] =>
  (looksForProposals(options) ? findProposedFiles(source) : []).map(({ line, last, found, reason = 'unreadable' }) => ({
    line,
    endLine: last,
    what: 'whole file',
    path: found.params['path'] ?? found.params['old_path'],
    reason,
  }))

/** A document with the whole files that no block of it has taken. */
function withProposedFiles(source: Source, document: Document, options: FindOptions): Document {
  const isFree = freeLines(source, document)
  const files = listProposedFiles(source, options).filter(({ line, endLine }) => isFree({ first: line, last: endLine }))
  return { ...document, notExecuted: [...document.notExecuted, ...files] }
}

/** Whether lines belong to nothing that was read. They are asked about in order. */
function freeLines(
  source: Source,
  { blocks, notExecuted }: Pick<Document, 'blocks' | 'notExecuted'>,
): (lines: LineRange) => boolean {
  const taken = [
    ...blocks.map(({ startLine, endLine }) => ({ first: startLine, last: endLine ?? source.lineCount })),
    ...notExecuted.map(({ line, endLine }) => ({ first: line, last: endLine })),
  ]
  taken.sort((a, b) => a.first - b.first)
  let at = 0
  return ({ first, last }) => {
    while ((taken[at]?.last ?? Infinity) < first) at++
    return (taken[at]?.first ?? Infinity) > last
  }
}

/** Without calls that are lines of a whole file: one for agents has samples of them. A call names the file above its fence. */
function dropCallsInFiles(source: Source, document: Document, options: FindOptions): Document {
  const isCall = ({ syntax }: Block): boolean => syntax === 'xml-call' || syntax === 'json-call'
  const calls = [...document.blocks, ...document.notExecuted.flatMap(({ block }) => block ?? [])].filter(isCall)
  if (calls.length === 0 || !looksForProposals(options)) return document
  const files = findProposedFiles(source).filter(
    ({ found, reason }) => found.action === 'file_write' && reason === undefined,
  )
  const fileAt = rangeFinder(files, ({ line, last }) => ({ first: line, last }))
  const isContent = (block: Block): boolean => {
    const file = isCall(block) ? fileAt(block.startLine) : undefined
    const [own = '', path = ''] = [block.params['path'], file?.found.params['path']]
    return file !== undefined && file.line < block.startLine && !own.endsWith(path) && !path.endsWith(own || '\0')
  }
  return {
    ...document,
    blocks: document.blocks.filter((block) => !isContent(block)),
    notExecuted: document.notExecuted.filter(({ block }) => block === undefined || !isContent(block)),
  }
}

/** Adds the whole files of a text that are no part of what was read. */
function addProposals(source: Source, document: Document, options: FindOptions): Document {
  const { blocks } = document
  if (!looksForProposals(options)) return document
  const all = findProposedFiles(source)
  // The header of a hunk without a file is a marker that no other syntax reads.
  const hunks = all.filter(({ found }) => found.action === 'file_patch')
  const notExecuted = document.notExecuted.filter(
    ({ block, line }) => block !== undefined || !hunks.some((hunk) => hunk.line <= line && line <= hunk.last),
  )
  const isFree = freeLines(source, { blocks, notExecuted })
  const places = all.filter(({ line, last }) => isFree({ first: line, last }))
  if (places.length === 0) return document
  const listed = places.flatMap(({ reason, line, last, found }): SkippedBlock[] =>
    reason === undefined ? [] : [{ line, endLine: last, what: 'whole file', path: found.params['path'] ?? '', reason }],
  )
  const free = new Set(places.filter(({ reason }) => reason === undefined).map(({ line }) => line))
  const proposed = readBlocks(source, { ...options, syntaxes: ['proposal'], own: [] })
  return {
    ...document,
    blocks: byLine([...blocks, ...proposed.blocks.filter(({ startLine }) => free.has(startLine))]),
    notExecuted: sortByLine([...notExecuted, ...listed, ...proposed.notExecuted.filter(({ line }) => free.has(line))]),
  }
}

const byLine = (blocks: Block[]): readonly Block[] => blocks.sort((a, b) => a.startLine - b.startLine)

/** Whether whole files are looked for. */
export const looksForProposals = ({ syntaxes = syntaxNames, proposals }: FindOptions): boolean =>
  proposals !== 'off' && syntaxes.includes('proposal')

/** The blocks of a text, without repairing damage. */
export function readBlocks(source: Source, options: FindOptions): Document {
  const finder = new BlockFinder(source, options)
  while (finder.step() !== undefined);
  return finder.document()
}

/** The blocks of a text, also where a chat program has damaged its markers. `given`: with all that was left out of it. */
function readThroughDamage(source: Source, options: FindOptions, given = source): Document {
  const read = (text: Source): Document => readBlocks(text, options)
  const { nativeBefore = false } = options
  const damage = { walks: makeWalks(options), soundBefore: nativeBefore, given, read }
  const document = repairDocument(source, read(source), damage)
  if (nativeBefore || document.blocks.some(isComplete) || !isQuotedWhole(given)) return document
  return readUnquoted(source, document, (text) => repairDocument(text, read(text), { ...damage, given: text }))
}

/** What a text gives in which no block is complete and every line is quoted, without the quotation marks. `verbatim`: with them. */
function readUnquoted(source: Source, verbatim: Document, read: (source: Source) => Document): Document {
  const unquoted = unquoteWhole(source)
  if (unquoted === undefined) return verbatim
  const { rows, prefix } = unquoted
  const { blocks, ...rest } = read(new Source(rows.join('\n')))
  const [first, ...others] = blocks
  if (first === undefined || (verbatim.blocks.length > 0 && !blocks.some(isComplete))) return verbatim
  const warning = `the whole text was read without the "${prefix.trim()}" before every line`
  return { ...rest, blocks: [{ ...first, warnings: [warning, ...(first.warnings ?? [])] }, ...others] }
}

export function makeWalks(options: FindOptions): Walks {
  const { syntaxes = syntaxNames } = options
  return new Map(
    syntaxNames.flatMap((name) => {
      const syntax = syntaxOf(name)
      const walk = syntax.kind === 'native' && syntaxes.includes(name) ? syntax.throughDamage(options) : undefined
      return walk === undefined || syntax.kind !== 'native' ? [] : [[name, { opener: syntax.opener, walk }] as const]
    }),
  )
}

const isNative = ({ syntax }: Pick<Block, 'syntax'>): boolean => syntaxOf(syntax).kind === 'native'
const isProposal = ({ syntax }: Pick<Block, 'syntax'>): boolean => syntaxOf(syntax).kind === 'proposal'

interface NamedReader {
  readonly syntax: string
  readonly reader: Reader
  /** Foreign readers skip the lines up to here. */
  from: number
}

/** Reads a text block by block, so that a caller may stop in between. */
export class BlockFinder {
  readonly #readers: readonly NamedReader[]
  readonly #blocks: Block[] = []
  readonly #diagnostics: (Diagnostic & { readonly syntax: string })[] = []
  readonly #nativeBefore: boolean
  readonly #source: Source
  /** The lines of every reading that found something. */
  readonly #read: LineRange[] = []
  readonly #emptyGroups: EmptyGroup[] = []
  #line = 1

  constructor(source: Source, { syntaxes, own = [], nativeBefore = false, ...options }: FindOptions) {
    this.#source = source
    this.#nativeBefore = nativeBefore
    const wanted = syntaxNames.filter((name) => syntaxes?.includes(name) ?? syntaxOf(name).kind !== 'proposal')
    this.#readers = [...own, ...wanted].map((syntax) => ({
      syntax,
      reader: syntaxOf(syntax).reader(source, options),
      from: 0,
    }))
  }

  /** Reads what comes next; undefined at the end of the text. */
  step(): Reading | undefined {
    let first = Infinity
    let found: NamedReader | undefined
    for (const candidate of this.#readers) {
      const at = candidate.reader.seek(Math.max(this.#line, candidate.from))
      if (at >= first) continue
      first = at
      found = candidate
    }
    if (found === undefined) return undefined
    const { syntax, reader } = found
    const reading = reader.read(first)
    for (const block of reading.blocks) this.#blocks.push(block)
    for (const diagnostic of reading.diagnostics) this.#diagnostics.push({ ...diagnostic, syntax })
    const { emptyGroups = [] } = reading
    this.#emptyGroups.push(...emptyGroups.map((line) => ({ syntax, line })))
    if (reading.blocks.length + reading.diagnostics.length + emptyGroups.length > 0)
      this.#read.push({ first, last: reading.next - 1 })
    // An unfinished foreign block would swallow native ones; other foreign blocks may be its content.
    const open = !isNative({ syntax }) && reading.blocks.some((block) => block.endLine === null)
    if (open) for (const other of this.#readers) if (!isNative(other)) other.from = reading.next
    this.#line = open ? first + 1 : reading.next
    return reading
  }

  document(): Document {
    const quotations = new Quotations(this.#source)
    const all = this.#unlessFatal()
    const aside = new Map<Block, NotExecutedReason>()
    all.forEach((block) => {
      const reason = quotations.reasonFor(block)
      if (reason !== undefined) aside.set(block, reason)
    })
    const { diagnostics, warnings } = this.#judged(all)
    const isBesideNative =
      this.#nativeBefore || diagnostics.length > 0 || all.some((block) => isNative(block) && !aside.has(block))
    const isBroken = (block: Block): boolean => !isNative(block) && block.diagnostics.length > 0 && !aside.has(block)
    if (isBesideNative) for (const block of all.filter(isBroken)) aside.set(block, 'unreadable')
    const others = findUnreadMarkers(
      this.#source,
      this.#read,
      this.#readers.map(({ syntax }) => syntaxOf(syntax)),
      quotations,
    )
    const skipped = [...aside].map(([block, reason]) => asSkippedBlock(block, syntaxOf(block.syntax).title, reason))
    // The header of a quotation is part of it.
    const below = new Set(skipped.flatMap(({ line, reason }) => (reason === 'quoted' ? [line - 1, line - 2] : [])))
    return {
      blocks: all
        .filter((block) => !aside.has(block))
        // A reply with native blocks means those; a diff beside them may illustrate what they do.
        .map((block) =>
          isProposal(block) || (!isNative(block) && (isBesideNative || isConditional(this.#source, block)))
            ? { ...block, proposed: true }
            : block,
        ),
      diagnostics,
      warnings,
      notExecuted: sortByLine([...skipped, ...others.filter(({ endLine }) => !below.has(endLine))]),
      emptyGroups: unlessEmpty(this.#emptyGroups),
    }
  }

  /** An arrow in prose looks like a broken CSL marker, and is prose where all native blocks are of other syntaxes. */
  #judged(blocks: readonly Block[]): { diagnostics: readonly Diagnostic[]; warnings: readonly string[] } {
    const own = new Set(blocks.filter(isNative).map(({ syntax }) => syntax))
    // Blocks before this text are of syntaxes that do not wait.
    const isProse = ({ syntax }: { readonly syntax: string }): boolean =>
      syntaxOf(syntax).errorsMayBeProse === true && !own.has(syntax) && (this.#nativeBefore || own.size > 0)
    return {
      diagnostics: this.#diagnostics.filter((diagnostic) => !isProse(diagnostic)),
      warnings: this.#diagnostics
        .filter(isProse)
        .map(
          ({ range: { line }, syntax }) =>
            `line ${line}: read as prose, although it starts like a ${syntaxOf(syntax).title} marker`,
        ),
    }
  }

  /** Where the mistakes of a syntax are fatal, one of them stops all its blocks. */
  #unlessFatal(): readonly Block[] {
    const diagnostics = new Map<string, Diagnostic>()
    for (const { syntax, reader } of this.#readers) {
      const fatal = reader.fatal?.()
      if (fatal !== undefined) diagnostics.set(syntax, fatal)
    }
    if (diagnostics.size === 0) return this.#blocks
    return this.#blocks.map((block) => {
      const fatal = diagnostics.get(block.syntax)
      if (fatal === undefined || block.diagnostics.length > 0) return block
      const finding = { code: 'stopped-by', data: { line: fatal.range.line }, column: 1 } as const
      return { ...block, diagnostics: [makeDiagnostic(this.#source, block.startLine, finding)] }
    })
  }
}

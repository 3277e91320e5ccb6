import type { Block, Document, Fault } from '../core/block.ts'
import type { Source } from '../core/source.ts'
import { isSound } from './damage.ts'
import { draftWarnings, mayThink, thoughtsIn, throughQuotes, withoutPassages } from './meant.ts'
import { throughDamage, type Walks } from './mend.ts'
import { firstQuoted, mayReport, quotationsIn, reportsIn } from './own-reports.ts'
import type { Reader, Reading, ReadOptions } from './reader.ts'
import { type SyntaxName, syntaxNames, syntaxOf } from './table.ts'

export interface FindOptions extends ReadOptions {
  /** The only syntaxes to look for; all by default. */
  readonly syntaxes?: readonly SyntaxName[] | undefined
  /** Whether native blocks precede this text. */
  readonly nativeBefore?: boolean | undefined
}

/** Every block in a text, in order of appearance. Never throws: a broken block is there with its faults. */
export function findBlocks(given: Source, options: FindOptions = {}): Document {
  const { source: unframed, quoted } = withoutReports(given, options)
  const { source, warnings: pieces } = withoutQuotations(unframed, options)
  const { warnings, ...found } = unthoughtBlocks(source, options)
  return { ...found, warnings: [...quoted(Infinity), ...pieces, ...warnings] }
}

/** The text without blocks that come from a piece of a report. */
function withoutQuotations(source: Source, options: FindOptions): { source: Source; warnings: string[] } {
  if (firstQuoted(source) === Infinity) return { source, warnings: [] }
  const found = options.strict ? readBlocks(source, options) : mended(source, options)
  const all = [...found.blocks, ...(found.passedOver ?? [])].sort((a, b) => a.startLine - b.startLine)
  const passages = quotationsIn(source, all, options.nativeBefore ?? false)
  return {
    source: withoutPassages(source, passages),
    warnings: draftWarnings(passages, { ...found, blocks: all }, 0, pieceOfReport),
  }
}

const pieceOfReport =
  'its first line is indented by one space more than the text around it, as reports of clada show a block that a file quotes. If it is meant, remove that space'

/** The text without reports of clada's own, and what there is to say of those before a line. */
export function withoutReports(
  source: Source,
  options: FindOptions,
  linesBefore = 0,
): { source: Source; open: number; quoted: (line: number) => string[] } {
  if (!mayReport(source.text)) return { source, open: Infinity, quoted: () => [] }
  const asItStands = readBlocks(source, options)
  const reports = reportsIn(source, asItStands.blocks)
  const last = reports.at(-1)
  return {
    source: withoutPassages(source, reports),
    open: last !== undefined && last.last >= source.lineCount - 1 ? last.first : Infinity,
    quoted: (line) =>
      draftWarnings(
        reports.filter((report) => report.last < line),
        asItStands,
        linesBefore,
        "it is in a report of clada's own",
      ),
  }
}

function unthoughtBlocks(source: Source, options: FindOptions): Document {
  if (!mayThink(source.text)) return meantBlocks(source, options)
  const asItStands = readBlocks(source, options)
  const { closed } = thoughtsIn(source, asItStands.blocks, !options.nativeBefore)
  const { warnings, ...found } = meantBlocks(withoutPassages(source, closed), options)
  return { ...found, warnings: [...draftWarnings(closed, asItStands), ...warnings] }
}

function meantBlocks(source: Source, options: FindOptions): Document {
  const document = options.strict ? readBlocks(source, options) : mended(source, options)
  return options.nativeBefore ? document : withOtherCalls(source, document)
}

/** The blocks of a text, without repairing damage. */
export function readBlocks(source: Source, options: FindOptions): Document {
  const finder = new BlockFinder(source, options)
  while (finder.step() !== undefined);
  return finder.document()
}

/** The blocks of a text, also where a chat program has damaged its markers. */
function mended(source: Source, options: FindOptions): Document {
  const read = (text: Source): Document => readBlocks(text, options)
  const { nativeBefore = false } = options
  const document = throughDamage(source, read(source), { walks: walksFor(options), soundBefore: nativeBefore, read })
  return nativeBefore || document.blocks.some(isSound) ? document : throughQuotes(source, document, read)
}

export function walksFor(options: FindOptions): Walks {
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

interface NamedReader {
  readonly syntax: SyntaxName
  readonly reader: Reader
  /** Foreign readers skip the lines up to here. */
  from: number
}

/** Reads a text block by block, so that a caller may stop in between. */
export class BlockFinder {
  readonly #readers: readonly NamedReader[]
  readonly #blocks: Block[] = []
  readonly #faults: (Fault & { readonly syntax: SyntaxName })[] = []
  readonly #nativeBefore: boolean
  #line = 1

  constructor(source: Source, { syntaxes, nativeBefore = false, ...options }: FindOptions) {
    this.#nativeBefore = nativeBefore
    this.#readers = syntaxNames
      .filter((name) => syntaxes?.includes(name) ?? true)
      .map((syntax) => ({ syntax, reader: syntaxOf(syntax).reader(source, options), from: 0 }))
  }

  /** Reads what comes next; undefined at the end of the text. */
  step(): Reading | undefined {
    let first = Infinity
    let found: NamedReader | undefined
    for (const candidate of this.#readers) {
      const at = candidate.reader.seek(Math.max(this.#line, candidate.from))
      if (at < first) [first, found] = [at, candidate]
    }
    if (found === undefined) return undefined
    const { syntax, reader } = found
    const reading = reader.read(first)
    for (const block of reading.blocks) this.#blocks.push(block)
    for (const fault of reading.faults) this.#faults.push({ ...fault, syntax })
    // An unfinished foreign block would swallow native ones; other foreign blocks may be its content.
    const open = !isNative({ syntax }) && reading.blocks.some((block) => block.endLine === null)
    if (open) for (const other of this.#readers) if (!isNative(other)) other.from = reading.next
    this.#line = open ? first + 1 : reading.next
    return reading
  }

  document(): Document {
    const blocks = this.#blocks.map((block) => this.#unlessFatal(block))
    const { faults, warnings } = this.#judged(blocks)
    if (!this.#nativeBefore && !blocks.some(isNative) && faults.length === 0) return { blocks, faults, warnings }
    // A reply with native blocks means those; a diff beside them is an illustration.
    const passedOver = blocks.filter((block) => !isNative(block))
    const skipped = passedOver.map(
      (block) => `${linesOf(block)}: not executed: a ${block.syntax} block next to native blocks`,
    )
    return { blocks: blocks.filter(isNative), faults, warnings: [...warnings, ...skipped], passedOver }
  }

  /** An arrow in prose looks like a broken CSL marker, and is prose where all native blocks are of other syntaxes. */
  #judged(blocks: readonly Block[]): { faults: readonly Fault[]; warnings: readonly string[] } {
    const own = new Set(blocks.filter(isNative).map(({ syntax }) => syntax))
    // Blocks before this text are of syntaxes that do not wait.
    const isProse = ({ syntax }: { readonly syntax: SyntaxName }): boolean =>
      syntaxOf(syntax).faultsMayBeProse === true && !own.has(syntax) && (this.#nativeBefore || own.size > 0)
    return {
      faults: this.#faults.filter((fault) => !isProse(fault)),
      warnings: this.#faults
        .filter(isProse)
        .map(
          ({ line, syntax }) =>
            `line ${line}: read as prose, although it starts like a ${syntaxOf(syntax).title} marker`,
        ),
    }
  }

  /** Where the mistakes of a syntax are fatal, one of them stops all its blocks. */
  #unlessFatal(block: Block): Block {
    const fatal = this.#readers.find(({ syntax }) => syntax === block.syntax)?.reader.fatal?.()
    if (fatal === undefined || block.faults.length > 0) return block
    const message = `not executed: the error on line ${fatal.line} stops the whole document`
    const { hint: _, ...rest } = fatal
    const fault = { ...rest, code: 'SKIPPED', line: block.startLine, column: 1, message, blockId: block.id }
    return { ...block, faults: [fault] }
  }
}

const linesOf = ({ startLine, endLine }: Block): string =>
  endLine === null || endLine === startLine ? `line ${startLine}` : `lines ${startLine}-${endLine}`

/** How models call the tools that they were given elsewhere. Nothing of it is executed. */
const calls: readonly RegExp[] = [
  /<(?:\w+:)?(?:function_calls?|invoke|tool_calls?|tool_use|tool_code)\b[^<>\n]*>/,
  /<(?:write_to_file|replace_in_file|apply_diff|insert_content|search_and_replace|execute_command|edit_file|create_file|str_replace_editor)>/,
  /<function=[\w.-]+>/,
  /<[|｜](?:tool|python_tag|function)[^<>\n]*>/,
  /^\[TOOL_CALLS\]/m,
  /^ {0,3}(?:`{3,}|~{3,})tool_(?:code|calls?)\b/m,
  /"(?:tool_calls|function_call)"\s{0,9}:/,
  /"type"\s{0,9}:\s{0,9}"(?:tool_use|function_call)"/,
  /"name"\s{0,9}:\s{0,9}"[\w.-]{1,80}"\s{0,9},\s{0,9}"(?:arguments|parameters|input)"\s{0,9}:/,
]

/** Where nothing was found, a model that called another tool is told so: it would wait for an answer. */
export function withOtherCalls(source: Source, document: Document): Document {
  if (document.blocks.length > 0 || document.faults.length > 0) return document
  let first: RegExpExecArray | undefined
  for (const call of calls) {
    const match = call.exec(source.text)
    if (match !== null && match.index < (first?.index ?? Infinity)) first = match
  }
  if (first === undefined) return document
  const line = source.lineAt(first.index)
  const warning = `line ${line}: ${first[0].replace(/\s+/g, ' ')} is a call of another tool, which clada does not execute. ${howTo}`
  return { ...document, warnings: [...document.warnings, warning] }
}

const howTo =
  'Write each action as a block: a line #!SHAM [@three-char-SHA-256: abc], a line action = "file_write", a line name = "value" for each parameter, a line #!END_SHAM_abc. Run `clada prompt` for the full instructions.'

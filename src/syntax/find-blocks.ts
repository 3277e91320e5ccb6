import { type Block, type Document, type Fault, type SyntaxName, syntaxNames } from '../core/block.ts'
import type { Source } from '../core/source.ts'
import { makeApplyPatchReader } from './apply-patch/apply-patch.ts'
import { makeCmlReader } from './cml/cml.ts'
import { defaultDelimiters, makeCslReader } from './csl/csl.ts'
import type { Delimiters } from './csl/marker.ts'
import { draftWarnings, mayThink, thoughtsIn, throughQuotes, withoutThoughts } from './meant.ts'
import { isSound, throughDamage } from './mend.ts'
import { makeReplacerReader } from './replacer/replacer.ts'
import { makeSearchReplaceReader } from './search-replace/search-replace.ts'
import { makeShamReader } from './sham/sham.ts'
import type { MakeReader, Reader, Reading } from './syntax.ts'
import { makeUdiffReader } from './udiff/udiff.ts'

const native: Partial<Record<SyntaxName, MakeReader>> = {
  sham: makeShamReader,
  csl: makeCslReader(defaultDelimiters),
  cml: makeCmlReader,
  replacer: makeReplacerReader,
}
const foreign: Partial<Record<SyntaxName, MakeReader>> = {
  'search-replace': makeSearchReplaceReader,
  'apply-patch': makeApplyPatchReader,
  udiff: makeUdiffReader,
}

export interface FindOptions {
  /** The only syntaxes to look for; all by default. */
  readonly syntaxes?: readonly SyntaxName[] | undefined
  /** Whether blocks of our own stood before this text. */
  readonly nativeBefore?: boolean | undefined
  /** Reads a text as it stands, whatever a chat program did to it. */
  readonly strict?: boolean | undefined
  /** What CSL markers begin and end with. */
  readonly cslDelimiters?: Delimiters | undefined
}

/** Every block in a text, in order of appearance. Never throws: a broken block is there with its faults. */
export function findBlocks(source: Source, options: FindOptions = {}): Document {
  if (!mayThink(source.text)) return meantBlocks(source, options)
  const asItStands = readBlocks(source, options)
  const { closed } = thoughtsIn(source, asItStands.blocks, !options.nativeBefore)
  const { warnings, ...found } = meantBlocks(withoutThoughts(source, closed), options)
  return { ...found, warnings: [...draftWarnings(closed, asItStands), ...warnings] }
}

function meantBlocks(source: Source, options: FindOptions): Document {
  const document = options.strict ? readBlocks(source, options) : mended(source, options)
  return options.nativeBefore ? document : withOtherCalls(source, document)
}

/** What the readers make of a text, as it stands. */
export function readBlocks(source: Source, options: FindOptions): Document {
  const finder = new BlockFinder(source, options)
  while (finder.step() !== undefined);
  return finder.document()
}

/** What a text gives, also where a chat program has damaged its markers. */
function mended(source: Source, options: FindOptions): Document {
  const read = (text: Source): Document => readBlocks(text, options)
  const { syntaxes = syntaxNames, nativeBefore = false, cslDelimiters } = options
  // What damage does to markers that nobody has seen before cannot be told.
  const ours = syntaxes.filter((name) => name in native && (name !== 'csl' || cslDelimiters === undefined))
  const document = throughDamage(source, read(source), { syntaxes: ours, soundBefore: nativeBefore, read })
  return nativeBefore || document.blocks.some(isSound) ? document : throughQuotes(source, document, read)
}

/** Reads a text block by block, so that a caller may stop in between. */
export class BlockFinder {
  readonly #readers: readonly Reader[]
  /** The readers of other tools' formats sit out what one of them met unfinished: it may be the content of that. */
  readonly #resting = new Map<Reader, number>()
  readonly #blocks: Block[] = []
  readonly #faults: Fault[] = []
  readonly #nativeBefore: boolean
  #line = 1

  constructor(source: Source, { syntaxes, nativeBefore = false, strict, cslDelimiters }: FindOptions) {
    this.#nativeBefore = nativeBefore
    const own = cslDelimiters && { csl: makeCslReader(cslDelimiters) }
    const makers = Object.entries({ ...native, ...own, ...foreign })
    this.#readers = makers
      .filter(([name]) => syntaxes?.some((one) => one === name) ?? true)
      .map(([, make]) => make(source, { strict }))
  }

  /** Reads what comes next; undefined at the end of the text. */
  step(): Reading | undefined {
    let first = Infinity
    let reader: Reader | undefined
    for (const candidate of this.#readers) {
      const at = candidate.seek(Math.max(this.#line, this.#resting.get(candidate) ?? 0))
      if (at < first) [first, reader] = [at, candidate]
    }
    if (reader === undefined) return undefined
    const reading = reader.read(first)
    for (const block of reading.blocks) this.#blocks.push(block)
    for (const fault of reading.faults) this.#faults.push({ ...fault, syntax: reader.syntax })
    // What an unfinished block of another tool's format would swallow may be ours.
    const open = reader.syntax in foreign && reading.blocks.some((block) => block.endLine === null)
    if (open) for (const other of this.#readers) if (other.syntax in foreign) this.#resting.set(other, reading.next)
    this.#line = open ? first + 1 : reading.next
    return reading
  }

  document(): Document {
    const blocks = this.#blocks.map((block) => this.#unlessFatal(block))
    const { faults, warnings } = this.#judged(blocks)
    const ours = this.#nativeBefore || blocks.some((block) => block.syntax in native) || faults.length > 0
    const document = ours ? withoutForeign(blocks, faults) : { blocks, faults, warnings: [] }
    return { ...document, warnings: [...warnings, ...document.warnings] }
  }

  /** An arrow in prose looks like a broken CSL marker. Beside blocks of another syntax, and without any of CSL, it is one. */
  #judged(blocks: readonly Block[]): { faults: readonly Fault[]; warnings: readonly string[] } {
    // What stood before this text was none of CSL, which waits for the end.
    const others = this.#nativeBefore || blocks.some((block) => block.syntax in native && block.syntax !== 'csl')
    if (!others || blocks.some((block) => block.syntax === 'csl')) return { faults: this.#faults, warnings: [] }
    const arrows = this.#faults.filter((fault) => fault.syntax === 'csl')
    return {
      faults: this.#faults.filter((fault) => fault.syntax !== 'csl'),
      warnings: arrows.map(({ line }) => `line ${line}: taken for prose, although it begins like a CSL marker`),
    }
  }

  /** A syntax whose mistakes are fatal carries out nothing when it has one. */
  #unlessFatal(block: Block): Block {
    const fatal = this.#readers.find((reader) => reader.syntax === block.syntax)?.fatal?.()
    if (fatal === undefined || block.faults.length > 0) return block
    const message = `not executed: line ${fatal.line} has a mistake that stops the whole document`
    const { hint: _, ...rest } = fatal
    const fault = { ...rest, code: 'SKIPPED', line: block.startLine, column: 1, message, blockId: block.id }
    return { ...block, faults: [fault] }
  }
}

/** Whoever writes our blocks means those; a diff beside them is an illustration. */
function withoutForeign(blocks: readonly Block[], faults: readonly Fault[]): Document {
  const passedOver = blocks.filter((block) => block.syntax in foreign)
  const warnings = passedOver.map(
    (block) => `${linesOf(block)}: not executed: a ${block.syntax} block beside blocks of clada's own`,
  )
  return { blocks: blocks.filter((block) => block.syntax in native), faults, warnings, passedOver }
}

const linesOf = ({ startLine, endLine }: Block): string =>
  endLine === null || endLine === startLine ? `line ${startLine}` : `lines ${startLine}-${endLine}`

/** How models call the tools that they were given elsewhere. Nothing of it is carried out. */
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
  const warning = `line ${line}: ${first[0].replace(/\s+/g, ' ')} is a call of another tool, which clada does not carry out. ${howTo}`
  return { ...document, warnings: [...document.warnings, warning] }
}

const howTo =
  'Write each action as a block: a line #!SHAM [@three-char-SHA-256: abc], a line action = "file_write", a line name = "value" for each parameter, a line #!END_SHAM_abc. `clada prompt` prints the whole.'

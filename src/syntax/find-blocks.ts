import type { Block, Document, Fault, SyntaxName } from '../core/block.ts'
import type { Source } from '../core/source.ts'
import type { MakeReader, Reader, Reading } from './reader.ts'
import { makeShamReader } from './sham.ts'

const native: Partial<Record<SyntaxName, MakeReader>> = { sham: makeShamReader }
const foreign: Partial<Record<SyntaxName, MakeReader>> = {}

export interface FindOptions {
  /** The only syntaxes to look for; all by default. */
  readonly syntaxes?: readonly SyntaxName[] | undefined
  /** Whether blocks of our own stood before this text. */
  readonly nativeBefore?: boolean | undefined
}

/** Every block in a text, in order of appearance. Never throws: a broken block is there with its faults. */
export function findBlocks(source: Source, options: FindOptions = {}): Document {
  const finder = new BlockFinder(source, options)
  while (finder.step() !== undefined);
  return finder.document()
}

/** Reads a text block by block, so that a caller may stop in between. */
export class BlockFinder {
  readonly #readers: readonly Reader[]
  /** A reader that met something unfinished sits out until behind it. */
  readonly #resting = new Map<Reader, number>()
  readonly #blocks: Block[] = []
  readonly #faults: Fault[] = []
  readonly #nativeBefore: boolean
  #line = 1

  constructor(source: Source, { syntaxes, nativeBefore = false }: FindOptions) {
    this.#nativeBefore = nativeBefore
    const makers = Object.entries({ ...native, ...foreign })
    this.#readers = makers
      .filter(([name]) => syntaxes?.some((one) => one === name) ?? true)
      .map(([, make]) => make(source))
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
    for (const fault of reading.faults) this.#faults.push(fault)
    // What an unfinished block of another tool's format would swallow may be ours.
    const open = reader.syntax in foreign && reading.blocks.some((block) => block.endLine === null)
    if (open) this.#resting.set(reader, reading.next)
    this.#line = open ? first + 1 : reading.next
    return reading
  }

  document(): Document {
    const fatal = new Map(
      this.#readers.flatMap((reader) => {
        const fault = reader.fatal?.()
        return fault === undefined ? [] : [[reader.syntax, fault] as const]
      }),
    )
    const blocks = this.#blocks.map((block) => {
      const fault = fatal.get(block.syntax)
      return fault === undefined ? block : { ...block, faults: [fault] }
    })
    const ours = this.#nativeBefore || blocks.some((block) => block.syntax in native) || this.#faults.length > 0
    return ours ? withoutForeign(blocks, this.#faults) : { blocks, faults: this.#faults, warnings: [] }
  }
}

/** Whoever writes our blocks means those; a diff beside them is an illustration. */
function withoutForeign(blocks: readonly Block[], faults: readonly Fault[]): Document {
  const warnings = blocks
    .filter((block) => block.syntax in foreign)
    .map(({ syntax, startLine, endLine }) => {
      const lines = endLine === null ? `line ${startLine}` : `lines ${startLine}-${endLine}`
      return `${lines}: not executed: a ${syntax} block beside blocks of clada's own`
    })
  return { blocks: blocks.filter((block) => block.syntax in native), faults, warnings }
}

import type { Block, Document, Fault } from '../core/block.ts'
import { Source } from '../core/source.ts'
import { BlockFinder, findBlocks, type FindOptions } from './find-blocks.ts'
import type { Reading } from './reader.ts'

/**
 * Finds blocks in a text that is still coming. A block is handed out as soon as nothing that may follow can change
 * it: it is closed, and so is everything before it. What must wait for the end (CSL, whose errors are fatal, and the
 * formats of other tools) makes what stands behind it wait too, because blocks are carried out in order.
 */
export class BlockStream {
  readonly #options: FindOptions
  #pending = ''
  /** Lines that were handed out and forgotten. */
  #before = 0
  #sinceTry = 0
  #native = false

  constructor(options: FindOptions) {
    this.#options = options
  }

  push(text: string): Document {
    this.#pending += text
    this.#sinceTry += text.length
    if (!this.#worthTrying(text)) return nothing
    this.#sinceTry = 0
    const complete = this.#pending.slice(0, this.#pending.lastIndexOf('\n') + 1)
    const source = new Source(complete)
    const finder = new BlockFinder(source, this.#options)
    const blocks: Block[] = []
    let next = 1
    for (let reading = finder.step(); reading !== undefined && isFinal(reading); reading = finder.step()) {
      blocks.push(...reading.blocks)
      next = reading.next
    }
    const found = shifted({ blocks, faults: [], warnings: [] }, this.#before)
    this.#native ||= blocks.length > 0
    this.#pending = this.#pending.slice(source.startOf(next))
    this.#before += next - 1
    return found
  }

  /** Whatever is left, now that nothing more comes. */
  end(): Document {
    const rest = findBlocks(new Source(this.#pending), { ...this.#options, nativeBefore: this.#native })
    return shifted(rest, this.#before)
  }

  /** Reading anew what is long and still open must not cost the square of its length. */
  #worthTrying(text: string): boolean {
    if (!text.includes('\n')) return false
    if (this.#pending.length < 65_536) return true
    return (
      this.#sinceTry > this.#pending.length / 8 ||
      (/#!end_|<\/|<<<END>>>/i.test(text) && this.#sinceTry > this.#pending.length / 64)
    )
  }
}

const nothing: Document = { blocks: [], faults: [], warnings: [] }

const waiting: ReadonlySet<string> = new Set(['csl', 'search-replace', 'apply-patch', 'udiff'])

/** How far a mistake reaches may depend on what is still to come, so whatever has one waits. */
function isFinal({ blocks, faults }: Reading): boolean {
  if (faults.length > 0) return false
  return blocks.every((block) => block.endLine !== null && block.faults.length === 0 && !waiting.has(block.syntax))
}

function shifted(document: Document, lines: number): Document {
  if (lines === 0) return document
  const fault = (one: Fault): Fault => ({ ...one, line: one.line + lines })
  return {
    warnings: document.warnings,
    faults: document.faults.map(fault),
    blocks: document.blocks.map((block) => ({
      ...block,
      startLine: block.startLine + lines,
      endLine: block.endLine === null ? null : block.endLine + lines,
      faults: block.faults.map(fault),
    })),
  }
}

import type { Block, BlockGroup, Document, SkippedBlock } from '../core/block.ts'
import { Source } from '../core/source.ts'
import {
  BlockFinder,
  findBlocks,
  type FindOptions,
  looksForProposals,
  makeWalks,
  otherFormsOptions,
  blankOutReasoningAndReports,
} from './find-blocks.ts'
import { hasMark, type Marking } from './skipped-blocks.ts'
import { findOtherForms } from './other-forms.ts'
import { findProposedFiles } from './proposal/proposal.ts'
import { isUnaffectedByDamage, mayOpen, type Walks } from './repair.ts'
import { Quotations } from './quoted-blocks.ts'
import type { Reading } from './reader.ts'
import { syntaxNames, syntaxOf } from './table.ts'

/**
 * Finds blocks in a text that is still coming. A block is handed out as soon as nothing that may follow can change
 * it: it is closed, and so is everything before it. What must wait for the end (CSL, whose errors are fatal, and the
 * formats of other tools) makes what follows it wait too, because blocks are executed in order.
 */
export class BlockStream {
  readonly #options: FindOptions
  readonly #walks: Walks
  readonly #marking: readonly Marking[]
  #pending = ''
  /** Lines that were handed out and forgotten. */
  #before = 0
  #sinceTry = 0
  #native = false
  /** In what was forgotten. */
  readonly #skipped: SkippedBlock[] = []

  constructor(options: FindOptions) {
    this.#options = options
    this.#walks = makeWalks(options)
    this.#marking = syntaxNames.filter((name) => options.syntaxes?.includes(name) ?? true).map(syntaxOf)
  }

  push(text: string): Document {
    this.#pending += text
    this.#sinceTry += text.length
    if (!this.#worthTrying(text)) return nothing
    this.#sinceTry = 0
    const complete = this.#pending.slice(0, this.#pending.lastIndexOf('\n') + 1)
    const options = { ...this.#options, nativeBefore: this.#native }
    const { source, open, skipped } = blankOutReasoningAndReports(new Source(complete), options, 'part')
    const finder = new BlockFinder(source, this.#options)
    const quotations = new Quotations(source)
    const blocks: Block[] = []
    // Whole files beside blocks are listed, and by their fences, which must not be taken apart.
    const files = looksForProposals(this.#options) ? findProposedFiles(source) : []
    const unread = { ...otherFormsOptions(this.#options), isAlone: false }
    let next = 1
    let reach = 0
    for (let reading = finder.step(); reading !== undefined && isFinal(reading); reading = finder.step()) {
      const [first] = reading.blocks
      // Nothing was found yet in what has begun here; when it says how far that goes, what follows it is safe.
      if (first === undefined && reading.reach === undefined) break
      reach = Math.max(reach, reading.reach ?? 0)
      if (first === undefined) continue
      if (first.startLine >= open) break
      // What precedes it is forgotten with it, so there must be nothing that has still to be understood.
      if ((files[0]?.last ?? Infinity) < first.startLine) break
      if (reading.blocks.some((block) => quotations.reasonFor(block) !== undefined)) break
      if (reading.next <= reach || this.#maybeDamaged(source, next, first.startLine, reading.blocks)) break
      if (findOtherForms(source, { first: next, last: first.startLine - 1 }, unread).length > 0) break
      blocks.push(...reading.blocks)
      next = reading.next
    }
    const found = shiftBlocks(blocks, this.#before)
    this.#native ||= blocks.length > 0
    this.#pending = this.#pending.slice(source.startOf(next))
    for (const one of skipped) if (one.line < next) this.#skipped.push(shiftSkipped(one, this.#before))
    this.#before += next - 1
    return { ...nothing, blocks: found }
  }

  /** Whatever is left, now that nothing more comes. */
  end(): Document {
    // Empty lines for those that are forgotten: messages name lines too.
    const source = new Source('\n'.repeat(this.#before) + this.#pending)
    const { notExecuted, ...rest } = findBlocks(source, { ...this.#options, nativeBefore: this.#native })
    return { ...rest, notExecuted: [...this.#skipped, ...notExecuted] }
  }

  /** Damage is judged over the whole text: blocks that show signs of it wait, and so do those after a hidden one. */
  #maybeDamaged(source: Source, start: number, end: number, blocks: readonly Block[]): boolean {
    for (let line = start; line < end; line++) {
      if (hasMark(source, line, this.#marking)) return true
      if (!this.#options.strict && mayOpen(source.line(line), this.#walks)) return true
    }
    if (this.#options.strict) return false
    return !blocks.every((block) => isUnaffectedByDamage(source, block, this.#walks))
  }

  /** Reading again what is long and still open must not cost the square of its length. */
  #worthTrying(text: string): boolean {
    if (!text.includes('\n')) return false
    if (this.#pending.length < 65_536) return true
    return (
      this.#sinceTry > this.#pending.length / 8 ||
      (this.#sinceTry > this.#pending.length / 64 && closers.some((closer) => closer.test(text)))
    )
  }
}

const closers = syntaxNames.flatMap((name) => {
  const syntax = syntaxOf(name)
  return syntax.kind === 'native' && syntax.closer !== undefined ? [syntax.closer] : []
})

const nothing: Document = { blocks: [], diagnostics: [], warnings: [], notExecuted: [] }

function shiftSkipped({ block, ...one }: SkippedBlock, lines: number): SkippedBlock {
  const [own] = block === undefined ? [] : shiftBlocks([block], lines)
  return { ...one, line: one.line + lines, endLine: one.endLine + lines, block: own }
}

/** How far a mistake reaches may depend on what is still to come, so whatever has one waits. */
function isFinal({ blocks, diagnostics }: Reading): boolean {
  if (diagnostics.length > 0) return false
  return blocks.every(
    (block) => block.endLine !== null && block.diagnostics.length === 0 && !syntaxOf(block.syntax).waits,
  )
}

/** Blocks without diagnostics, which many lines preceded. */
function shiftBlocks(blocks: readonly Block[], lines: number): readonly Block[] {
  if (lines === 0) return blocks
  const groups = new Map<BlockGroup, BlockGroup>()
  const moved = (group: BlockGroup): BlockGroup => {
    const known = groups.get(group) ?? { ...group, line: group.line + lines }
    groups.set(group, known)
    return known
  }
  return blocks.map((block) => ({
    ...block,
    startLine: block.startLine + lines,
    endLine: block.endLine === null ? null : block.endLine + lines,
    group: block.group && moved(block.group),
  }))
}

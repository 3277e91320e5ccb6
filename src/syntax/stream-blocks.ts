import type { Block, BlockGroup, Document } from '../core/block.ts'
import { Source } from '../core/source.ts'
import { BlockFinder, findBlocks, type FindOptions, readBlocks, walksFor, withoutReports } from './find-blocks.ts'
import { firstQuoted } from './own-reports.ts'
import { draftWarnings, mayThink, thoughtsIn, withoutPassages } from './meant.ts'
import { isUndoubted, mayOpen, type Walks } from './mend.ts'
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
  #pending = ''
  /** Lines that were handed out and forgotten. */
  #before = 0
  #sinceTry = 0
  #native = false
  /** About what was forgotten. */
  readonly #warnings: string[] = []

  constructor(options: FindOptions) {
    this.#options = options
    this.#walks = walksFor(options)
  }

  push(text: string): Document {
    this.#pending += text
    this.#sinceTry += text.length
    if (!this.#worthTrying(text)) return nothing
    this.#sinceTry = 0
    const complete = this.#pending.slice(0, this.#pending.lastIndexOf('\n') + 1)
    const { source, open, drafts } = this.#meant(new Source(complete))
    const finder = new BlockFinder(source, this.#options)
    const blocks: Block[] = []
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
      if (reading.next <= reach || this.#maybeDamaged(source, next, first.startLine, reading.blocks)) break
      blocks.push(...reading.blocks)
      next = reading.next
    }
    const found = shifted(blocks, this.#before)
    this.#native ||= blocks.length > 0
    this.#pending = this.#pending.slice(source.startOf(next))
    this.#warnings.push(...drafts(next))
    this.#before += next - 1
    return { blocks: found, faults: [], warnings: [] }
  }

  /** The text without thoughts and reports, where one is still open, and what there is to say of those before a line. */
  #meant(given: Source): { source: Source; open: number; drafts: (line: number) => string[] } {
    const { source, open: begunAt, quoted } = withoutReports(given, this.#options, this.#before)
    // Whether a block comes from a piece of a report is seen by the whole text.
    const begun = Math.min(begunAt, firstQuoted(source))
    if (!mayThink(source.text)) return { source, open: begun, drafts: quoted }
    const asItStands = readBlocks(source, this.#options)
    const { closed, open = Infinity } = thoughtsIn(source, asItStands.blocks, !this.#native)
    const before = this.#before
    return {
      source: withoutPassages(source, closed),
      open: Math.min(open, begun),
      drafts: (line) => [
        ...quoted(line),
        ...draftWarnings(
          closed.filter(({ last }) => last < line),
          asItStands,
          before,
        ),
      ],
    }
  }

  /** Whatever is left, now that nothing more comes. */
  end(): Document {
    // Blank lines for those that are forgotten: messages name lines too.
    const source = new Source('\n'.repeat(this.#before) + this.#pending)
    const { warnings, ...rest } = findBlocks(source, { ...this.#options, nativeBefore: this.#native })
    return { ...rest, warnings: [...this.#warnings, ...warnings] }
  }

  /** Damage is judged over the whole text: blocks that show signs of it wait, and so do those after a hidden one. */
  #maybeDamaged(source: Source, start: number, end: number, blocks: readonly Block[]): boolean {
    if (this.#options.strict) return false
    for (let line = start; line < end; line++) {
      if (mayOpen(source.line(line), this.#walks)) return true
    }
    return !blocks.every((block) => isUndoubted(source, block, this.#walks))
  }

  /** Reading anew what is long and still open must not cost the square of its length. */
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

const nothing: Document = { blocks: [], faults: [], warnings: [] }

/** How far a mistake reaches may depend on what is still to come, so whatever has one waits. */
function isFinal({ blocks, faults }: Reading): boolean {
  if (faults.length > 0) return false
  return blocks.every((block) => block.endLine !== null && block.faults.length === 0 && !syntaxOf(block.syntax).waits)
}

/** Blocks without faults, which many lines preceded. */
function shifted(blocks: readonly Block[], lines: number): readonly Block[] {
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
    ...(block.group && { group: moved(block.group) }),
  }))
}

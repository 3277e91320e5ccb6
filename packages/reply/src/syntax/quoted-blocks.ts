import { AT, BACKSLASH, MINUS, PLUS, SPACE } from '../core/character-codes.ts'
import type { Block, NotExecutedReason } from '../core/block.ts'
import type { Source } from '../core/source.ts'
import { parseFence } from '../regions/fences.ts'
import { Regions, withoutMarks } from '../regions/regions.ts'
import { isPrompt, SessionSigns } from '../regions/sessions.ts'
import { isPlaceholder } from './placeholder.ts'

/**
 * Whether a block is shown and not meant, by the regions of the text around it. Whether a path is a placeholder is asked
 * where the disk can be: `engine/tasks.ts`.
 */
export class Quotations {
  readonly #source: Source
  readonly #regions: Regions
  readonly #signs: SessionSigns
  /** The last line of the block before, and whether that is a quotation: a diff that follows it directly is part of it. */
  #last = 0
  #quoted = false

  constructor(source: Source) {
    this.#source = source
    this.#regions = Regions.of(source)
    this.#signs = new SessionSigns(source, this.#regions)
  }

  /** Blocks are asked about in line order. */
  reasonFor(block: Block): Extract<NotExecutedReason, 'quoted' | 'example'> | undefined {
    const { startLine, endLine } = block
    const isShown =
      block.syntax === 'udiff' && (isOutput(this.#source, block) || this.#regions.followsGitCommand(startLine))
    this.#quoted = this.isQuoted(startLine, endLine ?? startLine) || isShown
    this.#last = endLine ?? startLine
    if (this.#quoted) return 'quoted'
    const isNameless = block.diagnostics.length > 0 && block.params['path'] === undefined
    return isNameless && this.#namesExample(startLine) ? 'example' : undefined
  }

  /** Whether lines are the output of a program, by the lines around them. */
  isQuoted(start: number, end: number): boolean {
    return (this.#signs.isOutput(this.#last, start) ?? this.#quoted) || this.#regions.hasPromptBelow(end)
  }

  /** Whether the line that should name the file, above a block or its fence, is a placeholder. */
  #namesExample(start: number): boolean {
    for (let line = start - 1; line >= Math.max(1, start - 3); line--) {
      const text = this.#source.line(line).trim()
      if (text !== '' && parseFence(text) === undefined) return isPlaceholder(withoutMarks(text))
    }
    return false
  }
}

/** Whether a diff has lines that only output has: those of a combined diff, or a prompt. */
function isOutput(source: Source, { syntax, startLine, raw }: Block): boolean {
  if (syntax !== 'udiff') return false
  const end = source.startOf(startLine) + raw.length
  for (let line = startLine; line <= source.lineCount && source.startOf(line) < end; line++) {
    const c = source.initial(line)
    if (c === SPACE || c === PLUS || c === MINUS || c === BACKSLASH) continue
    if (c === AT ? source.text.startsWith('@@@ ', source.startOf(line)) : isPrompt(source.line(line))) return true
  }
  return false
}

import { type LineRange, rangeFinder, type Source, textFrom } from '../core/source.ts'
import { FenceMap, parseFence, type FenceRegion } from './fences.ts'
import { isPrompt, showsByPrompt } from './sessions.ts'

/**
 * What the lines of a reply are, besides prose: fences, output of programs, numbered listings. Found once for each text;
 * no reader looks for them itself. Thoughts, reports and prompts are in `thoughts.ts` and `reports.ts`, because what is in a
 * complete block is none of these.
 */
export class Regions {
  readonly source: Source
  readonly #fences: FenceMap
  readonly #fenceWith: (line: number) => FenceRegion | undefined

  private constructor(source: Source) {
    this.source = source
    this.#fences = new FenceMap(source)
    this.#fenceWith = rangeFinder(this.#fences.all, (fence) => fence)
  }

  static of(source: Source): Regions {
    const found = known.get(source) ?? new Regions(source)
    known.set(source, found)
    return found
  }

  /** The fences in order, none inside another. */
  get fences(): readonly FenceRegion[] {
    return this.#fences.all
  }

  /** The fence that opens on a line, also inside another. */
  fenceFrom(line: number): FenceRegion | undefined {
    return this.#fences.from(line)
  }

  /** The fence that a line is inside of, or closes. */
  fenceAround(line: number): FenceRegion | undefined {
    const fence = this.#fenceWith(line)
    return fence?.first === line ? undefined : fence
  }

  /** Whether a prompt is right below a line, in the same paragraph. */
  hasPromptBelow(line: number): boolean {
    return line < this.source.lineCount && isPrompt(this.source.line(line + 1))
  }

  /**
   * Whether a diff is what a command of git shows that is on the line above its fence, or at the end of the fence before:
   * chats split a terminal into the command and its output. A line of text may be between, unless it asks to apply it.
   */
  followsGitCommand(line: number): boolean {
    const above = this.#textAbove(this.fenceAround(line)?.first ?? line)
    if (above === 0) return false
    const text = this.source.line(above)
    if (showsByPrompt(withoutMarks(text))) return true
    if (parseFence(text) !== undefined) return this.#endsWithCommand(above)
    const before = this.#textAbove(above)
    return (
      before > 0 &&
      parseFence(this.source.line(before)) !== undefined &&
      !APPLIES.test(text) &&
      this.#endsWithCommand(before)
    )
  }

  /** Whether the last line of the fence that closes on a line is a command of git that shows a diff. */
  #endsWithCommand(closer: number): boolean {
    const last = this.#textAbove(closer)
    return this.fenceAround(closer) !== undefined && last > 0 && showsByPrompt(this.source.line(last))
  }

  /** The last line above this one that is not empty; 0 where there is none. */
  #textAbove(line: number): number {
    let above = line - 1
    while (above > 0 && textFrom(this.source, above) === -1) above--
    return above
  }

  /** Whether the numbers before this line and the next or the one before it follow each other. */
  isListing(line: number): boolean {
    const own = this.#numberOn(line)
    return own !== undefined && (this.#numberOn(line + 1) === own + 1 || this.#numberOn(line - 1) === own - 1)
  }

  #numberOn(line: number): number | undefined {
    if (line < 1 || line > this.source.lineCount) return undefined
    const digits = /^\s*(\d{1,7})(?:[:|]|\.?\s|$)/.exec(this.source.line(line))?.[1]
    return digits === undefined ? undefined : Number(digits)
  }
}

/** A line without the marks of Markdown around it. On a long run of them a pattern for its end takes quadratic time. */
export const withoutMarks = (text: string): string =>
  text.length > LONGEST_SENTENCE ? text : text.replace(/^\s*[`*]+|[`*:]+\s*$/g, '')

const LONGEST_SENTENCE = 1000

const known = new WeakMap<Source, Regions>()

/** A sentence that asks to apply what is below it. */
const APPLIES = /\b(?:apply|applying|please|use (?:this|the)|instead|fix(?:es)?|should be|change it|patch)\b/i

/** Whether every line has its number before it, counting up. */
export function isNumbered(texts: readonly string[]): boolean {
  let last: number | undefined
  let count = 0
  for (const text of texts) {
    if (text.trim() === '') continue
    const number = /^\s*(\d{1,7})(?:\s*[:|\u2502\u2192]|\t|\s|$)/.exec(text)?.[1]
    if (number === undefined || (last !== undefined && Number(number) <= last)) return false
    last = Number(number)
    count++
  }
  return count >= 2
}

/** The lines of a text that are in none of these ranges. */
export function linesBetween(source: Source, taken: readonly LineRange[]): LineRange[] {
  const free: LineRange[] = []
  let from = 1
  const end = { first: source.lineCount + 1, last: 0 }
  for (const { first, last } of [...taken, end].sort((a, b) => a.first - b.first)) {
    if (from < first) free.push({ first: from, last: first - 1 })
    from = Math.max(from, last + 1)
  }
  return free
}

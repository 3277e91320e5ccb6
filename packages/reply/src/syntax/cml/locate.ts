import { QUOTE, APOSTROPHE, SLASH } from '../../core/character-codes.ts'
import type { Finding } from '../../core/diagnostic.ts'
import { type BlockName } from '../../core/cml-tasks.ts'
import {
  skipSpaces,
  findBalancedEnd,
  CDATA,
  type CmlFinding,
  heldContent,
  findInnerOpening,
  isNamed,
  isNameStart,
  elementOpeningAt,
  type ElementPart,
} from './open.ts'
import { endsLine, startsLine } from '../../core/source.ts'

/** Where an element of ours is, by its tags alone. */
export interface LocatedElement {
  readonly name: BlockName
  readonly start: number
  /** After the last character that belongs to the element. */
  readonly end: number
  /**
   * `unclosed`: its end tag is missing, but what follows can be no part of it. `cut`: the text ended first, and no one
   * knows what of the rest was meant as its content.
   */
  readonly state: 'closed' | 'unclosed' | 'cut'
  readonly parts: readonly ElementPart[]
  /** Set when the element is not worth parsing. */
  readonly finding: CmlFinding | undefined
}

/** Finds the end of the element that opens at `start`, by its tags alone: those in CDATA, comments and quotes are ignored. */
export const locateElement = (text: string, start: number, name: BlockName): LocatedElement =>
  new ElementLocator(text, start, name).locate()

class ElementLocator {
  readonly #text: string
  readonly #start: number
  readonly #name: BlockName
  readonly #parts: ElementPart[] = []
  /** How many elements are open, and how many of them have the name of the first. */
  #depth = 0
  #own = 0
  /** Whether CDATA was the last markup, with nothing after it on its line. */
  #tagEndedLine = false
  /** After the last tag, CDATA or comment. */
  #at: number
  /** The first tag that is nested too deep. */
  #deep: number | undefined
  #finding: CmlFinding | undefined

  constructor(text: string, start: number, name: BlockName) {
    this.#text = text
    this.#start = start
    this.#name = name
    this.#at = start
  }

  locate(): LocatedElement {
    const text = this.#text
    for (;;) {
      const next = this.#nextTag()
      if (this.#isFollower(next)) return this.#found('unclosed')
      const stray = skipSpaces(text, this.#at)
      if (stray < next) this.#parts.push({ at: stray, end: stray })
      if (next === text.length) return this.#found('cut')
      const c = text.charCodeAt(next + 1)
      const state = c === BANG || c === QUESTION ? this.#declaration(next) : this.#tag(next, c === SLASH)
      if (state !== 'open') return this.#found(state)
    }
  }

  /** The next `<` that begins a tag, CDATA or a comment; in `a < b` it is text. */
  #nextTag(): number {
    const text = this.#text
    for (let at = text.indexOf('<', this.#at); at !== -1; at = text.indexOf('<', at + 1)) {
      const c = text.charCodeAt(at + 1)
      if (c === SLASH || c === BANG || c === QUESTION || isNameStart(c)) return at
    }
    return text.length
  }

  /**
   * Whether the tag at `at` opens another block, in a place where it cannot be content: directly in `<edit>`, where
   * only its parts are; after the CDATA of `<write>` or `<run>`, with no markup between; for `<tasks>`, which do not
   * nest, another one. Anywhere else it may be content that lacks its CDATA, and is not to be trusted.
   */
  #isFollower(at: number): boolean {
    const name = this.#name
    if (this.#depth !== 1 || !(this.#tagEndedLine || name === 'edit' || name === 'tasks')) return false
    if (!isNameStart(this.#text.charCodeAt(at + 1)) || !startsLine(this.#text, at)) return false
    const opened = elementOpeningAt(this.#text, at)
    return name === 'tasks' ? opened === 'tasks' : opened !== undefined
  }

  /** Skips what begins with `<!` or `<?`. */
  #declaration(at: number): 'open' | 'cut' {
    if (this.#text.startsWith(CDATA, at)) return this.#section(at)
    if (this.#text.startsWith('<!--', at)) {
      const close = this.#text.indexOf('-->', at + 4)
      if (close === -1) return this.#endless(at, 4, 'A comment')
      this.#at = close + 3
      return 'open'
    }
    this.#finding ??= malformedFinding(at, 2, { code: 'cml-declaration' })
    this.#tagEndedLine = false
    this.#at = at + 2
    return 'open'
  }

  #section(at: number): 'open' | 'cut' {
    const text = this.#text
    const from = at + CDATA.length
    let to = text.indexOf(']]>', from)
    if (to === -1) return this.#endless(at, CDATA.length, 'CDATA')
    const inner = findInnerOpening(text, from, to)
    if (inner !== -1) {
      this.#finding ??= malformedFinding(inner, CDATA.length, { code: 'cml-inner-cdata' })
      to = findBalancedEnd(text, from)
      if (to === -1) return 'cut'
    }
    this.#at = to + 3
    this.#parts.push({ at, end: this.#at, section: { from, to } })
    this.#tagEndedLine = this.#depth === 1 && endsLine(text, this.#at)
    return 'open'
  }

  #endless(at: number, length: number, part: 'A comment' | 'CDATA'): 'cut' {
    this.#finding = { at, length, code: 'cml-endless', data: { name: this.#name, part } }
    return 'cut'
  }

  /** Skips a start or end tag. */
  #tag(at: number, isEnd: boolean): LocatedElement['state'] | 'open' {
    const text = this.#text
    const { end, whole } = tagFrom(text, at + 1)
    if (end === text.length && !whole) return 'cut'
    this.#parts.push({ at, end })
    this.#tagEndedLine = false
    this.#at = end
    if (isEnd) {
      this.#depth--
      if (isNamed(text, at + 2, this.#name)) this.#own--
      return this.#own > 0 ? 'open' : 'closed'
    }
    const first = at === this.#start
    if (whole && text.charCodeAt(end - 2) === SLASH) return first ? 'closed' : 'open'
    if (first && this.#isVoid()) return 'unclosed'
    // A broken tag, as in `if (a <b && c)`, opens nothing; the parser will refuse it.
    if (!whole && !first) return 'open'
    this.#depth++
    if (this.#depth > maxDepth) this.#deep ??= at
    if (first || isNamed(text, at + 1, this.#name)) this.#own++
    return 'open'
  }

  /** `<read>`, `<move>` and `<remove>` hold nothing: without an end tag right after it, the start tag is all there is. */
  #isVoid(): boolean {
    if (heldContent(this.#name) !== 'nothing') return false
    const next = skipSpaces(this.#text, this.#at)
    return !this.#text.startsWith('</', next) || !isNamed(this.#text, next + 2, this.#name)
  }

  #tooDeep(): CmlFinding | undefined {
    return this.#deep === undefined
      ? undefined
      : malformedFinding(this.#deep, 1, { code: 'cml-deep', data: { most: maxDepth } })
  }

  #found(state: LocatedElement['state']): LocatedElement {
    const end = state === 'cut' ? this.#text.length : this.#at
    return {
      name: this.#name,
      start: this.#start,
      end,
      state,
      parts: this.#parts,
      finding: this.#finding ?? (state === 'cut' ? undefined : this.#tooDeep()),
    }
  }
}

/** Far above what the language has. */
const maxDepth = 64

/** Where a tag ends. No `<` may be in it, so a quote or a tag that is left open ends there, and is not whole. */
function tagFrom(text: string, from: number): { end: number; whole: boolean } {
  let quote = 0
  for (let at = from; at < text.length; at++) {
    const c = text.charCodeAt(at)
    if (c === LT) return { end: at, whole: false }
    if (quote !== 0) {
      if (c === quote) quote = 0
    } else if (c === GT) return { end: at + 1, whole: true }
    else if (c === QUOTE || c === APOSTROPHE) quote = c
  }
  return { end: text.length, whole: false }
}

const malformedFinding = (at: number, length: number, finding: Finding): CmlFinding => ({ ...finding, at, length })

const BANG = 33
const LT = 60
const GT = 62
const QUESTION = 63

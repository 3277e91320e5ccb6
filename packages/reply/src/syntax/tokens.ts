import { withoutBom } from '../core/source.ts'
import type { DamageKind } from '../core/diagnostic.ts'
import type { Source } from '../core/source.ts'
import { findEscaped, findDamageKinds } from '../text/undamage.ts'

/*
 * The kit that every native syntax is read with:
 *
 *   lines ─▶ lexer ─▶ tokens ─▶ parser of the syntax ─▶ blocks and diagnostics
 *
 * A token is a line with a marker in it. The lexer of a syntax tries a line as it is and, where damage is put up with, as
 * it was before the damage. The parser is the same for both: a text without damage is one in which every token is clean.
 * Only markers are ever cleaned. Values and content stay as they are.
 */

/** A line with a marker in it. */
export interface Token {
  readonly name: string
  /** The line with its marker as it should be; the line itself where nothing is wrong with the marker. */
  readonly clean: string
  /** The marker part of the line, verbatim: a value on the line is content. */
  readonly markup: string
}

/** `exact`: a damaged marker is an ordinary line; `uniform`: all markers of a block have the same damage. */
export type MarkerReading = 'exact' | 'uniform' | 'damaged'

/** The token on a line, or undefined for an ordinary line. */
export type Lex<T extends Token> = (line: string, reading: MarkerReading) => T | undefined

/** A marker of a block, with the line it is on. */
export interface Marker {
  readonly line: number
  readonly clean: string
  readonly markup: string
  /** Set on a code fence where no text is allowed. */
  readonly fence?: true
}

/** The lines of a text, without what precedes every one of them. */
export class LineView {
  readonly prefix: string
  readonly source: Source
  readonly lineCount: number
  readonly #budget: SearchBudget
  readonly #bullet: { readonly line: number; readonly text: string } | undefined

  constructor(source: Source, prefix: string, budget: SearchBudget, bullet?: { line: number; text: string }) {
    this.source = source
    this.#budget = budget
    this.#bullet = bullet
    this.prefix = prefix
    this.lineCount = source.lineCount
  }

  /** Undefined for a line that lacks the prefix, and past the end. Empty lines may lack it. */
  line(line: number): string | undefined {
    if (line > this.lineCount || this.#budget.lines-- <= 0) return undefined
    const text = this.source.line(line)
    if (line === this.#bullet?.line) return text.slice(this.#bullet.text.length)
    if (text.startsWith(this.prefix)) return text.slice(this.prefix.length)
    const bare = text.trim()
    return bare === '' || bare === this.prefix.trim() ? '' : undefined
  }
}

/** Blocks that are never closed must not make every search go to the end of the text. */
export interface SearchBudget {
  lines: number
}

/** The tokens of a text for the parser of one syntax. */
export class Tokens<T extends Token> {
  readonly source: Source
  readonly lineCount: number
  readonly #view: LineView
  readonly #lex: Lex<T>
  readonly #reading: MarkerReading
  readonly #markers: Markers

  constructor(view: LineView, lex: Lex<T>, reading: MarkerReading) {
    this.#markers = new Markers(reading)
    this.#view = view
    this.#lex = lex
    this.#reading = reading
    this.source = view.source
    this.lineCount = view.lineCount
  }

  /** The tokens of a text as it is. */
  static exact<T extends Token>(source: Source, lex: Lex<T>): Tokens<T> {
    return new Tokens(new LineView(source, '', { lines: Infinity }), lex, 'exact')
  }

  /** Undefined for a line that lacks what precedes the others, and past the end. */
  line(line: number): string | undefined {
    return this.#view.line(line)
  }

  at(line: number): T | undefined {
    const text = this.#view.line(line)
    return text === undefined ? undefined : this.#tokenIn(line, text)
  }

  /** The first token at or after `line`, with its line. None is below a line that lacks what precedes the others. */
  next(line: number): { readonly line: number; readonly token: T } | undefined {
    for (let n = line; n <= this.lineCount; n++) {
      const text = this.#view.line(n)
      if (text === undefined) return undefined
      const token = this.#tokenIn(n, text)
      if (token !== undefined) return { line: n, token }
    }
    return undefined
  }

  /**
   * The first of these tokens below a block that ends on `line`. Where that is one that ends a block, the one above may be
   * content, however the two are written: a sound block in a fence is content of a damaged one around it.
   */
  after(line: number, isWanted: (token: T) => boolean = () => true): T | undefined {
    for (let n = line + 1; n <= this.lineCount; n++) {
      const text = this.#view.line(n)
      const token = text === undefined ? undefined : this.#lex(text, this.#reading)
      if (token !== undefined && isWanted(token)) return token
    }
    return undefined
  }

  /** What a line would be if damage to it were undone. */
  throughDamage(line: number): T | undefined {
    const text = this.#view.line(line)
    return text === undefined ? undefined : this.#lex(text, 'damaged')
  }

  /** The parser says that the token is a marker of its block. */
  take(line: number, token: T): void {
    if (this.#reading !== 'exact') this.#markers.take(line, token)
  }

  /** The markers of the block from `start` to `end`, which were found through damage. */
  marked(start: number, end: number): MarkedBlock {
    return { start, end, markers: this.#markers.list }
  }

  #tokenIn(line: number, text: string): T | undefined {
    // Only the start of the text may be a byte order mark.
    const token = this.#lex(line === 1 && this.#reading === 'exact' ? withoutBom(text) : text, this.#reading)
    return token === undefined || this.#reading === 'exact' || this.#markers.admit(token.markup) ? token : undefined
  }
}

/** The markers of one block that was found through damage. */
export class Markers {
  readonly list: Marker[] = []
  readonly #unescaped = new Set<string>()
  readonly #escaped = new Set<string>()
  /** By markup: most markers of a text are written like others. */
  readonly #signs = new Map<string, MarkerSigns>()
  readonly #isUniform: boolean

  constructor(reading: MarkerReading = 'damaged') {
    this.#isUniform = reading === 'uniform'
  }

  take(line: number, { clean, markup }: Pick<Token, 'clean' | 'markup'>): void {
    this.list.push({ line, clean, markup })
    const { escaped, unescaped } = this.#signsIn(markup)
    if (this.#isUniform) for (const sign of escaped) this.#escaped.add(sign)
    for (const sign of unescaped) this.#unescaped.add(sign)
  }

  takeFence(line: number): void {
    this.list.push({ line, clean: '', markup: '', fence: true })
  }

  /**
   * Whether the block can have this marker too. A program that escapes a character escapes it everywhere: where one marker
   * has it unescaped, a line that has it escaped is content about markers, and for a uniform reading the other way round.
   */
  admit(markup: string): boolean {
    if (this.#unescaped.size + this.#escaped.size === 0) return true
    const { escaped, unescaped } = this.#signsIn(markup)
    return isDisjoint(escaped, this.#unescaped) && isDisjoint(unescaped, this.#escaped)
  }

  #signsIn(markup: string): MarkerSigns {
    const known = this.#signs.get(markup) ?? signsIn(markup)
    this.#signs.set(markup, known)
    return known
  }
}

function isDisjoint(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  for (const one of some) if (others.has(one)) return false
  return true
}

/** A block, or a group of them, by its markers. What is between the markers is content. */
export interface MarkedBlock {
  readonly start: number
  readonly end: number
  readonly markers: readonly Marker[]
}

/** Reads what opens on `line`, through damage. Undefined when that is no whole block. */
export type ReadThroughDamage = (view: LineView, line: number) => MarkedBlock | undefined

/** First as a program damages a text, which leaves what is in a code fence as it is; then with any damage. */
export const makeDamageReader =
  <T extends Token>(
    lex: Lex<T>,
    read: (tokens: Tokens<T>, start: number) => MarkedBlock | undefined,
  ): ReadThroughDamage =>
  (view, start) =>
    read(new Tokens(view, lex, 'uniform'), start) ?? read(new Tokens(view, lex, 'damaged'), start)

/** The signs that a marker has in escaped form, and those that it has as they are. */
interface MarkerSigns {
  readonly escaped: ReadonlySet<string>
  readonly unescaped: ReadonlySet<string>
}

function signsIn(markup: string): MarkerSigns {
  const { escaped, plain } = findEscaped(markup)
  const signs = { escaped: new Set(escaped), unescaped: new Set(plain) }
  for (const [sign, typographic] of typographicSigns) {
    if (typographic.test(markup)) signs.escaped.add(sign)
    if (markup.includes(sign)) signs.unescaped.add(sign)
  }
  return signs
}

const typographicSigns: readonly (readonly [string, RegExp])[] = [
  ['--', /[\u2012-\u2015]|&[mn]dash;/],
  ['<<', /\xab|&laquo;/],
  ['>>', /\xbb|&raquo;/],
]

/** What the markers of a block show. */
export const damageKindsOf = (markers: readonly Marker[]): DamageKind[] =>
  kindsOfMarkup(markers.filter(({ fence }) => !fence).map(({ markup }) => markup))

export function kindsOfMarkup(markup: readonly string[]): DamageKind[] {
  const kinds = findDamageKinds(markup.join('\n')).filter((kind) => kind !== 'breaks')
  // Models leave spaces after a marker. Two after each but the last are what makes lines of one paragraph.
  const broken = markup.length > 1 && markup.slice(0, -1).every((one) => one.endsWith('  '))
  return broken ? [...kinds, 'breaks'] : kinds
}

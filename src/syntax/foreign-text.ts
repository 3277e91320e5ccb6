import type { Source } from '../core/source.ts'

/** What the formats of other tools have in common: fences around them, indentation, and damage to their markers. */

/** A line of a text, without the byte order mark that the text may begin with. */
export function rowAt(source: Source, line: number): string {
  const row = source.line(line)
  return line === 1 && row.charCodeAt(0) === BOM ? row.slice(1) : row
}

export interface Fence {
  readonly indent: string
  readonly marks: string
  /** What stands behind the marks: a language, perhaps a file name. */
  readonly info: string
}

/** The fence on a line of a text. Most lines have none, and cost one look at where their text begins. */
export function fenceAt(source: Source, line: number): Fence | undefined {
  return beginsWithMark(source.text, source.startOf(line)) ? fenceOf(rowAt(source, line)) : undefined
}

export function fenceOf(line: string): Fence | undefined {
  if (!beginsWithMark(line, 0)) return undefined
  const [, indent, marks, info] = /^([ \t]*)(`{3,}|~{3,})([^`]*)$/.exec(line) ?? []
  if (indent === undefined || marks === undefined || info === undefined) return undefined
  return { indent, marks, info: info.trim() }
}

function beginsWithMark(text: string, start: number): boolean {
  let at = start
  while (text.charCodeAt(at) === BLANK || text.charCodeAt(at) === TAB || text.charCodeAt(at) === BOM) at++
  return text.charCodeAt(at) === BACKTICK || text.charCodeAt(at) === TILDE
}

/** A line without what browsers and chat programs do to markers: escapes, entities, odd blanks. */
function plainMarker(line: string): string {
  if (!DAMAGE.test(line)) return line
  return line
    .replace(/\xa0/g, ' ')
    .replace(/[\u200b-\u200d\u2060\ufeff]/g, '')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/\xab/g, '<<')
    .replace(/\xbb/g, '>>')
    .replace(/\\([<>=*_#@-])/g, '$1')
}

/** How a marker is read: through damage, or as it is written. */
export type ReadMarker = (line: string) => string

export const readMarker = ({ strict = false }: { readonly strict?: boolean | undefined } = {}): ReadMarker =>
  strict ? (line) => line : plainMarker

const DAMAGE = /[\\&\xa0\xab\xbb\u200b-\u200d\u2060\ufeff]/

export const damageWarning = (line: number): string =>
  `the marker on line ${line} was damaged; it was read as it was meant`

/**
 * Lines of a text, without the indentation of the block they stand in unless one of them has less of it. They are looked
 * at where they are, so that only what is kept is cut out.
 */
export class Rows {
  readonly first: number
  readonly last: number
  readonly #source: Source
  readonly #indent: string

  /** `marker` is a line among them that is none of them. */
  constructor(source: Source, first: number, last: number, indent: string, marker?: number) {
    this.#source = source
    this.first = first
    this.last = last
    const fits = (line: number): boolean => line === marker || this.#has(line, indent) || isBlank(source, line)
    this.#indent = indent === '' || this.#all(fits) ? indent : ''
  }

  /** A line from its character `from` on. */
  row(line: number, from = 0): string {
    if (!this.#has(line, this.#indent)) return ''
    return this.#source.text.slice(this.#startOf(line) + from, this.#source.endOf(line))
  }

  /** The code of the first character of a line, its line break where it is empty. */
  begin(line: number): number {
    return this.#has(line, this.#indent) ? this.#source.text.charCodeAt(this.#startOf(line)) : LF
  }

  #startOf(line: number): number {
    return this.#source.startOf(line) + this.#indent.length
  }

  #has(line: number, indent: string): boolean {
    return indent === '' || this.#source.text.startsWith(indent, this.#source.startOf(line))
  }

  #all(test: (line: number) => boolean): boolean {
    for (let line = this.first; line <= this.last; line++) if (!test(line)) return false
    return true
  }
}

const isBlank = (source: Source, line: number): boolean => source.line(line).trim() === ''

/** How much may stand before the word of a marker: indentation and the marks, as entities at worst. */
const REACH = 80

/**
 * The lines that hold a word, with nothing before it but what a marker begins with. Jumps from word to word, and
 * looks back a fixed way only, so that a long line costs no more than a short one.
 */
export function* linesWith(source: Source, word: string, from = 0): Generator<number> {
  const { text } = source
  for (let at = text.indexOf(word, from); at !== -1; at = text.indexOf(word, at + word.length)) {
    const floor = Math.max(0, at - REACH)
    let start = at
    while (start > floor && text.charCodeAt(start - 1) !== LF) start--
    if (start > 0 && text.charCodeAt(start - 1) !== LF) continue
    if (start === at || BEFORE.test(text.slice(start, at))) yield source.lineAt(at)
  }
}

/** What a marker begins with, damaged or not. */
const BEFORE = /^[\s\\<>*+&;ltg\xab\xbb\u200b-\u200d\u2060\ufeff-]*$/

const TAB = 9
const LF = 10
const BLANK = 32
const BACKTICK = 96
const TILDE = 126
const BOM = 0xfeff

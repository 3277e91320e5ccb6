import type { Block, Fault, SyntaxName } from '../../core/block.ts'
import type { Source } from '../../core/source.ts'
import { doubted } from '../damage.ts'
import { kindsOfShells } from '../mend.ts'
import { type Mistake, faultAt } from '../sham/lines.ts'
import { Texts } from '../sham/walk.ts'

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

/** The markers of a text in order, of whatever kind. */
export class MarkList<Mark extends { readonly line: number }> {
  readonly marks: readonly Mark[]
  /** Where it was found last: who reads on asks for the next, or for the same one again. */
  #last = 0

  constructor(marks: readonly Mark[]) {
    this.marks = marks
  }

  /** The index of the first at or after a line. */
  indexFrom(line: number): number {
    const from = (this.marks[this.#last - 1]?.line ?? 0) < line ? this.#last : 0
    for (let at = from; at < from + NEAR; at++) {
      const mark = this.marks[at]
      if (mark === undefined || mark.line >= line) return (this.#last = at)
    }
    return (this.#last = this.#search(line))
  }

  #search(line: number): number {
    let low = 0
    let high = this.marks.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.marks[middle]?.line ?? Infinity) < line) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** The markers of a block or two. */
const NEAR = 8

/** A block of another tool's format as its reader found it. */
export interface Found {
  readonly action: string
  readonly params: Readonly<Record<string, string>>
  readonly label: string
  readonly startLine: number
  /** Null when it was not closed. */
  readonly endLine: number | null
  readonly lastLine: number
  readonly slips: readonly Slip[]
  readonly warnings?: readonly string[]
  /** What of its lines is marker, in order, where anything in them is not as the format has it. */
  readonly shells?: readonly string[] | undefined
}

/** A fault that does not know its block yet. The whole line is meant where no column is given. */
export interface Slip extends Partial<Pick<Mistake, 'column' | 'length'>> {
  readonly code?: 'truncated' | 'binary_file'
  readonly line: number
  readonly message: string
  readonly hint: string
}

const none: readonly Fault[] = []

/** Numbers the blocks of one format, from 1. */
export class ForeignBlocks {
  readonly #source: Source
  readonly #syntax: SyntaxName
  readonly #strict: boolean
  #count = 0

  constructor(source: Source, syntax: SyntaxName, { strict = false }: { readonly strict?: boolean | undefined } = {}) {
    this.#source = source
    this.#syntax = syntax
    this.#strict = strict
  }

  make(found: Found): Block {
    const { action, label, startLine, endLine, lastLine, warnings = [] } = found
    const id = String(++this.#count)
    const params = new Texts()
    for (const name in found.params) params[name] = found.params[name] ?? ''
    const block: Block = {
      syntax: this.#syntax,
      id,
      action,
      label,
      params,
      startLine,
      endLine,
      faults: found.slips.length === 0 ? none : found.slips.map((slip) => this.#fault(id, slip)),
      ...(this.#sideMayLead(found) && { sideMayLead: true }),
      raw: this.#source.text.slice(this.#source.startOf(startLine), this.#source.endOf(lastLine)),
    }
    const warned = warnings.length === 0 ? block : { ...block, warnings }
    if (found.shells === undefined || this.#strict) return warned
    return doubted(this.#source, warned, kindsOfShells(found.shells))
  }

  /** A diff tells what its names mean by naming both; what makes a file may make a directory. */
  #sideMayLead({ action, params }: Found): boolean {
    const { path = '' } = params
    return this.#syntax !== 'udiff' && action !== 'file_create' && (path.startsWith('a/') || path.startsWith('b/'))
  }

  #fault(id: string, { code, line, column, length, message, hint }: Slip): Fault {
    const text = this.#source.line(line)
    const from = column ?? text.length - text.trimStart().length + 1
    const whole = Math.max(0, text.trimEnd().length - from + 1)
    const mistake = { code: code ?? 'malformed_block', column: from, length: length ?? whole, message, hint }
    return faultAt(this.#source, line, id, mistake)
  }
}

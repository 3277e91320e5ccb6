import { LF, SPACE, ASTERISK, LESS, GREATER } from '../../core/character-codes.ts'
import { partitionPoint } from '../../text/lines.ts'
import type { Block } from '../../core/block.ts'
import { isSpace, type Source, textFrom } from '../../core/source.ts'
import { flagDamagedParams } from '../damage.ts'
import { kindsOfMarkup } from '../tokens.ts'
import type { Diagnostic, Finding } from '../../core/diagnostic.ts'
import { makeDiagnostic, findMadeControl, type Reader, type ReadOptions, Texts } from '../reader.ts'
import type { Syntax } from '../syntax.ts'

/** What the formats of other tools have in common: indentation, and damage to their markers. */

/** Whether a line is nothing but this text. */
export const isLine = (source: Source, line: number, text: string): boolean =>
  source.endOf(line) === source.startOf(line) + text.length && source.text.startsWith(text, source.startOf(line))

/** A line without what browsers and chat programs do to markers: escapes, entities, unusual spaces. */
function plainMarker(line: string): string {
  if (!DAMAGE.test(line)) return line
  return line
    .replace(/\xa0/g, ' ')
    .replace(/[\u200b-\u200d\u2060\ufeff]/g, '')
    .replace(/&(?:lt|#60|#x3c);/gi, '<')
    .replace(/&(?:gt|#62|#x3e);/gi, '>')
    .replace(/\xab/g, '<<')
    .replace(/\xbb/g, '>>')
    .replace(/\\([<>=*_#@-])/g, '$1')
}

/** How a marker is read: through damage, or as it is written. */
export type ReadMarker = (line: string) => string

const DAMAGE = /[\\&\xa0\xab\xbb\u200b-\u200d\u2060\ufeff]/

/** The mark of a line of context as a browser leaves it. */
export const DAMAGED_MARK = /^(?:[\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]|&nbsp;|&#160;|&#xa0;)/i

export const markerWarning = (line: number): string => `the marker on line ${line} was damaged; the damage was ignored`

/**
 * Lines of a text, without the indentation of the block they are in unless one of them has less of it. They are looked
 * at where they are, so that only what is kept is cut out.
 */
export class Rows {
  readonly first: number
  readonly last: number
  readonly #source: Source
  readonly #indent: string

  /** `marker` is a line among them that does not belong to them. */
  constructor(source: Source, first: number, last: number, indent: string, marker?: number) {
    this.#source = source
    this.first = first
    this.last = last
    this.#indent = indent === '' || this.#fits(indent, marker) ? indent : ''
  }

  row(line: number): string {
    if (!this.#has(line, this.#indent)) return ''
    return this.#source.text.slice(this.#startOf(line), this.#source.endOf(line))
  }

  /** The text of a line after what it begins with; undefined where it begins with something else. */
  restAfter(beginning: string, line: number): string | undefined {
    const start = this.#startOf(line)
    if (!this.#has(line, this.#indent) || !this.#source.text.startsWith(beginning, start)) return undefined
    return this.#source.text.slice(start + beginning.length, this.#source.endOf(line))
  }

  /** Some of these lines, each with an LF. A line follows the last of them. */
  text(first: number, last: number): string {
    if (this.#indent === '') return this.#source.withLf(this.#source.startOf(first), this.#source.startOf(last + 1))
    let rows = ''
    for (let line = first; line <= last; line++) rows += `${this.row(line)}\n`
    return rows
  }

  /** Lines that begin with `+`, without this mark, each with an LF. */
  unmarked(first: number, last: number): string {
    // Joined, neither added up nor replaced: what these make has every line as a part, for the garbage collector to move.
    const rows: string[] = []
    for (let line = first; line <= last; line++) {
      rows.push(this.#source.withLf(this.#startOf(line) + 1, this.#source.startOf(line + 1)))
    }
    if (last === this.#source.lineCount) rows.push('\n')
    return rows.join('')
  }

  /** The last line from `first` on before one that begins with something else. */
  lastWith(first: number, initial: number): number {
    let last = first
    while (last < this.last && this.begin(last + 1) === initial) last++
    return last
  }

  /** The code of the first character of a line, its line break where it is empty. */
  begin(line: number): number {
    if (this.#indent === '') return this.#source.initial(line)
    return this.#has(line, this.#indent) ? this.#source.text.charCodeAt(this.#startOf(line)) : LF
  }

  #startOf(line: number): number {
    return this.#source.startOf(line) + this.#indent.length
  }

  #has(line: number, indent: string): boolean {
    return indent === '' || this.#source.text.startsWith(indent, this.#source.startOf(line))
  }

  #fits(indent: string, marker: number | undefined): boolean {
    for (let line = this.first; line <= this.last; line++) {
      if (line !== marker && !this.#has(line, indent) && textFrom(this.#source, line) !== -1) return false
    }
    return true
  }
}

/** How much may precede the word of a marker: indentation and the marks, as entities at worst. */
const REACH = 80

/**
 * Calls `take` for every line that holds one of these words, in order, with nothing before the word but what a marker
 * begins with. Jumps from word to word, and looks back a fixed way only, so that a long line costs no more than a short
 * one.
 */
export function eachLineWith(
  source: Source,
  words: readonly string[],
  take: (line: number, word: string) => void,
): void {
  const { text } = source
  const places = words.map((word) => placeFrom(text, word, 0))
  for (;;) {
    let first = 0
    for (let at = 1; at < places.length; at++) if ((places[at] ?? 0) < (places[first] ?? 0)) first = at
    const place = places[first] ?? Infinity
    const word = words[first] ?? ''
    if (place === Infinity) return
    take(source.lineAt(place), word)
    places[first] = placeFrom(text, word, place + word.length)
  }
}

function placeFrom(text: string, word: string, from: number): number {
  for (let at = text.indexOf(word, from); at !== -1; at = text.indexOf(word, at + word.length)) {
    const floor = Math.max(0, at - REACH)
    let start = at
    let isPlain = true
    for (; start > floor; start--) {
      const c = text.charCodeAt(start - 1)
      if (c === LF) break
      isPlain &&= c === SPACE || c === ASTERISK || c === LESS || c === GREATER
    }
    if (start > 0 && text.charCodeAt(start - 1) !== LF) continue
    if (isPlain || BEFORE.test(text.slice(start, at))) return at
  }
  return Infinity
}

/** What a marker begins with, damaged or not. */
const BEFORE =
  /^(?:[\s\\<>*+\xab\xbb\u2022\u200b-\u200d\u2060\ufeff-]|&(?:[lg]t|#6[02]|#x3[ceCE]);)*$|^\s*\d{1,3}[.)]\s+[*\\]*\s*$/

/** The markers of a text in order, of whatever kind. */
export class MarkList<Mark extends { readonly line: number }> {
  readonly #find: () => readonly Mark[]
  #marks: readonly Mark[] | undefined
  /** Where it was found last: who reads on asks for the next, or for the same one again. */
  #last = 0

  constructor(find: () => readonly Mark[]) {
    this.#find = find
  }

  /** Looked for when the first is asked for. */
  get marks(): readonly Mark[] {
    return (this.#marks ??= this.#find())
  }

  /** The index of the first at or after a line. */
  indexFrom(line: number): number {
    const { marks } = this
    const from = (marks[this.#last - 1]?.line ?? 0) < line ? this.#last : 0
    for (let at = from; at < from + NEAR; at++) {
      const mark = marks[at]
      if (mark === undefined || mark.line >= line) return (this.#last = at)
    }
    return (this.#last = firstLineFrom(marks, line))
  }
}

/** The markers of a block or two. */
const NEAR = 8

const firstLineFrom = (marks: readonly { readonly line: number }[], line: number): number =>
  partitionPoint(marks, (mark) => mark.line < line)

/** A block of another tool's format as its reader found it. */
export interface ForeignBlock {
  readonly action: string
  /** Where it is written in another format inside this one. */
  readonly syntax?: 'apply-patch'
  readonly params: Readonly<Record<string, string>>
  readonly label: string
  readonly startLine: number
  /** Null when it was not closed. */
  readonly endLine: number | null
  readonly lastLine: number
  readonly findings: readonly Finding[]
  readonly warnings?: readonly string[]
  /** The marker parts of its lines, in order, if any of them differs from the format. */
  readonly markup?: readonly string[] | undefined
  /** As in `Block`. */
  readonly uncertainMarks?: true
  readonly part?: Block['part']
  /** As in `Block`. */
  readonly proposed?: true
}

/** What was meant as a block and cannot be read. */
export const makeUnreadable = (
  lines: Pick<ForeignBlock, 'startLine' | 'endLine' | 'lastLine'>,
  label: string,
  finding: Finding,
): ForeignBlock => ({ ...lines, action: '', params: {}, label, findings: [finding] })

/** One format of other tools. Damage to its markers is repaired by its own reader. */
interface ForeignFormat {
  readonly name: string
  /** As in `syntax.ts`. */
  readonly marks: RegExp
  /** Whether `a/` and `b/` before a path are already removed where they only name a side. */
  readonly sides?: 'removed'
  readonly rules?: Syntax['rules']
  readonly reminder?: readonly string[]
  written?(params: Readonly<Record<string, string>>, label?: string): string | undefined
  open(source: Source, plain: ReadMarker, options: ReadOptions): FoundReader
}

interface FoundReader {
  seek(line: number): number
  read(line: number): { readonly found: readonly ForeignBlock[]; readonly next: number }
}

/** The row of a format in the table of syntaxes. */
export const foreignSyntax = (format: ForeignFormat) =>
  ({
    title: format.name,
    marks: format.marks,
    kind: 'foreign',
    waits: true,
    paths: 'relative',
    ids: 'counted',
    coverage: 'own operations',
    rules: format.rules,
    reminder: format.reminder,
    written: format.written,
    reader(source: Source, { strict = false, controlCharacters }: ReadOptions = {}): Reader {
      const { seek, read } = format.open(source, strict ? (line) => line : plainMarker, { strict })
      let count = 0
      const blockFrom = (found: ForeignBlock): Block => {
        const own = foreignBlock(source, format, String(++count), found, strict)
        const block = controlCharacters === 'refuse' ? refuseMadeControl(source, own) : own
        return found.markup === undefined || strict
          ? block
          : flagDamagedParams(source, block, kindsOfMarkup(found.markup))
      }
      return {
        seek,
        read(line) {
          const { found, next } = read(line)
          return { blocks: found.map(blockFrom), diagnostics: none, next }
        },
      }
    },
  }) as const satisfies Syntax

function foreignBlock(source: Source, format: ForeignFormat, id: string, found: ForeignBlock, strict: boolean): Block {
  const { action, label, startLine, endLine, lastLine } = found
  const own = found.warnings?.length ?? 0
  const indented = strict ? undefined : warnOfIndentation(source, format, found)
  const params = new Texts()
  for (const name in found.params) {
    const text = found.params[name] ?? ''
    params[name] = name === 'path' && text.includes('\\') ? withForwardSlashes(text) : text
  }
  const block: { -readonly [key in keyof Block]: Block[key] } = {
    syntax: found.syntax ?? format.name,
    id,
    action,
    label,
    params,
    startLine,
    endLine,
    diagnostics:
      found.findings.length === 0
        ? none
        : found.findings.map((finding) => makeDiagnostic(source, finding.line ?? startLine, finding)),
    raw: source.text.slice(source.startOf(startLine), source.endOf(lastLine)),
  }
  // Added, not spread: a copy of every block would cost more than reading it.
  if (found.uncertainMarks) block.uncertainMarks = true
  if (found.part !== undefined) block.part = found.part
  if (found.proposed) block.proposed = true
  if (format.sides === undefined && sideMayLead(found)) block.sideMayLead = true
  if (own > 0 || indented !== undefined) block.warnings = [...(found.warnings ?? []), ...(indented ?? [])]
  return block
}

/** A block that fails if an escape of JSON makes a control character. */
function refuseMadeControl(source: Source, block: Block): Block {
  const { params, raw, diagnostics, startLine: line } = block
  for (const name in params) {
    const character = findMadeControl(params[name] ?? '', raw)
    if (character === undefined) continue
    return {
      ...block,
      diagnostics: [
        ...diagnostics,
        makeDiagnostic(source, line, { code: 'control-character', data: { name, character } }),
      ],
    }
  }
  return block
}

/** Windows separators, which every system reads. Before a mark a backslash may be an escape of Markdown. */
const withForwardSlashes = (path: string): string =>
  /\\(?![A-Za-z0-9])/.test(path) ? path : path.replaceAll('\\', '/')

const none: readonly Diagnostic[] = []

/** A block that is indented as a whole. Lines of a diff begin with a space anyway, but not the name above them. */
function warnOfIndentation(
  source: Source,
  { name }: ForeignFormat,
  { startLine, endLine, findings }: ForeignBlock,
): [string] | undefined {
  if (findings.length > 0) return undefined
  const endsIndented = endLine !== null && name !== 'udiff' && isIndentedMark(source, endLine)
  return endsIndented || isIndentedMark(source, startLine)
    ? [`lines ${startLine}-${endLine ?? ''}: the block is indented, and was read without its indentation`]
    : undefined
}

const isIndentedMark = (source: Source, line: number): boolean =>
  isSpace(source.text.charCodeAt(source.startOf(line))) && /^\s+(?:---|\*\*\*|>{5}|<{5})/.test(source.line(line))

/** A path that is created may also create its directory. */
const sideMayLead = ({ action, params: { path = '' } }: ForeignBlock): boolean =>
  action !== 'file_create' && action !== 'file_write' && (path.startsWith('a/') || path.startsWith('b/'))

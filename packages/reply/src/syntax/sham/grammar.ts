import type { Source } from '../../core/source.ts'
import { makeDiagnostic, type ReadOptions, Texts } from '../reader.ts'
import type { Diagnostic, Finding } from '../../core/diagnostic.ts'
import { type Assignment, controlFinding, escapeTabs, parseAssignment, startsLikeAssignment } from './assignment.ts'
import { delimiterOf, endLine, type Name, parseEnd, parseHeader, seekHeader, type ShamLines } from './lines.ts'

/*
 * SHAM and NESL are one language in three spellings, decided per block:
 *
 *   block      = header { line } end
 *   header     = "#!SHAM [@three-char-SHA-256: " id "]"
 *              | "#!NESL [@three-char-SHA-256: " id "]"
 *              | "#!nesl [@" label ": " id "]"                label: letters, digits, "-"
 *   id         = 2 to 8 letters or digits
 *   line       = empty | assignment
 *   assignment = key "=" ( string | heredoc )                 spaces around "=" are optional
 *   key        = a letter or "_", then letters, digits, "_"; in column 1; at most 256 units
 *   string     = a JSON string, on one line; nothing repairs its inside
 *   heredoc    = "<<'" delimiter "'" LF { any line LF } delimiter
 *   delimiter  = "EOT_SHAM_" id | "EOT_NESL_" id | "EOT_" id
 *   end        = "#!END_SHAM_" id | "#!END_NESL_" id | "#!end_" id
 *
 * Header, end and the closing delimiter are whole lines; white space around them, a byte order mark and a "'"
 * after an end or a delimiter do not matter. Inside a heredoc only its delimiter is a marker. A heredoc is
 * unclosed when its delimiter does not come, or is opened again first: the block fails and reading continues
 * after its end marker, and where there is no end marker either, nothing that follows is trusted.
 */

/** A block as it is in the text, `action` among its properties and in the order they were written. */
export interface FoundBlock {
  readonly name: Name
  readonly properties: Readonly<Record<string, string>>
  readonly startLine: number
  readonly endLine: number | null
  /** The last line that belongs to it, closed or not. */
  readonly lastLine: number
  readonly diagnostics: readonly Diagnostic[]
}

export interface FoundSham {
  readonly block?: FoundBlock
  /** Faults of a header that starts no block. */
  readonly diagnostics: readonly Diagnostic[]
  readonly skipped: readonly Follower[]
  readonly next: number
}

/** A header that follows a truncated heredoc: it is unknown whether it is content. */
export interface Follower {
  readonly name: Name
  readonly line: number
}

/** Reads what opens on `start`. */
export function readHeader(lines: ShamLines, start: number, { controlCharacters }: ReadOptions): FoundSham {
  const { source } = lines
  const header = parseHeader(source.line(start))
  if (header === undefined) return { diagnostics: [], skipped: [], next: start + 1 }
  const parser = new BlockParser(lines, header.name, start, controlCharacters)
  if (header.finding === undefined) return parser.block()
  return parser.lost(makeDiagnostic(source, start, header.finding))
}

/** Parser state for one block. */
export class BlockParser {
  readonly #lines: ShamLines
  readonly #source: Source
  readonly #name: Name
  readonly #start: number
  readonly #properties = new Texts()
  readonly #diagnostics: Diagnostic[] = []
  readonly #controlCharacters: ReadOptions['controlCharacters']
  #line: number

  constructor(
    lines: ShamLines,
    name: Name,
    start: number,
    controlCharacters: ReadOptions['controlCharacters'] = 'keep',
  ) {
    this.#controlCharacters = controlCharacters
    this.#lines = lines
    this.#source = lines.source
    this.#name = name
    this.#start = start
    this.#line = start + 1
  }

  block(): FoundSham & { block: FoundBlock } {
    const { id } = this.#name
    // What is between the last parameter of an unclosed block and the next header is prose, or another
    // syntax: it is neither reported line by line nor swallowed.
    let last = this.#start
    let known = 0
    for (;;) {
      const line = this.#line
      const text = this.#lines.body(line, this.#name)
      if (text === undefined) break
      const isMarker = text.trimStart().startsWith('#!')
      const end = isMarker ? parseEnd(text, this.#name) : undefined
      if (end !== undefined) {
        if (end !== null) this.#report(line, end)
        return this.#found(line, line)
      }
      if (isMarker && parseHeader(text) !== undefined) {
        this.#diagnostics.length = known
        this.#report(line - 1, notClosed({ code: 'sham-open', data: { id, end: endLine(this.#name) } }))
        return this.#found(null, last)
      }
      this.#line++
      if (text.trim() === '') continue
      const before = this.#diagnostics.length
      const stop = this.#assignment(this.#parsed(text))
      if (stop !== undefined) return stop
      if (this.#line > line + 1 || this.#diagnostics.length === before || startsLikeAssignment(text)) {
        last = this.#line - 1
        known = this.#diagnostics.length
      }
    }
    this.#diagnostics.length = known
    const finding = { code: 'sham-cut', data: { id, end: endLine(this.#name), line: this.#start } } as const
    this.#report(this.#source.lineCount + 1, notClosed(finding))
    return this.#found(null, last)
  }

  /**
   * Skips what a bad header was meant to start, without reporting it line by line: the heredocs in it are
   * still content. Without an end marker only lines that are spelled like parameters are skipped, so that a
   * stray header swallows nothing.
   */
  lost(diagnostic: Diagnostic): FoundSham {
    let closed: boolean | undefined
    while (this.#line <= this.#source.lineCount) {
      const line = this.#line
      const text = this.#source.line(line)
      if (text.trimStart().startsWith('#!')) {
        if (parseHeader(text) !== undefined) break
        if (parseEnd(text, this.#name) !== undefined) {
          this.#line++
          break
        }
      }
      if (text.trim() !== '' && !startsLikeAssignment(text)) {
        closed ??= this.#ownEnd(this.#start) !== undefined
        if (!closed) break
      }
      this.#line++
      const { opens } = parseAssignment(text, this.#name)
      if (opens === undefined || !opens.startsWith('EOT_')) continue
      const stop = this.#heredoc(line, opens)
      if (stop === undefined || typeof stop === 'number') continue
      return {
        diagnostics: [diagnostic, ...stop.block.diagnostics.slice(-1)],
        skipped: stop.skipped,
        next: stop.next,
      }
    }
    return { diagnostics: [diagnostic], skipped: [], next: this.#line }
  }

  #parsed(text: string): Assignment {
    const found = parseAssignment(text, this.#name)
    if (this.#controlCharacters !== 'refuse') return found
    if (found.finding !== undefined) return this.#withTabs(text) ?? found
    const finding = controlFinding(text, found, this.#name)
    return finding === undefined ? found : { finding }
  }

  /**
   * A tab inside quotes, which JSON lacks, can only mean itself. A model copied `"\t\tunknown?(flag: string): void;"` from
   * a file that is indented with tabs, and lost the edit.
   */
  #withTabs(text: string): Assignment | undefined {
    const escaped = escapeTabs(text)
    const found = escaped === text ? undefined : parseAssignment(escaped, this.#name)
    return found?.value === undefined || found.finding !== undefined ? undefined : found
  }

  /** The block, when it ends here. */
  #assignment({ key, value, opens, finding }: Assignment): (FoundSham & { block: FoundBlock }) | undefined {
    const line = this.#line - 1
    if (finding !== undefined) this.#report(line, finding)
    else if (key !== undefined && key in this.#properties) {
      const data = { key, id: this.#name.id }
      this.#report(line, { code: 'sham-key-twice', data, column: 1, length: key.length })
    }

    if (opens !== undefined) {
      const stop = this.#heredoc(line, opens)
      if (typeof stop !== 'number') return stop
      if (key !== undefined) this.#properties[key] = this.#source.lines(line + 1, stop - 1)
      return undefined
    }
    if (key !== undefined && value !== undefined && (finding === undefined || !(key in this.#properties))) {
      this.#properties[key] = value
    }
    return undefined
  }

  /** Continues after a heredoc: returns the line that closes it, nothing when it was spelled wrong, the block when it ends with it. */
  #heredoc(line: number, delimiter: string): number | undefined | (FoundSham & { block: FoundBlock }) {
    if (delimiter !== delimiterOf(this.#name)) return this.#wrongHeredoc(line, delimiter)
    const mark = this.#lines.next(delimiter, line)
    if (mark !== undefined && !mark.opens) {
      this.#line = mark.line + 1
      return mark.line
    }
    const end = this.#ownEnd(line)
    if (end === undefined) return this.#truncated(line, delimiter)
    this.#unclosed({ code: 'sham-heredoc', data: { delimiter, line, again: mark?.line, end } })
    this.#line = end + 1
    return this.#found(null, end)
  }

  /**
   * A heredoc under a wrong delimiter ends where that delimiter or the right one precedes the end marker, else
   * at the end marker; its lines are content and not worth an error each.
   */
  #wrongHeredoc(line: number, delimiter: string): undefined | (FoundSham & { block: FoundBlock }) {
    const right = delimiterOf(this.#name)
    const end = this.#ownEnd(line)
    for (let n = line + 1; n < (end ?? this.#source.lineCount + 1); n++) {
      const text = this.#source.line(n)
      const marker = this.#lines.marker(n)
      if (marker === delimiter || marker === right) {
        this.#line = n + 1
        return undefined
      }
      if (text.includes('<<') && parseAssignment(text, this.#name).opens === delimiter) break
    }
    if (end === undefined) return this.#truncated(line, delimiter)
    this.#line = end
    return undefined
  }

  #truncated(line: number, delimiter: string): FoundSham & { block: FoundBlock } {
    const end = this.#source.lineCount
    this.#unclosed({ code: 'sham-heredoc-cut', data: { delimiter, line, id: this.#name.id, header: this.#start } })
    const skipped: Follower[] = []
    for (let n = seekHeader(this.#source, line + 1); n <= end; n = seekHeader(this.#source, n + 1)) {
      const header = parseHeader(this.#source.line(n))
      if (header !== undefined && header.finding === undefined) skipped.push({ name: header.name, line: n })
    }
    this.#line = end + 1
    return { ...this.#found(null, end), skipped, next: end + 1 }
  }

  #ownEnd(line: number): number | undefined {
    return this.#lines.next(endLine(this.#name), line)?.line
  }

  #found(endLine: number | null, lastLine: number): FoundSham & { block: FoundBlock } {
    const block = {
      name: this.#name,
      properties: this.#properties,
      startLine: this.#start,
      endLine,
      lastLine,
      diagnostics: this.#diagnostics,
    }
    return { block, diagnostics: [], skipped: [], next: lastLine + 1 }
  }

  #unclosed(finding: Finding): void {
    this.#report(this.#source.lineCount + 1, { ...finding, column: 1, length: 0 })
  }

  #report(line: number, finding: Finding): void {
    this.#diagnostics.push(makeDiagnostic(this.#source, line, finding))
  }
}

const notClosed = (finding: Finding): Finding => ({ ...finding, column: 1, length: 0 })

import { cleanLine, separateQuotes } from '../damage.ts'
import { parseFence } from '../../regions/fences.ts'
import type { Source } from '../../core/source.ts'
import { Markers, type ReadThroughDamage, type LineView } from '../tokens.ts'
import { findMadeControl, type ReadOptions } from '../reader.ts'
import { parseJsonText, readLiteralText, parseAssignment, writeAssignment } from './assignment.ts'
import { BlockParser } from './grammar.ts'
import {
  stripMarkerLine,
  removeDelimiterSpaces,
  delimiterOf,
  endLine,
  headerLine,
  isBlockId,
  type Name,
  parseEnd,
  parseHeader,
  type ShamLines,
} from './lines.ts'
import { toPlainMarker } from '../../text/undamage.ts'

/** A whole block through damage. */
export const readDamagedSham: ReadThroughDamage = (view, start) => {
  const header = view.line(start) ?? ''
  const found = parseHeader(toPlainMarker(header))
  if (found === undefined || found.finding !== undefined) return undefined
  const lines = new DamagedLines(view)
  lines.markers.take(start, { clean: cleanLine(header), markup: header })
  const { block } = new BlockParser(lines, found.name, start).block()
  const isOwnEnd = block.endLine !== null && !block.diagnostics.some(({ code }) => code === 'sham-end')
  return isOwnEnd ? { start, end: block.lastLine, markers: lines.markers.list } : undefined
}

/** The lines of a text with their markers cleaned. */
class DamagedLines implements ShamLines {
  readonly source: Source
  readonly markers = new Markers()
  readonly #view: LineView

  constructor(view: LineView) {
    this.source = view.source
    this.#view = view
  }

  body(line: number, name: Name): string | undefined {
    const text = this.#view.line(line)
    if (text === undefined) return undefined
    const plain = toPlainMarker(text)
    if (plain === '') {
      if (text.trim() !== '') this.markers.take(line, { clean: '', markup: text })
      return ''
    }
    if (parseFence(text) !== undefined) {
      this.markers.takeFence(line)
      return ''
    }
    if (parseEnd(plain, name) !== undefined) {
      if (!this.markers.admit(text)) return undefined
      this.markers.take(line, { clean: cleanLine(text), markup: text })
      return plain
    }
    if (parseHeader(plain) !== undefined) return plain
    const { clean, markup } = readAssignmentThroughDamage(text, plain, name)
    // What cannot be recognised is left for the parser to report, as long as it is spelled like a parameter.
    if (clean === undefined && !text.includes('=')) return undefined
    this.markers.take(line, { clean: clean ?? text, markup })
    return clean ?? text
  }

  marker(line: number): string {
    return stripMarkerLine(toPlainMarker(this.#view.line(line) ?? ''))
  }

  next(marker: string, line: number): { line: number; opens: boolean } | undefined {
    for (let n = line + 1; ; n++) {
      const text = this.#view.line(n)
      if (text === undefined) return undefined
      const plain = toPlainMarker(text)
      // A bullet or a colon hides an opener from the grammar: in a list the next block would be taken for content.
      if (plain.includes(`<<'${marker}`)) return { line: n, opens: true }
      if (removeDelimiterSpaces(stripMarkerLine(plain)) !== marker || !this.markers.admit(text)) continue
      this.markers.take(n, { clean: cleanLine(text), markup: text })
      return { line: n, opens: false }
    }
  }
}

function readAssignmentThroughDamage(line: string, plain: string, name: Name): { clean?: string; markup: string } {
  const asItIs = parseAssignment(line, name)
  const isAction = asItIs.key === 'action' && asItIs.value !== undefined
  if (asItIs.finding === undefined && !(isAction && plain !== line.trim()))
    return { clean: line, markup: markupOf(line, asItIs.opens) }
  // Where the key belongs is not damage: a block that is indented as a whole is read without its indentation.
  if (/^[ \t]/.test(line)) return { markup: line }
  const repaired = parseAssignment(plain, name)
  if (repaired.opens !== undefined && repaired.finding === undefined) return { clean: plain, markup: line }
  return quotedAssignment(line)
}

/** Of a line that is as it should be, what is not value. */
const markupOf = (line: string, opens: string | undefined): string =>
  opens === undefined ? line.replace(/"(.*)"/s, '""') : line

/** `key = "value"` with damage to anything but the value, which is content and stays as it is. */
function quotedAssignment(line: string): { clean?: string; markup: string } {
  const equals = line.indexOf('=')
  const key = toPlainMarker(line.slice(0, equals).replace(/\\$/, ''))
  const value = separateQuotes(line.slice(equals + 1))
  if (equals === -1 || value === undefined || !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(key)) return { markup: line }
  const { inner, quotes } = value
  // The name of an action is a marker too.
  if (key === 'action' && /^\w+$/.test(toPlainMarker(inner))) {
    return { clean: `action = "${toPlainMarker(inner)}"`, markup: line }
  }
  const markup = `${line.slice(0, equals + 1)} ${quotes}`
  // A value that is no JSON string is left for the reader to report, with quotes of another kind if it has them.
  const isReadable = quotes === '""' || parseJsonText(`"${inner}"`) !== undefined
  return isReadable ? { clean: `${key} = "${inner}"`, markup } : { markup }
}

/**
 * A block that has mistakes, as it was meant: unquoted values, other quotes or operators, a wrong id, delimiter or header,
 * a missing end. Undefined where that is not certain. Texts stay as they are.
 */
export function correctSham(raw: string, { controlCharacters }: ReadOptions = {}): string | undefined {
  const [first = '', ...rows] = raw.split(/\r?\n/)
  const header = parseHeader(first)
  if (header === undefined) return undefined
  const name = { ...header.name, id: validId(header.name.id) }
  return new ShamCorrection(name, header.name, rows, controlCharacters).text()
}

/** An id with two to eight letters or digits, close to the given one. */
function validId(id: string): string {
  const plain = id.replace(/[^A-Za-z0-9]/g, '').slice(0, 8)
  return isBlockId(plain) ? plain : `${plain}1a`.slice(0, 3)
}

class ShamCorrection {
  readonly #name: Name
  /** As the block has it. */
  readonly #written: Name
  readonly #rows: readonly string[]
  readonly #values = new Map<string, string>()
  readonly #lines: string[]
  readonly #controlCharacters: ReadOptions['controlCharacters']
  #at = 0

  constructor(name: Name, written: Name, rows: readonly string[], controlCharacters: ReadOptions['controlCharacters']) {
    this.#controlCharacters = controlCharacters
    this.#name = name
    this.#written = written
    this.#rows = rows
    this.#lines = [headerLine(name)]
  }

  text(): string | undefined {
    for (; this.#at < this.#rows.length; this.#at++) {
      const row = this.#rows[this.#at] ?? ''
      if (parseEnd(row, this.#written) !== undefined) break
      if (row.trim() === '' || NOTHING.test(row)) continue
      if (!this.#assignment(row)) return undefined
    }
    // Nothing but the end may follow.
    if (this.#rows.slice(this.#at + 1).some((row) => row.trim() !== '')) return undefined
    return [...this.#lines, endLine(this.#name)].join('\n')
  }

  /** Whether the line at hand, and those of its text, could be corrected. */
  #assignment(row: string): boolean {
    const [, key, written = ''] = ASSIGNMENT.exec(row) ?? []
    if (key === undefined) return false
    const [, delimiter] = HEREDOC.exec(written) ?? []
    if (delimiter !== undefined) return this.#heredoc(key, delimiter)
    const value = readValue(written, this.#controlCharacters) ?? this.#severalLines(written)
    return value !== undefined && this.#add(key, value, writeAssignment(key, value, delimiterOf(this.#name)))
  }

  #add(key: string, value: string, line: string): boolean {
    const known = this.#values.get(key)
    if (known !== undefined) return known === value
    this.#values.set(key, value)
    this.#lines.push(line)
    return true
  }

  /** A text ends at the delimiter as it was opened or as it should be; at the end of the block where nothing else fits. */
  #heredoc(key: string, given: string): boolean {
    const right = delimiterOf(this.#name)
    const delimiters = new Set([withoutSpaces(given), right, delimiterOf(this.#written)])
    const from = this.#at + 1
    let end = this.#rows.findIndex((row, at) => at >= from && delimiters.has(withoutSpaces(stripMarkerLine(row))))
    const closed = end !== -1
    if (!closed) end = this.#rows.findIndex((row, at) => at >= from && parseEnd(row, this.#written) !== undefined)
    if (end === -1) return false
    const content = this.#rows.slice(from, end)
    // Without a delimiter, a line that is spelled like a parameter may be one.
    if (!closed && content.some((row) => CERTAIN.test(row))) return false
    if (content.some((row) => stripMarkerLine(row) === right)) return false
    this.#at = closed ? end : end - 1
    const text = content.join('\n')
    return this.#add(key, text, [`${key} = <<'${right}'`, ...(content.length > 0 ? [text] : []), right].join('\n'))
  }

  /** A quoted text with line breaks in it: up to the line that ends with the quote. */
  #severalLines(written: string): string | undefined {
    if (!/^"[^"\\]*$/.test(written)) return undefined
    const from = this.#at + 1
    const next = this.#rows[from]
    const ends = (row: string | undefined): boolean =>
      row === undefined || ASSIGNMENT.test(row) || parseEnd(row, this.#written) !== undefined
    if (ends(next)) return written.slice(1)
    for (let at = from; at < this.#rows.length; at++) {
      const row = this.#rows[at] ?? ''
      if (CERTAIN.test(row) || parseEnd(row, this.#written) !== undefined) return undefined
      const close = row.indexOf('"')
      if (row.includes('\\') || (close !== -1 && close < row.trimEnd().length - 1)) return undefined
      if (close === -1) continue
      this.#at = at
      return [written.slice(1), ...this.#rows.slice(from, at), row.slice(0, close)].join('\n')
    }
    return undefined
  }
}

/** The text that a value means which is not a JSON string; undefined where that is not certain. */
function readValue(written: string, controlCharacters: ReadOptions['controlCharacters']): string | undefined {
  const value = written.replace(/^("(?:[^"\\]|\\.)*")[,;]$/, '$1')
  const quoted = /^"(.*)"$/s.exec(value)?.[1]
  if (quoted !== undefined) {
    const text = parseJsonText(value)
    const isRefused = text !== undefined && controlCharacters === 'refuse' && findMadeControl(text, value) !== undefined
    return isRefused ? readLiteralText(quoted) : (text ?? innerText(quoted))
  }
  const [, mark = '', inner] = /^(['`‘’“”])(.*)['`‘’“”]$/s.exec(value) ?? []
  if (inner !== undefined) {
    // Where a quote seems to end the text before its last one, a list or a comment may follow it.
    const plain = inner.replaceAll(`\\${mark}`, mark)
    return plain.includes('\\') || /['`‘’“”]\s*(?:[#;,]|\/\/)/.test(inner) ? undefined : plain
  }
  if (value === '' || value.startsWith('<<') || value.includes('"')) return undefined
  // What follows may be a comment.
  return /^['`‘’“”]|\s(?:#|\/\/|--)/.test(value) ? undefined : value
}

/** Inside quotes: quotes that are not escaped, or backslashes that JSON does not know; not both. */
function innerText(inner: string): string | undefined {
  if (!inner.includes('\\')) return /"\s*(?:[#;,]|\/\/)/.test(inner) ? undefined : inner
  return /^(?:[^"\\]|\\.)*$/s.test(inner) ? readLiteralText(inner) : undefined
}

/** A delimiter without the spaces that some models put into it. */
const withoutSpaces = (text: string): string => text.replace(/\s+/g, '')

/** Comments and fences, which mean nothing in a block. */
const NOTHING = /^\s*(?:#(?!!)|\/\/|--|;|`{3}|~{3})/
const ASSIGNMENT = /^\s*["'`]?([A-Za-z_]\w*)["'`]?\s*(?::=|=>|=|:)\s*(.*?)\s*$/
const HEREDOC = /^<<[-~]?\s*["'`‘’“”]?([A-Za-z_][\w-]*(?: \w+)?)["'`‘’“”]?$/
const CERTAIN = /^[A-Za-z_]\w*\s*=\s*(?:"(?:[^"\\]|\\.)*"|<<'\w+')\s*$/

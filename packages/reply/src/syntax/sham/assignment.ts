import { SPACE, QUOTE, BACKSLASH } from '../../core/character-codes.ts'
import type { DiagnosticData, Finding, Instead } from '../../core/diagnostic.ts'
import { findMadeControl } from '../reader.ts'
import { removeDelimiterSpaces, delimiterOf, endLine, type Name } from './lines.ts'

/** One line inside a block. A line with a mistake may still give a value, as the reports show what was understood. */
export interface Assignment {
  /** Set when the key can be used. */
  readonly key?: string
  readonly value?: string
  /** The delimiter of the heredoc that begins below, however wrong the rest of the line is. */
  readonly opens?: string
  readonly finding?: Finding
}

/** `line` is neither empty nor a marker. */
export function parseAssignment(line: string, name: Name): Assignment {
  const equals = line.indexOf('=')
  if (equals === -1) {
    const data = { id: name.id, instead: insteadOfLine(line.trim(), name) }
    return { ...misspeltOpener(line), finding: { code: 'sham-line', data, column: 1, length: line.length } }
  }
  if (line.charAt(equals + 1) === '>')
    return { ...misspeltOpener(line), finding: invalidValue(equals, 2, writeWithEquals(line, equals)) }
  if (line.charAt(equals - 1) === ':')
    return { ...misspeltOpener(line), finding: wrongOperator(equals - 1, writeWithEquals(line, equals - 1)) }

  const key = line.slice(0, equals).trim()
  if (key === '') {
    const finding = { column: equals + 1, length: 1, code: 'sham-no-key' } as const
    return { ...misspeltOpener(line), finding }
  }
  const rest = line.slice(equals + 1)
  const value = rest.trim()
  const at = equals + 1 + rest.length - rest.trimStart().length
  if (value === '') return { finding: invalidValue(line.length, 1, { emptyKey: key }) }
  if (value.startsWith('"')) return readQuoted(line, key, value, at, name)

  const delimiter = /^<<'([^']+)'$/.exec(value)?.[1]
  if (delimiter !== undefined) return writeHeredoc(line, key, removeDelimiterSpaces(delimiter), at + 3, name)
  const instead = insteadOfValue(key, value, name)
  const operator = line.indexOf(':=', at)
  if (operator !== -1) return { ...misspeltOpener(line), finding: wrongOperator(operator, instead) }
  return { ...misspeltOpener(line), finding: invalidValue(at, value.length, instead) }
}

/** Whether a line is spelled like a parameter, so that it may belong to a block that was never closed. */
export const startsLikeAssignment = (line: string): boolean => /^\s*[\p{L}_][\p{L}\p{N}_]*\s*(?::?=)/u.test(line)

function readQuoted(line: string, key: string, value: string, at: number, name: Name): Assignment {
  const close = findClosingQuote(value)
  if (close === undefined) {
    const isEscaped = value.endsWith('\\"')
    const data = { key, delimiter: delimiterOf(name), isEscaped }
    return { finding: { code: 'sham-quote', data, column: at + 1, length: line.length - at } }
  }
  const literal = value.slice(0, close.at + 1)
  const rest = value.slice(close.at + 1)
  const operator = rest.indexOf(':=')
  if (operator !== -1) return { finding: wrongOperator(at + close.at + 1 + operator, 'nothing') }
  const text = close.plain ? literal.slice(1, -1) : parseJsonText(literal)
  if (text === undefined) return { finding: badEscape(key, at, literal, name) }
  const badKey = keyFinding(line, key)
  if (rest.trim() !== '') {
    const column = at + literal.length + rest.length - rest.trimStart().length + 1
    const length = line.length - column + 1
    const finding = { column, length, code: 'sham-after-value' } as const
    return badKey === undefined ? { key, value: text, finding } : { finding }
  }
  return badKey === undefined ? { key, value: text } : { finding: badKey }
}

/** Where the quoted text at the start of `value` ends, and whether it has no escapes. */
function findClosingQuote(value: string): { at: number; plain: boolean } | undefined {
  let plain = true
  for (let at = 1; at < value.length; at++) {
    const c = value.charCodeAt(at)
    if (c === QUOTE) return { at, plain }
    if (c === BACKSLASH) at++
    if (c === BACKSLASH || c < SPACE) plain = false
  }
  return undefined
}

/** The line with its tabs in quotes as escapes. One after a backslash stays: nothing says what that escape was to be. */
export function escapeTabs(line: string): string {
  const quote = line.indexOf('"')
  if (quote === -1) return line
  return line.slice(0, quote) + line.slice(quote).replace(/\\[^]|\t/g, (part) => (part === '\t' ? '\\t' : part))
}

/** The text of a JSON string; undefined if it is not a JSON string. */
export function parseJsonText(literal: string): string | undefined {
  try {
    const text: unknown = JSON.parse(literal)
    return typeof text === 'string' ? text : undefined
  } catch {
    return undefined
  }
}

/**
 * The text that was probably meant inside quotes: an escape that JSON lacks, or that makes a control character, is two
 * characters. Undefined if the value also has escapes that may be either: `r'\d\n'` ends a line or a pattern.
 */
export function readLiteralText(inner: string): string | undefined {
  // C:\new\table
  if (/^[A-Za-z]:\\(?!\\)/.test(inner)) return inner
  // A line break at the end of the value says that `\n` is one.
  const breaksLines = /(?:^|[^\\])\\n$/.test(inner)
  let isCertain = true
  const text = inner.replace(/\\(u[0-9a-fA-F]{4}|[^])/g, (written, escape: string) => {
    if (escape === '"') return escape
    const known = parseJsonText(`"${written}"`)
    if (known === undefined || findMadeControl(known, written) !== undefined) return written
    isCertain &&= breaksLines && escape !== '\\' && escape !== '/'
    return known
  })
  return isCertain ? text : undefined
}

/** A heredoc for what a quoted value would have to escape, where a heredoc can hold it. */
export function writeAssignment(key: string, value: string, delimiter: string): string {
  return /[\n\\]/.test(value) && isHeredocSafe(value, delimiter)
    ? `${key} = <<'${delimiter}'\n${value}\n${delimiter}`
    : `${key} = ${JSON.stringify(value)}`
}

/**
 * A heredoc reads every line end as LF, ends at its delimiter and is refused where something opens it again; lone
 * surrogates do not survive as UTF-8. A quoted text can say all of that in escapes.
 */
const isHeredocSafe = (value: string, delimiter: string): boolean =>
  !value.includes('\r') && !value.includes(delimiter) && value.isWellFormed()

function writeHeredoc(line: string, key: string, delimiter: string, at: number, name: Name): Assignment {
  const badKey = keyFinding(line, key)
  const right = delimiterOf(name)
  if (delimiter === right) {
    if (badKey === undefined) return { key, opens: right }
    // The value of a key that is merely indented is kept, for what the report shows of the block.
    return firstBadUnit(key) === -1 && key.length <= 256
      ? { key, opens: right, finding: badKey }
      : { opens: right, finding: badKey }
  }
  const data = { key, delimiter: right }
  const finding = { code: 'sham-delimiter', data, column: at + 1, length: delimiter.length } as const
  return { opens: delimiter, finding: badKey ?? finding }
}

/**
 * A heredoc that was meant but is not spelled as one, `content = <<EOF` for example. What is below it is the
 * model's content and never blocks to execute, so the reader has to know where it ends.
 */
function misspeltOpener(line: string): { opens?: string } {
  // Text after the delimiter is let pass only where the delimiter cannot be anything else. Made here, because the tables
  // for \p{…} would cost every start two milliseconds.
  const opener = /^"?[^"<]*"?\s*[=:>]\s*<<[-~]?\s*["'`‘’“”]?(EOT_\w+|[\p{L}\p{N}_-]+(?=["'`‘’“”]?$))/u
  const delimiter = opener.exec(line.trim())?.[1]
  return delimiter === undefined ? {} : { opens: delimiter }
}

function keyFinding(line: string, key: string): Finding | undefined {
  if (!line.startsWith(key)) {
    const length = line.slice(0, line.indexOf('=')).trimEnd().length
    return {
      code: 'sham-key-indented',
      data: { ...badCharacter(line, 0), write: line.trim() },
      column: 1,
      length,
    }
  }
  const bad = firstBadUnit(key)
  if (bad !== -1) {
    const example = key.replace(/[^\p{L}\p{N}_]+/gu, '_').replace(/^(?=\p{N})/u, '_')
    return { code: 'sham-key', data: { ...badCharacter(line, bad), example }, column: 1, length: key.length }
  }
  if (key.length <= 256) return undefined
  return { column: 1, length: key.length, code: 'sham-key-long' }
}

const badCharacter = (line: string, at: number): { character: string; position: number } => ({
  character: String.fromCodePoint(line.codePointAt(at) ?? 0),
  position: at + 1,
})

/** Letters and numbers only, so the zero-width and control characters are refused with the rest. */
function firstBadUnit(key: string): number {
  if (/^[a-z_]\w*$/i.test(key)) return -1
  const good = /^[\p{L}_][\p{L}\p{N}_]*/u.exec(key)?.[0].length ?? 0
  return good === key.length ? -1 : good
}

const invalidValue = (at: number, length: number, instead: Instead): Finding => ({
  column: at + 1,
  length,
  code: 'sham-value',
  data: { instead },
})

function badEscape(key: string, at: number, literal: string, name: Name): Finding {
  const meant = readLiteralText(literal.slice(1, -1))
  const instead = meant === undefined ? heredocFor(key, name) : { write: `${key} = ${JSON.stringify(meant)}` }
  return { ...invalidValue(at, literal.length, instead), code: 'sham-escape', data: { key, instead } }
}

/** What is wrong with a value that holds a control character. */
export function controlFinding(line: string, { key, value }: Assignment, name: Name): Finding | undefined {
  if (key === undefined || value === undefined) return undefined
  const character = findMadeControl(value, line)
  if (character === undefined) return undefined
  const at = line.indexOf('"')
  const data = { name: key, character, instead: heredocFor(key, name) }
  return { code: 'control-character', data, column: at + 1, length: line.trimEnd().length - at }
}

const heredocFor = (key: string, name: Name): Instead => ({ key, delimiter: delimiterOf(name) })

const wrongOperator = (at: number, instead: Instead | 'nothing'): Finding => ({
  column: at + 1,
  length: 2,
  code: 'sham-operator',
  data: { instead },
})

/** The line with `=` instead of the two characters at `at`. */
const writeWithEquals = (line: string, at: number): Instead => ({
  write: `${line.slice(0, at).trim()} = ${line.slice(at + 2).trim()}`,
})

function insteadOfValue(key: string, value: string, name: Name): Instead {
  if (value.startsWith('<<')) return heredocFor(key, name)
  const inner = /^['`‘’“”](.*)['`‘’“”]$/s.exec(value)?.[1] ?? value
  return { write: `${key} = ${JSON.stringify(inner)}` }
}

function insteadOfLine(trimmed: string, name: Name): DiagnosticData['sham-line']['instead'] {
  const delimiter = delimiterOf(name)
  if (/^(?:```|~~~)/.test(trimmed)) return { fence: endLine(name) }
  if (/^(?:\/\/|#|--|;)/.test(trimmed)) return 'nothing'
  const [, key, value] = /^([\p{L}_][\p{L}\p{N}_]*)\s*:\s*(\S.*)$/su.exec(trimmed) ?? []
  if (key === undefined || value === undefined) return { delimiter }
  if (value.startsWith('<<')) return { key, delimiter }
  return { write: `${key} = ${value.startsWith('"') ? value : JSON.stringify(value)}` }
}

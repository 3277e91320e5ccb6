import { type Mistake, QUOTE, shown, SPACE } from '../reader.ts'
import { closedUp, delimiterOf, endOf, type Name } from './lines.ts'

/** One line inside a block. A line with a mistake may still give a value, as the reports show what was understood. */
interface Assignment {
  /** Set when the key can be used. */
  readonly key?: string
  readonly value?: string
  /** The delimiter of the heredoc that begins below, however wrong the rest of the line is. */
  readonly opens?: string
  readonly mistake?: Mistake
}

/** `line` is neither empty nor a marker. */
export function parseAssignment(line: string, name: Name): Assignment {
  const equals = line.indexOf('=')
  if (equals === -1) return { ...looseOpener(line), mistake: notAnAssignment(line, name) }
  if (line.charAt(equals + 1) === '>') {
    const hint = rewritten(line, equals, 2)
    return { ...looseOpener(line), mistake: invalidValue(equals, 2, hint) }
  }
  if (line.charAt(equals - 1) === ':') {
    const mistake = wrongOperator(equals - 1, rewritten(line, equals - 1, 2))
    return { ...looseOpener(line), mistake }
  }

  const key = line.slice(0, equals).trim()
  if (key === '') {
    const hint = 'Put the name of the parameter before the =.'
    const message = 'Assignment without key name'
    return { ...looseOpener(line), mistake: { code: 'EMPTY_KEY', column: equals + 1, length: 1, message, hint } }
  }
  const rest = line.slice(equals + 1)
  const value = rest.trim()
  const at = equals + 1 + rest.length - rest.trimStart().length
  if (value === '') return { mistake: invalidValue(line.length, 1, `For an empty text write: ${key} = ""`) }
  if (value.startsWith('"')) return quoted(line, key, value, at, name)

  const delimiter = /^<<'([^']+)'$/.exec(value)?.[1]
  if (delimiter !== undefined) return heredoc(line, key, closedUp(delimiter), at + 3, name)
  const hint = valueHint(key, value, name)
  const operator = line.indexOf(':=', at)
  if (operator !== -1) return { ...looseOpener(line), mistake: wrongOperator(operator, hint) }
  return { ...looseOpener(line), mistake: invalidValue(at, value.length, hint) }
}

/** Whether a line is spelled like a parameter, so that it may belong to a block that was never closed. */
export const startsLikeAssignment = (line: string): boolean => /^\s*[\p{L}_][\p{L}\p{N}_]*\s*(?::?=)/u.test(line)

function quoted(line: string, key: string, value: string, at: number, name: Name): Assignment {
  const close = closingQuote(value)
  if (close === undefined) {
    const hint = value.endsWith('\\"')
      ? `Write a backslash as \\\\, so that the last quote closes the text.`
      : `Close the quote on the same line. Text of several lines goes in a heredoc: ${key} = <<'${delimiterOf(name)}'`
    const length = line.length - at
    return { mistake: { code: 'UNCLOSED_QUOTE', column: at + 1, length, message: 'Unclosed quoted string', hint } }
  }
  const literal = value.slice(0, close.at + 1)
  const rest = value.slice(close.at + 1)
  const operator = rest.indexOf(':=')
  if (operator !== -1) return { mistake: wrongOperator(at + close.at + 1 + operator, oneText) }
  const text = close.plain ? literal.slice(1, -1) : decoded(literal)
  if (text === undefined) {
    return { mistake: invalidValue(at, literal.length, `Write: ${key} = ${shown(escaped(literal))}`) }
  }
  const badKey = keyMistake(line, key)
  if (rest.trim() !== '') {
    const column = at + literal.length + rest.length - rest.trimStart().length + 1
    const mistake = {
      code: 'TRAILING_CONTENT',
      column,
      length: line.length - column + 1,
      message: 'Unexpected content after quoted value',
      hint: oneText,
    }
    return badKey === undefined ? { key, value: text, mistake } : { mistake }
  }
  return badKey === undefined ? { key, value: text } : { mistake: badKey }
}

const oneText =
  'End the line at the closing quote; a block has no comments, and a quote inside the text is written \\".'

/** Where the quoted text at the start of `value` ends, and whether it has no escapes. */
function closingQuote(value: string): { at: number; plain: boolean } | undefined {
  let plain = true
  for (let at = 1; at < value.length; at++) {
    const c = value.charCodeAt(at)
    if (c === QUOTE) return { at, plain }
    if (c === BACKSLASH) at++
    if (c === BACKSLASH || c < SPACE) plain = false
  }
  return undefined
}

const BACKSLASH = 92

function decoded(literal: string): string | undefined {
  try {
    const text: unknown = JSON.parse(literal)
    return typeof text === 'string' ? text : undefined
  } catch {
    return undefined
  }
}

/**
 * The literal as it was probably meant. One escape that JSON does not know, as in `C:\x\temp`, makes every backslash
 * a plain one.
 */
function escaped(literal: string): string {
  const plain = literal.replace(/\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/g, '').includes('\\')
  return literal.replace(/\\["\\]|\\|\p{Cc}/gu, (found) => {
    if (found === '\\') return plain ? '\\\\' : found
    return found.startsWith('\\') ? found : JSON.stringify(found).slice(1, -1)
  })
}

function heredoc(line: string, key: string, delimiter: string, at: number, name: Name): Assignment {
  const badKey = keyMistake(line, key)
  const right = delimiterOf(name)
  if (delimiter === right) {
    if (badKey === undefined) return { key, opens: right }
    // The value of a key that is merely indented is kept, for what the report shows of the block.
    return firstBadUnit(key) === -1 && key.length <= 256
      ? { key, opens: right, mistake: badKey }
      : { opens: right, mistake: badKey }
  }
  const mistake = {
    code: 'INVALID_HEREDOC_DELIMITER',
    column: at + 1,
    length: delimiter.length,
    message: `Heredoc delimiter must be '${right}'`,
    hint: heredocHint(key, name),
  }
  return { opens: delimiter, mistake: badKey ?? mistake }
}

/**
 * A heredoc that was meant but is not spelled as one, `content = <<EOF` for example. What is below it is the
 * model's content and never blocks to execute, so the reader has to know where it ends.
 */
function looseOpener(line: string): { opens?: string } {
  // Text after the delimiter is let pass only where the delimiter cannot be anything else. Made here, because the tables
  // for \p{…} would cost every start two milliseconds.
  const loose = /^"?[^"<]*"?\s*[=:>]\s*<<[-~]?\s*["'`‘’“”]?(EOT_\w+|[\p{L}\p{N}_-]+(?=["'`‘’“”]?$))/u
  const delimiter = loose.exec(line.trim())?.[1]
  return delimiter === undefined ? {} : { opens: delimiter }
}

function keyMistake(line: string, key: string): Mistake | undefined {
  if (!line.startsWith(key)) {
    const hint = `Write the key at the start of the line: ${shown(line.trim())}`
    return badCharacter(line, 0, line.slice(0, line.indexOf('=')).trimEnd().length, hint)
  }
  const bad = firstBadUnit(key)
  if (bad !== -1) {
    const fixed = key.replace(/[^\p{L}\p{N}_]+/gu, '_').replace(/^(?=\p{N})/u, '_')
    return badCharacter(line, bad, key.length, `A key is letters, digits and _, for example: ${shown(fixed)}`)
  }
  if (key.length <= 256) return undefined
  const hint = 'Use a key of at most 256 characters.'
  return { code: 'INVALID_KEY', column: 1, length: key.length, message: 'Key exceeds 256 character limit', hint }
}

function badCharacter(line: string, at: number, length: number, hint: string): Mistake {
  const character = String.fromCodePoint(line.codePointAt(at) ?? 0)
  const message = `Key contains invalid character '${character}' at position ${at + 1}`
  return { code: 'INVALID_KEY', column: 1, length, message, hint }
}

/** Letters and numbers only, so the zero-width and control characters are refused with the rest. */
function firstBadUnit(key: string): number {
  if (/^[a-z_]\w*$/i.test(key)) return -1
  const good = /^[\p{L}_][\p{L}\p{N}_]*/u.exec(key)?.[0].length ?? 0
  return good === key.length ? -1 : good
}

const invalidValue = (at: number, length: number, hint: string): Mistake => ({
  code: 'INVALID_VALUE',
  column: at + 1,
  length,
  message: 'Value must be a quoted string or heredoc',
  hint,
})

const wrongOperator = (at: number, hint: string): Mistake => ({
  code: 'INVALID_ASSIGNMENT_OPERATOR',
  column: at + 1,
  length: 2,
  message: "Invalid assignment operator ':=' - only '=' is allowed",
  hint,
})

const rewritten = (line: string, at: number, length: number): string =>
  `Write: ${shown(`${line.slice(0, at).trim()} = ${line.slice(at + length).trim()}`)}`

function valueHint(key: string, value: string, name: Name): string {
  if (value.startsWith('<<')) return heredocHint(key, name)
  const inner = /^['`‘’“”](.*)['`‘’“”]$/s.exec(value)?.[1] ?? value
  return `Write: ${key} = ${shown(JSON.stringify(inner))}`
}

const heredocHint = (key: string, name: Name): string =>
  `Open it with ${shown(key)} = <<'${delimiterOf(name)}' and close it with ${delimiterOf(name)} on a line of its own.`

function notAnAssignment(line: string, name: Name): Mistake {
  return {
    code: 'MALFORMED_ASSIGNMENT',
    column: 1,
    length: line.length,
    message: `Invalid line format in block '${name.id}': not a valid key-value assignment or empty line`,
    hint: lineHint(line.trim(), name),
  }
}

function lineHint(trimmed: string, name: Name): string {
  if (/^(?:```|~~~)/.test(trimmed)) return `Put the code fence outside the block, below ${endOf(name)}.`
  if (/^(?:\/\/|#|--|;)/.test(trimmed)) return 'A block has no comments: leave this line out.'
  const [, key, value] = /^([\p{L}_][\p{L}\p{N}_]*)\s*:\s*(\S.*)$/su.exec(trimmed) ?? []
  if (key !== undefined && value !== undefined) {
    if (value.startsWith('<<')) return heredocHint(key, name)
    return `Write: ${key} = ${shown(value.startsWith('"') ? value : JSON.stringify(value))}`
  }
  return `Every line is key = "text" or key = <<'${delimiterOf(name)}'. Put text of several lines in a heredoc.`
}

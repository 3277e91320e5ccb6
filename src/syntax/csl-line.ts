import {
  type Attributes,
  type Delimiters,
  type Marker,
  noAttributes,
  parseAttributes,
  parseMarker,
  wrong,
} from './csl-marker.ts'
import type { Mistake } from './sham-line.ts'

/** What a marker means where it stands, and what is wrong with it there. */

/** A line that opens with the start delimiter, at offset `at`: behind a byte order mark, or 0. */
export interface MarkerLine {
  readonly text: string
  readonly at: number
  readonly delimiters: Delimiters
}

interface Outside {
  /** The operation that opens here, well or badly. */
  readonly opens?: string
  readonly attributes: Attributes
  /** Without one the line opens or ends something. */
  readonly mistake?: Mistake
  /** Set on an END that is as it should be. */
  readonly ends?: true
}

const openers: readonly string[] = ['WRITE', 'RUN', 'SEARCH', 'TASKS']

/** What the line means outside of content: at the top level or directly in TASKS. */
export function outside(line: MarkerLine, place: 'top' | 'TASKS'): Outside {
  const { text, at, delimiters } = line
  const marker = parseMarker(text, delimiters, at)
  if (marker === undefined) return malformedLine(line)
  const { name } = marker
  const nested = place === 'TASKS' && name === 'TASKS'
  const known = openers.includes(name)
  if (marker.trailing !== undefined) {
    const valid = (known && !nested) || (place === 'TASKS' && name === 'END')
    const mistake = valid ? trailing(line, marker.trailing) : wholeLine(line, 'Malformed marker', aloneHint)
    if (!known) return { attributes: noAttributes, mistake }
    const { attributes } = parseAttributes(text, marker.from, marker.to, delimiters.end)
    return { opens: name, attributes, mistake }
  }
  if (name === 'END') {
    if (place === 'top') return { attributes: noAttributes, mistake: strayEnd(line) }
    const mistake = badClosing(line, marker)
    return mistake === undefined ? { attributes: noAttributes, ends: true } : { attributes: noAttributes, mistake }
  }
  if (name === 'TO' || name === 'REPLACE') {
    // "null" is what the top level has always been called in this message.
    const message = `${name} marker not valid in ${place === 'top' ? 'null' : place} operation`
    return { attributes: noAttributes, mistake: wholeLine(line, message, searchHint(delimiters)) }
  }
  const parsed = parseAttributes(text, marker.from, marker.to, delimiters.end)
  if (!known) return unknownOperation(line, marker, parsed.attributes)
  if (!nested) return { opens: name, ...parsed }
  const hint = 'Close the first TASKS with END before the second, or leave the inner TASKS and its END out.'
  return { opens: name, attributes: noAttributes, mistake: wholeLine(line, 'TASKS cannot be nested', hint) }
}

/** Why a marker that could close a part of an operation does not. */
export function badClosing(line: MarkerLine, marker: Marker): Mistake | undefined {
  if (marker.trailing !== undefined) return trailing(line, marker.trailing)
  if (marker.name !== 'END' || !hasAttributes(line, marker)) return undefined
  const written = line.text.slice(marker.from, marker.to)
  const at = marker.from + written.length - written.trimStart().length
  const hint = `Write: ${spelled(line.delimiters, 'END')}`
  return wrong(at, written.trim().length, 'END marker cannot have attributes', hint)
}

export const hasAttributes = ({ text }: MarkerLine, { from, to }: Marker): boolean =>
  from !== to && text.slice(from, to).trim() !== ''

export const withoutReplace = (line: MarkerLine): Mistake =>
  wholeLine(line, 'SEARCH operation without REPLACE', searchHint(line.delimiters))

export function unterminated(line: MarkerLine, number: number, name: string): Mistake {
  const end = spelled(line.delimiters, 'END')
  const hint = `Close it with ${end}. Nothing from line ${number} on was executed: send it again, whole.`
  return { ...wholeLine(line, `Unterminated ${name} operation`, hint), code: 'truncated' }
}

function malformedLine(line: MarkerLine): Outside {
  const { text, at, delimiters } = line
  const opens = /^(?:WRITE|RUN|SEARCH|TASKS)\b/.exec(text.slice(at + delimiters.start.length))?.[0]
  if (opens === undefined) {
    const hint = `Outside of content a line begins with ${delimiters.start} only if it is a marker, such as ${spelled(delimiters, 'RUN')}.`
    return { attributes: noAttributes, mistake: wholeLine(line, 'Malformed marker', hint) }
  }
  const right = opens === 'RUN' || opens === 'TASKS' ? opens : `${opens} file="path"`
  const hint = `Write: ${spelled(delimiters, right)}`
  return { opens, attributes: noAttributes, mistake: wholeLine(line, 'Malformed marker', hint) }
}

function unknownOperation(line: MarkerLine, marker: Marker, attributes: Attributes): Outside {
  const { name } = marker
  const upper = name.toUpperCase()
  const misspelled = openers.includes(upper)
  const hint = misspelled ? `Write ${upper} in capital letters.` : 'The operations are WRITE, RUN, SEARCH and TASKS.'
  const at = line.at + line.delimiters.start.length
  const mistake = wrong(at, name.length, `Unknown operation: ${name}`, hint)
  if (misspelled) return { opens: upper, attributes, mistake }
  // What is spelled like an operation has content, which is not to be taken for blocks; a word in an arrow has none.
  const meant = /^[A-Z][A-Z_]*$/.test(name) || hasAttributes(line, marker)
  return { attributes, mistake, ...(meant && { opens: name }) }
}

const aloneHint = 'A marker has its line to itself.'

function trailing({ text }: MarkerLine, at: number): Mistake {
  const hint = text.slice(0, at).includes('\r')
    ? 'End every line with LF or CRLF: a lone CR is no line break here.'
    : `${aloneHint} Put this text on a line below; a line of content must not begin like a marker that closes it.`
  return wrong(at, text.trimEnd().length - at, 'Content not allowed on marker line', hint)
}

function strayEnd(line: MarkerLine): Mistake {
  const end = spelled(line.delimiters, 'END')
  const hint = `Leave it out. If it belongs to a content, that content was closed by the ${end} before it.`
  return wholeLine(line, 'END marker without active operation', hint)
}

const wholeLine = ({ text, at }: MarkerLine, message: string, hint: string): Mistake =>
  wrong(at, text.trimEnd().length - at, message, hint)

const spelled = ({ start, end }: Delimiters, inner: string): string => start + inner + end

const searchHint = (delimiters: Delimiters): string =>
  `Write ${spelled(delimiters, 'SEARCH file="path"')}, the text to find, ${spelled(delimiters, 'REPLACE')}, the new text, ${spelled(delimiters, 'END')}.`

import { partitionPoint } from '@clada/reply/text/lines.ts'
import type { Source } from '@clada/reply/core/source.ts'
import type { Span } from '@clada/reply/text/edit.ts'

/** What the bounds of structures are drawn with. All spans are sorted. */
export interface Surroundings {
  readonly source: Source
  readonly comments: readonly Span[]
  readonly decorators: readonly Span[]
  /** Texts that start on the line below the one that announces them. */
  readonly heredocs: readonly Span[]
  /** Whether comments that are further in than a structure belong to its body. */
  readonly offside: boolean
  /** Whether a semicolon may begin a line, for the statement on it. */
  readonly leads: boolean
}

/** Start of a structure with the decorators and the comment directly above it. */
export function startWithLead(around: Surroundings, code: number): number {
  const { source } = around
  const { text } = source
  const start = around.leads ? leadingSemicolon(source, code) : code
  const column = start - source.startOf(source.lineAt(start))
  const taken: Span[] = []
  let at = start
  for (;;) {
    const comment = lastBefore(around.comments, at)
    const decorator = lastBefore(around.decorators, at)
    const above = (comment?.end ?? -1) > (decorator?.end ?? -1) ? comment : decorator
    if (above === undefined || !/^[ \t]*(?:\r?\n)?[ \t]*$/.test(text.slice(above.end, at))) break
    const lineStart = source.startOf(source.lineAt(above.start))
    const leads = /^[ \t]*$/.test(text.slice(lineStart, above.start))
    const touches = lastBefore(around.decorators, above.start)
    const follows = touches !== undefined && /^[ \t]*$/.test(text.slice(touches.end, above.start))
    // A comment after the code of another line is that line's; one at another depth is another body's.
    if (!leads && !follows) break
    if (leads && above === comment && above.start - lineStart !== column && onOtherLine(text, above, at)) break
    if (ofTheFile.test(text.slice(above.start, above.start + 3))) break
    taken.push(above)
    at = above.start
  }
  return withoutLicence(around, taken, start)
}

/** `;[1, 2].forEach(go)`: such a semicolon is that of the statement behind it, whatever the grammar says. */
function leadingSemicolon(source: Source, start: number): number {
  const lineStart = source.startOf(source.lineAt(start))
  const lead = /^([ \t]*);[ \t]*$/.exec(source.text.slice(lineStart, start))
  return lead === null ? start : lineStart + (lead[1]?.length ?? 0)
}

const onOtherLine = (text: string, span: Span, at: number): boolean => text.slice(span.end, at).includes('\n')

/** `#!`, and comments that speak of the whole file. */
const ofTheFile = /^(?:#!|\/\/!|\/\*!)/

const licence =
  /copyright|licen[sc]e|spdx-|\(c\)\s*\d{4}|©|-\*-|coding[:=]|@(?:file|fileoverview|module|packageDocumentation|preserve)\b/i

/** What tells tools how to take the whole file. */
const directive =
  /frozen_string_literal|eslint-(?:disable|env)(?!-)|@ts-(?:no)?check|@flow\b|jshint|shellcheck shell|go:build|\+build|swift-tools-version|yaml-language-server|\b(?:pylint|ruff|mypy|flake8|noqa):/

/** A licence at the start of a file is the file's, and so are directives, whatever follows them. */
function withoutLicence({ source }: Surroundings, taken: readonly Span[], start: number): number {
  const { text } = source
  const first = taken.at(-1)
  if (first === undefined) return start
  if (!/^(?:#![^\n]*)?\s*$/.test(text.slice(0, first.start))) return first.start
  for (const [index, span] of taken.entries()) {
    const comment = text.slice(span.start, span.end)
    if (directive.test(comment)) return taken[index - 1]?.start ?? start
    if (!licence.test(comment)) continue
    // Lines of comment that run on from it are the same text.
    let kept = index
    if (!text.startsWith('/*', span.start)) while (kept > 0 && isWholeLine(text, taken[kept - 1])) kept--
    return taken[kept - 1]?.start ?? start
  }
  return first.start
}

const isWholeLine = (text: string, span: Span | undefined): boolean =>
  span !== undefined && !text.startsWith('/*', span.start) && !text.startsWith('@', span.start)

/** End of a structure with its semicolon, and with a comment that ends its last line or follows further in. */
export function endWithTail(
  around: Surroundings,
  start: number,
  nodeEnd: number,
  lineEnd: 'of the structure' | 'of the list',
): number {
  const { source } = around
  const { text } = source
  let end = nodeEnd
  while (end > start && /\s/.test(text.charAt(end - 1))) end--
  if (around.leads && text.charAt(end - 1) === ';') end = withoutLeadingComments(around, start, end)
  const announced = heredocAfter(around, start, end)
  if (announced !== undefined) return announced
  // After a member comes the comma, or the end of what the list is part of; a comment only then.
  if (lineEnd === 'of the list') return end
  // `;;` ends a case of a shell.
  const semicolon = /^[ \t]*;(?!;)/.exec(text.slice(end, end + 80))
  if (semicolon !== null) end += semicolon[0].length
  const lineStart = source.startOf(source.lineAt(start))
  if (!(around.leads ? /^[ \t]*;?[ \t]*$/ : /^[ \t]*$/).test(text.slice(lineStart, start))) return end
  end = commentAfter(around, end)?.end ?? end
  return around.offside ? withInnerComments(around, start - lineStart, end) : end
}

/** Without a semicolon that begins a later line, and without the comments of their own lines above it. */
function withoutLeadingComments({ source, comments }: Surroundings, start: number, end: number): number {
  const { text } = source
  const beginsLine = (offset: number): boolean =>
    text.slice(source.startOf(source.lineAt(offset)), offset).trim() === ''
  if (!beginsLine(end - 1)) return end
  let to = end - 1
  for (;;) {
    while (to > start && /\s/.test(text.charAt(to - 1))) to--
    const comment = lastBefore(comments, to)
    if (comment?.end !== to || comment.start <= start || !beginsLine(comment.start)) return to
    to = comment.start
  }
}

/** The end of the last text that the last line of a structure announces. */
function heredocAfter({ source, heredocs }: Surroundings, start: number, end: number): number | undefined {
  if (heredocs.length === 0) return undefined
  const { text } = source
  const last = source.lineAt(end)
  const line = text.slice(Math.max(start, source.startOf(last)), end)
  if (!/<<[~-]?["'`]?\w/.test(line)) return undefined
  let at = source.endOf(last)
  for (let next = firstFrom(heredocs, at); next !== undefined; next = firstFrom(heredocs, at)) {
    if (text.slice(at, next.start).trim() !== '') break
    at = next.end
  }
  while (at > end && /\s/.test(text.charAt(at - 1))) at--
  return at > source.endOf(last) ? at : undefined
}

/** The comment between an offset and the end of its line, when there is nothing else. */
export function commentAfter(
  { source, comments }: Pick<Surroundings, 'source' | 'comments'>,
  end: number,
): Span | undefined {
  const { text } = source
  const lineEnd = source.endOf(source.lineAt(end))
  const comment = firstFrom(comments, end)
  if (comment === undefined || comment.start >= lineEnd) return undefined
  const alone = /^[ \t]*$/.test(text.slice(end, comment.start)) && /^\s*$/.test(text.slice(comment.end, lineEnd))
  return alone ? { start: comment.start, end: Math.min(comment.end, lineEnd) } : undefined
}

function withInnerComments({ source, comments }: Surroundings, column: number, from: number): number {
  let end = from
  for (;;) {
    const comment = firstFrom(comments, end)
    if (comment === undefined || !/^\s*$/.test(source.text.slice(end, comment.start))) return end
    const lineStart = source.startOf(source.lineAt(comment.start))
    if (comment.start - lineStart <= column || lineStart < end) return end
    end = comment.end
  }
}

/** The comma before an offset, spaces and comments between. */
export function commaBefore(
  { source: { text }, comments }: Pick<Surroundings, 'source' | 'comments'>,
  offset: number,
): number | null {
  let at = offset - 1
  for (;;) {
    while (at >= 0 && /\s/.test(text.charAt(at))) at--
    const comment = lastBefore(comments, at + 1)
    if (comment?.end !== at + 1) break
    at = comment.start - 1
  }
  return text.charAt(at) === ',' ? at : null
}

/** The last span that ends at or before an offset. */
export const lastBefore = (spans: readonly Span[], offset: number): Span | undefined =>
  spans[partitionPoint(spans, ({ end }) => end <= offset) - 1]

/** The first span that starts at or after an offset. */
export const firstFrom = (spans: readonly Span[], offset: number): Span | undefined =>
  spans[partitionPoint(spans, ({ start }) => start < offset)]

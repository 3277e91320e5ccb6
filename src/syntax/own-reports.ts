import type { Block } from '../core/block.ts'
import { endFrame, isTaskLine } from '../core/result.ts'
import type { Source } from '../core/source.ts'
import { isSound } from './damage.ts'
import type { Passage } from './meant.ts'

/**
 * Reports of clada's own in a text: what they quote from files and programs is never executed, also when a report is
 * piped back or pasted together with a reply. Their frames start a line, or follow the indentation or `> ` of the whole
 * paste; content in them never does. A report that is the content of a block stays content.
 */
export function reportsIn(source: Source, blocks: readonly Block[]): Passage[] {
  const found: Passage[] = []
  const sound = blocks.filter(isSound)
  let next = 0
  for (let line = 1; line <= source.lineCount; line++) {
    while ((sound[next]?.startLine ?? Infinity) < line) next++
    const block = sound[next]
    if (block?.startLine === line) {
      line = block.endLine ?? line
      continue
    }
    const last = reportFrom(source, line)
    if (last === undefined) continue
    found.push({ first: line, last })
    line = last
  }
  return found
}

/** Whether it is worth looking. */
export const mayReport = (text: string): boolean => begins.test(text)

const begins = /^[ \t>]*(?:=== (?:CLADA RESULTS|OUTPUTS|REPAIR|CHANGES|START FILE: [^\n]*) ===|\[task-\d|[✓✗] [a-z])/m
const section = /^([ \t>]*)=== (?:CLADA RESULTS|OUTPUTS|REPAIR|CHANGES) ===\s*$/
const file = /^([ \t>]*)=== START (FILE: .*) ===\s*$/

/** The last line of the report that begins on a line; undefined where none does. */
function reportFrom(source: Source, line: number): number | undefined {
  const text = source.line(line)
  const [, before = ''] = section.exec(text) ?? []
  if (section.test(text)) return sectionsEnd(source, line, before)
  const [, prefix = '', name] = file.exec(text) ?? []
  if (name !== undefined) return endOf(source, line, `${prefix}=== END ${name} ===`)
  if (isTaskLine(text))
    return runEnd(source, line, (one) => isTaskLine(one) || /^(?: {4}|WARNING: |Warning: )/.test(one))
  if (/^[✓✗] [a-z]/.test(text)) return runEnd(source, line, (one) => /^(?:[✓✗!] | {4})/.test(one))
  return undefined
}

/** Sections follow each other, with empty lines between them. */
function sectionsEnd(source: Source, line: number, prefix: string): number {
  let last = endOf(source, line, `${prefix}${endFrame}`)
  for (let at = last + 1; at <= source.lineCount; at++) {
    const text = source.line(at)
    if (section.exec(text)?.[1] === prefix) at = last = endOf(source, at, `${prefix}${endFrame}`)
    else if (text.replace(/[\s>]/g, '') !== '') break
  }
  return last
}

/** A report that was cut off continues to the end of the text. */
function endOf(source: Source, line: number, frame: string): number {
  for (let at = line + 1; at <= source.lineCount; at++) if (source.line(at).trimEnd() === frame) return at
  return source.lineCount
}

function runEnd(source: Source, line: number, isPart: (text: string) => boolean): number {
  let last = line
  while (last < source.lineCount && isPart(source.line(last + 1))) last++
  return last
}

import type { Source } from '../../core/source.ts'
import { foreignSyntax, type ForeignBlock, Rows } from '../foreign/foreign.ts'
import { lastContentLine, type FenceRegion } from '../../regions/fences.ts'
import { Regions } from '../../regions/regions.ts'
import { stripQuotes } from '../foreign/name.ts'

/*
 * Fences whose first word is a tool:
 *
 *   call = "```save " path { line } "```" | "```append " path { line } "```"
 *
 * `patch`, the third of them, has conflict markers and is read by `search-replace`.
 */

export const gptme = foreignSyntax({
  name: 'gptme',
  marks: /^(?:`{3,}|~{3,})(?:save|append) \S/,
  open(source) {
    let ahead = 0
    return {
      seek(line) {
        if (ahead < line) ahead = nextGptmeCall(source, line)
        return ahead
      },
      read(line) {
        const fence = Regions.of(source).fenceFrom(line)
        return fence === undefined ? { found: [], next: line + 1 } : readFence(source, fence)
      },
    }
  },
})

const TOOL = /^(save|append)\s+(\S.*)$/
const OPENER = /^[ \t]*(?:`{3,}|~{3,})(?:save|append)[ \t]/gm

function nextGptmeCall(source: Source, from: number): number {
  OPENER.lastIndex = source.startOf(from)
  const match = OPENER.exec(source.text)
  return match === null ? Infinity : source.lineAt(match.index)
}

function readFence(source: Source, fence: FenceRegion): { found: ForeignBlock[]; next: number } {
  const { first: line, indent, info, isClosed } = fence
  // A file that is cut off takes all that follows: fences in it are its content.
  const last = isClosed ? fence.last : source.lineCount
  const [, tool = '', named = ''] = TOOL.exec(info) ?? []
  const path = stripQuotes(named)
  const rows = new Rows(source, line + 1, lastContentLine(fence), indent)
  let content = ''
  for (let at = rows.first; at <= rows.last; at++) content += `${rows.row(at)}\n`
  const params: Readonly<Record<string, string>> =
    tool === 'append' ? { path, content, new_line: 'true' } : { path, content }
  const found: ForeignBlock = {
    action: tool === 'save' ? 'file_write' : 'file_append',
    params: isClosed ? params : { path },
    label: tool,
    startLine: line,
    endLine: isClosed ? last : null,
    lastLine: last,
    findings: isClosed ? [] : [{ code: 'file-open', data: { in: 'fence' }, line }],
  }
  return { found: [found], next: last + 1 }
}

import type { Source } from '../../core/source.ts'
import { foreign, type Found, Rows } from '../foreign/foreign.ts'
import { type Fence, fenceAt, fenceEnd } from '../fences.ts'
import { unquoted } from '../foreign/name.ts'

/*
 * Fences whose first word is a tool:
 *
 *   call = "```save " path { line } "```" | "```append " path { line } "```"
 *
 * `patch`, the third of them, has conflict markers and is read by `search-replace`.
 */

export const gptme = foreign({
  name: 'gptme',
  marks: /^(?:`{3,}|~{3,})(?:save|append) \S/,
  open(source) {
    let ahead: { readonly line: number; readonly fence?: Fence } | undefined
    return {
      seek(line) {
        if (ahead === undefined || ahead.line < line) ahead = nextFence(source, line)
        return ahead.line
      },
      read(line) {
        const fence = fenceAt(source, line)
        return fence === undefined ? { found: [], next: line + 1 } : readFence(source, line, fence)
      },
    }
  },
})

const TOOL = /^(save|append)\s+(\S.*)$/
const OPENER = /^[ \t]*(?:`{3,}|~{3,})(?:save|append)[ \t]/gm

function nextFence(source: Source, from: number): { readonly line: number } {
  OPENER.lastIndex = source.startOf(from)
  const match = OPENER.exec(source.text)
  return { line: match === null ? Infinity : source.lineAt(match.index) }
}

function readFence(source: Source, line: number, fence: Fence): { found: Found[]; next: number } {
  const [, tool = '', named = ''] = TOOL.exec(fence.info) ?? []
  const path = unquoted(named)
  const end = fenceEnd(source, line, fence, /\.mdx?$/i.test(path))
  const closed = end <= source.lineCount
  const rows = new Rows(source, line + 1, end - 1, fence.indent)
  let content = ''
  if (closed) for (let at = rows.first; at <= rows.last; at++) content += `${rows.row(at)}\n`
  const last = Math.min(end, source.lineCount)
  const found: Found = {
    action: tool === 'save' ? 'file_write' : 'file_append',
    params: closed ? { path, content, ...(tool === 'append' && { new_line: 'true' }) } : { path },
    label: tool,
    startLine: line,
    endLine: closed ? last : null,
    lastLine: last,
    findings: closed ? [] : [{ code: 'file-open', data: { in: 'fence' }, line }],
  }
  return { found: [found], next: last + 1 }
}

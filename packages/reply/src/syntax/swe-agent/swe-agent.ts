import type { Finding } from '../../core/diagnostic.ts'
import type { Source } from '../../core/source.ts'
import { foreignSyntax, type ForeignBlock, Rows } from '../foreign/foreign.ts'
import { lineWithoutBom } from '../../regions/fences.ts'
import { stripQuotes } from '../foreign/name.ts'

/*
 * Commands of SWE-agent, each on a line of its own, fenced or not:
 *
 *   file = "open " path [ line ] | "create " path
 *   edit = "edit " first ":" last { line } "end_of_edit"
 *
 * An edit replaces lines of the file that was named last. The numbers count in the file as the edits before it left it.
 * `create` with `edit 1:1` below it creates the file.
 */

export const sweAgent = foreignSyntax({
  name: 'swe-agent',
  marks: /^edit \d+:\d+(?!.)/,
  open(source) {
    let lines: readonly number[] | undefined
    let next = 0
    /** The file that was named last, down to a line. */
    let named: { path: string; isNew: boolean; line: number } | undefined
    let seen = 0
    const nameBefore = (line: number): void => {
      for (let at = seen + 1; at < line; at++) {
        const [, word, path] = FILE.exec(lineWithoutBom(source, at)) ?? []
        if (path !== undefined) named = { path: stripQuotes(path), isNew: word === 'create', line: at }
      }
      seen = Math.max(seen, line - 1)
    }
    return {
      seek(line) {
        lines ??= editCommandLines(source)
        while ((lines[next] ?? Infinity) < line) next++
        return lines[next] ?? Infinity
      },
      read(line) {
        nameBefore(line)
        const { found, last } = readSweEdit(source, line, named)
        if (named !== undefined) named = { ...named, isNew: false }
        seen = last
        return { found: [found], next: last + 1 }
      },
    }
  },
})

const EDIT = /^[ \t]*edit[ \t]+(\d{1,9}):(\d{1,9})[ \t]*$/
const FILE = /^[ \t]*(open|create)[ \t]+("[^"\n]+"|'[^'\n]+'|[^\s"']+)(?:[ \t]+\d+)?[ \t]*$/

function editCommandLines(source: Source): number[] {
  const lines: number[] = []
  for (const { index } of source.text.matchAll(/^[ \t]*edit[ \t]+\d+:\d+[ \t]*\r?$/gm)) lines.push(source.lineAt(index))
  return lines
}

function readSweEdit(
  source: Source,
  line: number,
  named: { readonly path: string; readonly isNew: boolean } | undefined,
): { found: ForeignBlock; last: number } {
  let end = line + 1
  while (end <= source.lineCount && source.line(end).trim() !== 'end_of_edit') end++
  const closed = end <= source.lineCount
  const last = Math.min(end, source.lineCount)
  const [, first = '', until = ''] = EDIT.exec(lineWithoutBom(source, line)) ?? []
  const rows = new Rows(source, line + 1, end - 1, /^[ \t]*/.exec(lineWithoutBom(source, line))?.[0] ?? '')
  const texts: string[] = []
  for (let at = rows.first; at <= rows.last; at++) texts.push(rows.row(at))
  const text = texts.join('\n')
  const path = named?.path
  const noFile: Finding = { line, code: 'lines-no-file' }
  const findings: readonly Finding[] = !closed ? [{ code: 'lines-open', line }] : path === undefined ? [noFile] : []
  const common = { label: 'edit', startLine: line, endLine: closed ? last : null, lastLine: last, findings }
  const where: Readonly<Record<string, string>> = path === undefined ? {} : { path }
  if (named?.isNew && first === '1') {
    return {
      found: { ...common, action: 'file_create', params: closed ? { ...where, content: `${text}\n` } : where },
      last,
    }
  }
  const lines = first === until ? first : `${first}-${until}`
  const params = closed ? { ...where, lines, new_content: text } : where
  const isEmpty = closed && end === line + 1
  return {
    found: isEmpty
      ? { ...common, action: 'file_delete_lines', params: { ...where, lines } }
      : { ...common, action: 'file_replace_lines', params },
    last,
  }
}

import { cellHeader } from '../core/cells.ts'
import type { Source } from '@clada/reply/core/source.ts'
import type { Language } from './language.ts'
import type { PartsOutline } from './markdown-outline.ts'
import type { OpenStructure } from './structure.ts'

/** The cells of a notebook that is read as text. What is in those with code is taken for Python. */
export function cellsOutline(source: Source, language: Language): PartsOutline {
  const structures: OpenStructure[] = []
  const fences: PartsOutline['fences'][number][] = []
  const headers = Array.from({ length: source.lineCount }, (_, at) => at + 1).filter((line) =>
    isCellHeader(source, line),
  )
  for (const [nth, first] of headers.entries()) {
    const [, type = '', id] = cellHeader.exec(source.line(first).trimEnd()) ?? []
    let last = (headers[nth + 1] ?? source.lineCount + 1) - 1
    while (last > first && source.line(last).trim() === '') last--
    const start = source.startOf(first)
    const holder: OpenStructure = {
      kind: 'cell',
      // A function of the same name goes first.
      name: null,
      header: source.line(first).trimEnd(),
      otherHeaders: id === undefined ? [] : [id],
      start,
      end: source.endOf(last),
      headerStart: start,
      language,
      parent: null,
      children: [],
      optional: true,
      secondary: false,
      owner: null,
      listed: false,
      isEmpty: () => last === first,
    }
    structures.push(holder)
    if (type === 'code' && last > first)
      fences.push({ holder, info: 'python', code: { start: source.startOf(first + 1), end: source.endOf(last) } })
  }
  return { structures, fences, preambleEnd: 0 }
}

const isCellHeader = (source: Source, line: number): boolean => cellHeader.test(source.line(line).trimEnd())

/** Whether content begins with the header of a cell. Inside another cell it would cut that in two. */
export const isCell = (content: string): boolean =>
  cellHeader.test(content.trimStart().split(/\r?\n/, 1)[0]?.trimEnd() ?? '')

/** Content for the place of a cell, or beside one: without a header of its own it would become a part of the cell above. */
export const asCell = (content: string, header: string): string =>
  content.trim() === '' || isCell(content) ? content : `${header}\n${content.replace(/^(?:[ \t]*\r?\n)+/, '')}`

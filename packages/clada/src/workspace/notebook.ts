import { splitKeepingEnds } from '@clada/reply/text/lines.ts'
import { cellHeader } from '../core/cells.ts'
import { shortDigestOf } from '../core/digest.ts'

/**
 * A notebook as text, one cell after another, each below a line `# %% [code] ID`. Outputs and metadata are left out.
 * Written back, only the cells that changed change in the file.
 */
/** Undefined for what is not a notebook of the current format, or has a line in a cell that reads like a cellHeader. */
export function notebookText(json: string): string | undefined {
  const notebook = readNotebook(json)
  return notebook === undefined ? undefined : joinCells(notebook.cells)
}

const joinCells = (cells: readonly NotebookCell[]): string =>
  cells.map(({ type, id, source }) => `# %% [${type}] ${id}\n${source}\n`).join('')

/** The notebook with the cells of a text; undefined where the text is not one of cells. */
export function notebookWith(json: string, text: string): string | undefined {
  const notebook = readNotebook(json)
  const wanted = cellsIn(text)
  if (notebook === undefined || wanted === undefined) return undefined
  const left = new Map(notebook.cells.map((cell) => [cell.id, cell]))
  const taken = new Set(left.keys())
  const elements = wanted.map((want) => {
    const old = want.id === undefined ? undefined : left.get(want.id)
    if (old !== undefined) left.delete(old.id)
    if (old?.type === want.type) return withSource(json, old, want.source, notebook)
    // A cell of another kind keeps its id.
    if (old !== undefined) taken.delete(old.id)
    return notebook.indented(newCell(want, notebook, taken))
  })
  const { start, end } = notebook.list
  const [first, last] = [notebook.cells[0], notebook.cells.at(-1)]
  const unit = notebook.unit
  // What is between the cells stays where their number does; else it is as between the first two.
  if (elements.length === notebook.cells.length && first !== undefined && last !== undefined) {
    const gaps = notebook.cells.map(({ end: from }, at) => json.slice(from, notebook.cells[at + 1]?.start ?? from))
    const body = elements.map((element, at) => element + (gaps[at] ?? '')).join('')
    return json.slice(0, first.start) + body + json.slice(last.end)
  }
  const [open, between, close] =
    unit === '' ? ['', ',', ''] : [`\n${unit.repeat(2)}`, `,\n${unit.repeat(2)}`, `\n${unit}`]
  const body = elements.length === 0 ? '' : open + elements.join(between) + close
  return `${json.slice(0, start)}[${body}]${json.slice(end)}`
}

/** What a new notebook begins as. */
export const emptyNotebook = `${JSON.stringify({ cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`

interface NotebookCell {
  readonly type: string
  readonly id: string
  readonly source: string
  readonly start: number
  readonly end: number
  /** Where its source is in the file. */
  readonly at: CellSpan
}

interface CellSpan {
  readonly start: number
  readonly end: number
}

interface Notebook {
  readonly cells: readonly NotebookCell[]
  readonly list: CellSpan
  /** One step of indentation; empty where the file has none. */
  readonly unit: string
  /** Whether its cells have ids. */
  readonly hasIds: boolean
  /** A value as an element of the list. */
  readonly indented: (value: unknown) => string
}

function readNotebook(json: string): Notebook | undefined {
  if (!isNotebook(json)) return undefined
  const top = memberSpans(json, skipSpace(json, 0))
  const list = top.get('cells')
  if (list === undefined || json[list.start] !== '[') return undefined
  const unit = /^\{\r?\n([ \t]+)"/.exec(json.trimStart())?.[1] ?? ''
  const cells: NotebookCell[] = []
  for (const { start, end } of elementsOf(json, list.start)) {
    const members = memberSpans(json, start)
    const at = members.get('source')
    const value = (name: string): unknown => {
      const span = members.get(name)
      return span && JSON.parse(json.slice(span.start, span.end))
    }
    const [type, id, source] = [value('cell_type'), value('id'), cellSource(value('source'))]
    const isKnown = type === 'code' || type === 'markdown' || type === 'raw'
    if (
      at === undefined ||
      !isKnown ||
      source === undefined ||
      source.split('\n').some((line) => cellHeader.test(line))
    )
      return undefined
    cells.push({ type, id: typeof id === 'string' ? id : `${cells.length + 1}`, source, start, end, at })
  }
  if (new Set(cells.map(({ id }) => id)).size < cells.length || cells.some(({ id }) => !/^\S+$/.test(id)))
    return undefined
  const minor = top.get('nbformat_minor')
  return {
    cells,
    list,
    unit,
    hasIds: minor !== undefined && Number(json.slice(minor.start, minor.end)) >= 5,
    indented: (value) => JSON.stringify(value, null, unit).replaceAll('\n', `\n${unit.repeat(2)}`),
  }
}

function isNotebook(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && 'nbformat' in value && value.nbformat === 4
  } catch {
    return false
  }
}

const cellSource = (value: unknown): string | undefined =>
  typeof value === 'string'
    ? value
    : Array.isArray(value) && value.every((line) => typeof line === 'string')
      ? value.join('')
      : undefined

interface WantedCell {
  readonly type: string
  readonly id: string | undefined
  readonly source: string
}

function cellsIn(text: string): WantedCell[] | undefined {
  const lines = withoutReturns(text).replace(/\n$/, '').split('\n')
  const cells: { type: string; id: string | undefined; lines: string[] }[] = []
  if (text.trim() === '') return []
  for (const line of lines) {
    const [, type, id] = cellHeader.exec(line) ?? []
    if (type !== undefined) cells.push({ type, id, lines: [] })
    else if (cells.length > 0) cells.at(-1)?.lines.push(line)
    else if (line.trim() !== '') return undefined
  }
  return cells.map(({ lines: own, ...cell }) => ({ ...cell, source: own.join('\n') }))
}

const withoutReturns = (text: string): string => text.replaceAll('\r\n', '\n')

function withSource(json: string, cell: NotebookCell, source: string, { unit }: Notebook): string {
  // The text of a notebook has no carriage returns. A cell may have them, and lost them when another cell was edited.
  if (source === withoutReturns(cell.source)) return json.slice(cell.start, cell.end)
  const isList = json[cell.at.start] === '['
  const own = /(?<!\r)\n/.test(cell.source) || !cell.source.includes('\r\n') ? source : source.replaceAll('\n', '\r\n')
  const written = JSON.stringify(isList ? splitKeepingEnds(own) : own, null, unit).replaceAll(
    '\n',
    `\n${unit.repeat(3)}`,
  )
  return json.slice(cell.start, cell.at.start) + written + json.slice(cell.at.end, cell.end)
}

/** With its keys in the order in which Jupyter writes them. */
function newCell({ type, id, source }: WantedCell, { hasIds }: Notebook, taken: Set<string>): Record<string, unknown> {
  let fresh = id
  for (let nth = 0; fresh === undefined || taken.has(fresh); nth++)
    fresh = shortDigestOf(Buffer.from(`${nth} ${source}`)).slice(-8)
  taken.add(fresh)
  return {
    cell_type: type,
    execution_count: type === 'code' ? null : undefined,
    id: hasIds ? fresh : undefined,
    metadata: {},
    outputs: type === 'code' ? [] : undefined,
    source: splitKeepingEnds(source),
  }
}

/** The members of an object in valid JSON, each with where its value is. */
function memberSpans(json: string, open: number): Map<string, CellSpan> {
  const members = new Map<string, CellSpan>()
  for (let at = skipSpace(json, open + 1); json[at] === '"';) {
    const nameEnd = valueEnd(json, at)
    const start = skipSpace(json, skipSpace(json, nameEnd) + 1)
    const end = valueEnd(json, start)
    members.set(String(JSON.parse(json.slice(at, nameEnd))), { start, end })
    at = skipSpace(json, end)
    if (json[at] === ',') at = skipSpace(json, at + 1)
  }
  return members
}

function elementsOf(json: string, open: number): CellSpan[] {
  const elements: CellSpan[] = []
  for (let start = skipSpace(json, open + 1); start < json.length && json[start] !== ']';) {
    const end = valueEnd(json, start)
    elements.push({ start, end })
    start = skipSpace(json, end)
    if (json[start] === ',') start = skipSpace(json, start + 1)
  }
  return elements
}

function skipSpace(json: string, from: number): number {
  let at = from
  while (at < json.length && ' \t\r\n\ufeff'.includes(json[at] ?? '')) at++
  return at
}

/** Where a value of valid JSON ends. */
function valueEnd(json: string, start: number): number {
  if (json[start] === '"') return stringEnd(json, start)
  let depth = 0
  for (let at = start; at < json.length; at++) {
    const char = json[at] ?? ''
    if (char === '"') at = stringEnd(json, at) - 1
    else if (char === '{' || char === '[') depth++
    else if (depth === 0 && ' \t\r\n,]}'.includes(char)) return at
    else if ((char === '}' || char === ']') && --depth === 0) return at + 1
  }
  return json.length
}

function stringEnd(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let slashes = 0
    while (json[at - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return at + 1
  }
  return json.length
}

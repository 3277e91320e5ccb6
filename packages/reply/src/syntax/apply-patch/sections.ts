import { PLUS } from '../../core/character-codes.ts'
import type { Finding } from '../../core/diagnostic.ts'
import { DAMAGED_MARK, markerWarning, type ForeignBlock, type ReadMarker, type Rows } from '../foreign/foreign.ts'
import { stripQuotes } from '../foreign/name.ts'
import { withoutOuterSpaces } from '../../text/undamage.ts'

/** The sections of a patch. */
export function readSections(rows: Rows, plain: ReadMarker): ForeignBlock[] {
  const sections: PatchSection[] = []
  let section: PatchSection | undefined
  for (let line = rows.first; line <= rows.last; line++) {
    // Most of a patch is new text.
    if (section?.isNew && rows.begin(line) === PLUS) {
      const last = rows.lastWith(line, PLUS)
      section.add(rows.unmarked(line, last), last)
      line = last
      continue
    }
    const row = rows.row(line)
    const opened = PatchSection.open(section?.hasHunks ? row : row.trimStart(), line, plain)
    if (opened === undefined && section !== undefined) section.take(row, line, plain)
    else if (opened !== undefined || row.trim() !== '') {
      section = opened ?? PatchSection.outside(row, line)
      sections.push(section)
    }
  }
  return sections.map((each) => each.close())
}

type PatchSectionKind = 'Add' | 'Delete' | 'Update'

/** May be a marker, damaged or not. */
const mayBeMarker = (row: string): boolean => row.startsWith('*') || row.startsWith('\\*')
const HEADER = /^\*\*\* ?(Add|Delete|Update) File:/
/** Some close a header as they open it. */
const CLOSED = / \*{3}\s*$/
const MOVE = /^\*\*\* ?Move to:/
/** The path of a header, which no repair of the marker changes. */
const namedOn = (row: string): string => withoutOuterSpaces(row.slice(row.indexOf(':') + 1))

class PatchSection {
  readonly #kind: PatchSectionKind | undefined
  readonly #line: number
  readonly #path: string
  readonly #rows: string[] = []
  #content = ''
  readonly #findings: Finding[] = []
  readonly #warnings: string[] = []
  #destination: string | undefined
  #last: number
  /** Its header without the path, where it is not written as usual. */
  #shell: string | undefined
  #unmarked: number | undefined
  /** The first space before a line of context that is no plain one. */
  #mark: string | undefined
  #isRefused = false
  /** Lines with nothing on them that belong to a new file only if more of it follows. */
  #emptyRows = 0

  private constructor(kind: PatchSectionKind | undefined, path: string, line: number) {
    this.#kind = kind
    this.#path = path
    this.#line = line
    this.#last = line
  }

  static open(row: string, line: number, read: ReadMarker): PatchSection | undefined {
    if (!mayBeMarker(row)) return undefined
    const plain = read(row)
    const [, kind] = HEADER.exec(plain) ?? []
    if (kind !== 'Add' && kind !== 'Delete' && kind !== 'Update') return undefined
    const named = namedOn(row)
    const path = stripQuotes(named.includes('***') ? named.replace(CLOSED, '') : named)
    const section = new PatchSection(kind, path, line)
    if (section.#path === '') section.#findings.push(noPath(line, row))
    const at = row.indexOf(named, row.indexOf(':'))
    const header = row.slice(0, at) + row.slice(at + named.length)
    if (read(header) !== header) section.#warnings.push(markerWarning(line))
    // With nothing more than the usual words it is as long as they are.
    const isUsual = row.startsWith('*** ') && row.length === '***  File: '.length + kind.length + path.length
    if (!isUsual) section.#shell = row.replace(path, '')
    return section
  }

  /** What precedes the first section. */
  static outside(row: string, line: number): PatchSection {
    const section = new PatchSection(undefined, '', line)
    section.#findings.push(unknownLine(line, row, 'before'))
    return section
  }

  /** Whether its lines may be context, with a space before them. */
  get hasHunks(): boolean {
    return this.#kind === 'Update'
  }

  get isNew(): boolean {
    return this.#kind === 'Add'
  }

  /** Lines of a new file, without their marks, each with an LF. */
  add(text: string, line: number): void {
    this.#last = line
    this.#content += '\n'.repeat(this.#emptyRows) + text
    this.#emptyRows = 0
  }

  take(row: string, line: number, read: ReadMarker): void {
    if (row.trim() !== '') this.#last = line
    const marker = mayBeMarker(row) ? read(row).trimEnd() : ''
    if (marker.startsWith('*** ')) this.#takeMarker(marker, row, line)
    else this.#takeRow(row, line)
  }

  close(): ForeignBlock {
    if (this.#kind === 'Update') {
      while (this.#rows.at(-1) === '') this.#rows.pop()
      this.#checkUpdate()
    }
    if (this.#unmarked !== undefined) {
      this.#warnings.push(`line ${this.#unmarked} does not start with ' ', '-' or '+'; it was read as a context line`)
    }
    // Not by spreading: a text may hold a hundred thousand sections.
    const { action, params } = this.#call()
    const markup = [
      ...(this.#shell === undefined ? [] : [this.#shell]),
      ...(this.#mark === undefined ? [] : [this.#mark]),
    ]
    return {
      uncertainMarks: this.#mark !== undefined || this.#unmarked !== undefined ? true : undefined,
      action,
      params,
      label: this.#kind === undefined ? 'Patch' : `${this.#kind} File`,
      startLine: this.#line,
      endLine: this.#last,
      lastLine: this.#last,
      findings: this.#findings,
      warnings: this.#warnings,
      markup: markup.length === 0 ? undefined : markup,
    }
  }

  #call(): Pick<ForeignBlock, 'action' | 'params'> {
    const path = this.#path
    switch (this.#kind) {
      case undefined:
        return { action: '', params: {} }
      case 'Add':
        return { action: 'file_create', params: { path, content: this.#content } }
      case 'Delete':
        return { action: 'file_delete', params: { path } }
      case 'Update': {
        const moved: Readonly<Record<string, string>> =
          this.#destination === undefined ? {} : { new_path: this.#destination }
        return { action: 'file_patch', params: { path, patch: this.#rows.join('\n'), ...moved } }
      }
    }
  }

  #takeMarker(marker: string, row: string, line: number): void {
    if (MOVE.test(marker)) return this.#move(stripQuotes(namedOn(row)), marker, line)
    if (marker === '*** End of File' && this.#kind === 'Update') this.#rows.push(marker)
    else this.#findings.push(unknownLine(line, marker, 'marker'))
  }

  #move(destination: string, marker: string, line: number): void {
    if (destination === '') this.#findings.push(noPath(line, marker))
    else if (this.#kind !== 'Update' || this.#rows.length > 0 || this.#destination !== undefined) {
      this.#findings.push({ line, code: 'patch-move' })
    } else this.#destination = destination
  }

  #takeRow(row: string, line: number): void {
    switch (this.#kind) {
      case 'Add':
        if (row.trim() === '') this.#emptyRows++
        else this.#refuseUnmarked(row, line)
        return
      case 'Delete':
        // Some write what goes; the file goes whole.
        if (row.trim() !== '' && !row.startsWith('-')) this.#findings.push(unknownLine(line, row, 'deleted'))
        return
      case 'Update':
        this.#takeHunkRow(row, line)
        return
      case undefined:
    }
  }

  /** Once is enough: forgotten marks are missing on every line. */
  #refuseUnmarked(row: string, line: number): void {
    if (!this.#isRefused) this.#findings.push({ line, code: 'patch-unmarked', data: { row: row.trim() } })
    this.#isRefused = true
  }

  #takeHunkRow(given: string, line: number): void {
    const [mark = ''] = DAMAGED_MARK.exec(given) ?? []
    const row = mark === '' ? given : ` ${given.slice(mark.length)}`
    if (mark !== '') {
      if (this.#mark === undefined) this.#warnings.push(markerWarning(line))
      this.#mark ??= mark
    }
    if (row === '' && this.#rows.length === 0) return
    if (row === '' || /^(?:[-+ \\]|@@)/.test(row)) {
      this.#rows.push(row)
      return
    }
    this.#unmarked ??= line
    this.#rows.push(` ${row}`)
  }

  #checkUpdate(): void {
    if (this.#findings.length > 0) return
    const changes = this.#rows.some((row) => /^[-+]/.test(row))
    if (changes && this.#rows.at(-1)?.startsWith('@@') !== true) return
    if (this.#rows.length === 0 && this.#destination !== undefined) return
    const where = changes ? 'end' : 'section'
    this.#findings.push({ line: changes ? this.#last : this.#line, code: 'patch-no-change', data: { where } })
  }
}

const noPath = (line: number, row: string): Finding => ({
  line,
  column: row.trimEnd().length + 1,
  length: 0,
  code: 'patch-no-path',
})

const unknownLine = (line: number, row: string, where: 'before' | 'marker' | 'deleted'): Finding => ({
  line,
  code: 'patch-unknown',
  data: { row: row.trim(), where },
})

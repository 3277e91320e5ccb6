import type { Fault } from '../../core/block.ts'
import type { Source } from '../../core/source.ts'
import { BOM, faultAt } from '../reader.ts'
import type { Mistake } from '../../core/mistake.ts'

export interface FoundBlock {
  readonly id: string
  readonly path?: string
  readonly explanation?: string
  readonly search?: string
  readonly replace?: string
  readonly overwrite?: string
  readonly startLine: number
  /** Null when it was not closed. */
  readonly endLine: number | null
  readonly lastLine: number
  readonly faults: readonly Fault[]
}

type Section = 'EXPLANATION' | 'FILE' | 'SEARCH' | 'REPLACE' | 'OVERWRITE'
type MarkerName = Section | 'END'

const spelled = (name: MarkerName): string => `<<<${name}>>>`

const markers: ReadonlyMap<string, MarkerName> = new Map(
  (['EXPLANATION', 'FILE', 'SEARCH', 'REPLACE', 'OVERWRITE', 'END'] as const).map((name) => [spelled(name), name]),
)

/** Whether a line of a text would be read as a marker, wherever it is. */
export const isMarkerLine = (line: string): boolean => markers.has(line.trimEnd())

interface Mark {
  readonly line: number
  readonly name: MarkerName
}

export class ReplacerMarks {
  readonly #source: Source
  /** A line that is sought is read next. */
  #last: Mark | undefined

  constructor(source: Source) {
    this.#source = source
  }

  /** The first line at or after `line` that is a marker. */
  next(line: number): Mark | undefined {
    if (this.#last?.line === line) return this.#last
    const { text } = this.#source
    let name = this.#nameOf(line)
    if (name !== undefined) return (this.#last = { line, name })
    for (let at = text.indexOf('\n<<<', this.#source.startOf(line)); at !== -1; at = text.indexOf('\n<<<', at + 4)) {
      if (!isCapital(text.charCodeAt(at + 4))) continue
      const found = this.#source.lineAt(at + 1)
      name = this.#nameOf(found)
      if (name !== undefined) return (this.#last = { line: found, name })
    }
    return undefined
  }

  #nameOf(line: number): MarkerName | undefined {
    const start = this.#source.startOf(line)
    // Only the start of the text may be a byte order mark.
    const bom = line === 1 && this.#source.text.charCodeAt(0) === BOM ? 1 : 0
    if (!this.#source.text.startsWith('<<<', start + bom)) return undefined
    return markers.get(this.#source.line(line).slice(bom).trimEnd())
  }
}

const isCapital = (c: number): boolean => c >= 65 && c <= 90

/** A way through the lines of one block. */
export class ReplacerWalk {
  readonly #source: Source
  readonly #marks: ReplacerMarks
  readonly #start: number
  readonly #faults: Fault[] = []
  #id: string | null = null

  constructor(source: Source, marks: ReplacerMarks, start: number) {
    this.#source = source
    this.#marks = marks
    this.#start = start
  }

  /** The block that opens here, or what an END with no block costs. */
  read(id: string): FoundBlock | { fault: Fault } {
    const first = this.#marks.next(this.#start)?.name
    if (first === undefined || first === 'END')
      return { fault: this.#fault(this.#start, { kind: 'replacer-stray-end' }) }
    this.#id = id
    if (first !== 'EXPLANATION' && first !== 'FILE') this.#report(this.#start, outOfOrder(first, undefined))
    const texts: Texts = {}
    let section: Section = first
    let line = this.#start
    for (;;) {
      const mark = this.#marks.next(line + 1)
      this.#take(texts, section, line, mark === undefined ? this.#source.lineCount : mark.line - 1)
      if (mark === undefined) return this.#truncated(texts, section, line)
      const { line: next, name } = mark
      if (name === 'END') {
        this.#checkEnd(section, line, next)
        return this.#found(texts, next, next)
      }
      if (isContent(section) && !(section === 'SEARCH' && name === 'REPLACE')) {
        return this.#overrun(texts, section, line, name, next)
      }
      if (name === 'EXPLANATION') {
        this.#report(line, incomplete(section))
        return this.#found(texts, null, next - 1)
      }
      if (name !== 'FILE') this.#report(next, outOfOrder(name, section))
      else if (section === 'FILE') this.#report(next, { kind: 'replacer-second-file' })
      section = name
      line = next
    }
  }

  /** Takes the lines of a section: from below its marker to `last`. */
  #take(texts: Texts, section: Section, marker: number, last: number): void {
    switch (section) {
      case 'EXPLANATION':
        texts.explanation = this.#source.lines(marker + 1, last).trim()
        return
      case 'FILE':
        this.#takePath(texts, marker, last)
        return
      case 'SEARCH':
        texts.search = this.#source.lines(marker + 1, last)
        // White space alone is in no file or all over it.
        if (texts.search.trim() === '') this.#report(marker, { kind: 'replacer-empty-search' })
        return
      case 'REPLACE':
        texts.replace = this.#source.lines(marker + 1, last)
        return
      case 'OVERWRITE':
        texts.overwrite = this.#source.lines(marker + 1, last)
    }
  }

  #takePath(texts: Texts, marker: number, last: number): void {
    let path: string | undefined
    for (let n = marker + 1; n <= last; n++) {
      const text = this.#source.line(n).trim()
      if (text === '') continue
      if (path !== undefined) return this.#report(n, { kind: 'replacer-below-path' })
      path = text
      texts.path ??= path
    }
    if (path === undefined) this.#report(marker, { kind: 'replacer-no-path' })
  }

  #checkEnd(section: Section, line: number, end: number): void {
    if (section === 'SEARCH') this.#report(end, { kind: 'replacer-without', marker: 'SEARCH', missing: 'REPLACE' })
    else if (section === 'EXPLANATION' || section === 'FILE') this.#report(line, incomplete(section))
  }

  /** A marker is in content: the block is lost down to the next END. */
  #overrun(texts: Texts, section: Section, line: number, name: MarkerName, at: number): FoundBlock {
    let end = this.#marks.next(at + 1)
    while (end !== undefined && end.name !== 'END') end = this.#marks.next(end.line + 1)
    const closed = end?.line ?? null
    const last = closed ?? this.#source.lineCount
    const code = closed === null ? 'truncated' : undefined
    const mistake = { kind: 'replacer-overrun', marker: name, section, line, first: this.#start } as const
    this.#report(at, { ...mistake, last: closed ?? this.#source.lastLine }, code)
    return this.#found(texts, closed, last)
  }

  #truncated(texts: Texts, section: Section, line: number): FoundBlock {
    this.#report(line, { kind: 'replacer-open', section, first: this.#start }, 'truncated')
    return this.#found(texts, null, this.#source.lineCount)
  }

  #found(texts: Texts, endLine: number | null, lastLine: number): FoundBlock {
    return { id: this.#id ?? '', ...texts, startLine: this.#start, endLine, lastLine, faults: this.#faults }
  }

  #report(line: number, mistake: Mistake | undefined, code?: 'truncated'): void {
    if (mistake !== undefined) this.#faults.push(this.#fault(line, mistake, code))
  }

  #fault(line: number, mistake: Mistake, code = 'REPLACER_SYNTAX'): Fault {
    const { length } = this.#source.line(line).trimEnd()
    return faultAt(this.#source, line, this.#id, { code, column: 1, length, mistake })
  }
}

interface Texts {
  path?: string
  explanation?: string
  search?: string
  replace?: string
  overwrite?: string
}

const isContent = (section: Section): boolean => section !== 'EXPLANATION' && section !== 'FILE'

/** What is wrong with a marker of an edit after `section`, or at the start. */
function outOfOrder(marker: 'SEARCH' | 'REPLACE' | 'OVERWRITE', section: Section | undefined): Mistake | undefined {
  const missing = marker === 'REPLACE' ? 'SEARCH' : 'FILE'
  return section === missing ? undefined : { kind: 'replacer-without', marker, missing }
}

/** What is wrong with a block that ends after its EXPLANATION or FILE. */
const incomplete = (marker: Section): Mistake => ({
  kind: 'replacer-without',
  marker,
  missing: marker === 'FILE' ? 'SEARCH' : 'FILE',
})

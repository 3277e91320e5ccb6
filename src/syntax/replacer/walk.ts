import type { Fault } from '../../core/block.ts'
import type { Source } from '../../core/source.ts'
import { BOM, faultAt, type Mistake } from '../reader.ts'

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
    if (first === undefined || first === 'END') return { fault: this.#fault(this.#start, strayEnd) }
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
      else if (section === 'FILE') this.#report(next, secondFile)
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
        if (texts.search.trim() === '') this.#report(marker, emptySearch)
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
      if (path !== undefined) return this.#report(n, textBelowPath)
      path = text
      texts.path ??= path
    }
    if (path === undefined) this.#report(marker, noPath)
  }

  #checkEnd(section: Section, line: number, end: number): void {
    if (section === 'SEARCH') this.#report(end, noReplace)
    else if (section === 'EXPLANATION' || section === 'FILE') this.#report(line, incomplete(section))
  }

  /** A marker is in content: the block is lost down to the next END. */
  #overrun(texts: Texts, section: Section, line: number, name: MarkerName, at: number): FoundBlock {
    let end = this.#marks.next(at + 1)
    while (end !== undefined && end.name !== 'END') end = this.#marks.next(end.line + 1)
    const closed = end?.line ?? null
    const last = closed ?? this.#source.lineCount
    const close = section === 'SEARCH' ? `${spelled('REPLACE')} and ${spelled('END')}` : spelled('END')
    this.#report(at, {
      message: `${spelled(name)} inside ${spelled(section)}`,
      hint: `Close the ${spelled(section)} of line ${line} with ${close}. Nothing from line ${this.#start} to ${last} was executed. Content with such lines needs another syntax.`,
      ...(closed === null && { code: 'truncated' }),
    })
    return this.#found(texts, closed, last)
  }

  #truncated(texts: Texts, section: Section, line: number): FoundBlock {
    this.#report(line, {
      code: 'truncated',
      message: `Block not closed: the text ends inside ${spelled(section)}`,
      hint: `End the block with ${spelled('END')}. Nothing from line ${this.#start} on was executed: send it again, complete.`,
    })
    return this.#found(texts, null, this.#source.lineCount)
  }

  #found(texts: Texts, endLine: number | null, lastLine: number): FoundBlock {
    return { id: this.#id ?? '', ...texts, startLine: this.#start, endLine, lastLine, faults: this.#faults }
  }

  #report(line: number, slip: Slip | undefined): void {
    if (slip !== undefined) this.#faults.push(this.#fault(line, slip))
  }

  #fault(line: number, slip: Slip): Fault {
    const text = this.#source.line(line)
    const mistake: Mistake = { code: 'REPLACER_SYNTAX', column: 1, length: text.trimEnd().length, ...slip }
    return faultAt(this.#source, line, this.#id, mistake)
  }
}

interface Texts {
  path?: string
  explanation?: string
  search?: string
  replace?: string
  overwrite?: string
}

type Slip = Pick<Mistake, 'message' | 'hint'> & Partial<Mistake>

const isContent = (section: Section): boolean => section !== 'EXPLANATION' && section !== 'FILE'

/** What is wrong with a marker of an edit after `section`, or at the start. */
function outOfOrder(name: 'SEARCH' | 'REPLACE' | 'OVERWRITE', section: Section | undefined): Slip | undefined {
  if (name === 'REPLACE') return section === 'SEARCH' ? undefined : { message: without(name, 'SEARCH'), hint: editHint }
  return section === 'FILE' ? undefined : { message: without(name, 'FILE'), hint: fileHint }
}

/** What is wrong with a block that ends after its EXPLANATION or FILE. */
const incomplete = (section: Section): Slip =>
  section === 'FILE'
    ? { message: `${without(section, 'SEARCH')} or ${spelled('OVERWRITE')}`, hint: editHint }
    : { message: without(section, 'FILE'), hint: fileHint }

const without = (name: MarkerName, missing: MarkerName): string => `${spelled(name)} without ${spelled(missing)}`

const fileHint = `Put ${spelled('FILE')} and the path, each on a line of its own, before every ${spelled('SEARCH')} and ${spelled('OVERWRITE')}.`
const editHint = `Below the path write ${spelled('SEARCH')}, the old text, ${spelled('REPLACE')}, the new text, ${spelled('END')}; or ${spelled('OVERWRITE')}, the whole file, ${spelled('END')}.`

const strayEnd: Slip = {
  message: `${spelled('END')} without a block`,
  hint: `Leave it out. If it was content, that content was closed by the ${spelled('END')} before it.`,
}
const secondFile: Slip = {
  message: `${spelled('FILE')} a second time in one block`,
  hint: 'Give one path; for two files write two blocks.',
}
const noPath: Slip = { message: `${spelled('FILE')} without a path`, hint: fileHint }
const textBelowPath: Slip = {
  message: 'Text between the path and the next marker',
  hint: `Only the path is below ${spelled('FILE')}. A marker must be alone on its line; the explanation of the change goes below ${spelled('EXPLANATION')}, before ${spelled('FILE')}.`,
}
const noReplace: Slip = { message: without('SEARCH', 'REPLACE'), hint: editHint }
const emptySearch: Slip = {
  message: `Empty ${spelled('SEARCH')}`,
  hint: `Put the text to find below ${spelled('SEARCH')}; to write a new file, use ${spelled('OVERWRITE')}.`,
}

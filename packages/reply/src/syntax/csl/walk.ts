import type { Fault } from '../../core/block.ts'
import type { Source } from '../../core/source.ts'
import {
  type Attributes,
  badClosing,
  hasAttributes,
  type MarkerLine,
  outside,
  parseMarker,
  unterminated,
  withoutReplace,
} from './marker.ts'
import { BOM, type Delimiters, faultAt, LF, type Slip } from '../reader.ts'
import { attributesIn, Markers } from '../damage.ts'
import type { ReadThroughDamage, View } from '../tokens.ts'
import { plainMarker, shows, withoutOuterSpaces } from '../../text/undamage.ts'

/** WRITE, RUN, SEARCH, READ or EXEC as it is in the text; with a fault also what was written in their place. */
export interface Operation {
  readonly id: string
  readonly name: string
  readonly line: number
  /** Null when it was not closed. */
  readonly endLine: number | null
  readonly lastLine: number
  readonly attributes: Attributes
  readonly parts: Readonly<Parts>
  /** Mistakes of syntax. */
  readonly faults: readonly Fault[]
  readonly warnings: readonly string[]
}

export interface Tasks {
  readonly line: number
  readonly endLine: number | null
  readonly attributes: Attributes
  readonly operations: readonly Operation[]
  /** Mistakes of syntax that are not those of an operation. */
  readonly faults: readonly Fault[]
}

type Part = 'content' | 'pattern' | 'to' | 'replacement'
type Parts = Partial<Record<Part, string>>

type Found =
  | { readonly kind: 'operation'; readonly operation: Operation; readonly next: number }
  | { readonly kind: 'tasks'; readonly tasks: Tasks; readonly next: number }
  /** A line that opens nothing. */
  | { readonly kind: 'stray'; readonly faults: readonly Fault[]; readonly next: number }

/** What is a marker in each part. Every other line is content. */
const markersIn: Readonly<Record<Part, readonly string[]>> = {
  content: ['END'],
  pattern: ['TO', 'REPLACE', 'END'],
  to: ['REPLACE'],
  replacement: ['END'],
}

/**
 * A way through a whole text. It continues after a mistake, although nothing of the text will run, because what is
 * in the operations that follow is their content and not for another syntax to find. A bad marker that was meant to
 * open something opens it, and one that was meant to close something closes nothing.
 */
export class CslWalk {
  readonly #source: Source
  readonly #delimiters: Delimiters
  #count = 0
  #fatal: Fault | undefined

  constructor(source: Source, delimiters: Delimiters) {
    this.#source = source
    this.#delimiters = delimiters
  }

  /** The first mistake in the order of reading: that an operation is not closed is known only at the end of the text. */
  get fatal(): Fault | undefined {
    return this.#fatal
  }

  /** The first line at or after `line` that opens with the start delimiter. */
  seek(line: number): number {
    const { text } = this.#source
    const { start } = this.#delimiters
    const from = this.#source.startOf(line)
    if (text.startsWith(start, from + this.#indent(line))) return line
    // Without the line break before it, which every line has, it is found faster.
    let at = text.indexOf(start, from)
    while (at !== -1 && text.charCodeAt(at - 1) !== LF) at = text.indexOf(start, at + 1)
    return at === -1 ? Infinity : this.#source.lineAt(at)
  }

  read(line: number): Found {
    const { opens, attributes, slip } = outside(this.#line(line), 'top')
    if (opens === 'TASKS') {
      const tasks = this.#tasks(line, attributes, slip)
      return { kind: 'tasks', tasks, next: (tasks.endLine ?? this.#source.lineCount) + 1 }
    }
    if (opens !== undefined) {
      const operation = this.#operation(line, String(++this.#count), opens, attributes, slip)
      return { kind: 'operation', operation, next: operation.lastLine + 1 }
    }
    return { kind: 'stray', faults: this.#faults(line, null, slip), next: line + 1 }
  }

  #tasks(line: number, attributes: Attributes, slip: Slip | undefined): Tasks {
    const faults = this.#faults(line, null, slip)
    const operations: Operation[] = []
    let depth = 1
    let open = true
    let next: number
    for (let n = this.seek(line + 1); n <= this.#source.lineCount; n = this.seek(next)) {
      const found = outside(this.#line(n), 'TASKS')
      next = n + 1
      if (found.ends && --depth === 0) return { line, endLine: n, attributes, operations, faults }
      if (found.opens === undefined || found.opens === 'TASKS') {
        if (found.opens === 'TASKS') depth++
        faults.push(...this.#faults(n, null, found.slip))
        continue
      }
      if (operations.length === 0) this.#count++
      const id = `${this.#count}.${operations.length + 1}`
      const operation = this.#operation(n, id, found.opens, found.attributes, found.slip)
      operations.push(operation)
      next = operation.lastLine + 1
      open = operation.endLine !== null
    }
    // An operation that takes the rest of the text with it has said so already.
    if (open) faults.push(...this.#faults(line, null, unterminated(this.#line(line), 'TASKS')))
    return { line, endLine: null, attributes, operations, faults }
  }

  #isEnd(line: number): boolean {
    if (line > this.#source.lineCount || this.seek(line) !== line) return false
    const { text, at } = this.#line(line)
    return parseMarker(text, this.#delimiters, at)?.name === 'END'
  }

  #operation(line: number, id: string, name: string, attributes: Attributes, slip: Slip | undefined): Operation {
    const parts: Parts = {}
    const warnings: string[] = []
    const faults = this.#faults(line, id, slip)
    if (name === 'READ') {
      // It has no content and needs no END; one right below it is taken for its own.
      const endLine = this.#isEnd(line + 1) ? line + 1 : line
      return { id, name, line, endLine, lastLine: endLine, attributes, parts, faults, warnings }
    }
    let part: Part = name === 'SEARCH' ? 'pattern' : 'content'
    let from = line + 1
    let endLine: number | null = null
    let spoiled = false
    for (let n = this.seek(from); n <= this.#source.lineCount; n = this.seek(n + 1)) {
      const found = this.#line(n)
      const marker = parseMarker(found.text, this.#delimiters, found.at)
      if (marker === undefined) continue
      if (!markersIn[part].includes(marker.name)) {
        if (part === 'replacement' && marker.name === 'REPLACE')
          warnings.push(`line ${n}: a second REPLACE marker is content of the replacement and was written`)
        continue
      }
      const bad = badClosing(found, marker)
      if (bad !== undefined) {
        // Once is enough: a content full of such lines is one mistake.
        if (!spoiled) faults.push(...this.#faults(n, id, bad))
        spoiled = true
        continue
      }
      parts[part] = this.#source.lines(from, n - 1)
      if (marker.name === 'END') {
        if (part === 'pattern') faults.push(...this.#faults(n, id, withoutReplace(found)))
        endLine = n
        break
      }
      if (hasAttributes(found, marker)) warnings.push(`attributes of the ${marker.name} marker were ignored`)
      part = marker.name === 'TO' ? 'to' : 'replacement'
      from = n + 1
    }
    if (endLine === null) faults.push(...this.#faults(line, id, unterminated(this.#line(line), name)))
    const lastLine = endLine ?? this.#source.lineCount
    return { id, name, line, endLine, lastLine, attributes, parts, faults, warnings }
  }

  /** None or one, in a list to add to. */
  #faults(line: number, id: string | null, slip: Slip | undefined): Fault[] {
    if (slip === undefined) return []
    const fault = faultAt(this.#source, line, id, slip)
    this.#fatal ??= fault
    return [fault]
  }

  #line(line: number): MarkerLine {
    return { text: this.#source.line(line), at: this.#indent(line), delimiters: this.#delimiters }
  }

  /** The text may begin with a byte order mark. */
  #indent(line: number): number {
    return line === 1 && this.#source.text.charCodeAt(0) === BOM ? 1 : 0
  }
}

/** The part that a marker begins, of those that are read through damage. */
const partOf: Readonly<Partial<Record<string, Part>>> = {
  WRITE: 'content',
  RUN: 'content',
  EXEC: 'content',
  SEARCH: 'pattern',
  TO: 'to',
  REPLACE: 'replacement',
}

/** Reads an operation, or a group of them, through damage to its markers. */
export const walkCsl: ReadThroughDamage = (view, start) => {
  const markers = new Markers()
  const first = markerAt(view, start, markers)
  if (first === undefined) return undefined
  markers.add(start, first.clean, first.markup)
  if (first.name === 'READ') return { start, end: walkRead(view, start, markers), markers: markers.list }
  const end = first.name === 'TASKS' ? walkTasks(view, start, markers) : walkOperation(view, start, first.name, markers)
  if (end === undefined) return undefined
  // Where another END follows, the one that was found may be content.
  for (let n = end + 1; n <= view.lineCount; n++) {
    const next = markerAt(view, n, markers)
    if (next !== undefined) return next.name in closers ? undefined : { start, end, markers: markers.list }
  }
  return { start, end, markers: markers.list }
}

const closers = { END: true, TO: true, REPLACE: true }

/** It has no content; an END right below it is its own. */
function walkRead(view: View, start: number, markers: Markers): number {
  const below = markerAt(view, start + 1, markers)
  if (below?.name !== 'END') return start
  markers.add(start + 1, below.clean, below.markup)
  return start + 1
}

function walkTasks(view: View, start: number, markers: Markers): number | undefined {
  for (let n = start + 1; n <= view.lineCount; n++) {
    const marker = markerAt(view, n, markers)
    if (marker === undefined) {
      if (view.line(n) === undefined) return undefined
      continue
    }
    markers.add(n, marker.clean, marker.markup)
    if (marker.name === 'END') return n
    const end = marker.name === 'READ' ? n : walkOperation(view, n, marker.name, markers)
    if (end === undefined) return undefined
    n = end
  }
  return undefined
}

function walkOperation(view: View, start: number, name: string, markers: Markers): number | undefined {
  let part = partOf[name]
  for (let n = start + 1; ; n++) {
    if (view.line(n) === undefined) return undefined
    const marker = markerAt(view, n, markers)
    if (marker === undefined || part === undefined || !markersIn[part].includes(marker.name)) continue
    markers.add(n, marker.clean, marker.markup)
    if (marker.name === 'END') return n
    part = partOf[marker.name]
  }
}

interface CslMarker {
  readonly name: string
  readonly clean: string
  readonly markup: string
}

function markerAt(view: View, n: number, markers: Markers): CslMarker | undefined {
  const line = view.line(n)
  if (line === undefined || !/[A-Z]/.test(line)) return undefined
  const marker = markerIn(line)
  return marker !== undefined && markers.admits(marker.markup) ? marker : undefined
}

function markerIn(line: string): CslMarker | undefined {
  // A marker starts its line; what is indented as a whole is read without its indentation.
  if (/^[ \t]/.test(line)) return undefined
  const plain = plainMarker(line)
  const name = /^<-{2,5}(WRITE|RUN|SEARCH|TASKS|READ|EXEC|TO|REPLACE|END)\b[^]*-{2,5}>$/.exec(plain)?.[1]
  if (name === undefined) return undefined
  const exact = plain.startsWith(`<---${name}`) && plain.endsWith('--->')
  // How many hyphens there were can be known only where a program made a dash of them.
  if (!exact && !shows(line, 'punctuation') && !shows(line, 'entities')) return undefined
  if (line.trimEnd() === plain) return { name, clean: line, markup: line.replace(/(["']).*\1/s, '') }

  const core = withoutOuterSpaces(line)
  const [, open = '', inner = '', close = ''] = damagedMarker.exec(core) ?? []
  const attributes = attributesIn(inner, 'escaped')
  // Whatever it says, it is a marker, and the reader has to know; but not with values that nobody wrote.
  if (close === '') return { name, clean: line, markup: line }
  if (attributes === undefined) return { name, clean: `<---${name}${inner}--->`, markup: line }
  const markup = line.replace(core, () => `${open}${attributes.markup}${close}`)
  return { name, clean: `<---${name}${attributes.clean}--->`, markup }
}

const damagedMarker = /^([^A-Z]*[A-Z]+)([^]*?)((?:\\?-|[\u2010-\u2015]|&[mn]dash;)+(?:\\?>|&gt;|&#62;|&#x3e;|&#x3E;))$/

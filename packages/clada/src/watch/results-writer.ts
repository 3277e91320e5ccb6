import type { Document } from '@clada/reply/core/block.ts'
import type { ListenerEvent } from './run-units.ts'
import type { ListenerFiles } from './place.ts'
import { type LateWriter, rewrite } from './watched-file.ts'
import type { ExecutionResult } from '../core/result.ts'
import { summaryLines } from '../report/llm.ts'
import { primaryOf, spellOut } from '../report/words.ts'
import type { Fate, Unit } from './units.ts'

/**
 * Writes results at the top of a file that its user may be editing. Only our own section is replaced, in the current
 * content; the replaced file is held open for a while, in case an editor still writes to it.
 */
export class ResultsWriter {
  readonly #place: ListenerFiles
  readonly #tell: (event: ListenerEvent) => void
  readonly #read: (text: string) => Document
  #held: { readonly late: LateWriter; until: number }[] = []
  #section = ''
  #written: Buffer = Buffer.alloc(0)
  #timer: NodeJS.Timeout | undefined
  #going: Promise<unknown> = Promise.resolve()

  constructor(place: ListenerFiles, tell: (event: ListenerEvent) => void, read: (text: string) => Document) {
    this.#place = place
    this.#tell = tell
    this.#read = read
  }

  /** Whether it is there now: not where the file is gone. */
  put(section: string): Promise<boolean> {
    return this.#inTurn(() => this.#rewrite(section, (bytes) => putSection(this.partsOf(bytes), section)))
  }

  /** Puts a section in the place of a line of the user's text, and returns that text; undefined if the line is another one by now. */
  replaceLine(at: number, line: string, section: string): Promise<Buffer | undefined> {
    return this.#inTurn(async () => {
      const isDone = await this.#rewrite(this.#section, (bytes) => {
        const parts = this.partsOf(bytes)
        const lines = parts.own.toString('utf8').split('\n')
        if (lines[at]?.trim() !== line) return undefined
        lines[at] = brokenLike(parts.own, section.trimEnd())
        return Buffer.concat([parts.mark, parts.section, Buffer.from(lines.join('\n'))])
      })
      return isDone ? this.partsOf(this.#written).own : undefined
    })
  }

  get hasWritten(): boolean {
    return this.#section !== ''
  }

  /** Our section and the user's text, wherever the section is now. */
  partsOf(bytes: Buffer): ResultsParts {
    const parts = splitWatchedFile(bytes)
    let blocks: Document['blocks'] | undefined
    return withoutOld(parts, this.#section, (line) => {
      blocks ??= this.#read(parts.own.toString('utf8')).blocks
      return blocks.some(({ startLine, endLine }) => startLine <= line && line <= (endLine ?? Infinity))
    })
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#inTurn(() => this.#rescue())
    clearTimeout(this.#timer)
    for (const { late } of this.#held) late.close()
    this.#held = []
  }

  async #rewrite(section: string, change: (bytes: Buffer) => Buffer | undefined): Promise<boolean> {
    // An empty file is one that is being written.
    const isWhole = (bytes: Buffer): boolean => splitWatchedFile(bytes).own.length > 0
    const onSaved = (file: string): void => this.#tell({ kind: 'saved-aside', file })
    const done = await rewrite({ ...this.#place, change, isWhole, onSaved })
    if (done === undefined) return false
    this.#held.push({ late: done.late, until: performance.now() + holdMs })
    this.#section = section
    this.#written = done.bytes
    this.#lookLater()
    return true
  }

  #lookLater(): void {
    clearTimeout(this.#timer)
    if (this.#held.length > 0)
      this.#timer = setTimeout(() => this.#inTurn(() => this.#rescue()).catch(() => {}), lookEveryMs)
  }

  /** Restores text that was written to a replaced file. */
  async #rescue(): Promise<void> {
    for (const one of this.#held) {
      const text = one.late.text()
      if (text === undefined) continue
      one.until = performance.now() + holdMs
      if (text.length > 0) await this.#bringBack(text)
    }
    const now = performance.now()
    for (const { late, until } of this.#held) if (until < now) late.close()
    this.#held = this.#held.filter(({ until }) => until >= now)
    this.#lookLater()
  }

  async #bringBack(text: Buffer): Promise<void> {
    const written = this.#written
    const brought = await this.#rewrite(this.#section, (bytes) =>
      bytes.equals(written) ? putSection(this.partsOf(text), this.#section) : undefined,
    )
    // A newer version already exists.
    if (!brought) this.#tell({ kind: 'saved-aside', file: this.#place.scratch.saveConflict('input.md', text) })
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#going.then(work)
    this.#going = next.catch(() => {})
    return next
  }
}

/** After this time without a write, the editor has closed the file. */
const holdMs = 2000
const lookEveryMs = 50

/**
 * The results are at the very top of the watched file, and only there are they ours: the same lines further down are
 * the user's, or the content of a block. Everything here works on bytes, so that the rest of the file is kept exactly.
 */
export interface ResultsParts {
  /** The byte order mark, if there is one. */
  readonly mark: Buffer
  /** Our section with the empty line below it; may be empty. */
  readonly section: Buffer
  /** What the user wrote. */
  readonly own: Buffer
}

export function splitWatchedFile(bytes: Buffer): ResultsParts {
  const from = bytes.subarray(0, 3).equals(byteOrderMark) ? 3 : 0
  const end = endOfSection(bytes, from)
  return { mark: bytes.subarray(0, from), section: bytes.subarray(from, end), own: bytes.subarray(end) }
}

/** The file with another section, written with the line breaks that the user's text has. */
function putSection({ mark, own }: ResultsParts, section: string): Buffer {
  return Buffer.concat([mark, Buffer.from(brokenLike(own, section)), own])
}

/**
 * A reply that is pasted at the very top is above the results of the previous one. Those are still ours, unless they
 * are the content of a block.
 */
function withoutOld(parts: ResultsParts, old: string, isContent: (line: number) => boolean): ResultsParts {
  const { own } = parts
  const lost = old === '' ? -1 : own.indexOf(brokenLike(own, old))
  if (lost <= 0 || own[lost - 1] !== 0x0a) return parts
  const before = own.subarray(0, lost)
  if (isContent(before.toString('latin1').split('\n').length)) return parts
  const after = own.subarray(lost + Buffer.byteLength(brokenLike(own, old)))
  return { ...parts, own: Buffer.concat([before, after]) }
}

function brokenLike(own: Buffer, text: string): string {
  const lf = own.indexOf(0x0a)
  return lf > 0 && own[lf - 1] === 0x0d ? text.replaceAll('\n', '\r\n') : text
}

/** One line for each action, between the lines that mark it as ours. */
export function sectionFor(results: readonly ExecutionResult[], copied?: boolean): string {
  const note = copied === undefined ? [] : [notes[copied ? 'copied' : 'failed'], '']
  return [...note, sectionOf(results.flatMap((result) => summaryLines(result)))].join('\n')
}

/**
 * Every entry stays on one line and after a prefix of ours: otherwise its text could end the section, and the rest
 * would be taken for the user's text and run.
 */
export function sectionOf(entries: readonly string[]): string {
  const body = entries.map((entry) => {
    const line = spellOut(entry.trimEnd().replace(lineBreaks, '⏎'))
    return isResultsMarker(line.trim()) ? `- ${line}` : line
  })
  return [firstLine, ...body, lastLine, '', ''].join('\n')
}

const lineBreaks = /\r\n?|[\n\v\f\u0085\u2028\u2029]/g

export function saidAgain({ blocks }: Unit, fate: Fate | undefined): string[] {
  const why = { done: 'ran before', failed: 'tried before', held: 'not run at the start' }
  if (fate === undefined || fate === 'unread' || fate === 'aside') return []
  return blocks.map(({ id, action, params }) =>
    `${id} ⚠️  ${action} ${primaryOf({ params })}`.trimEnd().concat(` - ${why[fate]}, not run again`),
  )
}

const firstLine = '=== CLADA RESULTS ==='
const lastLine = '=== END ==='
const notes = { copied: '📋 Copied to clipboard', failed: '❌ Clipboard copy failed' }
const isResultsMarker = (line: string): boolean => line === firstLine || line === lastLine
const byteOrderMark = Buffer.from('\ufeff')

/** Where the user's text begins; `from` without a section of ours. */
function endOfSection(bytes: Buffer, from: number): number {
  const start = Object.values(notes).reduce((at, note) => {
    const next = lineAt(bytes, from) === note ? nextLine(bytes, from) : undefined
    return next === undefined || lineAt(bytes, next) !== '' ? at : (nextLine(bytes, next) ?? at)
  }, from)
  if (lineAt(bytes, start) !== firstLine) return from
  for (let at = nextLine(bytes, start); at !== undefined; at = nextLine(bytes, at)) {
    if (lineAt(bytes, at) !== lastLine) continue
    const below = nextLine(bytes, at)
    if (below === undefined) return bytes.length
    return lineAt(bytes, below) === '' ? (nextLine(bytes, below) ?? bytes.length) : below
  }
  // Without its end it may be anything.
  return from
}

/** A line without white space at its end; undefined where it is too long to be one that marks something. */
function lineAt(bytes: Buffer, at: number): string | undefined {
  const lf = bytes.indexOf(0x0a, at)
  const end = lf === -1 ? bytes.length : lf
  return end - at > longestMarker ? undefined : bytes.toString('utf8', at, end).trimEnd()
}

const longestMarker = 100

function nextLine(bytes: Buffer, at: number): number | undefined {
  const lf = bytes.indexOf(0x0a, at)
  return lf === -1 ? undefined : lf + 1
}

import type { Block } from '../core/block.ts'
import type { Diagnostic, Finding } from '../core/diagnostic.ts'
import type { Source } from '../core/source.ts'

/** The start and end of every CSL marker. Neither is empty or has white space at its ends. */
export interface Delimiters {
  readonly start: string
  readonly end: string
}

export interface ReadOptions {
  /** Damage to markers is not repaired. */
  readonly strict?: boolean | undefined
  readonly cslDelimiters?: Delimiters | undefined
  /**
   * Values in which an escape makes a control character other than tab, LF and CR: `"\bfoo"` is more often a pattern than
   * a backspace.
   */
  readonly controlCharacters?: 'keep' | 'refuse' | undefined
}

export type MakeReader = (source: Source, options?: ReadOptions) => Reader

/**
 * One syntax over one text. `find-blocks.ts` asks every reader for the line of its next block, lets the first one read,
 * and continues after what it read, so everything inside a block is the content of that block.
 */
export interface Reader {
  /** The first line at or after `line` that may open a block; Infinity when there is none. Lines only grow between calls. */
  seek(line: number): number
  /** Reads what opens on `line`, which `seek` returned. */
  read(line: number): Reading
  /** After everything is read: a diagnostic that makes every block of this syntax fail. */
  fatal?(): Diagnostic | undefined
}

export interface Reading {
  readonly blocks: readonly Block[]
  readonly diagnostics: readonly Diagnostic[]
  /** The line to continue from; greater than the line that was read. */
  readonly next: number
  /** The last line that depends on this reading, when that is not the one before `next`. */
  readonly reach?: number
  /** The lines of groups without members: valid, and nothing to do. */
  readonly emptyGroups?: readonly number[]
}

/** A finding with its place in the reply. */
export function makeDiagnostic(source: Source, line: number, finding: Finding): Diagnostic {
  const { line: _, column, length, ...fact } = finding
  const text = line > source.lineCount ? '' : source.line(line)
  const from = column ?? text.length - text.trimStart().length + 1
  const whole = Math.max(0, text.trimEnd().length - from + 1)
  const range = { line, column: from, length: length ?? whole }
  return { ...fact, range, excerpt: { line: text, around: contextAt(source, line) } }
}

/** Five lines with `line` in their middle, moved rather than cut at either end. Line breaks stay as they are written. */
function contextAt(source: Source, line: number): string {
  const first = Math.max(1, Math.min(line - 2, source.lineCount - 4))
  const after = source.startOf(first + 5)
  return source.text.slice(source.startOf(first), first + 5 > source.lineCount ? after : after - 1)
}

/**
 * Texts by name that inherit nothing, so that `__proto__` and `constructor` are names like any other. A class with
 * an empty prototype, because an object without one takes twice the memory.
 */
export class Texts {
  [name: string]: string
}
Reflect.deleteProperty(Texts.prototype, 'constructor')
Object.setPrototypeOf(Texts.prototype, null)

/** A control character other than tab, LF and CR that is in a text and not in what was written: an escape made it. */
export const findMadeControl = (text: string, written: string): string | undefined =>
  text.match(CONTROLS)?.find((character) => !written.includes(character))

// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g

/** Whether a text is a valid `count` of places. */
export const isCount = (text: string): boolean =>
  text === 'all' || (/^\d+$/.test(text) && Number(text) >= 1 && Number.isSafeInteger(Number(text)))

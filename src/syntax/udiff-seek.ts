import type { Source } from '../core/source.ts'
import { type Fence, fenceOf, rowAt } from './foreign-text.ts'
import { EXTENDED } from './udiff-walk.ts'

/** Finds where a diff may open: at a fence that says so, at git's header, or at the two names. */
export class UdiffSeek {
  readonly #source: Source
  readonly #lanes: readonly Lane[]

  constructor(source: Source) {
    this.#source = source
    this.#lanes = [
      { needle: '```', accept: (line) => this.#isFence(line), ahead: 0 },
      { needle: '~~~', accept: (line) => this.#isFence(line), ahead: 0 },
      // A common first letter makes a search for a text slow; one for a pattern goes by the rarest.
      { needle: /diff --git \S/g, accept: (line) => this.#isGit(line), ahead: 0 },
      { needle: '+++ ', accept: (line) => this.#namesAbove(line), ahead: 0 },
    ]
  }

  seek(line: number): number {
    let first = Infinity
    for (const lane of this.#lanes) {
      if (lane.ahead < line) lane.ahead = this.#next(lane, line)
      first = Math.min(first, lane.ahead)
    }
    return first
  }

  #next({ needle, accept }: Lane, line: number): number {
    const { text } = this.#source
    for (let at = indexOf(text, needle, this.#source.startOf(line)); at !== -1;) {
      if (startsLine(text, at)) {
        const found = accept(this.#source.lineAt(at))
        if (found !== undefined && found >= line) return found
      }
      at = indexOf(text, needle, at + (typeof needle === 'string' ? needle.length : 1))
    }
    return Infinity
  }

  #isFence(line: number): number | undefined {
    const fence = fenceOf(rowAt(this.#source, line))
    return fence !== undefined && isDiffFence(fence) ? line : undefined
  }

  /** Something that only a diff has must follow: prose may begin with these words. */
  #isGit(line: number): number | undefined {
    if (line === this.#source.lineCount) return undefined
    const below = rowAt(this.#source, line + 1).trimStart()
    return EXTENDED.test(below) || /^(?:--- \S|@@ |Binary files |GIT binary patch)/.test(below) ? line : undefined
  }

  /** The line of the old name, when the line below the new one is part of a hunk. */
  #namesAbove(line: number): number | undefined {
    if (line === 1 || line === this.#source.lineCount) return undefined
    const indent = /^[ \t]*/.exec(rowAt(this.#source, line))?.[0] ?? ''
    const above = rowAt(this.#source, line - 1)
    if (!above.startsWith(`${indent}--- `) || above.trim() === '---') return undefined
    const below = rowAt(this.#source, line + 1)
    return below.startsWith(indent) && /^(?:@@|[-+ ])/.test(below.slice(indent.length)) ? line - 1 : undefined
  }
}

interface Lane {
  readonly needle: string | RegExp
  /** The line on which the diff opens whose needle stands on a line. */
  accept(line: number): number | undefined
  ahead: number
}

export const isDiffFence = ({ info }: Fence): boolean => /^(?:u?diff|patch)\b/i.test(info)

function indexOf(text: string, needle: string | RegExp, from: number): number {
  if (typeof needle === 'string') return text.indexOf(needle, from)
  needle.lastIndex = from
  return needle.exec(text)?.index ?? -1
}

/** How far an indentation is looked back over. */
const REACH = 40

function startsLine(text: string, at: number): boolean {
  for (let before = at - 1; before >= Math.max(0, at - REACH); before--) {
    const code = text.charCodeAt(before)
    if (code === LF) return true
    if (code !== BLANK && code !== TAB && !(before === 0 && code === BOM)) return false
  }
  return at <= REACH
}

const LF = 10
const TAB = 9
const BLANK = 32
const BOM = 0xfeff

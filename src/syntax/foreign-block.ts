import type { Block, Fault, SyntaxName } from '../core/block.ts'
import type { Source } from '../core/source.ts'
import { doubted } from './mend-doubt.ts'
import { kindsOfShells } from './mend.ts'
import { faultAt, type Mistake } from './sham-line.ts'
import { Texts } from './sham-walk.ts'

/** A block of another tool's format as its reader found it. */
export interface Found {
  readonly action: string
  readonly params: Readonly<Record<string, string>>
  readonly label: string
  readonly startLine: number
  /** Null when it was not closed. */
  readonly endLine: number | null
  readonly lastLine: number
  readonly slips: readonly Slip[]
  readonly warnings?: readonly string[]
  /** What of its lines is marker, in order, where anything in them is not as the format has it. */
  readonly shells?: readonly string[] | undefined
}

/** A fault that does not know its block yet. The whole line is meant where no column is given. */
export interface Slip extends Partial<Pick<Mistake, 'column' | 'length'>> {
  readonly code?: 'truncated' | 'binary_file'
  readonly line: number
  readonly message: string
  readonly hint: string
}

const none: readonly Fault[] = []

/** Numbers the blocks of one format, from 1. */
export class ForeignBlocks {
  readonly #source: Source
  readonly #syntax: SyntaxName
  readonly #strict: boolean
  #count = 0

  constructor(source: Source, syntax: SyntaxName, { strict = false }: { readonly strict?: boolean | undefined } = {}) {
    this.#source = source
    this.#syntax = syntax
    this.#strict = strict
  }

  make(found: Found): Block {
    const { action, label, startLine, endLine, lastLine, warnings = [] } = found
    const id = String(++this.#count)
    const params = new Texts()
    for (const name in found.params) params[name] = found.params[name] ?? ''
    const block: Block = {
      syntax: this.#syntax,
      id,
      action,
      label,
      params,
      startLine,
      endLine,
      faults: found.slips.length === 0 ? none : found.slips.map((slip) => this.#fault(id, slip)),
      ...(this.#sideMayLead(found) && { sideMayLead: true }),
      raw: this.#source.text.slice(this.#source.startOf(startLine), this.#source.endOf(lastLine)),
    }
    const warned = warnings.length === 0 ? block : { ...block, warnings }
    if (found.shells === undefined || this.#strict) return warned
    return doubted(this.#source, warned, kindsOfShells(found.shells))
  }

  /** A diff tells what its names mean by naming both; what makes a file may make a directory. */
  #sideMayLead({ action, params }: Found): boolean {
    const { path = '' } = params
    return this.#syntax !== 'udiff' && action !== 'file_create' && (path.startsWith('a/') || path.startsWith('b/'))
  }

  #fault(id: string, { code, line, column, length, message, hint }: Slip): Fault {
    const text = this.#source.line(line)
    const from = column ?? text.length - text.trimStart().length + 1
    const whole = Math.max(0, text.trimEnd().length - from + 1)
    const mistake = { code: code ?? 'malformed_block', column: from, length: length ?? whole, message, hint }
    return faultAt(this.#source, line, id, mistake)
  }
}

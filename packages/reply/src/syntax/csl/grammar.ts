import { BOM } from '../../core/character-codes.ts'
import type { Diagnostic, Finding } from '../../core/diagnostic.ts'
import type { Source } from '../../core/source.ts'
import { makeDiagnostic, type ReadOptions } from '../reader.ts'
import type { Tokens } from '../tokens.ts'
import {
  type Attributes,
  badClosingFinding,
  type CslToken,
  hasAttributes,
  isOperation,
  type OperationName,
  operations,
  readOutsideContent,
  unterminatedFinding,
  noReplaceFinding,
} from './marker.ts'

/*
 * CSL, with "<---" and "--->" for whatever the delimiters are:
 *
 *   text      = { operation | tasks | any other line }
 *   tasks     = marker(TASKS) { operation | any other line } end       attributes version, atomic
 *   operation = write | run | search | read | exec
 *   write     = marker(WRITE) { line } end                             attributes file, append
 *   run       = marker(RUN) { line } end                               attribute dir
 *   search    = marker(SEARCH) { line } [ marker(TO) { line } ] marker(REPLACE) { line } end
 *                                                                      attributes file, count
 *   read      = marker(READ)                                           attributes file, lines; no END
 *   exec      = marker(EXEC) { line } end                              attributes lang, dir, timeout
 *   end       = marker(END)                                            no attributes
 *   marker(N) = "<---" N { attribute } "--->"                          a whole line, from column 1
 *   attribute = name [spaces] "=" [spaces] ( '"' value '"' | "'" value "'" )
 *   value     = characters, among them \" \' \\ for a quote and a backslash
 *
 * "Any other line" does not begin with "<---": outside content that is always a marker or a mistake. In content
 * only what can come next is a marker: END in WRITE, RUN and REPLACE; TO, REPLACE and END in SEARCH; REPLACE in TO.
 * White space after a marker and a byte order mark before the text do not matter. A line ends at LF or CRLF; a lone
 * CR is content like any other character.
 *
 * An operation that begins in the content of another, below a damaged END, was not meant to be content: a mistake, unless the
 * reading is strict.
 *
 * A mistake in the syntax costs every operation of the text. One in the meaning costs its operation, or the TASKS
 * it is in. What is not closed reaches to the end of the text: nothing below it is executed, by whichever syntax.
 */

/** WRITE, RUN, SEARCH, READ or EXEC as it is in the text; with a diagnostic also what was written in their place. */
export interface CslOperation {
  readonly id: string
  readonly name: string
  readonly line: number
  /** Null when it was not closed. */
  readonly endLine: number | null
  readonly lastLine: number
  readonly attributes: Attributes
  readonly parts: Readonly<OperationTexts>
  /** Those of the syntax. */
  readonly diagnostics: readonly Diagnostic[]
  readonly warnings: readonly string[]
}

export interface CslTasks {
  readonly line: number
  readonly endLine: number | null
  readonly attributes: Attributes
  readonly operations: readonly CslOperation[]
  /** Those of the syntax that belong to no operation. */
  readonly diagnostics: readonly Diagnostic[]
}

type OperationPart = 'content' | 'pattern' | 'to' | 'replacement'
type OperationTexts = Partial<Record<OperationPart, string>>

type CslItem =
  | { readonly kind: 'operation'; readonly operation: CslOperation; readonly next: number }
  | { readonly kind: 'tasks'; readonly tasks: CslTasks; readonly next: number }
  /** A line that opens nothing. */
  | { readonly kind: 'stray'; readonly diagnostics: readonly Diagnostic[]; readonly next: number }

/**
 * Operations that begin in the content of another. An example for readers has an END for each, which only damage keeps from
 * being a marker. Otherwise the END of the operation around them is damaged, or it is missing.
 */
class NestedOperations {
  readonly #tokens: Tokens<CslToken>
  readonly #open: { readonly line: number; readonly name: string }[] = []
  #damagedEnd: number | undefined
  #seen: number

  constructor(tokens: Tokens<CslToken>, from: number) {
    this.#tokens = tokens
    this.#seen = from
  }

  /** The line that was to end the operation around the one that begins on `line`. */
  add(line: number, name: OperationName): number | undefined {
    this.#lookTo(line)
    this.#open.push({ line, name })
    return this.#damagedEnd
  }

  /** The first one that has no END above `line`. */
  unended(line: number): { readonly line: number; readonly name: string } | undefined {
    if (this.#open.length > 0) this.#lookTo(line)
    return this.#open[0]
  }

  #lookTo(line: number): void {
    for (; this.#seen < line; this.#seen++) {
      if (this.#tokens.throughDamage(this.#seen)?.name !== 'END') continue
      if (this.#open.pop() === undefined) this.#damagedEnd ??= this.#seen
    }
  }
}

/** What is a marker in each part. Every other line is content. */
const markersIn: Readonly<Record<OperationPart, readonly string[]>> = {
  content: ['END'],
  pattern: ['TO', 'REPLACE', 'END'],
  to: ['REPLACE'],
  replacement: ['END'],
}

/**
 * The parser of a whole text. It continues after a mistake, although nothing of the text will run, because what is
 * in the operations that follow is their content and not for another syntax to find. A bad marker that was meant to
 * open something opens it, and one that was meant to close something closes nothing.
 */
export class CslParser {
  readonly #tokens: Tokens<CslToken>
  readonly #strict: boolean
  #count = 0
  #fatal: Diagnostic | undefined
  /** Whether a marker above could not be read, and no END has come since. */
  #misread = false

  constructor(tokens: Tokens<CslToken>, { strict = false }: ReadOptions = {}) {
    this.#tokens = tokens
    this.#strict = strict
  }

  /** The first mistake in the order of reading: that an operation is not closed is known only at the end of the text. */
  get fatal(): Diagnostic | undefined {
    return this.#fatal
  }

  /** Reads what is on `line`, which has a token. */
  read(line: number, token: CslToken): CslItem {
    const { opens, attributes, finding } = readOutsideContent(token, 'top')
    if (opens === 'TASKS') {
      const tasks = this.#tasks(line, token, attributes, finding)
      return { kind: 'tasks', tasks, next: (tasks.endLine ?? this.#tokens.lineCount) + 1 }
    }
    if (opens !== undefined) {
      const operation = this.#operation(line, token, { id: String(++this.#count), name: opens, attributes, finding })
      return { kind: 'operation', operation, next: operation.lastLine + 1 }
    }
    // The END of an operation whose own marker could not be read, such as `<--- WRITE`: one mistake, not two.
    const isOwnEnd = this.#misread && finding?.code === 'csl-stray-end'
    this.#misread = !isOwnEnd && (this.#misread || finding?.code === 'csl-no-marker')
    return { kind: 'stray', diagnostics: isOwnEnd ? [] : this.#diagnostics(line, finding), next: line + 1 }
  }

  #tasks(line: number, token: CslToken, attributes: Attributes, finding: Finding | undefined): CslTasks {
    this.#tokens.take(line, token)
    const diagnostics = this.#diagnostics(line, finding)
    const members: CslOperation[] = []
    let depth = 1
    let open = true
    let from = line + 1
    for (let next = this.#tokens.next(from); next !== undefined; next = this.#tokens.next(from)) {
      const found = readOutsideContent(next.token, 'TASKS')
      from = next.line + 1
      // Also what is misplaced: left damaged it would be read as prose, and the mistake would go unnoticed.
      if (found.opens === undefined || found.opens === 'TASKS') this.#tokens.take(next.line, next.token)
      if (found.ends && --depth === 0) return { line, endLine: next.line, attributes, operations: members, diagnostics }
      if (found.opens === undefined || found.opens === 'TASKS') {
        if (found.opens === 'TASKS') depth++
        diagnostics.push(...this.#diagnostics(next.line, found.finding))
        continue
      }
      if (members.length === 0) this.#count++
      const id = `${this.#count}.${members.length + 1}`
      const { opens: name, attributes: own } = found
      const operation = this.#operation(next.line, next.token, { id, name, attributes: own, finding: found.finding })
      members.push(operation)
      from = operation.lastLine + 1
      open = operation.endLine !== null
    }
    // An operation that takes the rest of the text with it has said so already.
    if (open) diagnostics.push(...this.#diagnostics(line, unterminatedFinding(token, 'TASKS')))
    return { line, endLine: null, attributes, operations: members, diagnostics }
  }

  #operation(line: number, token: CslToken, { id, name, attributes, finding }: OpenOperation): CslOperation {
    this.#tokens.take(line, token)
    const parts: OperationTexts = {}
    const warnings: string[] = []
    const diagnostics = this.#diagnostics(line, finding)
    const content = isOperation(name) ? operations[name].content : 'content'
    if (content === undefined) {
      // It has no content and needs no END; one right below it is taken for its own.
      const below = this.#tokens.at(line + 1)
      const endLine = below?.name === 'END' ? line + 1 : line
      if (below?.name === 'END') this.#tokens.take(endLine, below)
      return { id, name, line, endLine, lastLine: endLine, attributes, parts, diagnostics, warnings }
    }
    let part: OperationPart = content
    let from = line + 1
    let endLine: number | null = null
    let spoiled = false
    const nested = new NestedOperations(this.#tokens, from)
    for (let next = this.#tokens.next(from); next !== undefined; next = this.#tokens.next(next.line + 1)) {
      const { line: n, token: found } = next
      const { marker } = found
      if (marker === undefined) continue
      if (!markersIn[part].includes(marker.name)) {
        if (part === 'replacement' && marker.name === 'REPLACE')
          warnings.push(`line ${n}: a second REPLACE marker is content of the replacement and was written`)
        const isNested = !spoiled && isOperation(marker.name) && marker.name !== 'READ'
        const end = isNested ? nested.add(n, marker.name) : undefined
        if (end === undefined || this.#strict) continue
        const { delimiters } = found
        const data = { name, inner: marker.name, innerLine: n, delimiters }
        diagnostics.push(...this.#diagnostics(end, { code: 'csl-damaged-end', data }))
        spoiled = true
        continue
      }
      const bad = badClosingFinding(found, marker)
      if (bad !== undefined) {
        // Once is enough: a content full of such lines is one mistake.
        if (!spoiled) diagnostics.push(...this.#diagnostics(n, bad))
        spoiled = true
        this.#tokens.take(n, found)
        continue
      }
      this.#tokens.take(n, found)
      parts[part] = this.#tokens.source.lines(from, n - 1)
      if (marker.name === 'END') {
        if (part === 'pattern') diagnostics.push(...this.#diagnostics(n, noReplaceFinding(found)))
        endLine = n
        break
      }
      if (hasAttributes(found, marker)) warnings.push(`attributes of the ${marker.name} marker were ignored`)
      part = marker.name === 'TO' ? 'to' : 'replacement'
      from = n + 1
    }
    if (endLine === null) diagnostics.push(...this.#diagnostics(line, unterminatedFinding(token, name)))
    const unended = endLine === null || diagnostics.length > 0 ? undefined : nested.unended(endLine)
    if (unended !== undefined)
      warnings.push(
        `line ${unended.line}: a ${unended.name} marker is content of the ${name} above it; is an END missing?`,
      )
    const lastLine = endLine ?? this.#tokens.lineCount
    return { id, name, line, endLine, lastLine, attributes, parts, diagnostics, warnings }
  }

  /** None or one, in a list to add to. */
  #diagnostics(line: number, finding: Finding | undefined): Diagnostic[] {
    if (finding === undefined) return []
    const diagnostic = cslDiagnostic(this.#tokens.source, line, finding)
    this.#fatal ??= diagnostic
    return [diagnostic]
  }
}

/** An operation whose marker was read. */
interface OpenOperation {
  readonly id: string
  readonly name: string
  readonly attributes: Attributes
  readonly finding: Finding | undefined
}

/** Columns of a token do not count the byte order mark that the text may begin with. */
export function cslDiagnostic(source: Source, line: number, finding: Finding): Diagnostic {
  const lead = line === 1 && source.text.charCodeAt(0) === BOM ? 1 : 0
  return makeDiagnostic(source, line, { ...finding, column: (finding.column ?? 1) + lead })
}

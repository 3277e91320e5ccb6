import fs from 'node:fs'
import type { ExecuteOptions } from '../engine/options.ts'
import { type ExecutionResult, taskNumberOf } from '../core/result.ts'
import { type ReportEntry, entryLines, EntryOrder } from '../report/entries.ts'
import { formatReport, lineFormats, type ReportFormat } from '../report/format.ts'
import { defaultOutputLimit, type ReportOptions } from '../report/parts.ts'
import { LiveOutput, markForPerson, type ProgressLine } from './live-output.ts'
import { resultSyntax } from './options.ts'
import { print } from './streams.ts'

export interface LiveReportOptions {
  /** The format for a document of this syntax. */
  readonly formatFor: (syntax: string | undefined) => ReportFormat
  readonly report: ReportOptions
  readonly root: string
  /** Where the output of programs goes as it arrives; `none`: only into the report. */
  readonly programs: 'stdout' | 'stderr' | 'none'
  /** What shares the terminal, and has to make room. */
  readonly progress: ProgressLine | undefined
}

type Heard = 'onAction' | 'onProgram' | 'onUnreadable' | 'onNotExecuted' | 'onOutput'

/**
 * The report of one run. Formats that are made of lines are printed while it goes on, each block when it and all before it
 * are done; the others at its end.
 */
export class LiveReport {
  readonly #options: LiveReportOptions
  readonly #order = new EntryOrder()
  readonly #output: LiveOutput
  /** Tasks whose output was shown as it arrived. */
  readonly #streamed = new Set<string>()
  #format: ReportFormat | undefined

  constructor(options: LiveReportOptions) {
    this.#options = options
    const limit = options.report.outputLimit ?? defaultOutputLimit
    const toStderr = (line: string): void => void fs.writeSync(2, `${line}\n`)
    const show = options.programs === 'stdout' ? print : toStderr
    const printLine = (line: string): void => {
      options.progress?.clear()
      show(line)
    }
    const personMark = markForPerson(options.report.color === true)
    this.#output = new LiveOutput(printLine, {
      limit,
      mark: options.programs === 'stderr' ? () => personMark : undefined,
    })
  }

  readonly listen: Required<Pick<ExecuteOptions, Heard>> = {
    onUnreadable: (errors) => this.#order.addUnreadable(errors),
    onNotExecuted: (one) => this.#order.addMissed(one),
    onProgram: (what) => this.#options.progress?.program(what),
    onAction: (result) => {
      this.#output.end()
      this.#options.progress?.step(result)
      if (this.#lineFormat(result.syntax) !== undefined) this.#show(this.#order.addAction(result))
    },
    onOutput: (task, chunk, { syntax, line, atomic }) => {
      // Its output is in the report, after the lines of the tasks before it.
      if (atomic) return
      const format = this.#lineFormat(syntax)
      const { programs } = this.#options
      // A pipe gets no lines of programs between those for a person.
      if (format === undefined || programs === 'none' || (format === 'pretty') !== (programs === 'stderr')) return
      this.#show(this.#order.before(line))
      this.#streamed.add(task)
      this.#output.add(format === 'xml' ? String(this.#order.nextIndex + 1) : task, chunk)
    },
  }

  /** Prints what is not shown yet. */
  end(result: ExecutionResult): void {
    this.#output.end()
    this.#options.progress?.end()
    const syntax = resultSyntax(result)
    const format = this.#lineFormat(syntax)
    const { report, formatFor } = this.#options
    if (format === undefined) return print(formatReport(result, formatFor(syntax), report))
    this.#show(this.#order.end(result))
    const closing = lineFormats[format](report, result.root).closing(result)
    if (closing.length > 0) print(closing.join('\n'))
  }

  /** The format, where its lines can be shown one by one: a report with a budget is cut as a whole. */
  #lineFormat(syntax: string | undefined): keyof typeof lineFormats | undefined {
    const format = (this.#format ??= this.#options.formatFor(syntax))
    const isWhole = format === 'llm' || format === 'json' || this.#options.report.budget !== undefined
    return isWhole ? undefined : format
  }

  #show(entries: readonly ReportEntry[]): void {
    const format = this.#lineFormat(undefined)
    if (format === undefined) return
    const { report, root } = this.#options
    const lines = entries.flatMap((entry) => {
      const isSeen = entry.kind === 'action' && this.#streamed.has(taskNumberOf(entry.result))
      const programs = isSeen ? (format === 'pretty' ? 'hide' : 'seen') : report.programs
      return entryLines(entry, lineFormats[format]({ ...report, programs }, root).style)
    })
    if (lines.length === 0) return
    this.#options.progress?.clear()
    print(lines.join('\n'))
  }
}

import { counted } from '../../core/counted.ts'
import type { ActionResult } from '../../core/result.ts'
import type { ReportOptions } from '../../report/options.ts'
import { prettySummary } from '../../report/pretty.ts'
import { printable } from '../../report/printable.ts'
import { primaryOf } from '../../report/words.ts'
import type { ListenerEvent } from '../../watch/events.ts'
import { LiveOutput } from '../live-output.ts'
import { unhidden } from '../visible.ts'
import { linesFor, type Look, shortened, timeOf } from './lines.ts'
import { keyQuestions, type KeyQuestions } from './questions.ts'
import { liveScreen, plainScreen, type Screen } from './screen.ts'

export interface ViewOptions {
  readonly root: string
  readonly file: string
  readonly report: ReportOptions
  /** Whether what programs write is shown as it comes. */
  readonly streamed: boolean
  /** `live`: a terminal with a last line that changes. `keys`: also a keyboard. */
  readonly terminal: 'keys' | 'live' | 'none'
}

/** The terminal of a listener, and the last report on it. */
export interface View {
  readonly screen: Screen
  /** Undefined when there is no keyboard. */
  readonly questions: KeyQuestions | undefined
  readonly hear: (event: ListenerEvent) => void
  readonly running: () => boolean
  /** The file with the whole output. */
  readonly output: () => string
  /** The same as a person calls it. */
  readonly outputName: () => string
  /** The last report; empty before the first. */
  readonly report: () => string
}

export function openView({ root, file, report, streamed, terminal }: ViewOptions): View {
  const screen = terminal === 'none' ? plainScreen() : liveScreen(process.stdout, report.color ?? false)
  const look: Omit<Look, 'columns'> = {
    ...report,
    outputLimit: 1500,
    // What was seen as it came need not be seen again.
    programs: streamed ? 'hide' : report.programs,
    root,
    file,
    keys: terminal === 'keys',
  }
  const status = makeStatus(file, root)
  const questions: KeyQuestions | undefined = terminal === 'keys' ? keyQuestions(screen, () => showStatus()) : undefined
  const showStatus = (): void => screen.status(questions?.hint ?? status.parts())
  const programs = new LiveOutput((line) => screen.printRaw([line]))
  /** Reported as done. An atomic document may still be rolled back. */
  let done: ActionResult[] = []
  let output = ''
  let answer = ''
  let running = false

  return {
    screen,
    questions,
    running: () => running,
    output: () => output,
    outputName: () => printable(shortened(output, root)),
    report: () => answer,
    hear: (event) => {
      if (event.kind === 'program') return streamed ? programs.add(event.task, event.chunk) : undefined
      if (event.kind === 'watching') output = event.output
      if (event.kind === 'begin') running = true
      if (event.kind === 'done') [running, answer] = [false, event.report]
      programs.end()
      const now = new Date()
      const lines = (one: ListenerEvent): string[] => linesFor(one, { ...look, columns: screen.columns() }, now)
      if (event.kind === 'action' && event.result.success) done.push(event.result)
      if (event.kind === 'done') {
        const back = done.filter(({ success }) => !success)
        done = []
        screen.print(back.flatMap((result) => lines({ kind: 'action', result, changes: [] })))
      }
      screen.print(lines(event))
      status.hear(event, now)
      showStatus()
    },
  }
}

const hints = ['? help', 'u undo', 'x again', 'q quit']

/** The last line: the current activity, or the result of the last run and its time. */
function makeStatus(file: string, root: string): { hear(event: ListenerEvent, now: Date): void; parts(): string[] } {
  const short = (text: string): string => unhidden(printable(shortened(text, root))).replaceAll('\n', ' ')
  let line = [short(`watching ${file}`)]
  return {
    hear: (event, now) => {
      if (event.kind === 'begin') line = [`running ${counted(event.blocks, 'block')}`]
      if (event.kind === 'action') {
        const { seq, action } = event.result
        line = [`running, ${seq} done`, short(`${action} ${primaryOf(event.result)}`)]
      }
      if (event.kind === 'done') {
        const took =
          event.durationMs < 1000 ? `${Math.round(event.durationMs)} ms` : `${(event.durationMs / 1000).toFixed(1)} s`
        line = [`${event.result.success ? '✓' : '✗'} ${prettySummary(event.result)}`, timeOf(now), took]
      }
    },
    parts: () => [...line, ...hints],
  }
}

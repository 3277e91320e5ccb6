import { formatCount } from '@clada/reply/core/words.ts'
import { defaultOutputLimit, type ReportOptions } from '../../report/parts.ts'
import { withColor, withoutColor, prettyAction, prettyChanges, prettyEnd, prettySummary } from '../../report/pretty.ts'
import { primaryOf, spellOut } from '../../report/words.ts'
import type { Done, ListenerEvent } from '../../watch/run-units.ts'
import { elapsedText } from '../end-notice.ts'
import { LiveOutput, markForPerson } from '../live-output.ts'
import { makeKeyQuestions, type KeyQuestions } from './keys.ts'
import { truncateToWidth } from '../../report/width.ts'
import { makeLiveScreen, makePlainScreen, type Screen } from './screen.ts'
import { changeLines } from '../../report/action-diff.ts'
import { withSlashes } from '../../core/paths.ts'

export interface ViewOptions {
  readonly root: string
  readonly file: string
  readonly report: ReportOptions
  /** Whether what programs write is shown as it arrives. */
  readonly streamed: boolean
  /** `live`: a terminal with a last line that changes. `keys`: also a keyboard. */
  readonly terminal: 'keys' | 'live' | 'none'
}

/** The terminal of a listener, and the last report on it. */
export interface ListenerView {
  readonly screen: Screen
  /** Undefined when there is no keyboard. */
  readonly questions: KeyQuestions | undefined
  readonly hear: (event: ListenerEvent) => void
  readonly running: () => boolean
  readonly output: () => string
  /** The same as a person calls it. */
  readonly outputName: () => string
  /** The last report; empty before the first. */
  readonly report: () => string
}

export function openView({ root, file, report, streamed, terminal }: ViewOptions): ListenerView {
  const screen = terminal === 'none' ? makePlainScreen() : makeLiveScreen(process.stdout, report.color ?? false)
  const look: Omit<ViewStyle, 'columns'> = {
    ...report,
    outputLimit: 1500,
    root,
    file,
    keys: terminal === 'keys',
  }
  const status = makeStatus(file, root)
  const questions: KeyQuestions | undefined =
    terminal === 'keys' ? makeKeyQuestions(screen, () => showStatus()) : undefined
  const showStatus = (): void => {
    const hint = questions?.hint
    if (hint === undefined) return screen.status(status.parts())
    status.asked()
    screen.status(hint, 'question')
  }
  const programs = new LiveOutput((line) => screen.printRaw([line]), {
    limit: report.outputLimit ?? defaultOutputLimit,
    mark: () => markForPerson(report.color === true),
  })
  /** Tasks of this run whose output was shown as it arrived. */
  const seen = new Set<string>()
  let output = ''
  let answer = ''
  let running = false
  // Seconds pass on the last line while a program runs.
  const clock = terminal === 'none' ? undefined : setInterval(() => running && showStatus(), 1000).unref()

  return {
    screen: { ...screen, close: () => (clearInterval(clock), screen.close()) },
    questions,
    running: () => running,
    output: () => output,
    outputName: () => spellOut(shortenPaths(output, root)),
    report: () => answer,
    hear: (event) => {
      if (event.kind === 'program') {
        if (!streamed) return
        seen.add(event.task)
        return programs.add(event.task, event.chunk)
      }
      if (event.kind === 'watching') output = event.output
      if (event.kind === 'begin') {
        running = true
        seen.clear()
      }
      if (event.kind === 'done') [running, answer] = [false, event.report]
      if (event.kind === 'program-begin') {
        status.hear(event, new Date())
        return showStatus()
      }
      programs.end()
      const now = new Date()
      const isSeen = event.kind === 'action' && event.result.task !== undefined && seen.has(event.result.task)
      const shown = { ...look, columns: screen.columns(), programs: isSeen ? ('hide' as const) : look.programs }
      screen.print(eventLines(event, shown, now))
      status.hear(event, now)
      showStatus()
    },
  }
}

const hints = ['? help', 'u undo', 'x again', 'q quit']

interface StatusLine {
  hear(event: ListenerEvent, now: Date): void
  /** The program does not run before the answer. */
  asked(): void
  parts(): string[]
}

/** The last line: the current activity, or the result of the last run and its time. */
function makeStatus(file: string, root: string): StatusLine {
  const short = (text: string): string => spellOut(shortenPaths(text, root)).replaceAll('\n', ' ')
  let line = [short(`watching ${file}`)]
  let program: { readonly what: string; readonly since: number } | undefined
  return {
    hear: (event, now) => {
      program = event.kind === 'program-begin' ? { what: short(event.what), since: now.getTime() } : undefined
      if (event.kind === 'begin') line = [`running ${formatCount(event.blocks, 'block')}`]
      if (event.kind === 'action') {
        const { seq, action } = event.result
        line = [`running, ${seq} done`, short(`${action} ${primaryOf(event.result)}`)]
      }
      if (event.kind === 'done') {
        const took =
          event.durationMs < 1000 ? `${Math.round(event.durationMs)} ms` : `${(event.durationMs / 1000).toFixed(1)} s`
        line = [`${event.result.success ? '✓' : '✗'} ${prettySummary(event.result)}`, formatTime(now), took]
      }
    },
    asked: () => {
      if (program !== undefined) program = { ...program, since: Date.now() }
    },
    parts: () =>
      program === undefined
        ? [...line, ...hints]
        : [`running ${program.what}, ${elapsedText(Date.now() - program.since)}`, ...line.slice(0, 1)],
  }
}

/** How events of a listener are shown. Nothing in them moves the cursor. */
export interface ViewStyle extends ReportOptions {
  readonly root: string
  readonly file: string
  readonly keys: boolean
  readonly columns: number
}

export function eventLines(event: ListenerEvent, look: ViewStyle, now: Date): string[] {
  const paint = look.color ? withColor : withoutColor
  const short = (text: string): string => spellOut(shortenPaths(text, look.root))
  const key = (name: string, otherwise: string): string => (look.keys ? `${name} ` : otherwise)
  switch (event.kind) {
    case 'watching':
      return [
        `Watching ${short(event.file)}${event.created ? ', which is new' : ''}. Paste a reply into it and save.`,
        ...(event.excluded === undefined
          ? []
          : [paint.dim(`git ignores it: it is listed in ${short(event.excluded)}.`)]),
        paint.dim(`The whole output goes to ${short(event.output)}.${look.keys ? ' ? shows the keys.' : ''}`),
      ]
    case 'held': {
      const what = formatCount(event.blocks, 'block')
      const why =
        event.why === 'interrupted'
          ? `The last run was interrupted. ${what} of it ${event.blocks === 1 ? 'is not run again: it' : 'are not run again: some'} may have been applied, see clada history.`
          : `${what} ${event.blocks === 1 ? 'was' : 'were'} already here and ${event.blocks === 1 ? 'is' : 'are'} not run.`
      return [paint.yellow(`! ${why} ${key('f', 'clada watch --again ')}runs ${event.blocks === 1 ? 'it' : 'them'}.`)]
    }
    case 'begin': {
      const from = event.origin === 'file' ? '' : `, from the ${event.origin}`
      const before = event.before === 0 ? '' : ` (${event.before} ran before)`
      return ['', paint.dim(`${formatTime(now)}  ${formatCount(event.blocks, 'block')}${before}${from}`)]
    }
    case 'action':
      return shownActionLines(event, look)
    case 'program-begin':
    case 'program':
      return []
    case 'done':
      return endLines(event, look)
    case 'nothing-new':
      return [
        paint.dim(
          event.blocks === 0
            ? `The text from the ${event.origin} has no blocks. clada prompt prints what teaches a model to write them.`
            : `Nothing new: ${formatCount(event.blocks, 'block')} ran before. ${key('x', 'clada watch --again ')}runs ${event.blocks === 1 ? 'it' : 'all'} again.`,
        ),
      ]
    case 'trouble':
      return event.why === '' ? [] : [paint.red(`✗ ${short(event.why)}`)]
    case 'command':
      return []
    case 'command-done':
      return [paint.bold(event.name), ...event.lines.map((line) => `  ${spellOut(line)}`)]
    case 'saved-aside':
      return [paint.yellow(`! Two versions of the file could not be merged; one is saved in ${short(event.file)}.`)]
  }
}

/** Only the first lines of a change: clada history shows all of it. */
const changedLines = 16

function shownActionLines({ result, changes }: ListenerEvent & { kind: 'action' }, look: ViewStyle): string[] {
  const [head = '', ...rest] = prettyAction(result, look).map((line) => brief(line, look.root))
  const width = Math.max(20, look.columns - 6)
  // Counted in characters first; some take two columns.
  const diff = changeLines(result, changes, { lines: changedLines, width }).map((line) => truncateToWidth(line, width))
  return [
    head,
    ...prettyChanges(diff, look),
    ...rest.map((line) => (compared.test(line) ? truncateToWidth(line, look.columns) : line)),
  ]
}

/** A line of the small diff between what was asked for and what is there. */
// eslint-disable-next-line no-control-regex -- it may be coloured
const compared = /^(?:\u001b\[[\d;]*m)* {6}(?:\u001b\[[\d;]*m)*[-+ ]/

function endLines({ result, copied, origin, above }: Done, look: ViewStyle): string[] {
  const paint = look.color ? withColor : withoutColor
  const counted =
    origin === 'file' ? { name: shortenPaths(look.file, look.root), above } : { name: 'the reply', above: 0 }
  const lines = prettyEnd(result, { ...look, lines: counted }).map((line) => brief(line, look.root))
  if (copied === undefined) return lines
  return [
    ...lines,
    copied ? paint.dim('The report is on the clipboard.') : paint.red('The report could not be copied.'),
  ]
}

/** A path in advice must stay absolute. */
const brief = (line: string, root: string): string => (/^\s*→/.test(line) ? line : shortenPaths(line, root))

/** Paths inside the project, as a person calls them. */
export const shortenPaths = (text: string, root: string): string =>
  withSlashes(text).replaceAll(`${withSlashes(root)}/`, '')

export function formatTime(date: Date): string {
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')
}

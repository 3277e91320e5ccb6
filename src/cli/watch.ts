import path from 'node:path'
import { Clada } from '../clada.ts'
import type { ListenerEvent } from '../listener/events.ts'
import { type Listener, startListener } from '../listener/listener.ts'
import { ListenerError } from '../listener/place.ts'
import { printable } from '../report/printable.ts'
import { settingsOf } from '../settings.ts'
import type { Command } from './command.ts'
import { UsageError } from './flags.ts'
import { LiveOutput } from './live-output.ts'
import { cladaOptions, outputMode, reportOptions, useColor } from './options.ts'
import { print } from './print.ts'
import { isTerminal } from './terminal.ts'
import { askingBoth } from './watch/approvals.ts'
import { keyCommands, type Workbench } from './watch/commands.ts'
import { readKeys } from './watch/keys.ts'
import { linesFor, type Look } from './watch/lines.ts'
import { keyQuestions, type KeyQuestions } from './watch/questions.ts'
import { liveScreen, plainScreen } from './watch/screen.ts'
import { makeStatus } from './watch/status.ts'

/** The listener with somebody in front of it: what happens as it happens, and keys. */
export const command: Command = async ({ flags, words: [word, ...rest] }) => {
  if (rest.length > 0) throw new UsageError('watch takes one file: clada watch FILE.')
  const options = await cladaOptions(flags)
  const { root } = settingsOf(options)
  const file = word === undefined ? path.join(root, 'clada_input.md') : path.resolve(word)
  const interactive = isTerminal(0) && isTerminal(1)
  const color = useColor(flags)
  const screen = isTerminal(1) ? liveScreen(process.stdout, color) : plainScreen()
  const streamed = outputMode(flags) === 'stream'
  const report = reportOptions(flags)
  const look: Look = {
    ...report,
    outputLimit: 1500,
    // What was seen as it came need not be seen again.
    programs: streamed ? 'hide' : report.programs,
    color,
    root,
    keys: interactive,
  }
  const status = makeStatus(file, root)
  const over = new AbortController()
  const questions: KeyQuestions | undefined = interactive ? keyQuestions(screen, () => showStatus()) : undefined
  const showStatus = (): void => screen.status(questions?.hint ?? status.parts())
  const programs = new LiveOutput((line) => screen.print([line]))

  let listener: Listener | undefined
  let output = ''
  let answer = ''
  let running = false
  const hear = (event: ListenerEvent): void => {
    if (event.kind === 'watching') output = event.output
    if (event.kind === 'begin') running = true
    if (event.kind === 'done') [running, answer] = [false, event.report]
    if (event.kind === 'program') return streamed ? programs.add(event.task, event.chunk) : undefined
    programs.end()
    screen.print(linesFor(event, look, new Date()))
    status.hear(event, new Date())
    showStatus()
  }

  const ended = new Promise<number>((resolve) => {
    over.signal.addEventListener('abort', () => resolve(Number(over.signal.reason)))
  })
  const quit = (code: number): void => {
    // Whoever asks twice does not want to wait.
    if (over.signal.aborted) process.exit(code)
    over.abort(code)
  }
  const onSignal = (signal: NodeJS.Signals): void => quit(signals[signal] ?? 1)
  for (const signal of Object.keys(signals)) process.on(signal, onSignal)

  const started = { ...options, ask: askingBoth(questions, over.signal) }
  try {
    listener = await startListener({
      filePath: file,
      clada: started,
      report,
      atStart: flags.again !== undefined ? 'all' : word === undefined ? 'hold' : 'new',
      onEvent: hear,
    })
  } catch (error) {
    screen.close()
    if (!(error instanceof ListenerError)) throw error
    process.stderr.write(`clada: ${printable(error.message)}\n`)
    return 1
  }

  const bench: Workbench = {
    screen,
    clada: new Clada(started),
    listener: () => listener,
    output: () => output,
    report: () => answer,
    copy: undefined,
    takeWaiting: undefined,
    quit,
    lend: async (work) => {
      release()
      screen.suspend()
      await work()
      screen.resume()
      release = grab()
    },
  }
  const press = (key: string): void => {
    if (key === 'ctrl-c' || key === 'ctrl-d') return quit(key === 'ctrl-c' ? 130 : 0)
    if (questions?.key(key)) return
    const found = keyCommands.find((one) => one.key === key)
    if (found === undefined) return
    if (running && !found.anytime) return screen.print(['A run is going on; press it again when it is over.'])
    Promise.resolve(found.run(bench)).catch((error: unknown) =>
      screen.print([printable(error instanceof Error ? error.message : String(error))]),
    )
  }
  const grab = (): (() => void) =>
    interactive
      ? readKeys(process.stdin, (text) => print(text, 'as it is'), {
          onKey: press,
          onPaste: (text) => void listener?.submit(text, 'terminal'),
        })
      : () => {}
  let release = grab()
  showStatus()

  const code = await ended
  await listener.stop()
  release()
  screen.close()
  for (const signal of Object.keys(signals)) process.off(signal, onSignal)
  return code
}

const signals: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }

import path from 'node:path'
import { Clada } from '../clada.ts'
import { type Listener, startListener } from '../listener/listener.ts'
import { ListenerError } from '../listener/place.ts'
import { printable } from '../report/printable.ts'
import { type CladaOptions, settingsOf } from '../settings.ts'
import type { Command } from './command.ts'
import { type FlagValues, UsageError } from './flags.ts'
import { cladaOptions, outputMode, reportOptions } from './options.ts'
import { print } from './print.ts'
import { isTerminal } from './terminal.ts'
import { askingBoth } from './watch/approvals.ts'
import { press, type Workbench } from './watch/commands.ts'
import { readKeys } from './watch/keys.ts'
import { openView, type View } from './watch/view.ts'

/** The listener with somebody in front of it: what happens as it happens, and keys. */
export const command: Command = async ({ flags, words: [word, ...rest] }) => {
  if (rest.length > 0) throw new UsageError('watch takes one file: clada watch FILE.')
  const given = await cladaOptions(flags)
  const { root } = settingsOf(given)
  const file = word === undefined ? path.join(root, 'clada_input.md') : path.resolve(word)
  const report = reportOptions(flags)
  const terminal = !isTerminal(1) ? 'none' : isTerminal(0) ? 'keys' : 'live'
  const view = openView({ root, file, report, streamed: outputMode(flags) === 'stream', terminal })

  const over = new AbortController()
  const ended = new Promise<number>((resolve) => {
    over.signal.addEventListener('abort', () => resolve(Number(over.signal.reason)))
  })
  const quit = (code: number): void => {
    // Whoever asks twice does not want to wait.
    if (over.signal.aborted) process.exit(code)
    over.abort(code)
  }
  for (const [signal, code] of Object.entries(signals)) process.on(signal, () => quit(code))

  const options = { ...given, ask: askingBoth(view.questions, over.signal) }
  const listener = await started(flags, options, file, word === undefined ? 'hold' : 'new', view)
  if (listener === undefined) return 1
  const letGo =
    terminal === 'keys' ? takeKeys({ view, clada: new Clada(options), listener, quit }) : (): void => undefined
  const code = await ended
  await listener.stop()
  letGo()
  view.screen.close()
  return code
}

const signals: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }

/** Undefined when it cannot be, which is then said. */
async function started(
  flags: FlagValues,
  options: CladaOptions,
  file: string,
  atStart: 'hold' | 'new',
  view: View,
): Promise<Listener | undefined> {
  try {
    return await startListener({
      filePath: file,
      clada: options,
      report: reportOptions(flags),
      atStart: flags.again === undefined ? atStart : 'all',
      onEvent: view.hear,
    })
  } catch (error) {
    view.screen.close()
    if (!(error instanceof ListenerError)) throw error
    process.stderr.write(`clada: ${printable(error.message)}\n`)
    return undefined
  }
}

/** Lets keys do things, until the answer is called. */
function takeKeys(has: Pick<Workbench, 'view' | 'clada' | 'listener' | 'quit'>): () => void {
  const bench: Workbench = {
    ...has,
    copy: undefined,
    takeWaiting: undefined,
    lend: async (work) => {
      release()
      has.view.screen.suspend()
      await work()
      has.view.screen.resume()
      release = grab()
    },
  }
  const grab = (): (() => void) =>
    readKeys(process.stdin, (text) => print(text, 'as it is'), {
      onKey: (key) => press(key, bench),
      // What goes wrong is told as an event.
      onPaste: (text) => void has.listener.submit(text, 'terminal').catch(() => {}),
    })
  let release = grab()
  return () => release()
}

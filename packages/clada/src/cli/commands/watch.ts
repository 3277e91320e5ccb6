import path from 'node:path'
import { stopSignals } from '../stop-signals.ts'
import { Clada } from '../../api/clada.ts'
import type { Config } from '../../config/nested-config.ts'
import { type Listener, type ListenerOptions, startListener } from '../../watch/listener.ts'
import { ListenerError } from '../../watch/place.ts'
import { spellOut } from '../../report/words.ts'
import { type CladaOptions, settingsOf } from '../../config/settings.ts'
import type { ReportOptions } from '../../report/parts.ts'
import type { PageServer } from '../../ui/server.ts'
import { terminalReviewer } from '../ask.ts'
import type { Command, ExitCode } from '../command.ts'
import { choosePort } from './ui.ts'
import { editing, type FlagValues, limits, programs, reading, reporting, saving, UsageError } from '../flags.ts'
import { loadConfigured, forLongProcess, outputMode, paintFor, reportOptions, withConfig } from '../options.ts'
import { isTerminal, print, say } from '../streams.ts'
import { makeAskBoth, type Keyboard, readKeys } from '../watch/keys.ts'
import type { ClipboardUse } from '../watch/clipboard.ts'
import type { Reviewed } from '../review.ts'
import { press, typedCommands, type Workbench } from '../watch/commands.ts'
import { openView, type ListenerView } from '../watch/view.ts'

/** The listener at a terminal: events as they happen, and keys. */
export const command: Command = {
  name: 'watch',
  group: 'everyday',
  usage: 'clada watch [FILE]',
  summary: 'apply each reply saved into FILE, and write the results at its top',
  about:
    'Watches a file (clada_input.md in the project, made if it is missing). Paste a reply into it and save: new\nblocks run, the results are written at the top, the whole output to .clada/output.md. Nothing runs twice. ? shows the keys.',
  documents: true,
  flags: [
    ...reading,
    ...reporting,
    ...programs,
    'clipboard',
    'copy',
    'osc52',
    'browser',
    'again',
    'atomic',
    'review',
    ...editing,
    ...saving,
    ...limits,
    'no-color',
    'help',
  ],
  examples: [
    ['clada watch', 'paste replies into clada_input.md'],
    [
      'clada watch --clipboard',
      'copy a reply, press Enter (not needed with the token); the report is on the clipboard',
    ],
    ['clada watch --browser', 'apply replies from the bar of the browser extension'],
    ['clada watch --review', 'decide about each change before it is made'],
    ['clada watch notes.md --git shadow', 'another file, and no commits on the branch'],
  ],
  run: async ({ flags, words: [word, ...rest] }) => {
    if (rest.length > 0) throw new UsageError('watch takes one file: clada watch FILE.')
    const { options: read, config } = await loadConfigured(flags)
    const given = forLongProcess(read)
    const { root } = settingsOf(given)
    const { listener: listening } = config
    const file = word === undefined ? path.resolve(root, listening.input_file) : path.resolve(word)
    const report = reportOptions(await withConfig(flags))
    const terminal = !isTerminal(1) ? 'none' : isTerminal(0) ? 'keys' : 'live'
    const view = openView({ root, file, report, streamed: outputMode(flags) === 'stream', terminal })
    const keys = keysAt(view)
    const review = flags.review === undefined ? undefined : await reviewsAt(keys, report.color ?? false)

    const over = new AbortController()
    let code: ExitCode = 0
    const ended = new Promise((resolve) => over.signal.addEventListener('abort', resolve))
    const quit = (by: ExitCode): void => {
      // The second request does not wait.
      if (over.signal.aborted) process.exit(by)
      code = by
      over.abort()
    }
    for (const [signal, by] of Object.entries(stopSignals)) process.on(signal, () => quit(by))

    const options = { ...given, ask: makeAskBoth(view.questions, over.signal, paintFor(flags)) }
    const use = clipboardUse(flags, config.clipboard)
    const board = memoize(async () => {
      const { openBoard } = await import('../watch/clipboard.ts')
      return openBoard(use, options, {
        say: (line) => view.screen.print([line]),
        offer: (line) => view.screen.print([paintFor(flags).bold(line)]),
        keys: terminal,
        // Failures are reported as events.
        run: (reply) => void listener?.submit(reply).catch(() => {}),
      })
    })
    const listener = await startOrReport(file, view, {
      clada: options,
      report,
      outputFile: listening.output_file,
      debounceMs: listening.debounce_ms,
      atStart: flags.again !== undefined ? 'all' : word === undefined ? 'hold' : 'new',
      review,
      commands: typedCommands(new Clada(options)),
      copy: use.write ? async (text) => (await board()).copy(text) : undefined,
    })
    if (listener === undefined) return 1
    if (terminal === 'keys') {
      const bench: Workbench = { view, clada: new Clada(options), listener, board, quit, lend: keys.lend }
      // Failures are reported as events.
      const onPaste = (text: string): void => void listener.submit(text, 'terminal').catch(() => {})
      keys.take({ onKey: (key) => press(key, bench), onPaste })
    }
    const opened = use.read || use.write ? board() : undefined
    const page = flags.browser === undefined ? undefined : await servedPage(given, config, report)
    if (page !== undefined) {
      const { companion } = page
      const pairing = companion.isPaired ? [] : [`To pair the browser extension: ${companion.code()}`]
      view.screen.print([`The page is at ${page.address()} (works once).`, ...pairing])
    }
    await ended
    await page?.close()
    await listener.stop()
    ;(await opened)?.stop()
    keys.letGo()
    view.screen.close()
    return code
  },
}

/** The page of `clada ui` on the same project. */
async function servedPage(
  options: CladaOptions,
  { listener, prompt }: Config,
  report: ReportOptions,
): Promise<PageServer> {
  const { root } = settingsOf(options)
  const { servePage } = await import('../../ui/server.ts')
  return servePage({
    options,
    port: { number: choosePort(root), kind: 'preferred' },
    inputFile: path.resolve(root, listener.input_file),
    rules: prompt.rules,
    report: { ...report, color: false },
  })
}

function clipboardUse(flags: FlagValues, config: Config['clipboard']): ClipboardUse {
  const { read, write, osc52 } = config
  const both = flags.clipboard !== undefined
  const terminal = flags.osc52 !== undefined
  return {
    read: read || both,
    write: write || both || terminal || flags.copy !== undefined,
    osc52: osc52 || terminal,
  }
}

function memoize<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

/** Undefined if it cannot start, which is reported. */
async function startOrReport(
  filePath: string,
  view: ListenerView,
  options: Omit<ListenerOptions, 'filePath' | 'onEvent'>,
): Promise<Listener | undefined> {
  try {
    return await startListener({ ...options, filePath, onEvent: view.hear })
  } catch (error) {
    view.screen.close()
    if (!(error instanceof ListenerError)) throw error
    say(`clada: ${spellOut(error.message.replace(/^listener: /, ''))}`, 2)
    return undefined
  }
}

/** The keyboard of this terminal, which other work can borrow. */
interface Keys {
  take(keyboard: Keyboard): void
  readonly lend: Workbench['lend']
  letGo(): void
}

function keysAt({ screen }: ListenerView): Keys {
  let keyboard: Keyboard | undefined
  let release: (() => void) | undefined
  let isLent = false
  const grab = (): void => {
    if (keyboard !== undefined && !isLent)
      release = readKeys(process.stdin, (text) => print(text, 'as it is'), keyboard)
  }
  const letGo = (): void => {
    release?.()
    release = undefined
  }
  return {
    take: (given) => {
      keyboard = given
      grab()
    },
    lend: async (work) => {
      letGo()
      isLent = true
      screen.suspend()
      try {
        await work()
      } finally {
        screen.resume()
        isLent = false
        grab()
      }
    },
    letGo,
  }
}

/** Steps through the changes of a text on the terminal, during which keys are not read. @throws UsageError */
async function reviewsAt({ lend }: Keys, color: boolean): Promise<ListenerOptions['review']> {
  const { reviewWith } = await import('../review.ts')
  const reviewer = terminalReviewer()
  return async (clada, text, options) => {
    let reviewed: Reviewed | undefined
    await lend(async () => {
      reviewed = await reviewWith(reviewer, { clada, text, color, editable: false, options })
    })
    if (reviewed !== undefined) return reviewed.choices
    const { blocks } = await clada.review(text, {}, options)
    const left = { leaveOut: true, reason: 'the review was ended' }
    return { blocks: Object.fromEntries(blocks.map(({ task }) => [task, left])) }
  }
}

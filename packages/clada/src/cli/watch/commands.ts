import fs from 'node:fs'
import type { ExitCode } from '../command.ts'
import type { Clada } from '../../api/clada.ts'
import { startProgram } from '../../process/programs.ts'
import { spellOut } from '../../report/words.ts'
import type { Listener } from '../../watch/listener.ts'
import { renderTable } from '../commands/history.ts'
import { undoLines } from '../print-step.ts'
import type { Board } from './clipboard.ts'
import type { ListenerView } from './view.ts'
import { messageOf } from '../../core/errors.ts'

interface KeyCommand {
  readonly key: string
  readonly does: string
  readonly run: (bench: Workbench) => Promise<void> | void
  /** Whether it may be pressed while a run goes on. */
  readonly anytime?: true
}

export interface Workbench {
  readonly view: ListenerView
  readonly clada: Clada
  readonly listener: Listener
  /** Opened when the first key asks for it, unless it is in use anyway. */
  readonly board: () => Promise<Board>
  readonly quit: (code: ExitCode) => void
  /** Gives the terminal to another program for a while. */
  readonly lend: (work: () => Promise<void>) => Promise<void>
}

const keyCommands: readonly KeyCommand[] = [
  {
    key: 'u',
    does: 'undo the last execution',
    run: async ({ clada, view }) => view.screen.print(undoLines(await clada.undo(), 'Undone')),
  },
  {
    key: 'r',
    does: 'redo what was undone',
    run: async ({ clada, view }) => view.screen.print(undoLines(await clada.redo(), 'Redone')),
  },
  { key: 'x', does: 'run everything in the file again', run: ({ listener }) => listener.again('all') },
  { key: 'f', does: 'run failed and skipped blocks again', run: ({ listener }) => listener.again('failed') },
  { key: 'c', does: 'copy the report', anytime: true, run: copyLastReport },
  { key: 'o', does: 'show the whole output', run: showOutputFile },
  {
    key: 'enter',
    does: 'run the copied reply that is waiting (with --clipboard)',
    anytime: true,
    run: async ({ board }) => (await board()).take(),
  },
  { key: '?', does: 'show the keys', anytime: true, run: ({ view }) => view.screen.print(keyHelp()) },
  { key: 'q', does: 'quit', anytime: true, run: ({ quit }) => quit(0) },
]

/** What a line in the watched file does when it is all that was added: whoever works in an editor needs no other prompt. */
export const typedCommands = (clada: Clada): Readonly<Record<string, () => Promise<readonly string[]>>> => ({
  '/undo': async () => undoLines(await clada.undo(), 'Undone'),
  '/redo': async () => undoLines(await clada.redo(), 'Redone'),
  '/history': async () => renderTable(await clada.history({ limit: 10 })).split('\n'),
  '/diff': async () => {
    const [last] = (await clada.history({ limit: 1 })).slice(-1)
    const detail = last && (await clada.execution(last.number))
    if (detail === undefined) return ['Nothing was executed here yet.']
    return [detail.summary, ...detail.diffs.flatMap(({ diff }) => diff.trimEnd().split('\n'))]
  },
})

const keyHelp = (): string[] => ['', ...keyCommands.map(({ key, does }) => `  ${key.padEnd(6)} ${does}`)]

async function copyLastReport({ board, view: { report, screen, outputName } }: Workbench): Promise<void> {
  if (report() === '') return screen.print(['There is no report yet.'])
  const copied = await (await board()).copy(report())
  screen.print([
    copied ? 'The report is on the clipboard.' : `It could not be copied; the report is in ${outputName()}.`,
  ])
}

async function showOutputFile({ view: { output, outputName, screen }, lend }: Workbench): Promise<void> {
  await lend(async () => {
    const why = await openOutput(output(), outputName())
    if (why !== undefined) screen.print([why])
  })
}

/** What a key does in this moment. */
export function press(key: string, bench: Workbench): void {
  const { view, quit } = bench
  if (key === 'ctrl-c' || key === 'ctrl-d') return quit(key === 'ctrl-c' ? 130 : 0)
  if (key === 'ctrl-z') return void bench.lend(suspendProcess)
  if (view.questions?.key(key)) return
  const found = keyCommands.find((one) => one.key === key)
  if (found === undefined) return
  if (view.running() && !found.anytime)
    return view.screen.print(['A run is in progress. Press the key again when it has ended.'])
  Promise.resolve(found.run(bench)).catch((error: unknown) => view.screen.print([spellOut(messageOf(error))]))
}

/** Suspends the process, as the shell does, until it continues. */
const suspendProcess = (): Promise<void> =>
  new Promise((back) => {
    process.once('SIGCONT', () => back())
    process.kill(process.pid, 'SIGTSTP')
  })

/** Shows a file with the user's own pager; resolves with why it could not be shown, if so. `name` is what people call it. */
export function openOutput(file: string, name: string): Promise<string | undefined> {
  if (!fs.existsSync(file)) return Promise.resolve('There is no output yet.')
  const [program = 'less', ...args] = (process.env['PAGER'] || 'less').split(/\s+/).filter((word) => word !== '')
  return new Promise((resolve) => {
    const child = startProgram(program, [...args, file], { stdio: 'inherit' })
    child.on('error', () => resolve(`${program} could not be started; the output is in ${name}.`))
    child.on('close', () => resolve(undefined))
  })
}

import { spawn } from 'node:child_process'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { remove, scratchDir } from '../support/scratch.ts'
import { cladaCommand } from '../support/cli.ts'

/** `clada watch` on a pseudo-terminal, or with a pipe in its place. */
export interface Watching {
  readonly dir: string
  readonly file: string
  readonly pid: number | undefined
  /** Everything that was written so far, as it came. */
  raw(): string
  /** The same without colours and without what was taken away again. */
  shown(): string
  /** Waits until something is shown. */
  sees(what: string | RegExp): Promise<void>
  send(text: string): void
  resize(columns: number): void
  signal(signal: NodeJS.Signals): void
  /** The exit code. */
  ended(): Promise<number | null>
}

interface Options {
  readonly columns?: number | 'none'
  readonly env?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  readonly dir?: string
}

/** Ready when it says that it watches. */
export async function watching({
  columns = 80,
  env = {},
  args = [],
  dir = scratchDir(),
}: Options = {}): Promise<Watching> {
  const state = `${dir}-state`
  onTestFinished(() => remove(state))
  const own = [...cladaCommand(), 'watch', '--root', dir, '--no-git', ...args]
  const onTerminal = path.join(import.meta.dirname, '../support/on_terminal.py')
  const [program = '', ...rest] = columns === 'none' ? own : ['python3', onTerminal, String(columns), ...own]
  const { NO_COLOR: _, FORCE_COLOR: __, CI: ___, ...inherited } = process.env
  const alone = { TERM: 'xterm', XDG_STATE_HOME: state }
  const child = spawn(program, rest, { cwd: dir, env: { ...inherited, ...alone, ...env } })
  const order = (what: object): void => void child.stdin.write(`${JSON.stringify(what)}\n`)
  const code = new Promise<number | null>((resolve) => child.on('close', resolve))
  onTestFinished(async () => {
    if (child.exitCode !== null) return
    child.stdin.on('error', () => {}) // it has just ended by itself
    // The program on the terminal, not the terminal: it would end in its own time, and still write meanwhile.
    if (columns === 'none') child.kill('SIGKILL')
    else order({ signal: 9 })
    await code
  })
  let text = ''
  child.stdout.on('data', (chunk) => (text += String(chunk)))
  child.stderr.on('data', (chunk) => (text += String(chunk)))
  const world: Watching = {
    dir,
    file: path.join(dir, 'clada_input.md'),
    pid: child.pid,
    raw: () => text,
    shown: () => shownOf(text),
    sees: (what) =>
      expect
        .poll(
          () => (typeof what === 'string' ? shownOf(text).includes(what) : what.test(shownOf(text))) || shownOf(text),
          { interval: 10 },
        )
        .toBe(true),
    send: (keys) => order({ send: keys }),
    resize: (width) => order({ columns: width }),
    signal: (name) => (columns === 'none' ? void child.kill(name) : order({ signal: name === 'SIGTERM' ? 15 : 2 })),
    ended: () => code,
  }
  await world.sees('Watching ')
  return world
}

/** What stays on a terminal: a line that was gone over has only its last text. */
function shownOf(text: string): string {
  return (
    text
      // eslint-disable-next-line no-control-regex -- they are what a terminal is told
      .replace(/\u001b\[(?:\d+;?)*m|\u001b\[\?2004[hl]/g, '')
      .replaceAll('\r\n', '\n')
      // eslint-disable-next-line no-control-regex -- the same
      .replace(/[^\n]*(?:\u001b\[\d+A)?\r\u001b\[J/g, '')
  )
}

import { spawn } from 'node:child_process'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { cladaCommand } from './cli.ts'
import { lacks } from './needs.ts'

/** Why a person who types cannot be played here; undefined when one can. */
export const noTyping = lacks('python3') ? 'python3 is not installed' : undefined

export interface Typing {
  /** Everything that the terminal shows so far. */
  output(): string
  /** Waits until the terminal shows something more. */
  sees(what: string | RegExp): Promise<void>
  send(text: string): void
  ended(): Promise<number | null>
}

/** Starts the command line at a terminal of its own. */
export function typing(
  args: readonly string[],
  { cwd, env = {}, columns = 200 }: { cwd: string; env?: Record<string, string>; columns?: number },
): Typing {
  const onTerminal = path.join(import.meta.dirname, 'on_terminal.py')
  // Nobody is at the terminal of a build server, so clada would not ask there.
  const own = { ...process.env, CI: undefined, NO_COLOR: '1', TERM: 'xterm', ...env }
  const child = spawn('python3', [onTerminal, String(columns), ...cladaCommand(), ...args], { cwd, env: own })
  const order = (what: object): void => void child.stdin.write(`${JSON.stringify(what)}\n`)
  const code = new Promise<number | null>((resolve) => child.on('close', resolve))
  onTestFinished(async () => {
    if (child.exitCode !== null) return
    child.stdin.on('error', () => {}) // it has just ended by itself
    order({ signal: 9 })
    await code
  })
  let text = ''
  let seen = 0
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += String(chunk)))
  const output = (): string => text.replaceAll('\r\n', '\n')
  return {
    output,
    sees: async (what) => {
      const isThere = (): boolean => {
        const rest = output().slice(seen)
        return typeof what === 'string' ? rest.includes(what) : what.test(rest)
      }
      await expect.poll(() => isThere() || output(), { interval: 10 }).toBe(true)
      seen = output().length
    },
    send: (typed) => order({ send: typed }),
    ended: () => code,
  }
}

/** Answers each question when it is asked. */
export async function typeAnswers(
  args: readonly string[],
  answers: readonly string[],
  options: { cwd: string; env?: Record<string, string> },
): Promise<{ status: number | null; output: string }> {
  const person = typing(args, options)
  for (const answer of answers) {
    await person.sees(/[?:] $/)
    person.send(`${answer}\n`)
  }
  return { status: await person.ended(), output: person.output() }
}

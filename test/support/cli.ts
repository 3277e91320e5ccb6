import { spawn, spawnSync } from 'node:child_process'
import { inject } from 'vitest'

export interface Ran {
  status: number | null
  stdout: string
  stderr: string
}

/** The words that start a built command line: with Node, or by itself if it is a single-file executable. */
export const commandOf = (cli: string): string[] => (cli.endsWith('.cjs') ? [process.execPath, cli] : [cli])

export const cladaCommand = (): string[] => commandOf(inject('cli'))

/** The same, as `spawn` and its like take it. */
export function cladaCall(...args: readonly string[]): [file: string, args: string[]] {
  const [file = '', ...first] = cladaCommand()
  return [file, [...first, ...args]]
}

/** Starts the real command line and waits for it. */
export function clada(
  args: readonly string[],
  options: { cwd: string; input?: string | Buffer; env?: Record<string, string> },
): Ran {
  const { status, stdout, stderr } = spawnSync(...cladaCall(...args), {
    encoding: 'utf8',
    input: options.input ?? '',
    cwd: options.cwd,
    env: { ...process.env, NO_COLOR: '1', ...options.env },
  })
  expectNoWarning(stderr ?? '')
  // On a busy machine it says how far it is.
  return { status, stdout, stderr: stderr?.replaceAll(/^clada: \d+ (?:of \d+ )?actions? done, .*\n/gm, '') }
}

/** What Node warns of belongs to us, and never on the screen of a user. */
export function expectNoWarning(stderr: string): void {
  const warning = /^\(node:\d+\) .*/m.exec(stderr)
  if (warning) throw new Error(`Node warned on stderr: ${warning[0]}`)
}

/** Starts it and leaves it running. */
export const startClada = (args: readonly string[], cwd: string) => spawn(...cladaCall(...args), { cwd })

import { spawn, spawnSync } from 'node:child_process'
import { inject } from 'vitest'

export interface Ran {
  status: number | null
  stdout: string
  stderr: string
}

/** Starts the real command line and waits for it. */
export function clada(
  args: readonly string[],
  options: { cwd: string; input?: string; env?: Record<string, string> },
): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [inject('cli'), ...args], {
    encoding: 'utf8',
    input: options.input ?? '',
    cwd: options.cwd,
    env: { ...process.env, NO_COLOR: '1', ...options.env },
  })
  // On a busy machine it says how far it is.
  return { status, stdout, stderr: stderr?.replaceAll(/^clada: \d+ (?:of \d+ )?actions? done, .*\n/gm, '') }
}

/** Starts it and leaves it running. */
export const startClada = (args: readonly string[], cwd: string) =>
  spawn(process.execPath, [inject('cli'), ...args], { cwd })

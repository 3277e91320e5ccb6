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
    env: { ...process.env, ...compiledCode(options.env), NO_COLOR: '1', ...options.env },
  })
  return { status, stdout, stderr }
}

/** What the compiler made of the command line is kept for the next start, but only in the state directory of all tests. */
const compiledCode = (env: Record<string, string> = {}) =>
  env['XDG_STATE_HOME'] === undefined && process.env['XDG_STATE_HOME'] === inject('state') ? { CLADA_NO_CACHE: '' } : {}

/** Starts it and leaves it running. */
export const startClada = (args: readonly string[], cwd: string) =>
  spawn(process.execPath, [inject('cli'), ...args], { cwd })

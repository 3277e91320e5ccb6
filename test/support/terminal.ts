import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { cladaCommand } from './cli.ts'

/** Why a person at a terminal cannot be played here; undefined when one can. */
export const noTerminal = fs.existsSync('/usr/bin/script') ? undefined : 'script (util-linux) is not installed'

/** Starts the command line at a terminal of its own, where somebody types. */
export function atTerminal(
  args: readonly string[],
  typed: string,
  { cwd, env }: { cwd: string; env: Record<string, string> },
): { status: number | null; output: string } {
  const command = [...cladaCommand(), ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
  const { status, stdout } = spawnSync('/usr/bin/script', ['-qec', command, '/dev/null'], {
    cwd,
    encoding: 'utf8',
    input: typed,
    // Nobody is at the terminal of a build server, so clada would not ask there.
    env: { ...process.env, CI: undefined, NO_COLOR: '1', ...env },
  })
  return { status, output: stdout.replaceAll('\r\n', '\n') }
}

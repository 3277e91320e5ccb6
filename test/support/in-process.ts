import fs from 'node:fs'
import path from 'node:path'
import tty from 'node:tty'
import { inject, vi } from 'vitest'
import { runCommandLine } from '../../packages/clada/src/cli/main.ts'
import type { Ran } from './cli.ts'

interface Around {
  readonly input?: string
  readonly terminals?: readonly (0 | 1 | 2)[]
}

/** A test that has ended may have removed its own. */
const home = process.cwd()

/** Calls the command line in this process: a hundred times as fast as starting it. */
export async function called(
  args: readonly string[],
  { cwd, env = {}, ...around }: Around & { readonly cwd?: string; readonly env?: Record<string, string> } = {},
): Promise<Ran> {
  const program = process.argv[1] ?? ''
  const known = Object.keys(env).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, env)
  // The command line looks for its own files beside itself.
  process.argv[1] = path.join(inject('dist'), 'cli.cjs')
  if (cwd !== undefined) process.chdir(cwd)
  let status: number | null = null
  try {
    const streams = await written(async () => {
      status = await runCommandLine(args)
    }, around)
    return { status, ...streams }
  } finally {
    process.chdir(home)
    process.argv[1] = program
    for (const [name, value] of known)
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
  }
}

/** What work in this process writes to stdout and stderr. */
export async function written(
  work: () => Promise<void>,
  { input = '', terminals = [] }: Around = {},
): Promise<{ stdout: string; stderr: string }> {
  const { writeSync, openSync, readFileSync, fstatSync, statSync } = fs
  const texts = ['', '', '']
  const isTerminal = (fd: unknown): boolean => terminals.some((one) => one === fd)
  const spies = [
    vi.spyOn(fs, 'writeSync').mockImplementation((...given) => {
      const [fd, data] = given
      if (fd > 2) return writeSync(...given)
      texts[fd] += String(data)
      return Buffer.byteLength(data)
    }),
    vi.spyOn(process.stderr, 'write').mockImplementation((data) => {
      texts[2] += String(data)
      return true
    }),
    vi
      .spyOn(fs, 'readFileSync')
      .mockImplementation((...given) => (given[0] === 0 ? Buffer.from(input) : readFileSync(...given))),
    // A terminal is a device; input from elsewhere is a file.
    vi
      .spyOn(fs, 'fstatSync')
      .mockImplementation((...given) =>
        given[0] > 2 ? fstatSync(...given) : statSync(isTerminal(given[0]) ? '/dev/zero' : import.meta.filename),
      ),
    // The person who runs the tests is not asked.
    vi.spyOn(fs, 'openSync').mockImplementation((...given) => {
      if (given[0] === '/dev/tty') throw new Error('ENXIO')
      return openSync(...given)
    }),
    vi.spyOn(tty, 'isatty').mockImplementation(isTerminal),
  ]
  try {
    await work()
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  const [, stdout = '', stderr = ''] = texts
  return { stdout, stderr }
}

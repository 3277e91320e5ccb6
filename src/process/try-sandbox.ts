import os from 'node:os'
import type { Sandbox } from './bounds.ts'
import { bareEnvironment } from './environment.ts'
import { runProcess } from './run-process.ts'

/** Undefined when a sandbox with nothing special to keep comes up on this machine, else what it said. */
export async function whyNotStarting(sandbox: Sandbox, root: string): Promise<string | undefined> {
  const program = { file: '/usr/bin/true', args: [], cwd: '/', env: bareEnvironment }
  const none = { readable: [], hidden: [], caches: [], discarded: [], fixed: [], closed: [], absent: [] }
  const limits = { memoryBytes: 2 ** 30, fileBytes: 2 ** 30, processes: 1000 }
  const wrapped = sandbox.wrap(program, { root, home: os.homedir(), ...none, network: false, limits })
  const end = await runProcess({ ...wrapped, timeoutMs: 5000, outputBytes: 10_000 })
  return end.exitCode === 0 ? undefined : end.stderr.trim() || end.error || `exit ${end.exitCode}`
}

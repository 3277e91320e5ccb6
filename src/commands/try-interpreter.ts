import os from 'node:os'
import type { CommandSettings, Language } from '../core/commands.ts'
import type { Settings } from '../core/settings.ts'
import { codeEnvironment } from '../process/environment.ts'
import { runProcess } from '../process/run-process.ts'
import { chooseSandbox } from '../process/sandbox.ts'
import { boundsFor } from './contained.ts'
import { type Interpreter, interpreterFor, versionOf } from './interpreters.ts'

export type Tried =
  | { readonly state: 'missing' }
  /** Why code in this language cannot be run as it is set. */
  | { readonly state: 'stuck'; readonly file: string; readonly reason: string }
  | { readonly state: 'works'; readonly file: string; readonly version: string; readonly where: 'sandbox' | 'outside' }

/** Starts the interpreter of a language as `exec` would, only to ask for its version. Nothing is made in the project. */
export async function tryInterpreter(
  lang: Language,
  settings: Settings,
  exec: Exclude<CommandSettings['exec'], 'off'>,
): Promise<Tried> {
  const found = await interpreterFor(lang, undefined, { absolute: settings.root }, { settings })
  if (!found.ok) return { state: 'missing' }
  const { file } = found
  if (exec === 'unsandboxed') {
    const version = await versionOf(file, [settings.root, ...settings.allowedRoots])
    return version === undefined
      ? { state: 'stuck', file, reason: 'it does not say its version' }
      : { state: 'works', file, version, where: 'outside' }
  }
  return inside(found, settings)
}

async function inside(found: Interpreter & { ok: true }, settings: Settings): Promise<Tried> {
  const { file } = found
  const stuck = (reason: string): Tried => ({ state: 'stuck', file, reason })
  const choice = chooseSandbox()
  if (!choice.ok) return stuck(choice.reason)
  const home = os.homedir()
  const nothing = { closed: [], repositories: [] }
  const what = { file, caches: 'none', network: false, memoryBytes: 4 * 1024 ** 3 } as const
  // What is missing in the project would be made for a moment, to lie over it.
  const bounds = { ...boundsFor(what, nothing, { settings }), absent: [] }
  const env = codeEnvironment({ path: found.path, home, venv: found.venv })
  const wrapped = choice.sandbox.wrap({ file, args: ['--version'], env, cwd: settings.root }, bounds)
  const end = await runProcess({ ...wrapped, timeoutMs: 10_000, outputBytes: 10_000 })
  const down = choice.sandbox.failed(end)
  if (down !== undefined) return stuck(`the sandbox could not be started: ${down}`)
  if (end.ended === 'timeout') return stuck('it did not answer within 10 s')
  const version = /\d+(?:\.\d+)+/.exec(end.output)?.[0]
  if (end.exitCode === 0 && version !== undefined) return { state: 'works', file, version, where: 'sandbox' }
  const [line = ''] = end.output.trim().split('\n')
  return stuck(line === '' ? (end.error ?? `it ended with ${end.exitCode ?? end.signal}`) : line.slice(0, 200))
}

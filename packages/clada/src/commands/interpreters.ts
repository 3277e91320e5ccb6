import path from 'node:path'
import { homeDir } from '../core/platform.ts'
import { isInside } from '../core/paths.ts'
import type { CommandSettings, ExecLanguage } from '../core/commands.ts'
import type { Problem } from '../core/problem.ts'
import { bareEnvironment, codeEnvironment } from '../process/environment.ts'
import { findProgram, isProgram, ownPath, pathOutside } from '../process/programs.ts'
import { runProcess } from '../process/run-process.ts'
import { projectTools } from '../process/runtimes.ts'
import type { CommandScope, CheckedDirectory } from './scope.ts'
import type { Settings } from '../core/settings.ts'
import { chooseSandbox } from '../process/sandbox.ts'
import { readLinked } from '../state/own-files.ts'
import { makeBounds } from './bounds.ts'

export type Interpreter =
  | {
      readonly ok: true
      readonly file: string
      /** What goes before the code. */
      readonly flag: string
      readonly path: readonly string[]
      readonly venv: string | undefined
    }
  | { readonly ok: false; readonly problem: Problem }

/** The program of each language, the preferred one first. */
export const interpreters: Readonly<Record<ExecLanguage, { names: readonly string[]; flag: string }>> = {
  python: { names: ['python3', 'python'], flag: '-c' },
  javascript: { names: ['node'], flag: '-e' },
  bash: { names: ['bash'], flag: '-c' },
  ruby: { names: ['ruby'], flag: '-e' },
}

/** From the project's virtual environment, else from the user's PATH. */
export async function interpreterFor(
  lang: ExecLanguage,
  version: string | undefined,
  place: Pick<CheckedDirectory, 'absolute'>,
  { settings }: Pick<CommandScope, 'settings'>,
): Promise<Interpreter> {
  const { names, flag } = interpreters[lang]
  const roots = [settings.root, ...settings.allowedRoots]
  const tools = projectTools(settings.root, place.absolute)
  const dirs = [...tools.path, ...pathOutside(process.env['PATH'], roots)]
  const wanted =
    version === undefined ? names : [...names.map((name) => `${name.replace(/\d$/, '')}${version}`), ...names]
  const found = wanted.flatMap((name) => findProgram(name, dirs) ?? [])
  if (lang === 'javascript' && found.length === 0 && isProgram(process.execPath) && isNode) found.push(process.execPath)
  const [first] = found
  if (first === undefined) return { ok: false, problem: { kind: 'program-missing', program: names[0] ?? lang } }
  const usable = { ok: true, flag, path: dirs, venv: tools.venv } as const
  if (version === undefined) return { ...usable, file: first }
  let last: string | undefined
  for (const file of new Set(found)) {
    last = await versionOf(file, roots)
    if (last !== undefined && fitsVersion(last, version)) return { ...usable, file }
  }
  return {
    ok: false,
    problem: { kind: 'version-missing', lang, version, found: last },
  }
}

/** A program inside the project is not asked: that would run it outside the sandbox. */
export async function versionOf(file: string, roots: readonly string[]): Promise<string | undefined> {
  if (roots.some((root) => isInside(file, root))) return venvVersion(file)
  const env = {
    ...bareEnvironment,
    PATH: ownPath().join(path.delimiter),
    HOME: process.env['HOME'] ?? '/nonexistent',
  }
  const { output, exitCode } = await runProcess({
    file,
    args: ['--version'],
    cwd: '/',
    env,
    timeoutMs: 5000,
    outputBytes: 10_000,
    scope: 'group',
  })
  // A launcher for other programs may only say, with a number in it, that this one is missing.
  return exitCode === 0 ? /\d+(?:\.\d+)+/.exec(output)?.[0] : undefined
}

function venvVersion(file: string): string | undefined {
  try {
    const config = readLinked(path.join(path.dirname(file), '..', 'pyvenv.cfg')) ?? ''
    return /^version(?:_info)?\s*=\s*(\d+(?:\.\d+)+)/m.exec(config)?.[1]
  } catch {
    return undefined
  }
}

/** `3` and `3.11` fit 3.11.7; `3.1` does not. */
const fitsVersion = (found: string, wanted: string): boolean =>
  found === wanted || found.startsWith(`${wanted.replace(/^v/, '')}.`) || found === wanted.replace(/^v/, '')

/** The standalone program has Node inside, and its file runs only clada. */
const isNode = /^node(?:\.exe)?$/i.test(path.basename(process.execPath))

export type InterpreterState =
  | { readonly state: 'missing' }
  /** Why code in this language cannot be run as it is set. */
  | { readonly state: 'stuck'; readonly file: string; readonly reason: string }
  | { readonly state: 'works'; readonly file: string; readonly version: string; readonly where: 'sandbox' | 'outside' }

/** Starts the interpreter of a language as `exec` would, only to ask for its version. Nothing is made in the project. */
export async function tryInterpreter(
  lang: ExecLanguage,
  settings: Settings,
  exec: Exclude<CommandSettings['exec'], 'off'>,
): Promise<InterpreterState> {
  const found = await interpreterFor(lang, undefined, { absolute: settings.root }, { settings })
  if (!found.ok) return { state: 'missing' }
  const { file } = found
  if (exec === 'unsandboxed') {
    const version = await versionOf(file, [settings.root, ...settings.allowedRoots])
    return version === undefined
      ? { state: 'stuck', file, reason: 'it does not say its version' }
      : { state: 'works', file, version, where: 'outside' }
  }
  return tryInSandbox(found, settings)
}

async function tryInSandbox(found: Interpreter & { ok: true }, settings: Settings): Promise<InterpreterState> {
  const { file } = found
  const stuck = (reason: string): InterpreterState => ({ state: 'stuck', file, reason })
  const choice = chooseSandbox()
  if (!choice.ok) return stuck(choice.reason)
  const home = homeDir()
  const nothing = { blocked: [], repositories: [], doors: [] }
  const what = { file, caches: 'none', by: 'code', network: false, memoryBytes: 4 * 1024 ** 3 } as const
  // What is missing in the project would be made for a moment, to cover it.
  const bounds = { ...makeBounds(what, nothing, { settings }), absent: [] }
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

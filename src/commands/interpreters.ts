import fs from 'node:fs'
import path from 'node:path'
import { isInside } from '../core/paths.ts'
import type { Language } from '../core/commands.ts'
import type { Problem } from '../core/problem.ts'
import { bareEnvironment } from '../process/environment.ts'
import { findProgram, isProgram, ownPath, pathOutside } from '../process/programs.ts'
import { runProcess } from '../process/run-process.ts'
import { projectTools } from '../process/runtimes.ts'
import type { CommandScope, Place } from './scope.ts'

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
export const programs: Readonly<Record<Language, { names: readonly string[]; flag: string }>> = {
  python: { names: ['python3', 'python'], flag: '-c' },
  javascript: { names: ['node'], flag: '-e' },
  bash: { names: ['bash'], flag: '-c' },
  ruby: { names: ['ruby'], flag: '-e' },
}

/** From the project's virtual environment, else from the user's PATH. */
export async function interpreterFor(
  lang: Language,
  version: string | undefined,
  place: Pick<Place, 'absolute'>,
  { settings }: Pick<CommandScope, 'settings'>,
): Promise<Interpreter> {
  const { names, flag } = programs[lang]
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
    if (last !== undefined && fits(last, version)) return { ...usable, file }
  }
  return {
    ok: false,
    problem: { kind: 'version-missing', lang, version, ...(last === undefined ? {} : { found: last }) },
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
    family: 'group',
  })
  // A launcher for other programs may only say, with a number in it, that this one is missing.
  return exitCode === 0 ? /\d+(?:\.\d+)+/.exec(output)?.[0] : undefined
}

function venvVersion(file: string): string | undefined {
  try {
    const config = fs.readFileSync(path.join(path.dirname(file), '..', 'pyvenv.cfg'), 'utf8')
    return /^version(?:_info)?\s*=\s*(\d+(?:\.\d+)+)/m.exec(config)?.[1]
  } catch {
    return undefined
  }
}

/** `3` and `3.11` fit 3.11.7; `3.1` does not. */
const fits = (found: string, wanted: string): boolean =>
  found === wanted || found.startsWith(`${wanted.replace(/^v/, '')}.`) || found === wanted.replace(/^v/, '')

/** The standalone program has Node inside, and its file runs nothing but clada. */
const isNode = /^node(?:\.exe)?$/i.test(path.basename(process.execPath))

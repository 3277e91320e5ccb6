import path from 'node:path'
import { isInside } from '../core/paths.ts'
import { seemsToMissNetwork } from '../commands/blocked-network.ts'
import { runContained } from '../commands/contained.ts'
import type { Containment } from '../commands/bounds.ts'
import { type CommandScope, checkDirectory } from '../commands/scope.ts'
import type { Hook, Hooks } from '../core/settings.ts'
import { type Problem, ProblemError } from '../core/problem.ts'
import { cmdStart } from '../process/run-process.ts'
import { certificatesIn, commandEnvironment } from '../process/environment.ts'
import { findProgram, systemGit, pathOutside, systemPath } from '../process/programs.ts'
import { projectTools } from '../process/runtimes.ts'
import { explain } from '../report/explain.ts'
import { offlineAdvice } from '../report/messages/programs.ts'
import { type Facts, substitute, unknownNames, type PlaceholderValues, variableFor } from './substitute.ts'
import type { ExecutionResult } from '../core/result.ts'
import { homeDir, platform } from '../core/platform.ts'

/** The results of the hooks before or after an execution. */
export interface HooksEnd {
  /** A hook without continueOnError failed. */
  readonly failed: boolean
  readonly late: boolean
  /** `command: reason`, for each failure. */
  readonly errors: readonly string[]
  /** The same with the end of the hook's output. */
  readonly reports: readonly string[]
}

/** Runs hooks in order until one without continueOnError fails. */
export async function runHooks(
  hooks: readonly Hook[],
  { vars, facts }: { readonly vars: PlaceholderValues; readonly facts: Facts },
  scope: CommandScope,
): Promise<HooksEnd> {
  const errors: string[] = []
  const reports: string[] = []
  for (const hook of hooks) {
    const failure = await runHook(hook, vars, facts, scope)
    if (failure === undefined) continue
    errors.push(`${hook.run}: ${failure.reason}`)
    reports.push(`${hook.run}: ${failure.reason}${failure.output === '' ? '' : `\n${failure.output}`}`)
    if (!hook.continueOnError) return { failed: true, late: failure.late, errors, reports }
  }
  return { failed: false, late: false, errors, reports }
}

interface HookFailure {
  readonly reason: string
  readonly output: string
  readonly late: boolean
}

const defaultSeconds = 30

async function runHook(
  hook: Hook,
  vars: PlaceholderValues,
  facts: Facts,
  scope: CommandScope,
): Promise<HookFailure | undefined> {
  const command = substitute(hook.run, vars, facts)
  if (!command.ok) return failure(command.error)
  // A command for the changed files is skipped if there are none.
  if (command.words?.length === 0) return undefined
  const { root, allowedRoots } = scope.settings
  const absolute = path.resolve(root, hook.cwd ?? '.')
  if (!isInside(absolute, root)) return failure(`Its cwd '${hook.cwd}' is outside the project`)
  const sh = shellFor([root, ...allowedRoots])
  if (sh === undefined && platform.posixCommands) return failure('No shell (sh) was found to run it')
  if (sh === undefined && !command.plain)
    return failure(
      'A file name in it has characters that cmd could read as commands; install Git for Windows, whose sh does not',
    )
  const seconds = hook.timeout ?? defaultSeconds
  const network = hook.network ?? false
  const exec = hook.exec ?? (scope.commands.exec === 'unsandboxed' ? 'unsandboxed' : 'sandbox')
  try {
    const place = await checkDirectory({ given: hook.cwd ?? '.', absolute }, 'looks', scope)
    const tools = projectTools(root, place.absolute)
    const dirs = [...tools.path, ...pathOutside(process.env['PATH'], [root, ...allowedRoots])]
    const own = exec === 'unsandboxed' ? plainEnvironment() : undefined
    const start =
      sh === undefined
        ? cmdStart(command.script)
        : { file: sh, args: ['-c', command.script, 'sh', ...(command.words ?? [])] }
    const about = sh === undefined ? plainFacts(facts) : environmentOf(facts)
    const what: Containment = {
      ...start,
      env: {
        ...(own ??
          commandEnvironment(process.env, {
            path: dirs,
            home: homeDir(),
            venv: tools.venv,
            network,
            unloaded: [root, ...allowedRoots],
            more: scope.commands.env,
          })),
        ...about,
      },
      timeoutMs: seconds * 1000,
      sandbox: 'if-there',
      network,
      caches: network ? 'project' : 'discard',
      by: 'wide',
      readable: network ? certificatesIn(process.env) : [],
      memoryBytes: 16 * 1024 ** 3,
    }
    const done = await runContained(what, place, { ...scope, commands: { ...scope.commands, exec } })
    if (!done.ok) return failure(hookReason(done.problem))
    const { exitCode, signal, ended, output, error } = done.end
    if (ended === 'itself' && exitCode === 0) return undefined
    const hint = seemsToMissNetwork(what, done) ? [offlineAdvice({ for: 'hook' })] : []
    const said = [endOfOutput(output), ...hint].join('\n')
    if (ended === 'timeout') return { reason: `Command timed out after ${seconds} s`, output: said, late: true }
    if (ended === 'unstarted') return failure(`It could not be started: ${error ?? 'no reason given'}`)
    const how = exitCode === null ? `was ended by ${signal ?? 'the run'}` : `failed with exit code ${exitCode}`
    return { reason: `Command ${how}`, output: said, late: false }
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.kind === 'locked' || error.problem.kind === 'git') throw error
    return failure(hookReason(error.problem))
  }
}

/** The system's, or the one beside git on Windows: any value is safe in the quotes of sh, only plain ones are in cmd. */
function shellFor(roots: readonly string[]): string | undefined {
  if (platform.posixCommands) return findProgram('sh', systemPath)
  const git = systemGit(roots)
  // In cmd, bin or mingw64/bin of its directory.
  const home = git === undefined ? [] : [1, 2, 3].map((up) => path.resolve(git, ...Array<string>(up).fill('..')))
  return findProgram(
    'sh',
    home.flatMap((dir) => [path.join(dir, 'bin'), path.join(dir, 'usr', 'bin')]),
  )
}

const failure = (reason: string): HookFailure => ({ reason, output: '', late: false })

const hookReason = (problem: Problem): string => explain(problem, 'It cannot run').error

/** `cmd` reads the value of a variable like the rest of a line. */
const plainFacts = (facts: Facts): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(environmentOf(facts)).filter(([, value]) => /^[\w.,/:@+= -]*$/.test(value))),
  NoDefaultCurrentDirectoryInExePath: '1',
})

/** A hook outside the sandbox gets the whole environment of the user. */
const plainEnvironment = (): Record<string, string> =>
  Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined))

const shownCharacters = 2000

/** The end of the output usually has the error. */
export function endOfOutput(output: string): string {
  const text = output.trimEnd()
  return text.length <= shownCharacters ? text : `…${text.slice(-shownCharacters)}`
}

/** The first error in hooks, before any of them runs. The messages are those of earlier tools. */
export function faultIn({ before = [], after = [] }: Hooks, vars: PlaceholderValues, facts: Facts): string | undefined {
  return [
    ...before.map((hook) => faultOf(hook) ?? findUnknownVariable(hook, vars, {})),
    ...after.map((hook) => faultOf(hook) ?? findUnknownVariable(hook, vars, facts)),
  ].find((fault) => fault !== undefined)
}

/** Callers of the library may pass anything. */
function faultOf(hook: unknown): string | undefined {
  if (typeof hook !== 'object' || hook === null) return 'Command must be an object'
  if (!('run' in hook)) return "Command must have 'run' property"
  if (typeof hook.run !== 'string') return 'Command run must be a string'
  if (hook.run.trim() === '') return 'Command run string cannot be empty'
  if ('timeout' in hook && !(typeof hook.timeout === 'number' && hook.timeout > 0)) return 'Timeout must be positive'
  return undefined
}

function findUnknownVariable({ run }: Hook, vars: PlaceholderValues, facts: Facts): string | undefined {
  const [name] = unknownNames(run, vars, facts)
  return name === undefined ? undefined : `Variable not found: ${name} (in the hook '${run}')`
}

/** The facts of an execution for its after hooks. `files` still exist, with paths as `pathFrom` makes them. */
export function hookFacts(result: ExecutionResult, files: readonly string[]): Facts {
  const { results, parseErrors } = result
  const errors = [...parseErrors.map(({ message }) => message), ...results.flatMap(({ error }) => error ?? [])]
  return {
    success: String(result.success),
    executedActions: String(result.executedActions),
    totalBlocks: String(result.totalBlocks),
    modifiedFiles: files.filter(isOneLine).map(asFile),
    operations: results.map(({ action }) => action).join(','),
    errors: errors.join('\n'),
    errorCount: String(errors.length),
  }
}

/** A name with a line break would be two names in a list with one name per line. */
// eslint-disable-next-line no-control-regex -- the pattern finds control characters
const isOneLine = (file: string): boolean => !/[\u0000-\u001f\u007f]/.test(file)

/** So that no program reads a name as an option (`-x`, `+x`), a response file (`@x`) or a variable (`x=y`, for make). */
const asFile = (file: string): string => (/^[-+@]|^[^/].*=/.test(file) ? `./${file}` : file)

/** Below Linux's limit for one string of the environment. */
const mostBytes = 100_000

/** The facts as environment variables. */
export function environmentOf(facts: Facts): Record<string, string> {
  const entries = Object.entries(facts).flatMap(([name, fact]) =>
    typeof fact === 'string'
      ? [[variableFor(name), cutBetween(fact, '\n')]]
      : [
          [variableFor(name), cutBetween(fact.join('\n'), '\n')],
          [variableFor(name, fact), cutBetween(fact.join(','), ',')],
        ],
  )
  return Object.fromEntries(entries) as Record<string, string>
}

/** Cuts between two entries, and removes NUL characters, which the environment cannot contain. */
function cutBetween(text: string, between: string): string {
  const clean = text.replaceAll('\0', '')
  if (Buffer.byteLength(clean) <= mostBytes) return clean
  const short = Buffer.from(clean).subarray(0, mostBytes).toString('utf8')
  return short.slice(0, Math.max(short.lastIndexOf(between), 0))
}

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { homeDir } from '../core/platform.ts'
import { fail, ok, type Outcome, wouldRun } from '../core/action.ts'
import type { ExecData, ExecRequest } from '../core/commands.ts'
import type { PathArg } from '../core/files.ts'
import { type Problem, ProblemError } from '../core/problem.ts'
import { codeEnvironment } from '../process/environment.ts'
import { chooseSandbox } from '../process/sandbox.ts'
import { seemsToMissNetwork } from './blocked-network.ts'
import { findMissedVariables } from './withheld-variables.ts'
import { canStage, onlyTried, runContained } from './contained.ts'
import type { Containment } from './bounds.ts'
import { interpreterFor } from './interpreters.ts'
import { programProblem } from './run-approved.ts'
import { type CommandScope, type CheckedDirectory, checkDirectory, rootArg } from './scope.ts'
import { unlessEmpty } from '@clada/reply/core/optional.ts'

/** Code in a language, contained. The data of a failure holds what was said until then. */
export async function execCode(request: ExecRequest, scope: CommandScope): Promise<Outcome<ExecData>> {
  const nothing = { stdout: '', stderr: '' }
  if (scope.commands.exec === 'off') {
    return fail({
      kind: 'exec-refused',
      reason: 'code is switched off (--exec off)',
      advice: { model: 'Do it with file actions, or ask the user.', user: 'Do it with file actions.' },
    })
  }
  const place = await cwdOf(request.cwd ?? rootArg(scope.settings.root), scope)
  if ('kind' in place) return fail(place, nothing)
  const found = await interpreterFor(request.lang, request.version, place, scope)
  if (!found.ok) return fail(found.problem, nothing)
  const tried = scope.effect === 'tried' && (await canStage(scope))
  if (!tried && (scope.effect === 'show' || scope.effect === 'tried')) return preview(request, scope)

  const { file, flag, path: dirs, venv } = found
  const limit = scope.settings.limits.actionMs
  const asked = request.timeout === undefined ? limit : Math.max(1, request.timeout * 1000)
  const timeoutMs = Math.min(asked, limit)
  const script = request.code.length > longestArgument ? writeScript(request.code) : undefined
  try {
    const what: Containment = {
      file,
      args: script === undefined ? [flag, request.code] : [script],
      env: codeEnvironment({ path: dirs, home: homeDir(), venv }),
      timeoutMs,
      sandbox: 'required',
      network: false,
      caches: 'none',
      by: 'code',
      readable: script === undefined ? [] : [script],
      memoryBytes: 4 * 1024 ** 3,
    }
    const done = await runContained(what, place, scope)
    if (!done.ok) return fail(done.problem, nothing)
    const { stdout, stderr, exitCode, ended } = done.end
    const capped =
      asked > limit ? [`timeout was lowered to ${limit / 1000} s, the user's limit (--timeout raises it)`] : []
    const warnings = [...(tried ? [onlyTried] : []), ...done.warnings, ...capped]
    const data = {
      stdout: request.returnOutput ? stdout : undefined,
      stderr: request.returnOutput ? stderr : undefined,
      exit_code: ended === 'itself' && exitCode !== null ? exitCode : undefined,
      changed: unlessEmpty(done.changed),
      not_kept: unlessEmpty(done.notKept),
    }
    if (ended === 'itself' && exitCode === 0) return ok(data, warnings)
    return {
      ...fail(
        programProblem(done.end, {
          ms: timeoutMs,
          most: asked < limit ? limit : undefined,
          offline: seemsToMissNetwork(what, done) ? { for: 'code' } : undefined,
          withheld: await findMissedVariables(what, done, scope),
        }),
        data,
      ),
      warnings: unlessEmpty(warnings),
    }
  } finally {
    if (script !== undefined) fs.rmSync(path.dirname(script), { recursive: true, force: true })
  }
}

/** The system takes no argument longer than 128 kB. */
const longestArgument = 30_000

function writeScript(code: string): string {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'clada-code-')), 'code')
  fs.writeFileSync(file, code)
  return file
}

async function cwdOf(dir: PathArg, scope: CommandScope): Promise<CheckedDirectory | Problem> {
  try {
    return await checkDirectory(dir, 'looks', scope)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const { problem } = error
    const outside = problem.kind === 'path' && problem.rule === 'path_escape' && !fs.existsSync(dir.absolute)
    return outside ? { kind: 'cwd-missing', path: dir.given } : problem
  }
}

/** What would be run, and the parts that are unknown beforehand. */
function preview({ lang, code }: ExecRequest, { commands }: CommandScope): Outcome<ExecData> {
  const choice = commands.exec === 'unsandboxed' ? undefined : chooseSandbox()
  if (choice !== undefined && !choice.ok)
    return fail({ kind: 'exec-refused', reason: choice.reason, advice: choice.advice })
  return wouldRun(code, { would_run: code, lang })
}

import os from 'node:os'
import path from 'node:path'
import { Approvals } from '../approvals/approvals.ts'
import { readProjectList } from '../approvals/project-list.ts'
import { type WhatRuns, whatRuns } from '../approvals/what-runs.ts'
import { fail, ok, type Outcome } from '../core/action.ts'
import type { PathArg } from '../core/files.ts'
import type { Offline, Problem } from '../core/problem.ts'
import { certificatesIn, commandEnvironment } from '../process/environment.ts'
import { findProgram, isProgram, pathOutside } from '../process/programs.ts'
import type { ProcessEnd } from '../process/run-process.ts'
import { projectTools } from '../process/runtimes.ts'
import { approvalLine, approvalLineOf } from './approval-line.ts'
import { missedNetwork } from './closed-network.ts'
import { type Contained, type Containment, runContained } from './contained.ts'
import { type CommandScope, type Place, placeOf } from './scope.ts'

/** A command that is not on the list: run when the user has approved exactly this one. */
export async function runApproved(
  request: { words: readonly string[]; cwd: PathArg },
  scope: CommandScope,
): Promise<Outcome> {
  const { words, cwd } = request
  const place = await placeOf(cwd, 'looks', scope)
  const command = approvalLine(words, place.relative)
  const runs = whatRuns(words, place.absolute, scope.settings.root)
  const permit = await permission(command, runs, scope)
  if (!permit.ok) return fail(permit.problem)
  if (scope.effect === 'show') {
    return ok({ would_run: command }, ['not run in a preview; what it changes cannot be foreseen'])
  }
  const program = programFor(words[0] ?? '', place, scope)
  if (program === undefined) return fail({ kind: 'program-missing', program: words[0] ?? '' })
  await placeOf(cwd, 'changes', scope)
  const what: Containment = {
    file: program.file,
    args: words.slice(1),
    env: commandEnvironment(process.env, { path: program.path, home: os.homedir(), venv: program.venv }),
    timeoutMs: scope.settings.limits.actionMs,
    sandbox: 'if-there',
    network: permit.network,
    caches: 'writable',
    readable: permit.network ? certificatesIn(process.env) : [],
    memoryBytes: 16 * 1024 ** 3,
  }
  const done = await runContained(what, place, scope)
  return outcomeOf(
    done,
    what.timeoutMs,
    missedNetwork(what, done) ? { for: 'command', command, ...elsewhere(scope.settings.root) } : undefined,
  )
}

type Permit = { readonly ok: true; readonly network: boolean } | { readonly ok: false; readonly problem: Problem }

async function permission(
  command: string,
  runs: WhatRuns,
  { settings, commands, ask, effect }: CommandScope,
): Promise<Permit> {
  const approvals = new Approvals(settings.root)
  const state = approvals.stateOf(command, runs)
  // First, because only this one may say more about the network than the command does.
  if (state.state === 'approved') return { ok: true, network: state.network }
  if (commands.approve.some((line) => isSame(line, command))) return { ok: true, network: runs.network }
  if (commands.trustApprovals && readProjectList(settings.root).commands.includes(command)) {
    return { ok: true, network: runs.network }
  }
  const changed = state.state === 'changed'
  const { shown, network } = runs
  const needed = (refused: boolean): Permit => ({
    ok: false,
    problem: {
      kind: 'approval-needed',
      command,
      ...elsewhere(settings.root),
      changed,
      network,
      refused,
      ...(shown === undefined ? {} : { runs: shown }),
    },
  })
  if (ask === undefined || effect === 'show') return needed(false)
  const answer = await ask({ root: settings.root, command, runs: shown, changed, network })
  if (answer === undefined || answer === 'no') return needed(answer === 'no')
  if (answer === 'always') approvals.add(command, runs)
  return { ok: true, network }
}

/** A project that is not where clada was started has to be named to whoever approves something for it. */
const elsewhere = (root: string): { root?: string } => (root === process.cwd() ? {} : { root })

/** The user's spelling may quote otherwise; the words must be the same. */
function isSame(given: string, command: string): boolean {
  const read = approvalLineOf(given)
  return 'line' in read && read.line === command
}

function programFor(
  name: string,
  place: Place,
  { settings }: CommandScope,
): { file: string; path: string[]; venv: string | undefined } | undefined {
  const { root, allowedRoots } = settings
  const tools = projectTools(root, place.absolute)
  const dirs = [...tools.path, ...pathOutside(process.env['PATH'], [root, ...allowedRoots])]
  const file = name.includes('/') ? path.resolve(place.absolute, name) : findProgram(name, dirs)
  return file !== undefined && isProgram(file) ? { file, path: dirs, venv: tools.venv } : undefined
}

function outcomeOf(done: Contained, timeoutMs: number, offline: Offline | undefined): Outcome {
  if (!done.ok) return fail(done.problem)
  const { output, exitCode } = done.end
  const data = {
    output,
    ...(exitCode === null ? {} : { exit_code: exitCode }),
    ...(done.changed.length === 0 ? {} : { changed: done.changed }),
  }
  if (done.end.ended === 'itself' && exitCode === 0) return ok(data, done.warnings)
  return {
    ...fail(problemOf(done.end, timeoutMs, offline), data),
    ...(done.warnings.length > 0 ? { warnings: done.warnings } : {}),
  }
}

export function problemOf(
  { ended, exitCode, signal, error = '' }: Pick<ProcessEnd, 'ended' | 'exitCode' | 'signal' | 'error'>,
  timeoutMs: number,
  offline: Offline | undefined,
): Problem {
  const missed = offline === undefined ? {} : { offline }
  if (ended === 'timeout') return { kind: 'command-late', ms: timeoutMs, ...missed }
  if (ended === 'stopped') return { kind: 'command-failed', how: { stopped: error } }
  if (ended === 'crowd') return { kind: 'command-failed', how: { crowd: true } }
  const how = exitCode === null ? { signal: signal ?? 'unknown' } : { exit: exitCode }
  return { kind: 'command-failed', how, ...missed }
}

import path from 'node:path'
import { homeDir } from '../core/platform.ts'
import { slashed } from '../core/paths.ts'
import { type ApprovalLine, approvalLine } from '../approvals/approval-line.ts'
import { Approvals, namedBy } from '../approvals/approvals.ts'
import { readSmall } from '../approvals/rule-files.ts'
import { installs, mayBind, wantsNetwork, type WhatRuns } from '../approvals/what-runs.ts'
import { fail, ok, type Outcome } from '../core/action.ts'
import type { RunData, ApprovalAnswer, ApprovalRequest, Tried } from '../core/commands.ts'
import type { ChangedFile } from '../core/effects.ts'
import type { PathArg } from '../core/files.ts'
import type { Offline, Problem } from '../core/problem.ts'
import { repositoryAt } from '../process/layered-git.ts'
import { certificatesIn, commandEnvironment } from '../process/environment.ts'
import { findProgram, pathOutside, systemPath } from '../process/programs.ts'
import type { ProcessEnd } from '../process/run-process.ts'
import { prefixOf, projectTools } from '../process/runtimes.ts'
import { gitEnvironment, movedWords, positionOf } from './run-git.ts'
import { missedNetwork } from './blocked-network.ts'
import { canStage, type Contained, onlyTried, runContained } from './contained.ts'
import type { Containment } from './bounds.ts'
import { type CommandScope, type Place, placeOf } from './scope.ts'

/** A command that is not on the list: run when the user has approved it. */
export async function runApproved(
  request: { words: readonly string[]; cwd: PathArg },
  scope: CommandScope,
): Promise<Outcome<RunData>> {
  const { words, cwd } = request
  const { root } = scope.settings
  const place = await placeOf(cwd, 'looks', scope)
  const line = approvalLine(words, place.relative)
  if (scope.effect === 'staged' && words[0] === 'git') return fail(changesRepository)
  const repository = words[0] === 'git' ? repositoryAt(place.absolute, root) : undefined
  if (repository !== undefined && 'reason' in repository) return fail({ kind: 'git', ...repository })
  const permit = await permission(line, place, scope)
  if (!permit.ok) return fail(permit.problem)
  if ('done' in permit) return outcomeOf(permit.done, { ms: triedMs }, undefined)
  const previewed = scope.effect === 'tried' && (await isHarmless(line, permit, scope))
  if (!previewed && (scope.effect === 'show' || scope.effect === 'tried')) {
    return ok({ would_run: line.line }, ['not run in a preview; what it changes cannot be foreseen'])
  }
  if (permit.runs.program === undefined) return fail({ kind: 'program-missing', program: words[0] ?? '' })
  const what = await containmentOf(words, permit, place, scope)
  const top = repository?.top ?? root
  const before = what.repository === 'changes' ? await positionOf(top) : undefined
  const done = await runContained(what, place, scope)
  if (previewed && done.ok) done.warnings.unshift(onlyTried)
  if (before !== undefined && done.ok) done.warnings.push(...movedWords(before, await positionOf(top)))
  const offline = missedNetwork(what, done)
    ? ({ for: 'command', command: line.line, ...elsewhere(root) } as const)
    : undefined
  return outcomeOf(
    done,
    { ms: what.timeoutMs, approval: { command: line.line, network: what.network, ...elsewhere(root) } },
    offline,
  )
}

async function containmentOf(
  words: readonly string[],
  { runs: { program }, network, caches, reads, timeoutMs }: Permit & { ok: true },
  place: Place,
  { settings: { root, allowedRoots, limits }, commands, effect }: CommandScope,
): Promise<Containment> {
  const home = homeDir()
  const tools = projectTools(root, place.absolute)
  const outside = pathOutside(process.env['PATH'], [root, ...allowedRoots])
  // What may reach the network or the user's caches finds the user's programs first, whatever the project has.
  const dirs = network || caches === 'through' ? [...outside, ...tools.path] : [...tools.path, ...outside]
  const [file = '', ...before] = program?.start ?? []
  const git = words[0] === 'git'
  return {
    file,
    args: [...before, ...words.slice(1)],
    env: {
      ...commandEnvironment(process.env, {
        path: dirs,
        home,
        venv: tools.venv,
        network,
        more: commands.env,
        shell: scriptShell(root, place.absolute),
      }),
      ...(git ? await gitEnvironment(topOf(repositoryAt(place.absolute, root)) ?? root) : {}),
    },
    timeoutMs: Math.max(limits.actionMs, timeoutMs),
    sandbox: 'if-there',
    network,
    // Changes outside the project are not reverted with a group.
    caches: effect === 'land' ? caches : 'discard',
    reads,
    repository: git ? 'changes' : 'looks',
    verb: git ? words[1] : undefined,
    readable: [
      ...(program === undefined ? [] : prefixOf(program.file, home, root)),
      ...(network ? certificatesIn(process.env) : []),
    ],
    memoryBytes: 16 * 1024 ** 3,
  }
}

const topOf = (found: ReturnType<typeof repositoryAt>): string | undefined =>
  found === undefined || 'reason' in found ? undefined : found.top

/** Undefined where a `.npmrc` of the project names one: that file is part of what was approved. */
function scriptShell(...dirs: readonly string[]): string | undefined {
  const own = dirs.some((dir) => /^\s*script-shell\s*=/m.test(readSmall(path.join(dir, '.npmrc')) ?? ''))
  return own ? undefined : findProgram('sh', systemPath)
}

/** It was tried, and its changes stay. */
interface Kept {
  readonly ok: true
  readonly done: Contained
}

type Permit =
  | {
      readonly ok: true
      readonly runs: WhatRuns
      readonly network: boolean
      readonly caches: 'through' | 'discard'
      readonly reads: readonly string[]
      /** 0 where the limit of every command holds. */
      readonly timeoutMs: number
    }
  | { readonly ok: false; readonly problem: Problem }

/** Whether nothing of a command can stay or get out when it is only tried. */
async function isHarmless(
  line: ApprovalLine,
  { runs, network }: Permit & { ok: true },
  scope: CommandScope,
): Promise<boolean> {
  const contained = line.words[0] !== 'git' && !network && unbinding(line, runs, scope) === undefined
  return contained && canStage(scope)
}

const changesRepository: Problem = {
  kind: 'command-refused',
  reason: 'it changes the repository, which an atomic group cannot revert',
  advice: 'Put it into a block of its own, after the group.',
}

/** An approval is for what the files on the disk say. The first file that a group changes and that may say otherwise. */
function unbinding({ words }: ApprovalLine, { hash }: WhatRuns, { files, settings }: CommandScope): string | undefined {
  if (hash === null) return undefined
  const changed = files.staged().map((one) => slashed(path.relative(settings.root, one.path)))
  return changed.find((name) => mayBind(words, name))
}

const boundToDisk = (line: ApprovalLine, name: string): Problem => ({
  kind: 'command-refused',
  reason: `'${line.line}' can only be approved for what the files on the disk run, and '${name}', which this document changes, may be one of them`,
  advice: `Apply the change to '${name}' first, and run the command in a document after it.`,
})

/** The longest wait for a question. */
const triedMs = 10_000

interface Attempt {
  readonly answer: ApprovalAnswer | undefined
  readonly done: Contained
}

/** As much as a question can show. */
const triedAs = ({ ended, exitCode, output }: ProcessEnd, changed: readonly ChangedFile[]): Tried => ({
  exitCode: ended === 'itself' ? exitCode : null,
  changed: changed.slice(0, 200),
  more: Math.max(0, changed.length - 200),
  output: output.slice(-4000),
})

/**
 * Runs a command that is not approved as if it were code of the model, and asks whether its changes stay. Where it could
 * not be tried or did not succeed, the question is whether it may run at all, and how it failed is part of that.
 */
async function tried(
  request: ApprovalRequest,
  line: ApprovalLine,
  runs: WhatRuns,
  place: Place,
  scope: CommandScope,
): Promise<Attempt | Tried | undefined> {
  const { commands, ask, settings } = scope
  const useless = !commands.tryFirst() || commands.exec !== 'sandbox' || request.repository || wantsNetwork(line)
  if (useless || ask === undefined || runs.program === undefined || !(await canStage(scope))) return undefined
  const plain: Permit & { ok: true } = { ok: true, runs, network: false, caches: 'discard', reads: [], timeoutMs: 0 }
  const answers: (ApprovalAnswer | undefined)[] = []
  let failed: Tried | undefined
  const what: Containment = {
    // Variables that the user lets approved commands see are not for this one.
    ...(await containmentOf(line.words, plain, place, { ...scope, commands: { ...commands, env: [] } })),
    sandbox: 'required',
    caches: 'none',
    timeoutMs: Math.min(settings.limits.actionMs, triedMs),
    keep: async (end, changed) => {
      const result = triedAs(end, changed)
      if (result.exitCode !== 0) {
        failed = result
        return false
      }
      const answer = await ask({ ...request, about: 'tried', tried: result })
      answers.push(answer)
      const kept = answer === 'once' || answer === 'always'
      if (kept && end.output !== '') scope.onOutput?.(Buffer.from(end.output))
      return kept
    },
  }
  const done = await runContained(what, place, { ...scope, onOutput: undefined })
  return answers.length === 0 ? failed : { answer: answers[0], done }
}

async function permission(line: ApprovalLine, place: Place, scope: CommandScope): Promise<Permit | Kept> {
  const { settings, commands, ask, effect } = scope
  const { root, allowedRoots } = settings
  const approvals = new Approvals(root, allowedRoots)
  const permit = (runs: WhatRuns, by: ApprovalLine, network: boolean): Permit & { ok: true } => ({
    ok: true,
    runs,
    network,
    caches: installs(by) ? 'through' : 'discard',
    reads: [],
    timeoutMs: 0,
  })
  const state = approvals.stateOf(line)
  // First, because only this one may say more than the command does.
  if (state.state === 'approved') {
    const { network, reads = [], timeoutMs = 0 } = state.voucher
    const name = effect === 'staged' ? unbinding(line, state.runs, scope) : undefined
    if (name !== undefined) return { ok: false, problem: boundToDisk(line, name) }
    return { ...permit(state.runs, state.line, network), reads, timeoutMs }
  }
  const named = namedBy(commands.approve, line) ?? (commands.trustApprovals ? approvals.listed(line) : undefined)
  if (named !== undefined) {
    // A program of the project is unreviewed, so one of the user's comes first.
    const all = approvals.runs(line, named)
    const runs = all.find(({ program }) => program !== undefined && program.bound === undefined) ?? all[0]
    return permit(runs, named, namedBy(commands.network, line) !== undefined)
  }
  const [runs] = approvals.runs(line)
  const changed = state.state === 'changed'
  const request: ApprovalRequest = {
    root,
    command: line.line,
    about: 'command',
    runs: runs.shown,
    changed,
    installs: installs(line),
    repository: line.words[0] === 'git',
  }
  const needed = (refused: boolean): Permit => ({
    ok: false,
    problem: {
      kind: 'approval-needed',
      command: line.line,
      approved: [...commands.approve, ...approvals.approved()],
      ...elsewhere(root),
      changed,
      network: wantsNetwork(line),
      refused,
      ...(runs.shown === undefined ? {} : { runs: runs.shown }),
    },
  })
  if (ask === undefined || effect === 'show' || effect === 'tried') return needed(false)
  const name = unbinding(line, runs, scope)
  if (name !== undefined) return { ok: false, problem: boundToDisk(line, name) }
  const attempt = await tried(request, line, runs, place, scope)
  if (scope.signal?.aborted) return needed(false)
  const kept = attempt !== undefined && 'done' in attempt ? attempt : undefined
  const failed = attempt !== undefined && 'done' in attempt ? undefined : attempt
  const answer = kept === undefined ? await ask({ ...request, ...(failed && { tried: failed }) }) : kept.answer
  if (answer === undefined || answer === 'no') return needed(answer === 'no')
  if (kept !== undefined) {
    if (answer === 'always') approvals.add(line, runs, { network: false })
    return { ok: true, done: kept.done }
  }
  const network = wantsNetwork(line) ? await ask({ ...request, about: 'network' }) : 'no'
  if (network === undefined) return needed(false)
  if (answer === 'always') approvals.add(line, runs, { network: network === 'always' })
  return permit(runs, line, network !== 'no')
}

/** A project that is not where clada was started has to be named in the question. */
const elsewhere = (root: string): { root?: string } => (root === process.cwd() ? {} : { root })

function outcomeOf(done: Contained, limit: Limit, offline: Offline | undefined): Outcome<RunData> {
  if (!done.ok) return fail(done.problem)
  const { output, exitCode } = done.end
  const data = {
    output,
    ...(exitCode === null ? {} : { exit_code: exitCode }),
    ...(done.changed.length === 0 ? {} : { changed: done.changed }),
    ...(done.notKept.length === 0 ? {} : { not_kept: done.notKept }),
  }
  if (done.refused !== undefined)
    return {
      ...fail({ kind: 'git', ...done.refused }, data),
      ...(done.warnings.length > 0 && { warnings: done.warnings }),
    }
  if (done.end.ended === 'itself' && exitCode === 0) return ok(data, done.warnings)
  return {
    ...fail(problemOf(done.end, limit, offline), data),
    ...(done.warnings.length > 0 ? { warnings: done.warnings } : {}),
  }
}

/** The time limit that held, and the approval by which it can be raised. */
type Limit = Pick<Problem & { kind: 'command-late' }, 'ms' | 'most' | 'approval'>

export function problemOf(
  { ended, exitCode, signal, error = '' }: Pick<ProcessEnd, 'ended' | 'exitCode' | 'signal' | 'error'>,
  limit: Limit,
  offline: Offline | undefined,
): Problem {
  const missed = offline === undefined ? {} : { offline }
  if (ended === 'timeout') return { kind: 'command-late', ...limit, ...missed }
  if (ended === 'stopped') return { kind: 'command-failed', how: { stopped: error } }
  if (ended === 'crowd') return { kind: 'command-failed', how: { crowd: true } }
  const how = exitCode === null ? { signal: signal ?? 'unknown' } : { exit: exitCode }
  return { kind: 'command-failed', how, ...missed }
}

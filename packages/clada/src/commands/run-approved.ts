import path from 'node:path'
import { isOsError } from '../core/errors.ts'
import { homeDir } from '../core/platform.ts'
import { withSlashes } from '../core/paths.ts'
import { type ApprovalLine, approvalLine } from '../approvals/approval-line.ts'
import {
  type Approvals,
  approvalsFor,
  type ApprovalState,
  namedBy,
  orderFor,
  type Width,
} from '../approvals/approvals.ts'
import { decidersInWords } from '../approvals/deciders.ts'
import { wantsNetwork } from '../approvals/needs-network.ts'
import { programDirs } from '../approvals/program.ts'
import { fail, ok, type Outcome, wouldRun } from '../core/action.ts'
import type { ApprovalAnswer, ApprovalRequest, Ask, RunData, TrialRun } from '../core/commands.ts'
import type { ChangedFile } from '../core/effects.ts'
import type { PathArg } from '../core/files.ts'
import type { Problem } from '../core/problem.ts'
import { messageOf } from '../core/errors.ts'
import { SettingsError } from '../core/settings.ts'
import { decidesWhatRuns } from '../policy/deciding-files.ts'
import { repositoryAt } from '../process/layered-git.ts'
import { certificatesIn, commandEnvironment } from '../process/environment.ts'
import type { ProcessEnd } from '../process/run-process.ts'
import { prefixOf, projectTools } from '../process/runtimes.ts'
import { gitEnvironment, describeMove, readGitPosition } from './approved-git.ts'
import { seemsToMissNetwork } from './blocked-network.ts'
import { findMissedVariables } from './withheld-variables.ts'
import { canStage, type Contained, onlyTried, runContained } from './contained.ts'
import type { Containment } from './bounds.ts'
import { type CommandScope, type CheckedDirectory, checkDirectory } from './scope.ts'
import { projectAround } from '../state/project-root.ts'
import { unlessEmpty } from '@clada/reply/core/optional.ts'

/** A command that is not on the list: run when the user has approved it. */
export async function runApproved(
  request: { words: readonly string[]; typed: string; cwd: PathArg },
  scope: CommandScope,
): Promise<Outcome<RunData>> {
  const { words, typed, cwd } = request
  const { root } = scope.settings
  const place = await checkDirectory(cwd, 'looks', scope)
  const line = approvalLine(words, place.relative, typed)
  if (scope.effect === 'staged' && words[0] === 'git') return fail(changesRepository)
  const repository = words[0] === 'git' ? repositoryAt(place.absolute, root) : undefined
  if (repository !== undefined && 'reason' in repository) return fail({ kind: 'git', ...repository })
  const approvals = await approvalsFor(scope.settings, scope.commands)
  const permit = await findPermission({ line, approvals, place, scope })
  if (!permit.ok) return fail(permit.problem)
  const noted = permit.unsaved === undefined ? [] : [permit.unsaved]
  if ('done' in permit) {
    if (permit.done.ok) permit.done.warnings.push(...noted)
    return programOutcome(permit.done, { ms: scope.settings.limits.actionMs })
  }
  const previewed = scope.effect === 'tried' && permit.width === 'plain' && (await canStage(scope))
  if (!previewed && (scope.effect === 'show' || scope.effect === 'tried')) {
    return wouldRun(line.typed, { would_run: line.typed })
  }
  const what = await containmentOf(line, permit, approvals, place, scope)
  if (what === undefined) return fail({ kind: 'program-missing', program: words[0] ?? '' })
  const top = repository?.top ?? root
  const before = what.repository === 'changes' ? await readGitPosition(top) : undefined
  const done = await runContained(what, place, scope)
  if (done.ok) done.warnings.unshift(...noted, ...(previewed ? [onlyTried] : []))
  if (before !== undefined && done.ok) done.warnings.push(...describeMove(before, await readGitPosition(top)))
  if (permit.approval !== undefined && done.ok && scope.effect === 'land')
    approvals.retake(
      permit.approval,
      done.changed.map((one) => one.path),
    )
  const { network, reads, env, timeoutMs } = permit
  const approval = { command: line.typed, network, reads, env, timeoutMs, root: rootIfElsewhere(root) }
  return programOutcome(done, {
    ms: what.timeoutMs,
    approval,
    offline: seemsToMissNetwork(what, done) ? { for: 'command', approval } : undefined,
    withheld: await findMissedVariables(what, done, scope, approval),
  })
}

/** Undefined when there is no such program. */
async function containmentOf(
  line: ApprovalLine,
  { width, network, reads, env, timeoutMs }: Permit,
  approvals: Approvals,
  place: CheckedDirectory,
  { settings: { root, allowedRoots, limits }, commands, effect }: CommandScope,
): Promise<Containment | undefined> {
  const home = homeDir()
  const program = approvals.program(line, width)
  if (program === undefined) return undefined
  const git = line.words[0] === 'git'
  const ofGit = git ? await gitEnvironment(topOfRepository(repositoryAt(place.absolute, root)) ?? root) : undefined
  return {
    file: program.file,
    args: line.words.slice(1),
    env: {
      ...commandEnvironment(process.env, {
        path: programDirs(root, place.absolute, [root, ...allowedRoots], orderFor(width)),
        home,
        venv: projectTools(root, place.absolute).venv,
        network,
        unloaded: width === 'plain' ? [] : [root, ...allowedRoots],
        more: [...commands.env, ...env],
      }),
      ...ofGit,
    },
    timeoutMs: Math.max(limits.actionMs, timeoutMs),
    sandbox: width === 'plain' ? 'required' : 'if-there',
    network,
    // Changes outside the project are not reverted with a group.
    caches: network && effect === 'land' ? 'project' : 'discard',
    by: width,
    reads,
    repository: git ? 'changes' : 'looks',
    verb: git ? line.words[1] : undefined,
    readable: [...prefixOf(program.file, home, root), ...(network ? certificatesIn(process.env) : [])],
    memoryBytes: 16 * 1024 ** 3,
  }
}

const topOfRepository = (found: ReturnType<typeof repositoryAt>): string | undefined =>
  found === undefined || 'reason' in found ? undefined : found.top

/** What a command may do. */
interface Permit {
  readonly width: Width
  readonly network: boolean
  readonly reads: readonly string[]
  readonly env: readonly string[]
  /** 0 where the limit of every command holds. */
  readonly timeoutMs: number
  /** The saved approval, which is bound to files that the command may change itself. */
  readonly approval?: (ApprovalState & { readonly state: 'approved' }) | undefined
}

type Permission =
  | (Permit & { readonly ok: true; readonly unsaved?: string | undefined })
  /** It was tried, and its changes stay. */
  | { readonly ok: true; readonly done: Contained; readonly unsaved: string | undefined }
  | { readonly ok: false; readonly problem: Problem }

const changesRepository: Problem = {
  kind: 'command-refused',
  reason: 'it changes the repository, which an atomic group cannot revert',
  advice: 'Put it into a block of its own, after the group.',
}

/** One command and everything around it. */
interface Asking {
  readonly line: ApprovalLine
  readonly approvals: Approvals
  readonly place: CheckedDirectory
  readonly scope: CommandScope
}

async function findPermission(asking: Asking): Promise<Permission> {
  const { line, approvals, scope } = asking
  const { commands } = scope
  const state = approvals.stateOf(line)
  // First, because only this one may say more than the command does.
  if (state.state === 'approved') {
    const { network, reads = [], env = [], timeoutMs = 0 } = state.voucher
    const name = state.width === 'wide' ? findStagedDecider(asking) : undefined
    if (name !== undefined) return { ok: false, problem: boundToDiskProblem(line, name) }
    return { ok: true, width: state.width, network, reads, env, timeoutMs, approval: state }
  }
  const named = namedBy(commands.approve, line) ?? (commands.trustApprovals ? approvals.listed(line) : undefined)
  if (named !== undefined) return permitFor(asking, namedBy(commands.network, line) !== undefined)
  return askFor(asking, state.state === 'changed')
}

const permitFor = ({ line, approvals }: Asking, network: boolean): Permit & { readonly ok: true } => ({
  ok: true,
  width: approvals.widthOf(line, { network }),
  network,
  reads: [],
  env: [],
  timeoutMs: 0,
})

/** An approval that is bound to files is bound to those on the disk. The first that a group has changed. */
function findStagedDecider({ line, approvals, scope: { files, settings } }: Asking): string | undefined {
  const own = approvals.program(line, 'wide')?.inside ?? []
  const changed = files.staged().filter((one) => {
    const name = withSlashes(path.relative(settings.root, one.path))
    return decidesWhatRuns(name) || own.includes(one.path)
  })
  return changed.map((one) => withSlashes(path.relative(settings.root, one.path)))[0]
}

const boundToDiskProblem = (line: ApprovalLine, name: string): Problem => ({
  kind: 'command-refused',
  reason: `'${line.typed}' can only be approved for the files on the disk, and '${name}', which this document changes, could decide what it runs`,
  advice: `Apply the change to '${name}' first, and run the command in a document after it.`,
})

/** Nothing runs before the answer, except to try it when that is the answer. */
async function askFor(asking: Asking, changed: boolean): Promise<Permission> {
  const { line, approvals, scope } = asking
  const { settings, commands, ask, effect, signal } = scope
  const { root } = settings
  const needed = (refused: boolean): Permission => ({
    ok: false,
    problem: {
      kind: 'approval-needed',
      command: line.typed,
      approved: [...commands.approve, ...approvals.approved()],
      root: rootIfElsewhere(root),
      changed,
      network: wantsNetwork(line.words),
      refused,
    },
  })
  if (ask === undefined || effect === 'show' || effect === 'tried') return needed(false)
  const width = approvals.widthOf(line)
  const name = width === 'wide' ? findStagedDecider(asking) : undefined
  if (name !== undefined) return { ok: false, problem: boundToDiskProblem(line, name) }
  const deciders = width === 'wide' ? approvals.deciders(line) : undefined
  const repository = line.words[0] === 'git'
  const program = approvals.program(line, width)?.file
  const request: ApprovalRequest = {
    root,
    command: line.typed,
    about: 'command',
    canTry: !repository && program !== undefined && (await canStage(scope)),
    program,
    bound: deciders ? decidersInWords(deciders) : undefined,
    unsandboxed: approvals.isUnsandboxed,
    changed,
    repository,
  }
  const first = await ask(request)
  const attempt = first === 'try' && request.canTry ? await tryOut(asking, request, ask) : undefined
  if (signal?.aborted) return { ok: false, problem: { kind: 'stopped', reason: messageOf(signal.reason) } }
  const { answer, network, done } = attempt ?? (await askNetwork(asking, request, ask, first))
  if (answer === undefined || network === undefined) return needed(false)
  if (answer !== 'once' && answer !== 'always') return needed(true)
  const grant = { network: network === 'always' }
  // After it has landed: what it changed itself is part of what was approved.
  const bound = done === undefined && grant.network === false ? deciders : undefined
  const saved = answer === 'always' ? saveApproval(() => approvals.add(line, grant, bound)) : undefined
  const unsaved = typeof saved === 'string' ? saved : undefined
  if (done !== undefined) return { ok: true, done, unsaved }
  const approval = typeof saved === 'string' ? undefined : saved
  return { ...permitFor(asking, network !== 'no'), approval, unsaved }
}

/** Where it cannot be kept, the answer holds for this time, and the reason is returned. */
function saveApproval<T>(save: () => T): T | string {
  try {
    return save()
  } catch (error) {
    if (!(error instanceof SettingsError) && !isOsError(error)) throw error
    return `approved for this time only: ${error.message}`
  }
}

interface ApprovalDecision {
  readonly answer: ApprovalAnswer | undefined
  readonly network: ApprovalAnswer | undefined
  /** The result of a try that stays. */
  readonly done?: Contained
}

/** A yes to the command never implies the network. */
async function askNetwork(
  { line, approvals }: Asking,
  request: ApprovalRequest,
  ask: Ask,
  answer: ApprovalAnswer | undefined,
): Promise<ApprovalDecision> {
  const isYes = answer === 'once' || answer === 'always'
  if (!isYes || !wantsNetwork(line.words)) return { answer, network: 'no' }
  const bound = decidersInWords(approvals.deciders(line))
  return { answer, network: await ask({ ...request, about: 'network', canTry: false, bound }) }
}

/** As much as a question can show. */
const summarizeTry = ({ ended, exitCode, output }: ProcessEnd, changed: readonly ChangedFile[]): TrialRun => ({
  exitCode: ended === 'itself' ? exitCode : null,
  changed: changed.slice(0, 200),
  more: Math.max(0, changed.length - 200),
  output: output.slice(-4000),
})

/**
 * Runs a command that is not approved as if it were code of the model, because the user wants to see what it does, and
 * asks again. It runs once more after a yes if it may then do more than it could: with network, more time, or, where it
 * failed, with whatever else an approval gives here.
 */
async function tryOut(asking: Asking, request: ApprovalRequest, ask: Ask): Promise<ApprovalDecision | undefined> {
  const { line, approvals, place, scope } = asking
  const plain: Permit = { width: 'plain', network: false, reads: [], env: [], timeoutMs: 0 }
  // Variables that the user lets approved commands see are not for this one.
  const own = { ...scope, commands: { ...scope.commands, env: [] } }
  const what = await containmentOf(line, plain, approvals, place, own)
  if (what === undefined) return undefined
  const decisions: ApprovalDecision[] = []
  const keep: Containment['keep'] = async (end, changed) => {
    const tried = summarizeTry(end, changed)
    const answer = await ask({ ...request, about: 'tried', canTry: false, tried })
    const decision = await askNetwork(asking, request, ask, answer)
    decisions.push(decision)
    const again =
      decision.network !== 'no' ||
      tried.exitCode === null ||
      (tried.exitCode !== 0 && approvals.widthOf(line) === 'wide')
    const kept = (answer === 'once' || answer === 'always') && !again
    if (kept && end.output !== '') scope.onOutput?.(Buffer.from(end.output))
    return kept
  }
  let kept = false
  const done = await runContained({ ...what, keep: async (...given) => (kept = await keep(...given)) }, place, {
    ...own,
    onOutput: undefined,
  })
  const [decision] = decisions
  // It could not be tried: the question is the same as before.
  if (decision === undefined) return askNetwork(asking, request, ask, await ask({ ...request, canTry: false }))
  return kept ? { ...decision, done } : decision
}

/** A project that is not where clada was started has to be named in the question. */
function rootIfElsewhere(root: string): string | undefined {
  const cwd = process.cwd()
  if (root === cwd) return undefined
  const around = projectAround(cwd)
  return around?.root === root && around.refused === undefined ? undefined : root
}

function programOutcome(done: Contained, facts: FailureFacts): Outcome<RunData> {
  if (!done.ok) return fail(done.problem)
  const { output, exitCode } = done.end
  const data = {
    output,
    exit_code: exitCode === null ? undefined : exitCode,
    changed: unlessEmpty(done.changed),
    not_kept: unlessEmpty(done.notKept),
  }
  if (done.refused !== undefined)
    return { ...fail({ kind: 'git', ...done.refused }, data), warnings: unlessEmpty(done.warnings) }
  if (done.end.ended === 'itself' && exitCode === 0) return ok(data, done.warnings)
  return { ...fail(programProblem(done.end, facts), data), warnings: unlessEmpty(done.warnings) }
}

/** The time limit that held, the approval by which it can be raised, and what a program that failed may have missed. */
type FailureFacts = Omit<Problem & { kind: 'command-late' }, 'kind'> &
  Pick<Problem & { kind: 'command-failed' }, 'withheld'>

export function programProblem(
  { ended, exitCode, signal, stopped }: Pick<ProcessEnd, 'ended' | 'exitCode' | 'signal' | 'stopped'>,
  { withheld, ...late }: FailureFacts,
): Problem {
  if (ended === 'timeout') return { kind: 'command-late', ...late }
  if (stopped !== undefined) return { kind: 'command-failed', how: { stopped } }
  if (ended === 'too-many-processes') return { kind: 'command-failed', how: { crowd: true } }
  if (ended === 'too-much-written') return { kind: 'command-failed', how: { wrote: 'too much' } }
  const how = exitCode === null ? { signal: signal ?? 'unknown' } : { exit: exitCode }
  return { kind: 'command-failed', how, offline: late.offline, withheld }
}

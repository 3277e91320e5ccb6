import { isUnset } from '@clada/reply/core/optional.ts'
import { ActionRunner, problemOfError, setOutcome, stoppedProblem } from './action-runner.ts'
import { ok, type Outcome, type HistoryCommands } from '../core/action.ts'
import {
  type Block,
  type BlockGroup,
  type Document,
  isEditMissing,
  type SkippedBlock,
} from '@clada/reply/core/block.ts'
import { now, stopCause, TotalTimeoutError } from '../core/time-limit.ts'
import type { ApprovalRequest } from '../core/commands.ts'
import type { HunkVerdict, Problem } from '../core/problem.ts'
import type { Code } from '@clada/reply/core/codes.ts'
import {
  type ActionResult,
  type Details,
  type ExecutionResult,
  isLeftOut,
  type ParseError,
  type ReviewNote,
} from '../core/result.ts'
import type { ReviewedBlock } from '../core/review.ts'
import type { Confirm, LandingDecision, RunOptions, ChangesVerdict } from './options.ts'
import type { Proposals } from './proposals.ts'
import { type ReadyTask, syntaxError, type Task, Tasks } from './tasks.ts'
import { explain, noteWarnings } from '../report/explain.ts'
import { userText } from '../report/failure.ts'
import type { Files, WriteNote } from '../core/files.ts'
import { asSkippedBlock } from '@clada/reply/syntax/skipped-blocks.ts'
import { syntaxOf } from '@clada/reply/syntax/table.ts'
import { evidenceOf, SyntaxCheck } from './evidence.ts'
import { findFilesEndingIn, findOtherCase } from './similar-paths.ts'
import { ExecutionResults } from './execution-results.ts'
import { ReportQueue } from './report-queue.ts'
import type { Change, Landing, OpenWorkspace, Scope } from '../workspace/open.ts'
import { concurrentWrites, writeConcurrently } from '../workspace/replacement.ts'
import { localTime } from '../core/local-time.ts'
import { withSlashes } from '../core/paths.ts'
import { messageOf } from '../core/errors.ts'

/** What other parts of the engine do for an execution. */
export interface ExecutionParts {
  /** Undo, back, forward and squash, for actions that only the user may call. */
  readonly steps: () => Promise<HistoryCommands>
  /** Receives the changes of files before an action is reported. Without it no changes are kept. */
  readonly onChanges?: ((result: ActionResult, changes: readonly Change[]) => void) | undefined
  /** Called before blocks run; false when they must not. */
  readonly admit?: ((blocks: readonly Block[]) => Promise<boolean>) | undefined
  /** Records each action as it begins and ends. */
  readonly log?: ActionLog | undefined
  /** The earlier run of a block that need not run again. Called for every block, in order. */
  readonly findDone?: ((task: ReadyTask) => Promise<AlreadyDone | undefined>) | undefined
}

type AlreadyDone = NonNullable<Details['already_done']>

export interface ActionLog {
  begin(seq: number, raw: string, explanation?: string): void
  end(result: ActionResult): Promise<void> | undefined
}

/**
 * Runs blocks in order and keeps their results. Files of different actions may be written concurrently, as long as no
 * action reads them; results are reported in order anyway.
 */
export class Execution {
  readonly #options: RunOptions
  readonly #parts: ExecutionParts
  readonly #workspace: OpenWorkspace
  readonly #tasks: Tasks
  readonly #runner: ActionRunner
  readonly #begun = now()
  readonly #results = new ExecutionResults()
  readonly #reports = new ReportQueue((error) => this.fail(`onAction failed: ${messageOf(error)}`, 'internal_error'))
  readonly #changes = new Map<ActionResult, readonly Change[]>()
  /** Those that were rolled back with others. */
  readonly #refused = new Set<ActionResult>()
  #proposals: Proposals | undefined
  readonly #reviewed: ReviewedBlock[] = []
  /** One for each action whose files are still being written, oldest first. */
  readonly #writing: { readonly ended: Promise<void>; readonly bytes: number }[] = []
  readonly #syntax: SyntaxCheck | undefined
  /** Files of which an action said itself that their syntax is broken now. */
  readonly #saidBroken = new Set<string>()
  /** In a preview: the first program that was not run. */
  #notRun: string | undefined

  constructor(options: RunOptions, workspace: OpenWorkspace, parts: ExecutionParts) {
    this.#options = options
    this.#workspace = workspace
    this.#parts = parts
    if (options.effect === 'together') this.#reports.hold()
    const { ask, syntaxCheck = 'off' } = options.options
    if (syntaxCheck !== 'off')
      this.#syntax = new SyntaxCheck(options.settings.root, syntaxCheck === 'auto' ? 'short' : 'lasting')
    // Every earlier action is reported before the user is asked.
    const asked = ask && ((request: ApprovalRequest) => this.#reports.flush().then(() => ask(request)))
    this.#runner = new ActionRunner(options, workspace, { ask: asked, steps: parts.steps })
    this.#tasks = new Tasks(options, {
      isThere: (absolute) => workspace.isThere(absolute),
      canStage: () => this.#runner.canStage(),
      filesEndingIn: (end) => this.#withFiles((files) => findFilesEndingIn(files, options.settings.root, end)),
      otherCaseOf: (name) => this.#withFiles((files) => findOtherCase(files, options.settings.root, name)),
    })
  }

  async runBlocks(blocks: readonly Block[]): Promise<void> {
    if (this.#parts.admit !== undefined && !(await this.#parts.admit(blocks))) return
    if (blocks.length > concurrentWrites) writeConcurrently()
    this.#runner.expectCopies(blocks)
    const later: ReadyTask[] = []
    const lastEdits = lastEditsOf(blocks)
    for (let at = 0; at < blocks.length;) {
      const first = blocks[at]
      if (first === undefined) break
      const { group } = first
      if (this.#tasks.isExample(first)) {
        this.#tasks.leaveOut(first)
        this.#noteUnexecuted(asSkippedBlock(first, syntaxOf(first.syntax).title, 'example'))
        at++
        continue
      }
      if (group === undefined) {
        at++
        const [task] = await this.#tasks.prepare([first])
        if (task?.ready && task.block.proposed) {
          // "`a.ts` now looks like": what it shows is there when the edit below it has run.
          if ((lastEdits.get(first.params['path']) ?? -1) >= at) later.push(task)
          else await this.#propose(task)
        } else if (task !== undefined) await this.#performAlone(task)
        continue
      }
      let end = at
      while (blocks[end]?.group === group) end++
      await this.#performGroup(group, await this.#tasks.prepare(blocks.slice(at, end)))
      at = end
    }
    for (const task of later) await this.#propose(task)
  }

  async #withFiles<T>(look: (files: Files) => Promise<T>): Promise<T> {
    const files = this.#workspace.filesFor(() => {})
    try {
      return await look(files)
    } finally {
      files.close()
    }
  }

  async #performAlone(task: Task): Promise<void> {
    if (this.#selectTasks([task]).length === 0) return
    if (task.ready) await this.#performReviewed(task, this.#workspace)
    else this.#noteUnreadable(task.errors)
  }

  /** Everything of a document that is not a block to run. */
  note({ diagnostics, warnings, notExecuted, emptyGroups = [] }: Document): void {
    for (const diagnostic of diagnostics)
      this.#noteUnreadable([
        { ...syntaxError(undefined, diagnostic), ...this.#tasks.corrections.ofDiagnostic(diagnostic) },
      ])
    this.#results.warn(...warnings)
    this.#results.addEmptyGroups(emptyGroups)
    for (const one of notExecuted) this.#noteUnexecuted(one)
  }

  #noteUnexecuted({ block: _block, ...one }: SkippedBlock): void {
    this.#results.notExecuted.push(one)
    this.#reports.tell(() => this.#options.request.onNotExecuted?.(one))
  }

  #noteUnreadable(errors: readonly ParseError[]): void {
    this.#results.parseErrors.push(...errors)
    this.#reports.tell(() => this.#options.request.onUnreadable?.(errors))
  }

  /** Stops the run. Finished actions keep their results. */
  fail(message: string, code: Code, skipReason?: string): void {
    this.#results.setFatal(message, code, skipReason)
  }

  addHookErrors(side: 'before' | 'after', errors: readonly string[]): void {
    this.#results.addHookErrors(side, errors)
  }

  warn(...warnings: readonly string[]): void {
    this.#results.warn(...warnings)
  }

  /** The history has recorded the execution. */
  setCommit(commit: string | undefined, warnings: readonly string[]): void {
    if (commit !== undefined) this.#results.setCommit(commit)
    this.#results.warn(...warnings)
  }

  /** Waits until all files are written and all results are reported. */
  allReported(): Promise<void> {
    return this.#reports.flush()
  }

  /** Writes a staged document to the disk, or marks all of its actions as failed. */
  async landTogether(): Promise<void> {
    await this.#landOrRefuse()
    this.#reports.release()
  }

  async #landOrRefuse(): Promise<void> {
    const { actions, isIncomplete } = this.#results
    const failed = actions.find((result) => !result.success && !isLeftOut(result))
    const whole = 'and the document is atomic'
    if (failed !== undefined) return this.#refuse(actions, stoppedProblem(`action ${failed.seq} failed, ${whole}`))
    if (isIncomplete) return this.#refuse(actions, stoppedProblem(`a block could not be read, ${whole}`))
    try {
      this.#results.warnOfWrites(await this.#workspace.landTogether())
      await this.#landWorkingSet()
    } catch (error) {
      this.#giveUp(problemOfError(error))
      this.#refuse(actions, problemOfError(error))
    }
  }

  /** About files whose syntax was right before the run. An action that said so itself need not be repeated. */
  async checkSyntax(): Promise<void> {
    for (const { file, message } of (await this.#syntax?.warnings()) ?? [])
      if (!this.#saidBroken.has(file)) this.#results.warn(message)
  }

  result(): ExecutionResult {
    const { settings, options } = this.#options
    return this.#results.whole(withSlashes(settings.root), this.#proposals?.list, options.syntaxes?.[0])
  }

  /** With `show`: what each action changed, by its number. */
  changes(): ReadonlyMap<number, readonly Change[]> {
    return new Map([...this.#changes].map(([{ seq }, changes]) => [seq, changes]))
  }

  /** With `show` and a review: every action with its hunks. */
  reviewed(): readonly ReviewedBlock[] {
    return this.#reviewed
  }

  #selectTasks(tasks: readonly Task[]): readonly Task[] {
    const { only } = this.#options.request
    const chosen = only === undefined ? tasks : tasks.filter(({ number }) => only.includes(number))
    this.#results.blocks += chosen.length
    return chosen
  }

  /** The first failure skips the rest. The whole group must be valid, also where only some of its tasks are selected. */
  async #performGroup(group: BlockGroup, tasks: readonly Task[]): Promise<void> {
    const chosen = this.#selectTasks(tasks)
    if (chosen.length === 0) return
    const invalid = tasks.find((task) => !task.ready)
    const allOrNothing = group.atomic || tasks.some(({ block }) => syntaxOf(block.syntax).groups?.checked === 'whole')
    const scope = group.atomic ? await this.#workspace.group() : this.#workspace
    if (group.atomic && this.#options.effect !== 'together') this.#reports.hold()
    const done: ActionResult[] = []
    if (invalid !== undefined) this.#correctGroup(group, allOrNothing ? tasks : tasks.slice(tasks.indexOf(invalid)))
    let reason = invalid !== undefined && allOrNothing ? `task ${invalid.number} of its group is invalid` : undefined
    for (const task of chosen) {
      if (!task.ready) {
        this.#noteUnreadable(task.errors)
        reason ??= `task ${task.number} of its group is invalid`
      } else if (reason !== undefined) this.#skip(task, stoppedProblem(reason))
      else {
        const result = await this.#performReviewed(task, scope)
        // The next task may depend on the files of this one.
        await this.#reports.flush()
        done.push(result)
        if (!result.success && !isLeftOut(result)) reason = `task ${task.number} of its group failed`
      }
    }
    if (!('land' in scope)) return
    if (reason !== undefined) this.#refuse(done, stoppedProblem(`${reason}, and the group is atomic`))
    else {
      try {
        this.#results.warnOfWrites(await scope.land())
      } catch (error) {
        this.#giveUp(problemOfError(error))
        this.#refuse(done, problemOfError(error))
      }
    }
    // The last task may have been skipped.
    await this.#reports.flush()
    if (this.#options.effect !== 'together') this.#reports.release()
  }

  /** What has to be sent again of a group is one text; one member that cannot be corrected leaves none. */
  #correctGroup(group: BlockGroup, tasks: readonly Task[]): void {
    const [first] = tasks.flatMap((task) => (task.ready ? [] : task.errors))
    const texts = tasks.map((task) => (task.ready ? task.block.raw : task.errors[0]?.corrected))
    const meant = tasks.flatMap((task) => (task.ready ? [task.block.action] : (task.errors[0]?.meant ?? [])))
    for (const task of tasks) if (!task.ready) for (const error of task.errors) delete error.corrected
    const known = texts.filter((text) => text !== undefined)
    const syntax = tasks[0]?.block.syntax
    if (first === undefined || syntax === undefined || known.length < texts.length) return
    const corrected = this.#tasks.corrections.ofGroup(syntax, group, known)
    if (corrected !== undefined) Object.assign(first, { corrected, meant })
  }

  /** A proposal is staged, shown, and written after a yes. What would read runs; what would start a program is asked first. */
  async #propose(task: ReadyTask): Promise<void> {
    const { effect } = task.decoded.spec
    if (effect === 'read') return this.#performAlone(task)
    const proposals = (this.#proposals ??= await this.#openProposals())
    const { task: meant, reason, nearest } = await proposals.resolve(task, this.#workspace)
    const unmeant = reason ?? (effect !== 'exec' && (await this.#isApplied(meant)) ? 'listing' : undefined)
    if (unmeant !== undefined) {
      const skipped = asSkippedBlock(task.block, syntaxOf(task.block.syntax).title, unmeant)
      this.#noteUnexecuted(nearest === undefined ? skipped : { ...skipped, nearest })
      return
    }
    if (this.#selectTasks([task]).length === 0) return
    if (effect === 'exec') return this.#proposeCommand(meant, proposals)
    const confirm = (changes: readonly Change[]): Promise<LandingDecision> => proposals.decide(meant, changes)
    if (this.#options.request.review !== undefined) {
      await this.#review(meant, this.#workspace, confirm)
      return
    }
    const scope = await this.#workspace.group()
    await this.#perform(meant, scope, {
      decide: async (changes) => {
        const decision = await confirm(changes)
        if (decision.problem !== undefined) return { changes: [], ...decision }
        try {
          this.#results.warnOfWrites(await scope.land())
          return { changes, ...decision }
        } catch (error) {
          return { changes: [], problem: problemOfError(error) }
        }
      },
    })
  }

  async #proposeCommand(task: ReadyTask, proposals: Proposals): Promise<void> {
    const problem = await proposals.decideCommand(task)
    if (problem === undefined) await this.#performReviewed(task, this.#workspace)
    else this.#skip(task, problem)
  }

  /** Whether a proposed edit shows what the file holds already, so that there is nothing to decide. */
  async #isApplied(task: ReadyTask): Promise<boolean> {
    if (this.#runner.refusal(task) !== undefined) return false
    const scope = await this.#workspace.group()
    const changes = scope.noting()
    const outcome = await this.#runner.tryOut(task, scope)
    return outcome.ok ? changes().length === 0 : isAppliedAlready(outcome.problem)
  }

  /** Few replies propose files, so this is loaded when one does. */
  async #openProposals(): Promise<Proposals> {
    const { Proposals } = await import('./proposals.ts')
    return new Proposals(this.#options, () => this.#reports.flush())
  }

  /** Runs an action as the user has decided in a review. Without a decision it is applied as it is. */
  #performReviewed(task: ReadyTask, scope: Scope): Promise<ActionResult> {
    return this.#options.request.review === undefined ? this.#perform(task, scope) : this.#review(task, scope)
  }

  async #review(task: ReadyTask, scope: Scope, confirm?: Confirm): Promise<ActionResult> {
    const { TaskReview } = await import('./task-review.ts')
    const onNotes = (notes: readonly WriteNote[]): void => this.#results.warnOfWrites(notes)
    const review = new TaskReview(task, this.#options, scope, { onNotes, confirm })
    const result =
      review.skipped === undefined
        ? await this.#perform(task, await review.scope(), review)
        : this.#skip(task, review.skipped, review.note)
    if (this.#options.effect === 'show') this.#reviewed.push(review.block(result, this.#changes.get(result) ?? []))
    return result
  }

  async #perform(task: ReadyTask, scope: Scope, review?: ActionReview): Promise<ActionResult> {
    const result = this.#begin(task)
    const begun = now()
    const writes: Landing[] = []
    const done = this.#parts.findDone && (await this.#parts.findDone(task))
    if (done !== undefined) result.details = { already_done: done }
    const decide = done === undefined ? review?.decide : undefined
    const changesSince = this.#needsChanges() || decide !== undefined ? scope.noting() : undefined
    const tried =
      done === undefined
        ? await this.#outcome(task, scope, (write) => writes.push(write))
        : ok(undefined, [alreadyWarning(done)])
    if (!tried.ok) await review?.failed?.(tried.problem, scope)
    else if (tried.brokenSyntax !== undefined) this.#saidBroken.add(tried.brokenSyntax)
    const unknown = this.#unknownOutcome(tried, task)
    const made = decide && changesSince?.()
    // An action that fails may have done a part of its work.
    const verdict = made !== undefined && (tried.ok || made.length > 0) ? await decide?.(made) : undefined
    const outcome: Outcome =
      verdict?.problem === undefined
        ? (unknown ?? markReviewed(tried, verdict?.note))
        : { ok: false, problem: verdict.problem }
    const note = { ...review?.note, ...verdict?.note }
    if (!isUnset(note)) result.review = note
    if (!outcome.ok) this.#giveUp(outcome.problem)
    const said = verdict?.warnings ?? []
    setOutcome(result, outcome, [...(task.block.warnings ?? []), ...task.decoded.warnings, ...said])
    if (unknown !== undefined && outcome === unknown) result.unknown = unknown.error
    if (!outcome.ok && 'resend' in outcome.problem && outcome.problem.resend !== undefined) {
      const corrected = this.#tasks.corrections.ofEdit(task, outcome.problem.resend)
      if (corrected !== undefined) result.details = { ...result.details, corrected }
    }

    const written = this.#finishWrites(result, writes, begun)
    // A stage reports all changes since the start, so it is read before the next action begins.
    const staged = changesSince && scope.staged ? written.then(() => verdict?.changes ?? changesSince()) : undefined
    this.#reports.add(async () => {
      await written
      const changes = staged === undefined ? changesSince?.() : await staged
      return () => this.#report(result, changes)
    })
    if (staged !== undefined) {
      const changes = await staged
      if (this.#options.effect === 'show') this.#changes.set(result, changes)
    }
    if (writes.length === 0) return result
    this.#writing.push({ ended: written, bytes: writes.reduce((sum, { bytes }) => sum + bytes, 0) })
    await this.#waitForRoom()
    return result
  }

  /** The more files are written at the same time, the fewer syncs they need. */
  async #waitForRoom(): Promise<void> {
    let bytes = this.#writing.reduce((sum, one) => sum + one.bytes, 0)
    while (this.#writing.length >= mostWriting || bytes > mostBytesWriting) {
      const oldest = this.#writing.shift()
      bytes -= oldest?.bytes ?? 0
      await oldest?.ended
    }
  }

  /** In a preview: the outcome of an action that fails on files which a program that was not run may change. */
  #unknownOutcome(tried: Outcome, { decoded }: ReadyTask): (Outcome & { readonly error: string }) | undefined {
    if (this.#options.effect !== 'show') return undefined
    const before = this.#notRun
    if (tried.ok) this.#notRun ??= tried.notRun
    else if (tried.problem.kind === 'approval-needed') this.#notRun ??= tried.problem.command
    if (tried.ok || before === undefined || !dependsOnFiles(tried.problem)) return undefined
    const { error } = explain(tried.problem, decoded.spelled)
    return { ...ok(undefined, [`unknown: it depends on '${before}', which is not run in a preview`]), error }
  }

  #needsChanges(): boolean {
    const { effect, options } = this.#options
    const { evidence = 'none' } = options
    return effect === 'show' || this.#parts.onChanges !== undefined || evidence !== 'none' || this.#syntax !== undefined
  }

  #begin({ block, number, decoded }: ReadyTask): ActionResult {
    const result: ActionResult = {
      seq: this.#results.actions.length + 1,
      blockId: syntaxOf(block.syntax).ids === 'written' ? block.id : number,
      action: decoded.spelled,
      params: decoded.params,
      success: false,
      task: number,
      syntax: block.syntax,
      line: block.startLine,
      label: block.label,
      group: block.group?.line,
      explanation: block.explanation,
    }
    this.#results.actions.push(result)
    this.#parts.log?.begin(result.seq, block.raw, block.explanation)
    return result
  }

  #skip(task: ReadyTask, problem: Problem, review?: ReviewNote): ActionResult {
    const result = this.#begin(task)
    if (review !== undefined) result.review = review
    setOutcome(result, { ok: false, problem }, [])
    this.#reports.add(async () => () => this.#report(result))
    return result
  }

  async #outcome(task: ReadyTask, scope: Scope, onWrite: (write: Landing) => void): Promise<Outcome> {
    // Nothing that a program writes comes before the results of earlier tasks.
    if (task.decoded.spec.effect === 'exec') await this.#reports.flush()
    const problem = this.#findStop() ?? this.#findMissingEdit(task) ?? this.#runner.refusal(task)
    if (problem !== undefined) return { ok: false, problem }
    this.#results.executed++
    return this.#runner.run(task, scope, { onWrite, atomic: this.#reports.isHeld })
  }

  /** The reason to skip all further actions. */
  #findStop(): Problem | undefined {
    const { signal, timeLimit } = this.#options.request
    if (signal?.aborted) return stoppedProblem(stopCause(signal).reason)
    if (timeLimit !== undefined && now() - this.#begun > timeLimit)
      return stoppedProblem(new TotalTimeoutError(timeLimit).message)
    const { skipReason } = this.#results
    return skipReason === undefined ? undefined : stoppedProblem(skipReason)
  }

  /** A command that comes after an edit which is missing, or still waits for a yes, would run on the wrong files. */
  #findMissingEdit({ block, decoded }: ReadyTask): Problem | undefined {
    if (decoded.spec.effect !== 'exec') return undefined
    const edit = this.#results.notExecuted.find((one) => isEditMissing(one) && one.line < block.startLine)
    if (edit !== undefined) return { kind: 'edit-missing', edit }
    const waiting = this.#proposals?.waiting.find(({ line }) => line < block.startLine)
    return waiting && { kind: 'proposal-waits', path: waiting.path, line: waiting.line }
  }

  /** The files are already written, so a failure is only a warning. */
  async #landWorkingSet(): Promise<void> {
    try {
      await this.#runner.landWorkingSet()
    } catch (error) {
      this.#results.warn(`the working set was not changed: ${explain(problemOfError(error), 'clada').error}`)
    }
  }

  #report(result: ActionResult, made: readonly Change[] = []): void {
    const { options, settings } = this.#options
    const { evidence = 'none' } = options
    const changes = this.#refused.has(result) ? [] : made
    this.#syntax?.addChanges(changes)
    // The output of a program names the files that it changed.
    const isProgram = settings.registry.get(result.action)?.effect === 'exec'
    if (changes.length > 0 && evidence !== 'none' && result.success && !isProgram)
      result.changes = evidenceOf(changes, settings.root, evidence)
    if (changes.length > 0) this.#parts.onChanges?.(result, changes)
    this.#options.request.onAction?.(result)
  }

  /** An action succeeds only when its files are written. */
  async #finishWrites(result: ActionResult, writes: readonly Landing[], begun: number): Promise<void> {
    for (const write of writes) {
      try {
        const note = await write.written
        if (!isUnset(note)) result.warnings = [...(result.warnings ?? []), ...noteWarnings(note)]
      } catch (error) {
        if (!write.reported) setOutcome(result, { ok: false, problem: problemOfError(error) }, [])
      }
    }
    const logged = this.#parts.log?.end(result)
    if (logged !== undefined) await logged
    result.durationMs = Math.round((now() - begun) * 1000) / 1000
  }

  /** Without the lock or git no action can write, so the rest is skipped. */
  #giveUp(problem: Problem): void {
    if (problem.kind !== 'locked' && problem.kind !== 'git') return
    const { error, code, failure } = explain(problem, 'clada')
    this.fail(error, code, userText({ failure }))
  }

  #refuse(results: readonly ActionResult[], problem: Problem): void {
    for (const result of results) {
      if (result.success) setOutcome(result, { ok: false, problem }, result.warnings ?? [])
      this.#changes.delete(result)
      this.#refused.add(result)
      delete result.changes
    }
  }
}

/** Looks at an action between its run and its result. */
interface ActionReview {
  /** Lands the staged changes of an action, or a part of them, or returns the reason why not. */
  readonly decide?: ((changes: readonly Change[]) => Promise<ChangesVerdict>) | undefined
  /** Called when an action fails, with the files as they are. */
  failed?(problem: Problem, scope: Scope): Promise<void>
  readonly note?: ReviewNote | undefined
}

/** Whether other files would make a difference. */
const dependsOnFiles = ({ kind }: Problem): boolean => fileProblems.has(kind)

const fileProblems: ReadonlySet<Problem['kind']> = new Set([
  'os',
  'source-missing',
  'not-regular',
  'not-cells',
  'not-text',
  'too-large',
  'changed-meanwhile',
  'hash-differs',
  'text-absent',
  'already-applied',
  'text-ambiguous',
  'count-differs',
  'hunk-failed',
  'elision',
  'lines-outside',
  'lines-differ',
  'files-failed',
  'structure',
  'search-failed',
  'cwd-missing',
] satisfies Problem['kind'][])

/** Where the last block is that runs at once on a file, by the path as it was written. */
const lastEditsOf = (blocks: readonly Block[]): ReadonlyMap<unknown, number> =>
  new Map(
    blocks.flatMap(({ proposed, params: { path } }, at) =>
      proposed || path === undefined ? [] : [[path, at] as const],
    ),
  )

/** Whether the text that an edit would write is there already. */
const isAppliedAlready = (problem: Problem): boolean =>
  problem.kind === 'already-applied' ||
  (problem.kind === 'hunk-failed' && problem.verdicts.every(({ verdict }) => verdict === 'already-applied'))

/** Of the hunks that fit beside one that does not, the user may have left out some. */
function markReviewed(outcome: Outcome, note: ReviewNote | undefined): Outcome {
  if (outcome.ok || outcome.problem.kind !== 'hunk-failed' || note?.hunks === undefined) return outcome
  const verdicts = outcome.problem.verdicts.map((one): HunkVerdict =>
    one.verdict === 'applied' ? { ...one, verdict: 'reviewed' } : one,
  )
  return { ...outcome, problem: { ...outcome.problem, verdicts } }
}

/** Some take their names while others are synced. Each has two open files. */
const mostWriting = 4 * concurrentWrites
const mostBytesWriting = 32 * 1024 ** 2

const alreadyWarning = ({ execution, action, time }: AlreadyDone): string =>
  `already applied by action ${action} of execution ${execution} (${localTime(time)}), so it was skipped`

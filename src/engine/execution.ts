import { ActionRunner, type ActionRunnerOptions } from './action-runner.ts'
import type { Registry } from '../actions/registry.ts'
import { ok, type Outcome } from '../core/action.ts'
import type { Block, BlockGroup, Fault } from '../core/block.ts'
import { now } from '../core/clock.ts'
import type { ApprovalRequest } from '../core/commands.ts'
import type { Problem } from '../core/problem.ts'
import type { ActionResult, Code, Details, ExecutionResult, ParseError } from '../core/result.ts'
import { stopReason } from '../core/stop-reason.ts'
import { syntaxError } from './parse-error.ts'
import { explain } from '../report/explain.ts'
import { syntaxOf } from '../syntax/table.ts'
import { problemOf, settle, stopped } from './settle.ts'
import { type ReadyTask, type Task, Tasks } from './tasks.ts'
import type { Change, Landing, OpenWorkspace, Scope } from '../workspace/open.ts'

export interface ExecutionOptions extends ActionRunnerOptions {
  readonly registry: Registry
  readonly onAction?: ((result: ActionResult) => void) | undefined
  /** Hears what an action did to files, before `onAction` tells of it. Nothing is kept for it where it is not given. */
  readonly onChanges?: ((result: ActionResult, changes: readonly Change[]) => void) | undefined
  /** Milliseconds for the whole. The clock is asked before each action: a timer may come late while much is done. */
  readonly timeLimit?: number | undefined
  /** Asked before blocks are carried out; false when they must not be. */
  readonly admit?: ((blocks: readonly Block[]) => Promise<boolean>) | undefined
  /** Only these blocks, by their task numbers. */
  readonly only?: ReadonlySet<string> | undefined
  /** Told of each action as it begins and as it is over. */
  readonly log?: ActionLog | undefined
  /** Whether a block need not be carried out, because it was. Asked of every block, in order. */
  readonly done?: ((block: string) => Promise<AlreadyDone | undefined>) | undefined
}

type AlreadyDone = NonNullable<Details['already_done']>

export interface ActionLog {
  act(seq: number, raw: string, explanation?: string): void
  acted(result: ActionResult): Promise<void> | void
}

/**
 * Carries out blocks in order and keeps what came of them. Files of different actions may land side by side, as
 * long as nobody looks at them; results are told in order all the same.
 */
export class Execution {
  readonly #options: ExecutionOptions
  readonly #workspace: OpenWorkspace
  readonly #tasks: Tasks
  readonly #runner: ActionRunner
  readonly #begun = now()
  readonly #results: ActionResult[] = []
  readonly #changes = new Map<ActionResult, Change[]>()
  readonly #parseErrors: ParseError[] = []
  readonly #warnings: string[] = []
  /** One for each action whose files are on their way, oldest first. */
  readonly #landing: Promise<void>[] = []
  #reported: Promise<void> = Promise.resolve()
  #blocks = 0
  #executed = 0
  #commit: { gitCommit?: string } = {}
  #fatal: { fatalError?: string; fatalCode?: Code } = {}
  #hookErrors: Pick<ExecutionResult, 'hookErrors'> = {}

  constructor(options: ExecutionOptions, workspace: OpenWorkspace) {
    this.#options = options
    this.#workspace = workspace
    const { settings, registry, effect, ask } = options
    // Whoever is asked has been told of everything before.
    const asked = ask && ((request: ApprovalRequest) => this.#reported.then(() => ask(request)))
    this.#runner = new ActionRunner({ ...options, ask: asked }, workspace)
    this.#tasks = new Tasks({ settings, registry, effect, isThere: (absolute) => workspace.isThere(absolute) })
  }

  async carryOut(blocks: readonly Block[]): Promise<void> {
    if (this.#options.admit !== undefined && !(await this.#options.admit(blocks))) return
    for (let at = 0; at < blocks.length;) {
      const first = blocks[at]
      if (first === undefined) break
      const { group } = first
      if (group === undefined) {
        const [task] = this.#chosen(this.#tasks.prepare([first]))
        if (task?.ready) await this.#perform(task, this.#workspace)
        else if (task !== undefined) this.#parseErrors.push(...task.errors)
        at++
        continue
      }
      let end = at
      while (blocks[end]?.group === group) end++
      await this.#performGroup(group, this.#tasks.prepare(blocks.slice(at, end)))
      at = end
    }
  }

  /** Faults that cost no block. */
  note(faults: readonly Fault[], warnings: readonly string[]): void {
    for (const fault of faults) this.#parseErrors.push(syntaxError(undefined, fault))
    this.#warnings.push(...warnings)
  }

  /** The run as a whole cannot go on. What was done stays done. */
  fail(message: string, code: Code): void {
    this.#fatal = { fatalError: message, fatalCode: code }
  }

  /** What hooks that failed have to say. */
  hooksFailed(side: 'before' | 'after', errors: readonly string[]): void {
    if (errors.length > 0) this.#hookErrors = { hookErrors: { ...this.#hookErrors.hookErrors, [side]: [...errors] } }
  }

  warn(...warnings: readonly string[]): void {
    this.#warnings.push(...warnings)
  }

  /** The execution is written down. */
  saved(commit: string | undefined, warnings: readonly string[]): void {
    if (commit !== undefined) this.#commit = { gitCommit: commit }
    this.#warnings.push(...warnings)
  }

  /** Waits until everything is on the disk and told. */
  settled(): Promise<void> {
    return this.#reported
  }

  /** Brings a staged document to the disk, or says why nothing of it counts. */
  async landTogether(): Promise<void> {
    const failed = this.#results.find((result) => !result.success)
    const whole = 'and the document is carried out whole or not at all'
    if (failed !== undefined) return this.#refuse(this.#results, stopped(`action ${failed.seq} failed, ${whole}`))
    if (this.#parseErrors.length > 0) return this.#refuse(this.#results, stopped(`a block could not be read, ${whole}`))
    try {
      for (const saved of await this.#workspace.landTogether()) this.#warnings.push(displacedWarning(saved))
      await this.#landWorkingSet()
    } catch (error) {
      this.#giveUp(problemOf(error))
      this.#refuse(this.#results, problemOf(error))
    }
  }

  result(): ExecutionResult {
    const parseErrors = this.#parseErrors.sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
    return {
      success:
        this.#fatal.fatalError === undefined &&
        parseErrors.length === 0 &&
        this.#results.every((result) => result.success),
      totalBlocks: this.#blocks,
      executedActions: this.#executed,
      results: this.#results,
      parseErrors,
      ...this.#commit,
      ...this.#fatal,
      ...this.#hookErrors,
      ...(this.#warnings.length > 0 ? { warnings: this.#warnings } : {}),
    }
  }

  /** With `show`: what each action changed, by its number. */
  changes(): ReadonlyMap<number, readonly Change[]> {
    return new Map([...this.#changes].map(([{ seq }, changes]) => [seq, changes]))
  }

  #chosen(tasks: readonly Task[]): readonly Task[] {
    const { only } = this.#options
    const chosen = only === undefined ? tasks : tasks.filter(({ number }) => only.has(number))
    this.#blocks += chosen.length
    return chosen
  }

  /** The first failure skips the rest. Whether a group is sound is asked of all of it, also where only a part is chosen. */
  async #performGroup(group: BlockGroup, tasks: readonly Task[]): Promise<void> {
    const chosen = this.#chosen(tasks)
    if (chosen.length === 0) return
    const invalid = tasks.find((task) => !task.ready)
    const allOrNothing = group.atomic || tasks.some(({ block }) => syntaxOf(block.syntax).groups?.checked === 'whole')
    const scope = group.atomic ? await this.#workspace.group() : this.#workspace
    const done: ActionResult[] = []
    let reason =
      invalid !== undefined && allOrNothing ? `task ${invalid.number} of its group cannot be carried out` : undefined
    for (const task of chosen) {
      if (!task.ready) {
        this.#parseErrors.push(...task.errors)
        reason ??= `task ${task.number} of its group cannot be carried out`
      } else if (reason !== undefined) this.#skip(task, reason)
      else {
        const result = await this.#perform(task, scope)
        // The next task may depend on this one, so it waits until the files have landed.
        await this.#reported
        done.push(result)
        if (!result.success) reason = `task ${task.number} of its group failed`
      }
    }
    if (!('land' in scope)) return
    if (reason !== undefined)
      return this.#refuse(done, stopped(`${reason}, and the group is carried out whole or not at all`))
    try {
      for (const saved of await scope.land()) this.#warnings.push(displacedWarning(saved))
    } catch (error) {
      this.#giveUp(problemOf(error))
      this.#refuse(done, problemOf(error))
    }
  }

  async #perform(task: ReadyTask, scope: Scope): Promise<ActionResult> {
    const result = this.#begin(task)
    const begun = now()
    const landings: Landing[] = []
    const done = this.#options.done && (await this.#options.done(task.block.raw))
    if (done !== undefined) result.details = { already_done: done }
    const changesSince = this.#notes() ? scope.noting() : undefined
    const outcome =
      done === undefined
        ? await this.#outcome(task, scope, (landing) => landings.push(landing))
        : ok(undefined, [alreadyWarning(done)])
    if (!outcome.ok) this.#giveUp(outcome.problem)
    settle(result, outcome, [...(task.block.warnings ?? []), ...task.decoded.warnings])

    const landed = this.#landed(result, landings).then(async () => {
      await this.#options.log?.acted(result)
      result.durationMs = Math.round((now() - begun) * 1000) / 1000
    })
    // A stage tells everything since, so it is asked before anything else is done there.
    const staged = changesSince && scope.staged ? landed.then(changesSince) : undefined
    const tell =
      changesSince === undefined
        ? () => this.#tell(result)
        : async () => this.#tell(result, await (staged ?? changesSince()))
    // In order, whatever order the files land in.
    this.#reported = this.#reported.then(() => landed).then(tell)
    if (staged !== undefined) {
      const changes = await staged
      if (this.#options.effect === 'show') this.#changes.set(result, changes)
    }
    if (landings.length === 0) return result
    this.#landing.push(landed)
    if (this.#landing.length >= maxLanding) await this.#landing.shift()
    return result
  }

  #notes(): boolean {
    return this.#options.effect === 'show' || this.#options.onChanges !== undefined
  }

  #begin({ block, number, decoded }: ReadyTask): ActionResult {
    const result: ActionResult = {
      seq: this.#results.length + 1,
      blockId: syntaxOf(block.syntax).ids === 'written' ? block.id : number,
      action: decoded.spelled,
      params: decoded.params,
      success: false,
      task: number,
      syntax: block.syntax,
      line: block.startLine,
      ...(block.label === undefined ? {} : { label: block.label }),
      ...(block.group === undefined ? {} : { group: block.group.line }),
      ...(block.explanation === undefined ? {} : { explanation: block.explanation }),
    }
    this.#results.push(result)
    this.#options.log?.act(result.seq, block.raw, block.explanation)
    return result
  }

  #skip(task: ReadyTask, reason: string): void {
    const result = this.#begin(task)
    settle(result, { ok: false, problem: stopped(reason) }, [])
    this.#reported = this.#reported.then(() => this.#tell(result))
  }

  async #outcome(task: ReadyTask, scope: Scope, onWrite: (landing: Landing) => void): Promise<Outcome> {
    const problem = this.#over() ?? this.#runner.refusal(task)
    if (problem !== undefined) return { ok: false, problem }
    this.#executed++
    return this.#runner.run(task, scope, onWrite)
  }

  /** Why nothing more is carried out. */
  #over(): Problem | undefined {
    const { signal, timeLimit } = this.#options
    if (signal?.aborted) return stopped(stopReason(signal))
    if (timeLimit !== undefined && now() - this.#begun > timeLimit)
      return stopped(`the time limit of ${timeLimit / 1000} s is over`)
    const { fatalError } = this.#fatal
    return fatalError === undefined ? undefined : stopped(fatalError)
  }

  /** The files have landed by then, so that a failure is no more than a warning. */
  async #landWorkingSet(): Promise<void> {
    try {
      await this.#runner.landWorkingSet()
    } catch (error) {
      this.#warnings.push(`the working set was not changed: ${explain(problemOf(error), 'clada').error}`)
    }
  }

  /** Whoever listens and throws stops the run, but not what is on its way to the disk. */
  #tell(result: ActionResult, changes: readonly Change[] = []): void {
    try {
      if (changes.length > 0) this.#options.onChanges?.(result, changes)
      this.#options.onAction?.(result)
    } catch (error) {
      this.fail(`onAction failed: ${error instanceof Error ? error.message : String(error)}`, 'internal_error')
    }
  }

  /** An action has succeeded only when its files are on the disk. */
  async #landed(result: ActionResult, landings: readonly Landing[]): Promise<void> {
    const all = await Promise.allSettled(landings.map((landing) => landing.written))
    for (const [index, settled] of all.entries()) {
      if (settled.status === 'rejected' && landings[index]?.told) continue
      if (settled.status === 'rejected') settle(result, { ok: false, problem: problemOf(settled.reason) }, [])
      else if (settled.value.displaced !== undefined) {
        result.warnings = [...(result.warnings ?? []), displacedWarning(settled.value.displaced)]
      }
    }
  }

  /** Where nothing may be written now, nothing else need be tried. */
  #giveUp(problem: Problem): void {
    if (problem.kind !== 'locked' && problem.kind !== 'git') return
    const { error, code } = explain(problem, 'clada')
    this.fail(error, code)
  }

  #refuse(results: readonly ActionResult[], problem: Problem): void {
    for (const result of results) {
      if (result.success) settle(result, { ok: false, problem }, result.warnings ?? [])
      this.#changes.delete(result)
    }
  }
}

/** More files than this on their way at once would only cost memory. */
const maxLanding = 16

const alreadyWarning = ({ execution, action, time }: AlreadyDone): string =>
  `already applied by action ${action} of execution ${execution} (${time}), so it was not carried out again`

const displacedWarning = (saved: string): string =>
  `someone else wrote to this file in the moment it was replaced; their text is saved in ${saved}`

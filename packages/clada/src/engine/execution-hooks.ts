import type { CommandScope } from '../commands/scope.ts'
import type { Block } from '@clada/reply/core/block.ts'
import { pathFrom } from '../core/paths.ts'
import { ProblemError } from '../core/problem.ts'
import { commandSettingsOf } from '../config/settings.ts'
import type { Execution } from './execution.ts'
import type { RunOptions } from './options.ts'
import type { History } from '../history/history.ts'
import { hookFacts, faultIn, type HooksEnd, runHooks } from '../hooks/run-hooks.ts'
import type { Facts } from '../hooks/substitute.ts'
import { explain } from '../report/explain.ts'
import type { OpenWorkspace } from '../workspace/open.ts'

/**
 * Runs the user's hooks before and after an execution: once, and only if an action may change files. They are part of
 * the execution, so undo reverts their changes too.
 */
export class ExecutionHooks {
  readonly #options: RunOptions
  readonly #history: History
  readonly #disk: OpenWorkspace
  #state: 'waiting' | 'begun' | 'refused' = 'waiting'

  constructor(options: RunOptions, history: History, disk: OpenWorkspace) {
    this.#options = options
    this.#history = history
    this.#disk = disk
  }

  /** Before the first block that may change something. */
  async admit(blocks: readonly Block[], execution: Execution): Promise<boolean> {
    if (this.#state !== 'waiting') return this.#state === 'begun'
    if (!blocks.some((block) => this.#mayChange(block))) return true
    const { hooks = {}, vars = {} } = this.#options.options
    const diagnostic = faultIn(hooks, vars, hookFacts(execution.result(), []))
    if (diagnostic !== undefined) {
      this.#state = 'refused'
      execution.fail(`Invalid hooks: ${diagnostic}`, 'invalid_parameter')
      return false
    }
    this.#state = 'begun'
    const end = await this.#run('before', {}, execution)
    if (end === undefined || end.failed) this.#state = 'refused'
    if (end?.failed) {
      const message = ['Before hooks failed - aborting execution', ...end.reports].join('\n')
      execution.fail(message, end.late ? 'exec_timeout' : 'exec_failed')
    }
    return end !== undefined && !end.failed
  }

  /** When all files are written, whether or not actions failed. */
  async after(execution: Execution): Promise<void> {
    if (this.#state !== 'begun' || this.#options.request.signal?.aborted) return
    const result = execution.result()
    this.#history.acting = result.results.length + 1
    const end = await this.#run('after', hookFacts(result, this.#files()), execution)
    if (!end?.failed) return
    const kept = 'The changes were kept; clada undo reverts them.'
    const message = [`After hooks failed. ${kept}`, ...end.reports].join('\n')
    execution.fail(message, end.late ? 'exec_timeout' : 'exec_failed')
  }

  #mayChange({ action, diagnostics }: Block): boolean {
    const effect = this.#options.settings.registry.get(action)?.effect
    return diagnostics.length === 0 && effect !== undefined && effect !== 'read' && effect !== 'meta'
  }

  /** The files that actions changed and that still exist, as `pathFrom` names them. */
  #files(): string[] {
    const { root } = this.#options.settings
    return this.#history
      .changed()
      .filter((absolute) => this.#disk.inspect(absolute).type === 'file')
      .map((absolute) => pathFrom(root, absolute))
      .sort()
  }

  /** Undefined when no hook can run; the execution then fails. */
  async #run(side: 'before' | 'after', facts: Facts, execution: Execution): Promise<HooksEnd | undefined> {
    const { settings, options, request } = this.#options
    const { hooks = {}, vars = {} } = options
    const files = this.#disk.filesFor(() => {})
    const scope: CommandScope = {
      settings,
      commands: commandSettingsOf(options),
      files,
      effect: 'land',
      ask: undefined,
      signal: request.signal,
      onOutput: undefined,
    }
    try {
      const end = await runHooks(hooks[side] ?? [], { vars, facts }, scope)
      execution.addHookErrors(side, end.errors)
      // Failures that do not stop the run are warnings.
      if (!end.failed) execution.warn(...end.reports.map((report) => `hook ${report}`))
      return end
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      const { error: message, code } = explain(error.problem, 'clada')
      execution.fail(message, code)
      return undefined
    } finally {
      files.close()
    }
  }
}

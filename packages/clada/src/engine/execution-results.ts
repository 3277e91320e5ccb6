import { type EmptyGroup, isEditMissing, type NotExecuted } from '@clada/reply/core/block.ts'
import type { Code } from '@clada/reply/core/codes.ts'
import { unlessEmpty } from '@clada/reply/core/optional.ts'
import { type ActionResult, type ExecutionResult, isLeftOut, type ParseError } from '../core/result.ts'
import type { WriteNote } from '../core/files.ts'
import { noteWarnings } from '../report/explain.ts'

/** What is known of an execution so far: the results of its actions, and everything of the document that did not run. */
export class ExecutionResults {
  readonly actions: ActionResult[] = []
  readonly parseErrors: ParseError[] = []
  readonly notExecuted: NotExecuted[] = []
  readonly #warnings: string[] = []
  readonly #emptyGroups: EmptyGroup[] = []
  /** Blocks that were to run, whatever became of them. */
  blocks = 0
  /** Actions that ran. */
  executed = 0
  #commit: { gitCommit?: string } = {}
  #fatal: { fatalError?: string; fatalCode?: Code } = {}
  /** Why the rest is skipped: what stopped the run, without what is for programs. */
  skipReason: string | undefined
  #hookErrors: Pick<ExecutionResult, 'hookErrors'> = {}

  get fatalError(): string | undefined {
    return this.#fatal.fatalError
  }

  /** Whether something that was asked for did not become an action. */
  get isIncomplete(): boolean {
    return this.parseErrors.length > 0 || this.notExecuted.some(isEditMissing)
  }

  setFatal(fatalError: string, fatalCode: Code, skipReason = fatalError): void {
    this.#fatal = { fatalError, fatalCode }
    this.skipReason = skipReason
  }

  setCommit(gitCommit: string): void {
    this.#commit = { gitCommit }
  }

  addHookErrors(side: 'before' | 'after', errors: readonly string[]): void {
    if (errors.length > 0) this.#hookErrors = { hookErrors: { ...this.#hookErrors.hookErrors, [side]: [...errors] } }
  }

  warn(...warnings: readonly string[]): void {
    this.#warnings.push(...warnings)
  }

  warnOfWrites(notes: readonly WriteNote[]): void {
    this.warn(...notes.flatMap(noteWarnings))
  }

  addEmptyGroups(groups: readonly EmptyGroup[]): void {
    this.warn(...groups.map(({ line }) => `line ${line}: the group has no tasks`))
    this.#emptyGroups.push(...groups)
  }

  /** `taught`: the syntax that a reminder without any block shows. */
  whole(
    root: string,
    proposals: NonNullable<ExecutionResult['proposals']> = [],
    taught?: ExecutionResult['taught'],
  ): ExecutionResult {
    const parseErrors = this.parseErrors.sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
    this.notExecuted.sort((a, b) => a.line - b.line)
    return {
      success:
        this.fatalError === undefined &&
        !this.isIncomplete &&
        this.actions.every((result) => result.success || isLeftOut(result)),
      totalBlocks: this.blocks,
      executedActions: this.executed,
      results: this.actions,
      parseErrors,
      root,
      ...this.#commit,
      ...this.#fatal,
      ...this.#hookErrors,
      warnings: unlessEmpty(this.#warnings),
      notExecuted: unlessEmpty(this.notExecuted),
      emptyGroups: unlessEmpty(this.#emptyGroups),
      proposals: unlessEmpty(proposals),
      taught: this.blocks + parseErrors.length === 0 ? taught : undefined,
    }
  }
}

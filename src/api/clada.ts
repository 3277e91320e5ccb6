import { registry } from '../actions/registry.ts'
import type { Block, Document } from '../core/block.ts'
import { type ActionResult, type ExecutionResult, type FileChange, type Preview, withWarnings } from '../core/result.ts'
import type { HistorySettings, Settings } from '../core/settings.ts'
import { run, runDocument, type RunOptions, type RunResult, runStream, withinTime } from '../engine/run.ts'
import type { ExecutionChanges, ExecutionDetail, HistoryEntry } from '../engine/history-run.ts'
import type { Executed } from '../journal/already-done.ts'
import type { SquashOptions } from '../timetravel/squash-plan.ts'
import type { SquashResult } from '../timetravel/squash.ts'
import type { StepResult } from '../timetravel/back-forward.ts'
import type { UndoOptions, UndoResult } from '../timetravel/undo.ts'
import {
  type CladaOptions,
  commandSettingsOf,
  historySettingsOf,
  readingOf,
  SettingsError,
  settingsOf,
} from '../config/settings.ts'

/** Options of one execution. */
export interface ExecuteOptions {
  /** Receives the output of programs as it arrives, with the number of the task. */
  onOutput?: (task: string, chunk: Buffer) => void
  /** Receives the result of each action, in order. */
  onAction?: (result: ActionResult) => void
  /**
   * Receives the changes of files right before `onAction`: the full texts, whatever form of edit the block used. Files
   * above 1 MB are left out. Without it nothing is kept.
   */
  onChanges?: (result: ActionResult, changes: readonly FileChange[]) => void
  /** When aborted, the remaining actions are skipped and reported as such. */
  signal?: AbortSignal
  /** Milliseconds for the whole run: no action begins later. */
  timeLimit?: number
  /** Selects among the blocks of a text; the others are ignored. */
  select?: (document: Document) => Document
  /**
   * With `alreadyDone: 'skip'`: whether a block runs again although it already ran, for callers that know that it was
   * removed in between. Without it a block counts as done only if the previous execution had it.
   */
  again?: (block: string) => boolean
  /** Only these blocks of the document, by their `task` numbers. */
  only?: readonly string[]
}

/** Options of one preview. */
export interface PreviewOptions extends ExecuteOptions {
  /**
   * `try`: code, and approved commands without network, are run in the sandbox on a layer that is thrown away, so that
   * the diff has their changes. Where there are no layers, and without it, programs are only named.
   */
  programs?: 'name' | 'try'
}

/** Finds the action blocks in a text and runs them. Holds options, no state. */
export class Clada {
  readonly #options: CladaOptions

  constructor(options: CladaOptions = {}) {
    this.#options = options
  }

  /** Never throws: failures are in the result. */
  async execute(text: string, options: ExecuteOptions = {}): Promise<ExecutionResult> {
    const { result } = await this.#run(text, this.#options.atomic ? 'together' : 'land', options)
    return result
  }

  /** The same for a text that is still arriving: each block runs as soon as it is complete. */
  async executeStream(texts: AsyncIterable<string>, options: ExecuteOptions = {}): Promise<ExecutionResult> {
    const effect = this.#options.atomic ? 'together' : 'land'
    const { result } = await this.#timed(options, (limited) =>
      this.#safely(async (settings) =>
        runStream(texts, { ...this.#asked(settings), effect, ...(await chosen(limited, settings)) }),
      ),
    )
    return result
  }

  /** The changes that an execution would make, without making them. */
  async preview(text: string, options: PreviewOptions = {}): Promise<Preview> {
    const { result, changes, changesBy } = await this.#run(text, 'show', options)
    const { changeOf, diffOf } = await import('../engine/preview.ts')
    // If there are changes, the settings are valid.
    const root = changes.length + changesBy.size === 0 ? '' : settingsOf(this.#options).root
    // An atomic run with a failure changes nothing.
    const fails = this.#options.atomic === true && !result.success
    const diffs = fails ? [] : changes.map((change) => diffOf(change, root))
    return {
      result: fails && changes.length > 0 ? withWarnings(result, [nothingChanges]) : result,
      diffs,
      diff: diffs.map(({ diff }) => diff).join(''),
      changesBy: (seq) => (changesBy.get(seq) ?? []).map((change) => changeOf(change, root)),
    }
  }

  /** Runs one action for the user; paths may be relative. */
  perform(
    action: string,
    params: Readonly<Record<string, string>>,
    options: Omit<ExecuteOptions, 'only'> = {},
  ): Promise<ExecutionResult> {
    return this.#one({ ...bare, id: 'do', action, params }, 'user', options)
  }

  /** Runs one action for a model, with typed values. Null counts as missing; paths may be relative. */
  call(
    action: string,
    values: Readonly<Record<string, unknown>>,
    options: Omit<ExecuteOptions, 'only'> = {},
  ): Promise<ExecutionResult> {
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
    return this.#one({ ...bare, startLine: 0, endLine: 0, id: 'call', action, values: given }, 'document', options)
  }

  /** Reverts the file changes of an execution: the last one, unless a number is given. */
  async undo(options: UndoOptions = {}): Promise<UndoResult> {
    const { undo } = await import('../timetravel/undo.ts')
    return undo(settingsOf(this.#options), this.#history(), options)
  }

  /** Reverts the last undo. */
  async redo(options: Pick<UndoOptions, 'force'> = {}): Promise<UndoResult> {
    const { redo } = await import('../timetravel/undo.ts')
    return redo(settingsOf(this.#options), this.#history(), options)
  }

  /** Checks out the parent commit; uncommitted changes are stashed until `forward` returns. */
  async back(): Promise<StepResult> {
    const { stepBack } = await import('../timetravel/back-forward.ts')
    return stepBack(settingsOf(this.#options), this.#history())
  }

  /** One step towards the commit where `back` began. */
  async forward(): Promise<StepResult> {
    const { stepForward } = await import('../timetravel/back-forward.ts')
    return stepForward(settingsOf(this.#options), this.#history())
  }

  /** Combines several commits into one. */
  async squash(options: SquashOptions = {}): Promise<SquashResult> {
    const { squashCommits } = await import('../timetravel/squash.ts')
    return squashCommits(settingsOf(this.#options), this.#history(), options)
  }

  /** All executions in this project, oldest first. */
  async history(): Promise<HistoryEntry[]> {
    const { historyOf } = await import('../engine/history-run.ts')
    return historyOf(settingsOf(this.#options))
  }

  /** One execution with its diffs. */
  async execution(number: number): Promise<ExecutionDetail | undefined> {
    const { executionOf } = await import('../engine/history-run.ts')
    return executionOf(settingsOf(this.#options), number)
  }

  /** The files of one execution before and after, and changes by others before it. */
  async changesOf(number: number): Promise<ExecutionChanges | undefined> {
    const { changesOf } = await import('../engine/history-run.ts')
    return changesOf(settingsOf(this.#options), number)
  }

  /** Changes by others since, in files that clada changed. */
  async changedSince(): Promise<FileChange[]> {
    const { changedSince } = await import('../engine/history-run.ts')
    return changedSince(settingsOf(this.#options))
  }

  /** The last run of a block with exactly this text. */
  async wasExecuted(block: string): Promise<Executed | undefined> {
    const { executedBefore } = await import('../engine/history-run.ts')
    return executedBefore(settingsOf(this.#options), block)
  }

  async #one(
    block: Block,
    origin: RunOptions['origin'],
    options: Omit<ExecuteOptions, 'only'>,
  ): Promise<ExecutionResult> {
    const document = { blocks: [block], faults: [], warnings: [] }
    const { result } = await this.#timed(options, (limited) =>
      this.#safely(async (settings) =>
        runDocument(document, {
          ...this.#asked({ ...settings, relativePaths: true }),
          origin,
          effect: 'land',
          ...(await chosen(limited, settings)),
        }),
      ),
    )
    return result
  }

  #run(text: string, effect: RunOptions['effect'], options: PreviewOptions): Promise<RunResult> {
    return this.#timed(options, (limited) =>
      this.#safely(async (settings) =>
        run(text, { ...this.#asked(settings), effect, ...(await chosen(limited, settings)) }),
      ),
    )
  }

  /** Applies the project's time limit. */
  #timed<T>(options: PreviewOptions, work: (limited: PreviewOptions) => Promise<T>): Promise<T> {
    const { signal, timeLimit: own = Infinity } = options
    return withinTime(this.#options.totalTimeout, signal, ({ timeLimit = own, ...limits }) =>
      work({ ...options, ...limits, timeLimit: Math.min(own, timeLimit) }),
    )
  }

  #asked(settings: Settings): Omit<RunOptions, 'effect'> {
    const { ask, hooks, vars, matching, patches } = this.#options
    const commands = commandSettingsOf(this.#options)
    return {
      settings,
      history: this.#history(),
      registry,
      origin: 'document',
      commands,
      ask,
      hooks,
      vars,
      matching,
      patches,
      alreadyDone: this.#options.alreadyDone,
      ...readingOf(this.#options),
    }
  }

  #history(): HistorySettings {
    return historySettingsOf(this.#options)
  }

  async #safely(work: (settings: Settings) => Promise<RunResult>): Promise<RunResult> {
    try {
      return await work(settingsOf(this.#options))
    } catch (error) {
      const bug = !(error instanceof SettingsError)
      const message = error instanceof Error ? error.message : String(error)
      return {
        changes: [],
        changesBy: new Map(),
        result: {
          success: false,
          totalBlocks: 0,
          executedActions: 0,
          results: [],
          parseErrors: [],
          fatalError: bug ? `Unexpected error in execute: ${message}` : message,
          fatalCode: bug ? 'internal_error' : 'invalid_parameter',
        },
      }
    }
  }
}

const nothingChanges = 'nothing would change: the run is atomic and at least one action would fail'

/** A block outside of any document. */
const bare = { syntax: 'sham', params: {}, startLine: 1, endLine: 1, faults: [], raw: '' } as const

type Asked = Omit<PreviewOptions, 'only' | 'onChanges'> & Pick<RunOptions, 'only' | 'onChanges'>

async function chosen({ only, onChanges, ...rest }: PreviewOptions, { root }: Settings): Promise<Asked> {
  return {
    ...rest,
    ...(only === undefined ? {} : { only: new Set(only) }),
    ...(onChanges === undefined ? {} : { onChanges: await inTexts(onChanges, root) }),
  }
}

async function inTexts(
  onChanges: NonNullable<ExecuteOptions['onChanges']>,
  root: string,
): Promise<RunOptions['onChanges']> {
  // Loads the diff code, which most runs do not need.
  const { changeOf } = await import('../engine/preview.ts')
  return (result, changes) =>
    onChanges(
      result,
      changes.map((change) => changeOf(change, root)),
    )
}

/** The same as `new Clada(options)`. */
export const createClada = (options?: CladaOptions): Clada => new Clada(options)

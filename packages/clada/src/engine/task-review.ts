import type { Document } from '@clada/reply/core/block.ts'
import path from 'node:path'
import { digestOf } from '../core/digest.ts'
import { pathFrom } from '../core/paths.ts'
import type { Problem } from '../core/problem.ts'
import { type ActionResult, fatalResult, isLeftOut, type ReviewNote } from '../core/result.ts'
import type { BlockChoice, ReviewedBlock, ReviewPlace } from '../core/review.ts'
import type { Settings } from '../core/settings.ts'
import { explain } from '../report/explain.ts'
import { primaryOf } from '../report/words.ts'
import type { Change, ExpectedFile, GroupScope, Scope } from '../workspace/open.ts'
import type { WriteNote } from '../core/files.ts'
import { problemOfError } from './action-runner.ts'
import { type Confirm, nothingRun, type RunOptions, type RunResult, type ChangesVerdict } from './options.ts'
import { describeEditedParams, findPlaces, shortDiff, digestOfChanges, takeChoice, type Taken } from './review.ts'
import type { ReadyTask } from './tasks.ts'
import { unlessEmpty } from '@clada/reply/core/optional.ts'

/** What lands is confirmed before, where that is asked for, and noted after. */
interface LandingSteps {
  readonly onNotes: (notes: readonly WriteNote[]) => void
  readonly confirm: Confirm | undefined
}

/** Applies the decisions of the user to one action. It runs on a stage, from which only what was reviewed lands. */
export class TaskReview {
  readonly #task: ReadyTask
  readonly #options: RunOptions
  readonly #scope: Scope
  readonly #onNotes: LandingSteps['onNotes']
  readonly #confirm: Confirm | undefined
  readonly #choice: BlockChoice
  #seen: { readonly shown: string; readonly taken: Taken } | undefined
  #places: readonly ReviewPlace[] = []
  #fitting = 0
  readonly #isStaged: boolean
  #stage: GroupScope | undefined
  /** The reason why the action does not even run. */
  readonly skipped: Problem | undefined

  constructor(task: ReadyTask, options: RunOptions, scope: Scope, { onNotes, confirm }: LandingSteps) {
    this.#task = task
    this.#options = options
    this.#scope = scope
    this.#onNotes = onNotes
    this.#confirm = confirm
    const { choice = {}, decoded } = task
    this.#choice = choice
    const { spec, params } = decoded
    // The effects of a program are unknown before it runs, so there is nothing to compare.
    const isProgram = spec.startsProcess?.(params) ?? spec.effect !== 'write'
    const isPartial = choice.leaveOut === true || (choice.leave ?? []).length > 0 || choice.texts !== undefined
    const isCompared = options.effect !== 'show' && choice.shown !== undefined && !options.expected?.has(task.number)
    this.#isStaged = !isProgram && (isPartial || isCompared || confirm !== undefined)
    // A preview shows what is left out, too.
    const isSkipped = choice.leaveOut === true && (isProgram || options.effect !== 'show')
    this.skipped = isSkipped ? leftOutProblem(task, choice.reason) : undefined
  }

  /** Where the action works: on a stage of its own, unless all of it is applied whatever it is. */
  async scope(): Promise<Scope> {
    if (!this.#isStaged) return this.#scope
    return (this.#stage = await this.#scope.group())
  }

  /** What is known of it before it runs. */
  get note(): ReviewNote | undefined {
    const { written, decoded } = this.#task
    const edits = written === undefined ? [] : describeEditedParams(written, decoded.params)
    const { place, reason } = this.#choice
    if (this.skipped !== undefined) return { leftOut: true, reason }
    return { edited: unlessEmpty(edits), place }
  }

  get decide(): ((changes: readonly Change[]) => Promise<ChangesVerdict>) | undefined {
    const stage = this.#stage
    return stage && ((changes) => this.#decide(changes, stage))
  }

  async failed(problem: Problem, scope: Scope): Promise<void> {
    if (this.#options.effect !== 'show') return
    const files = scope.filesFor(() => {})
    this.#places = await findPlaces(problem, this.#task.decoded, files)
    files.close()
    if (problem.kind === 'hunk-failed')
      this.#fitting = problem.verdicts.filter(({ verdict }) => verdict === 'fits').length
  }

  block({ seq }: ActionResult, changes: readonly Change[]): ReviewedBlock {
    const { decoded, number } = this.#task
    const texts = Object.entries(decoded.params).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as const] : [],
    )
    const { leaveOut, leave = [] } = this.#choice
    // Hunks cost a diff of each file, and of a long reply only some blocks are looked at.
    const taken = (): Taken => (this.#seen ?? this.#see(changes)).taken
    return {
      task: number,
      seq,
      shown: this.#seen?.shown ?? digestOfChanges(changes, this.#options.settings.root),
      leftOut: leaveOut === true || (leave.length > 0 && isLeftOut({ review: taken().note ?? {} })),
      get files() {
        return taken().files
      },
      places: this.#places,
      fitting: this.#fitting,
      params: Object.fromEntries(texts),
      get stale() {
        return taken().stale
      },
    }
  }

  #see(changes: readonly Change[]): { readonly shown: string; readonly taken: Taken } {
    const { root } = this.#options.settings
    return (this.#seen = { shown: digestOfChanges(changes, root), taken: takeChoice(changes, this.#choice, root) })
  }

  async #decide(changes: readonly Change[], stage: GroupScope): Promise<ChangesVerdict> {
    const { shown, taken } = this.#see(changes)
    const { leaveOut, shown: wanted, reason } = this.#choice
    const [first] = changes
    const isOutdated = taken.stale.length > 0 || (wanted !== undefined && wanted !== shown)
    if (this.#options.effect !== 'show' && isOutdated) {
      const path =
        first === undefined ? primaryOf(this.#task.decoded) : pathFrom(this.#options.settings.root, first.at.absolute)
      return { changes: [], problem: { kind: 'review-outdated', path } }
    }
    const note = leaveOut ? { leftOut: true as const, reason } : taken.note
    if (note?.leftOut) return { changes: [], note, problem: leftOutProblem(this.#task, note.reason) }
    const edited = [...(this.note?.edited ?? []), ...(note?.edited ?? [])]
    const whole = note && { note: { ...note, edited: unlessEmpty(edited) } }
    try {
      return { ...(await this.#land(changes, stage, taken)), ...whole }
    } catch (error) {
      return { changes: [], problem: problemOfError(error) }
    }
  }

  /** Where only a part is taken, that part is made on a stage of its own: the rest never happened. */
  async #land(changes: readonly Change[], stage: GroupScope, { instead }: Taken): Promise<ChangesVerdict> {
    if (instead === undefined) return this.#landConfirmed(stage, changes)
    const part = await this.#scope.group()
    const since = part.noting()
    await part.put(instead)
    return this.#landConfirmed(part, since())
  }

  async #landConfirmed(stage: GroupScope, changes: readonly Change[]): Promise<ChangesVerdict> {
    const decision = (await this.#confirm?.(changes)) ?? { warnings: [] }
    if (decision.problem !== undefined) return { changes: [], ...decision }
    this.#onNotes(await stage.land())
    return { changes, ...decision }
  }
}

const leftOutProblem = ({ decoded }: ReadyTask, reason: string | undefined): Problem => ({
  kind: 'left-out',
  path: primaryOf(decoded),
  reason,
})

/**
 * Runs a document under the choices of a review. If any block would now do something else than what was shown, nothing
 * is run.
 */
export async function runReviewed(
  text: string,
  document: Document,
  options: RunOptions,
  run: (document: Document, options: RunOptions) => Promise<RunResult>,
): Promise<RunResult> {
  const { request, effect } = options
  const { blocks = {}, original } = request.review ?? {}
  const isBound = Object.values(blocks).some(
    ({ leaveOut, shown, leave, texts }) => leaveOut !== true && (shown ?? leave ?? texts) !== undefined,
  )
  const expected = new Map<string, ExpectedFile>()
  if (effect !== 'show' && isBound) {
    const { review = {}, only, select } = request
    const same = { review, only, select }
    // Whether the syntax of the files is right takes longer to find out than all the rest.
    const compared = { ...options.options, syntaxCheck: 'off' as const }
    const shown = { ...options, effect: 'show' as const, request: same, options: compared }
    const { reviewed, result, changesBy } = await run(document, shown)
    const outdated = reviewed.find((block) => {
      const { shown, leaveOut, leave, texts } = blocks[block.task] ?? {}
      if (leaveOut === true) return false
      const isOther = shown !== undefined && shown !== block.shown
      return isOther || ((leave !== undefined || texts !== undefined) && block.stale.length > 0)
    })
    if (outdated !== undefined) {
      const changed = result.results.find(({ seq }) => seq === outdated.seq)
      const path = outdated.files[0]?.path ?? (changed === undefined ? '' : primaryOf(changed))
      const { error, code } = explain({ kind: 'review-outdated', path }, 'review')
      return nothingRun(fatalResult(`${error}. Nothing was applied. Review the reply again.`, code))
    }
    for (const { task, seq } of reviewed) {
      const only = onlyFile(result.results[seq - 1], changesBy.get(seq) ?? [], options.settings)
      if (only !== undefined) expected.set(task, only)
    }
  }
  const ran = await run(document, { ...options, expected })
  if (original === undefined || original === text) return ran
  return { ...ran, result: { ...ran.result, editedReply: shortDiff(original, text) } }
}

/**
 * The file that decides what an action does. If it is as it was reviewed, so is the change, and the action need not run on a
 * stage: many files are then written at the same time.
 */
function onlyFile(
  result: ActionResult | undefined,
  changes: readonly Change[],
  { root, registry }: Settings,
): ExpectedFile | undefined {
  const [change, ...others] = changes
  if (result?.success !== true || change === undefined || others.length > 0 || change.after === null) return undefined
  const { at, before } = change
  const { path: given } = result.params
  const { params = {}, effect } = registry.get(result.action) ?? {}
  const paths = Object.keys(params).filter(
    (name) =>
      params[name]?.format?.endsWith('_paths') ||
      (params[name]?.format === 'absolute_path' && result.params[name] !== undefined),
  )
  if (effect !== 'write' || paths.length !== 1 || typeof given !== 'string') return undefined
  if (path.resolve(root, given) !== at.absolute) return undefined
  return { absolute: at.absolute, content: before === null ? undefined : digestOf(before.bytes) }
}

import { decode, type Decoded } from './actions/decode.ts'
import type { Registry } from './actions/registry.ts'
import type { Outcome } from './core/action.ts'
import type { Block, Document, SyntaxName } from './core/block.ts'
import { type Problem, Stop } from './core/problem.ts'
import type { ActionResult, ExecutionResult, ParseError } from './core/result.ts'
import type { Settings } from './core/settings.ts'
import { Source } from './core/source.ts'
import { decide } from './policy/decide.ts'
import { makePathJudge, pathPolicyOf } from './policy/paths.ts'
import { syntaxError, validationError } from './parse-error.ts'
import { explain } from './report/explain.ts'
import { findBlocks } from './syntax/find-blocks.ts'
import { openWorkspace, type OpenWorkspace, type Change } from './workspace/open.ts'

/** The only file that knows the order of the stages: text, blocks, actions, policy, workspace, result. */
export interface RunOptions {
  readonly settings: Settings
  readonly registry: Registry
  /** Whether a model wrote this or the person at the keyboard. */
  readonly origin: 'document' | 'user'
  readonly syntaxes?: readonly SyntaxName[] | undefined
  /** `land`: each action's changes reach the disk as it is done. `together`: all at the end or none. `show`: none. */
  readonly effect: 'land' | 'together' | 'show'
  readonly onAction?: ((result: ActionResult) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

export interface RunResult {
  readonly result: ExecutionResult
  /** With `show`: what would be different. */
  readonly changes: readonly Change[]
}

export async function run(text: string, options: RunOptions): Promise<RunResult> {
  const { settings } = options
  const tooLarge = inputTooLarge(text, settings.limits.inputBytes)
  if (tooLarge !== undefined) return { result: fatal(tooLarge, 'input_too_large'), changes: [] }

  return carryOut(findBlocks(new Source(text), options.syntaxes), options)
}

/** The same for blocks that are already there. */
export async function carryOut(document: Document, options: RunOptions): Promise<RunResult> {
  const { settings } = options
  const judge = makePathJudge(pathPolicyOf(settings))
  const workspace = openWorkspace(settings, judge, options.effect === 'land' ? 'disk' : 'staged')
  try {
    const execution = new Execution(document, options, workspace)
    await execution.carryOut()
    const changes = options.effect === 'show' ? workspace.changes() : []
    if (options.effect === 'together') await execution.landTogether()
    return { result: execution.result(), changes }
  } finally {
    await workspace.close()
  }
}

/** Carries out actions one after another. Their files may land side by side, as long as nobody looks at them. */
class Execution {
  readonly #document: Document
  readonly #options: RunOptions
  readonly #workspace: OpenWorkspace
  readonly #results: ActionResult[] = []
  readonly #parseErrors: ParseError[]
  readonly #warnings: string[] = []
  /** One for each action whose files are on their way, oldest first. */
  readonly #landing: Promise<void>[] = []
  #reported: Promise<void> = Promise.resolve()
  #executed = 0

  constructor(document: Document, options: RunOptions, workspace: OpenWorkspace) {
    this.#document = document
    this.#options = options
    this.#workspace = workspace
    this.#parseErrors = document.faults.map((fault) => syntaxError(undefined, fault))
  }

  async carryOut(): Promise<void> {
    let task = 0
    for (const block of this.#document.blocks) {
      task++
      if (block.faults.length > 0) {
        for (const fault of block.faults) this.#parseErrors.push({ ...syntaxError(block, fault), task: String(task) })
        continue
      }
      const decoded = this.#decode(block)
      if (!decoded.ok) {
        this.#parseErrors.push({ ...validationError(block, decoded), task: String(task) })
        continue
      }
      await this.#perform(block, String(task), decoded)
    }
    await this.#reported
  }

  async landTogether(): Promise<void> {
    const failed = this.#results.find((result) => !result.success)
    if (failed === undefined && this.#parseErrors.length === 0) {
      try {
        for (const saved of await this.#workspace.landTogether()) this.#warnings.push(displacedWarning(saved))
        return
      } catch (error) {
        this.#refuseAll(problemOf(error))
        return
      }
    }
    const because = failed === undefined ? 'a block could not be read' : `action ${failed.seq} failed`
    this.#refuseAll({ kind: 'stopped', reason: `${because}, and the document is carried out whole or not at all` })
  }

  result(): ExecutionResult {
    const parseErrors = this.#parseErrors.sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
    return {
      success: parseErrors.length === 0 && this.#results.every((result) => result.success),
      totalBlocks: this.#document.blocks.length,
      executedActions: this.#executed,
      results: this.#results,
      parseErrors,
      ...(this.#warnings.length > 0 ? { warnings: this.#warnings } : {}),
    }
  }

  #decode(block: Block): Decoded {
    const { settings, registry } = this.#options
    const relativePaths = settings.relativePaths || block.syntax !== 'sham'
    return decode(block.action, block.params, registry, { root: settings.root, relativePaths })
  }

  async #perform(block: Block, task: string, decoded: Decoded & { ok: true }): Promise<void> {
    const result: ActionResult = {
      seq: this.#results.length + 1,
      blockId: block.id,
      action: decoded.spelled,
      params: decoded.params,
      success: false,
      task,
      syntax: block.syntax,
      line: block.startLine,
    }
    this.#results.push(result)
    const begun = performance.now()
    const landings: Promise<{ displaced?: string }>[] = []
    const outcome = await this.#outcome(decoded, (landing) => landings.push(landing))
    settle(result, outcome, [...(block.warnings ?? []), ...decoded.warnings])

    const landed = this.#landed(result, landings).then(() => {
      result.durationMs = Math.round((performance.now() - begun) * 1000) / 1000
    })
    // In order, whatever order the files land in.
    this.#reported = this.#reported.then(() => landed).then(() => this.#options.onAction?.(result))
    if (landings.length === 0) return
    this.#landing.push(landed)
    if (this.#landing.length >= maxLanding) await this.#landing.shift()
  }

  async #outcome(
    decoded: Decoded & { ok: true },
    onWrite: (landing: Promise<{ displaced?: string }>) => void,
  ): Promise<Outcome> {
    const { spec, spelled, args } = decoded
    const { settings, origin, signal } = this.#options
    if (signal?.aborted) return { ok: false, problem: { kind: 'stopped', reason: reasonOf(signal) } }
    const decision = decide(spec, spelled, { origin, allowedActions: settings.allowedActions })
    if (decision.verdict === 'deny') {
      return { ok: false, problem: { kind: 'denied', rule: decision.rule, action: spelled, reason: decision.reason } }
    }
    this.#executed++
    const files = this.#workspace.filesFor(onWrite)
    try {
      return await spec.run(args, { files, spelled, explain: (problem) => explain(problem, spelled).error })
    } catch (error) {
      return { ok: false, problem: problemOf(error) }
    } finally {
      files.close()
    }
  }

  /** An action has succeeded only when its files are on the disk. */
  async #landed(result: ActionResult, landings: readonly Promise<{ displaced?: string }>[]): Promise<void> {
    for (const settled of await Promise.allSettled(landings)) {
      if (settled.status === 'rejected') settle(result, { ok: false, problem: problemOf(settled.reason) }, [])
      else if (settled.value.displaced !== undefined) {
        result.warnings = [...(result.warnings ?? []), displacedWarning(settled.value.displaced)]
      }
    }
  }

  #refuseAll(problem: Problem): void {
    for (const result of this.#results) {
      if (result.success) settle(result, { ok: false, problem }, result.warnings ?? [])
    }
  }
}

/** More files than this on their way at once would only cost memory. */
const maxLanding = 16

function settle(result: ActionResult, outcome: Outcome, warnings: readonly string[]): void {
  result.success = outcome.ok
  if (outcome.data === undefined) delete result.data
  else result.data = outcome.data
  if (!outcome.ok) {
    const { error, code, details } = explain(outcome.problem, result.action)
    Object.assign(result, { error, code, ...(details === undefined ? {} : { details }) })
  }
  const all = [...warnings, ...(outcome.warnings ?? [])]
  if (all.length > 0) result.warnings = all
}

function problemOf(error: unknown): Problem {
  if (error instanceof Stop) return error.problem
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  return { kind: 'bug', message, ...(stack === undefined ? {} : { stack }) }
}

const displacedWarning = (saved: string): string =>
  `someone else wrote to this file in the moment it was replaced; their text is saved in ${saved}`

const reasonOf = (signal: AbortSignal): string =>
  signal.reason instanceof Error ? signal.reason.message : 'the run was stopped'

function inputTooLarge(text: string, limit: number): string | undefined {
  // A UTF-16 unit is at most three bytes, so most texts need no counting.
  if (text.length * 3 <= limit) return undefined
  const size = Buffer.byteLength(text)
  if (size <= limit) return undefined
  return `input_too_large: the document has ${size} bytes, the limit is ${limit}. Split it into several.`
}

function fatal(fatalError: string, fatalCode: 'input_too_large'): ExecutionResult {
  return { success: false, totalBlocks: 0, executedActions: 0, results: [], parseErrors: [], fatalError, fatalCode }
}

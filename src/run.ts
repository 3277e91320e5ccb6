import type { Document } from './core/block.ts'
import type { ExecutionResult } from './core/result.ts'
import { Source } from './core/source.ts'
import { Execution, type ExecutionOptions } from './execution.ts'
import { makePathJudge, pathPolicyOf } from './policy/paths.ts'
import { findBlocks, type FindOptions } from './syntax/find-blocks.ts'
import { type Change, openWorkspace } from './workspace/open.ts'

/** The only file that knows the order of the stages: text, blocks, actions, policy, workspace, result. */
export interface RunOptions extends ExecutionOptions, FindOptions {
  /** `land`: each action's changes reach the disk as it is done. `together`: all at the end or none. `show`: none. */
  readonly effect: 'land' | 'together' | 'show'
}

export interface RunResult {
  readonly result: ExecutionResult
  /** With `show`: what would be different. */
  readonly changes: readonly Change[]
}

export async function run(text: string, options: RunOptions): Promise<RunResult> {
  const tooLarge = inputTooLarge(text, options.settings.limits.inputBytes)
  if (tooLarge !== undefined) return { result: fatal(tooLarge, 'input_too_large'), changes: [] }
  return carryOut(findBlocks(new Source(text), options), options)
}

/** The same for blocks that are already there. */
export async function carryOut(document: Document, options: RunOptions): Promise<RunResult> {
  const { settings, effect } = options
  const judge = makePathJudge(pathPolicyOf(settings))
  const workspace = openWorkspace(settings, judge, effect === 'land' ? 'disk' : 'staged')
  try {
    const execution = new Execution(options, workspace)
    execution.note(document.faults, document.warnings)
    await execution.carryOut(document.blocks)
    await execution.settled()
    const changes = effect === 'show' ? workspace.changes() : []
    if (effect === 'together') await execution.landTogether()
    return { result: execution.result(), changes }
  } finally {
    await workspace.close()
  }
}

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

import { decode } from '../actions/decode.ts'
import { registry } from '../actions/registry.ts'
import type { CladaAction } from '../actions/validate-action.ts'
import { Clada } from '../api/clada.ts'
import { Source } from '@clada/reply/core/source.ts'
import type { ParseError } from '../core/result.ts'
import { syntaxError, validationError } from '../engine/tasks.ts'
import type { CladaOptions } from '../config/settings.ts'
import { findBlocks } from '@clada/reply/syntax/find-blocks.ts'
import { openSham } from '@clada/reply/syntax/sham/sham.ts'
import { explainFault } from '../report/mistakes.ts'
import type { ExplainedFault } from '@clada/reply/core/block.ts'

/** One block as `parseSham` returns it. */
export interface ShamBlock {
  readonly id: string
  /** Every key, `action` included. No prototype, so that `constructor` is a key like any other. */
  readonly properties: Readonly<Record<string, string>>
  readonly startLine: number
  readonly endLine: number | null
}

/** An error of `parseSham`. */
export type ShamError = ExplainedFault

/** The result of `parseSham`. */
export interface ShamParseResult {
  readonly blocks: readonly ShamBlock[]
  /** In line order. */
  readonly errors: readonly ShamError[]
  /** Headers after a truncated heredoc: not executed. */
  readonly skipped: readonly { readonly id: string; readonly line: number }[]
}

/** Every SHAM and NESL block of a text. Never throws: a broken block is among `blocks`, and why is in `errors`. */
export function parseSham(text: string): ShamParseResult {
  const source = new Source(text)
  const { seek, read } = openSham(source)
  const blocks: ShamBlock[] = []
  const errors: ShamError[] = []
  const skipped: { id: string; line: number }[] = []
  for (let line = seek(1); line <= source.lineCount;) {
    const found = read(line)
    line = seek(found.next)
    for (const fault of found.faults) errors.push(explainFault(fault))
    for (const one of found.skipped) skipped.push({ id: one.name.id, line: one.line })
    if (found.block === undefined) continue
    const { name, properties, startLine, endLine, faults } = found.block
    blocks.push({ id: name.id, properties, startLine, endLine })
    for (const fault of faults) errors.push(explainFault(fault))
  }
  errors.sort((a, b) => a.line - b.line)
  return { blocks, errors, skipped }
}

/** The result of `parseShamResponse`. */
export interface ShamResponse {
  actions: CladaAction[]
  errors: ParseError[]
  summary: { totalBlocks: number; successCount: number; errorCount: number }
}

/** The actions in a model's reply, and the errors of invalid blocks. Nothing is run. */
export async function parseShamResponse(text: string): Promise<ShamResponse> {
  const { blocks, faults } = findBlocks(new Source(text), { syntaxes: ['sham'], strict: true })
  const actions: CladaAction[] = []
  const errors = faults.map((fault) => syntaxError(undefined, fault))
  for (const block of blocks) {
    const { id: blockId, startLine } = block
    if (block.faults.length > 0) {
      errors.push(...block.faults.map((fault) => syntaxError(block, fault)))
      continue
    }
    const decoded = decode(block.action, block.params, registry, { root: process.cwd(), relativePaths: false })
    if (!decoded.ok) errors.push(validationError(block, decoded))
    else {
      const metadata = { blockId, startLine, endLine: block.endLine ?? startLine }
      actions.push({ action: block.action, parameters: decoded.params, metadata })
    }
  }
  errors.sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
  const summary = { totalBlocks: blocks.length, successCount: actions.length, errorCount: errors.length }
  return { actions, errors, summary }
}

/** The result of `executeFileOperation`. */
export interface FileOpResult {
  success: boolean
  data?: unknown
  error?: string
}

/** An error of a file operation, for callers that prefer to throw. */
export class FileOpError extends Error {
  override readonly name = 'FileOpError'
  readonly code: string
  readonly path: string | undefined
  readonly operation: string | undefined

  constructor(message: string, code: string, path?: string, operation?: string) {
    super(message)
    this.code = code
    this.path = path
    this.operation = operation
  }
}

/** Runs one parsed action. Never throws. */
export async function executeFileOperation(action: CladaAction, options: CladaOptions = {}): Promise<FileOpResult> {
  const params = Object.fromEntries(Object.entries(action.parameters).map(([name, value]) => [name, String(value)]))
  const { results, parseErrors, fatalError } = await new Clada(options).perform(action.action, params)
  const [result] = results
  if (result === undefined)
    return { success: false, error: fatalError ?? parseErrors[0]?.message ?? 'Nothing was done' }
  const { success, data, code } = result
  const option = ` Pass { allowedRoots: ['/its/directory'] } as the second argument to allow it.`
  const error = code === 'path_escape' ? `${result.error}.${option}` : result.error
  return { success, ...(data === undefined ? {} : { data }), ...(error === undefined ? {} : { error }) }
}

/** Does nothing: definitions are part of the program. For callers of the earlier library. */
export function clearActionSchemaCache(): void {}

/**
 * Replaces up to `count` occurrences, all without it. What was put in is not searched again, and it is
 * put in as it is: `$&` is text.
 * @throws when `oldText` is empty, which would occur everywhere.
 */
export function replaceText(
  content: string,
  oldText: string,
  newText: string,
  count?: number,
): { result: string; replacements: number } {
  if (oldText === '') throw new Error('old_text cannot be empty')

  // Pieces are joined once at the end: building the result again for every occurrence is quadratic.
  const pieces: string[] = []
  let replacements = 0
  let from = 0
  while (count === undefined || replacements < count) {
    const at = content.indexOf(oldText, from)
    if (at === -1) break
    pieces.push(content.slice(from, at))
    from = at + oldText.length
    replacements++
  }
  pieces.push(content.slice(from))
  return { result: pieces.join(newText), replacements }
}
